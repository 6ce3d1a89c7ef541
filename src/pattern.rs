//! Pieces of text, many looked for at once: letters in either case, `#` any digit.

/// Whether a pattern stands at the beginning of a text.
fn begins(text: &[u8], pattern: &[u8]) -> bool {
    pattern.len() <= text.len() && pattern.iter().zip(text).all(|(wanted, found)| matches(*wanted, *found))
}

fn matches(wanted: u8, found: u8) -> bool {
    match wanted {
        b'#' => found.is_ascii_digit(),
        _ => wanted.eq_ignore_ascii_case(&found),
    }
}

/// The bytes for which a byte of a pattern stands.
fn met_by(wanted: u8) -> impl Iterator<Item = u8> {
    let (lower, upper) = (wanted.to_ascii_lowercase(), wanted.to_ascii_uppercase());
    let range = if wanted == b'#' { b'0'..=b'9' } else { lower..=lower };
    range.chain((upper != lower).then_some(upper))
}

/// Many patterns, looked for at once, without a look at each byte.
///
/// After S. Wu and U. Manber, A fast algorithm for multi-pattern searching (1994): a window as long as the shortest pattern
/// stands over the text, and its last two bytes say how far it may move on before a pattern can begin.
pub struct Patterns {
    all: Vec<Vec<u8>>,
    /// The length of the window.
    window: usize,
    /// For each pair of bytes how far the window moves where they stand at its end, 0 where a pattern may begin with it; and
    /// with [`BEGINS`] whether a pattern begins with the pair itself.
    shifts: Box<[u8]>,
    /// The beginnings of a few patterns, which are looked for in whole blocks; none of many.
    probes: Vec<Probe>,
}

impl std::fmt::Debug for Patterns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Patterns").field("all", &self.all.len()).finish_non_exhaustive()
    }
}

impl Patterns {
    /// Those patterns, each of two bytes or more.
    pub fn new<'a>(patterns: impl Iterator<Item = &'a str>) -> Patterns {
        let all: Vec<Vec<u8>> = patterns.map(|pattern| pattern.as_bytes().to_vec()).collect();
        let window = all.iter().map(Vec::len).min().unwrap_or_default().min(usize::from(!BEGINS));
        let farthest = u8::try_from(window.saturating_sub(1)).unwrap_or(!BEGINS);
        let mut shifts = vec![farthest; if all.is_empty() { 0 } else { PAIRS }].into_boxed_slice();
        for pattern in &all {
            for (at, two) in pattern[..window].windows(2).enumerate() {
                let left = u8::try_from(window - 2 - at).unwrap_or(!BEGINS);
                let pairs = met_by(two[0]).flat_map(|first| met_by(two[1]).map(move |second| pair(first, second)));
                for pair in pairs {
                    let shift = &mut shifts[pair];
                    *shift = left.min(*shift & !BEGINS) | *shift & BEGINS | if at == 0 { BEGINS } else { 0 };
                }
            }
        }
        let probes = if all.len() > FEW { Vec::new() } else { all.iter().map(|pattern| Probe::new(pattern)).collect() };
        Patterns { all, window, shifts, probes }
    }

    /// Calls `found` with the number of each pattern that a text has, and where.
    pub fn find(&self, text: &[u8], mut found: impl FnMut(usize, usize)) {
        let mut at = 0;
        while let Some(place) = self.place(text, at) {
            let here = self.all.iter().enumerate().filter(|(_, pattern)| begins(&text[place..], pattern));
            here.for_each(|(number, _)| found(number, place));
            at = place + 1;
        }
    }

    /// Where the first of them is that a text has.
    pub fn first(&self, text: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(place) = self.place(text, at) {
            if self.all.iter().any(|pattern| begins(&text[place..], pattern)) {
                return Some(place);
            }
            at = place + 1;
        }
        None
    }

    /// The first place from `at` on where one may begin.
    fn place(&self, text: &[u8], mut at: usize) -> Option<usize> {
        if self.all.is_empty() {
            return None;
        }
        loop {
            at += self.clean(text.get(at..)?);
            let until = if self.probes.is_empty() { usize::MAX } else { at + BLOCK };
            // The end of the window is all that most steps look at.
            let mut ends = text.get(at + self.window - 2..)?;
            while at < until {
                let [first, second, ..] = ends else { return None };
                let shift = usize::from(self.shifts[pair(*first, *second)] & !BEGINS);
                if shift == 0 && self.shifts[pair(text[at], text[at + 1])] & BEGINS != 0 {
                    return Some(at);
                }
                at += shift.max(1);
                ends = ends.get(shift.max(1)..)?;
            }
        }
    }

    /// How many bytes of a text stand in blocks in which none of a few patterns begins.
    fn clean(&self, text: &[u8]) -> usize {
        let mut at = 0;
        while let Some(block) = text.get(at..at + BLOCK + PROBE - 1).and_then(|block| block.try_into().ok())
            && !self.probes.is_empty()
            && !self.probes.iter().any(|probe| probe.is_in(block))
        {
            at += BLOCK;
        }
        at
    }
}

/// So many patterns are looked for block by block, eight places at once.
const FEW: usize = 4;
/// The places of a block.
const BLOCK: usize = 64;
/// The bytes of a pattern that are looked for in a block.
const PROBE: usize = 3;
/// The lowest bit of each byte of a word.
const LOW: u64 = u64::MAX / 0xff;

/// What the first bytes of a pattern are like: for each its mask, and what is left of it then, eight times in a word. It is met
/// by all that begins with the pattern, and by little else.
#[derive(Clone, Copy)]
struct Probe([(u64, u64); PROBE]);

