//! Pieces of lines that a preset looks for.

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

/// Many patterns, looked for at once: one look at each byte of a line, whatever their number.
#[derive(Debug)]
pub struct Patterns {
    all: Vec<&'static [u8]>,
    /// A bit for each pair of bytes with which one of them begins.
    pairs: Vec<u64>,
}

impl Patterns {
    /// Those patterns, each of two bytes or more.
    pub fn new(patterns: impl Iterator<Item = &'static str>) -> Patterns {
        let all: Vec<&[u8]> = patterns.map(str::as_bytes).collect();
        let mut pairs = vec![0u64; if all.is_empty() { 0 } else { 1 << 10 }];
        for pattern in &all {
            let found = |wanted: u8| (0..=u8::MAX).filter(move |found| matches(wanted, *found));
            for (first, second) in
                found(pattern[0]).flat_map(|first| found(pattern[1]).map(move |second| (first, second)))
            {
                let pair = pair(first, second);
                pairs[pair >> 6] |= 1 << (pair & 63);
            }
        }
        Patterns { all, pairs }
    }

    /// Calls `found` with the number of each pattern that a line has, and where.
    pub fn find(&self, line: &[u8], mut found: impl FnMut(usize, usize)) {
        if self.all.is_empty() {
            return;
        }
        for (at, two) in line.windows(2).enumerate() {
            let pair = pair(two[0], two[1]);
            if self.pairs[pair >> 6] & (1 << (pair & 63)) != 0 {
                let here = self.all.iter().enumerate().filter(|(_, pattern)| begins(&line[at..], pattern));
                here.for_each(|(number, _)| found(number, at));
            }
        }
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
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

    proptest! {
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