impl Probe {
    fn new(pattern: &[u8]) -> Probe {
        let mut probe = Probe([(0, 0); PROBE]);
        for (wanted, probe) in pattern.iter().zip(&mut probe.0) {
            let (mask, left) = match wanted {
                // A digit and what stands beside the digits; a letter in either case.
                b'#' => (0xf0, b'0'),
                _ if wanted.is_ascii_alphabetic() => (0xdf, wanted & 0xdf),
                _ => (0xff, *wanted),
            };
            *probe = (LOW * mask, LOW * u64::from(left));
        }
        probe
    }

    /// Whether one of the places of a block meets it.
    fn is_in(&self, block: &[u8; BLOCK + PROBE - 1]) -> bool {
        let Probe([first, second, third]) = *self;
        let differs = |at: usize, (mask, left): (u64, u64)| {
            let mut word = [0; 8];
            word.copy_from_slice(&block[at..at + 8]);
            (u64::from_ne_bytes(word) & mask) ^ left
        };
        (0..BLOCK).step_by(8).any(|at| {
            let differs = differs(at, first) | differs(at + 1, second) | differs(at + 2, third);
            // Whether one of the eight bytes is zero: A. Mycroft's test.
            differs.wrapping_sub(LOW) & !differs & (LOW << 7) != 0
        })
    }
}

/// See [`Patterns::shifts`].
const BEGINS: u8 = 0x80;

/// How many pairs are told apart: those of ASCII; the others share a place with one of them, which costs a look.
const PAIRS: usize = 1 << 14;

fn pair(first: u8, second: u8) -> usize {
    usize::from(first & 0x7f) << 7 | usize::from(second & 0x7f)
}

/// The number that stands in the place of `###` in a line that has the pattern at this place.
pub fn number(line: &[u8], at: usize, pattern: &str) -> Option<u16> {
    let digits = at + pattern.find("###")?;
    Some(line[digits..digits + 3].iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn find(line: &[u8], pattern: &'static str) -> Option<usize> {
        let mut first = None;
        Patterns::new([pattern].into_iter()).find(line, |_, at| first = first.or(Some(at)));
        first
    }

    #[test]
    fn a_pattern_is_found_in_any_case_with_any_digit() {
        assert_eq!(find(b"npm ERR! code E503", "npm err! code e5##"), Some(0));
        assert_eq!(find(b"x Connection REFUSED", "connection refused"), Some(2));
        assert_eq!(find(b"x 503", "5##"), Some(2));
        assert_eq!(find(b"code E5x3", "E5##"), None);
        assert_eq!(find(b"E5", "E5##"), None);
        assert_eq!(find(b"", "ab"), None);
    }

    #[test]
    fn each_pattern_is_found_with_its_number_and_place() {
        let mut found = Vec::new();
        Patterns::new(["early eof", "eof", "nothing"].into_iter())
            .find(b"fatal: early EOF", |n, at| found.push((n, at)));
        assert_eq!(found, [(0, 7), (1, 13)]);
    }

    #[test]
    fn the_number_of_a_pattern_is_read() {
        let (named, line) = ("returned error: ###", b"curl: (22) The requested URL returned error: 503 x");
        assert_eq!(number(line, find(line, named).unwrap(), named), Some(503));
        assert_eq!(find(b"curl: (22) The requested URL returned error: 50", named), None);
    }

    #[test]
    fn of_no_patterns_none_is_found() {
        assert_eq!(Patterns::new([].into_iter()).first(b"anything"), None);
    }

    #[test]
    fn a_byte_stands_for_what_it_matches() {
        for wanted in 0..=u8::MAX {
            let mut met: Vec<u8> = met_by(wanted).collect();
            met.sort_unstable();
            assert_eq!(met, (0..=u8::MAX).filter(|found| matches(wanted, *found)).collect::<Vec<u8>>());
        }
    }

    proptest! {
        #[test]
        fn each_place_is_found_that_a_look_at_each_byte_finds(
            patterns in proptest::collection::vec("[aB#\u{e9}]{2,6}", 1..8),
            // Longer than a block, and mostly without a pattern.
            text in "([abAB3\u{e9}\n]{0,4}|x{0,90}){0,8}",
        ) {
            let all = Patterns::new(patterns.iter().map(String::as_str));
            let mut found = Vec::new();
            all.find(text.as_bytes(), |number, at| found.push((at, number)));
            let places = (0..text.len()).flat_map(|at| (0..patterns.len()).map(move |number| (at, number)));
            let expected: Vec<(usize, usize)> = places
                .filter(|(at, number)| begins(&text.as_bytes()[*at..], patterns[*number].as_bytes()))
                .collect();
            prop_assert_eq!(all.first(text.as_bytes()), expected.first().map(|(at, _)| *at));
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn a_line_has_the_patterns_that_it_contains(line in "[a-dA-D0-9]{0,30}") {
            const PATTERNS: [&str; 4] = ["ab", "cad", "da#", "bb"];
            let mut found = [false; 4];
            Patterns::new(PATTERNS.into_iter()).find(line.as_bytes(), |number, _| found[number] = true);
            let lower = line.to_lowercase();
            let has = |pattern: &str| match pattern.strip_suffix('#') {
                Some(start) => (0..10).any(|digit| lower.contains(&format!("{start}{digit}"))),
                None => lower.contains(pattern),
            };
            prop_assert_eq!(found, PATTERNS.map(has));
        }
    }
}
