//! Cuts the bytes of a stream into lines, in bounded memory. Contract S20.

/// How much of a line is looked at: of a longer one only its first 64 KiB are passed on.
pub const LONGEST: usize = 64 * 1024;

/// A splitter of one stream. Memory: at most [`LONGEST`] bytes, and none while every chunk ends with a line.
#[derive(Debug, Default)]
pub struct Lines {
    /// The beginning of a line whose end has not been seen.
    begun: Vec<u8>,
    /// Whether a line has begun, which its bytes do not tell where it is empty so far.
    open: bool,
}

impl Lines {
    /// A splitter that has seen nothing.
    pub fn new() -> Lines {
        Lines::default()
    }

    /// Whether a line has begun whose end has not been seen.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Passes the line that these bytes complete to `line`, without its newline and at most [`LONGEST`] bytes of it, and
    /// returns the bytes after it; keeps bytes that complete none.
    pub fn feed<'a>(&mut self, bytes: &'a [u8], line: &mut dyn FnMut(&[u8])) -> &'a [u8] {
        let Some(end) = newline(bytes) else {
            self.keep(bytes);
            self.open |= !bytes.is_empty();
            return &[];
        };
        if self.open {
            self.keep(&bytes[..end]);
            line(&self.begun);
            self.begun.clear();
            self.open = false;
        } else {
            line(&bytes[..end.min(LONGEST)]);
        }
        &bytes[end + 1..]
    }

    /// Passes on what stands without a newline at the end of the stream, which counts as a line.
    pub fn finish(&mut self, line: &mut dyn FnMut(&[u8])) {
        if self.open {
            line(&self.begun);
            self.begun = Vec::new();
            self.open = false;
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LONGEST - self.begun.len();
        self.begun.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// Where the first newline is. Long lines are passed over in blocks, each of which is looked at eight bytes at a time.
fn newline(bytes: &[u8]) -> Option<usize> {
    let at = bytes.chunks(BLOCK).position(|block| block.contains(&b'\n'))? * BLOCK;
    bytes[at..].iter().position(|b| *b == b'\n').map(|more| at + more)
}

const BLOCK: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
        let (mut lines, mut seen) = (Lines::new(), Vec::new());
        for chunk in chunks {
            let mut rest = *chunk;
            while !rest.is_empty() {
                rest = lines.feed(rest, &mut |line| seen.push(line.to_vec()));
            }
        }
        lines.finish(&mut |line| seen.push(line.to_vec()));
        seen
    }

    #[test]
    fn a_last_line_without_newline_counts() {
        assert_eq!(split(&[b"one\ntw", b"o\n\nfo", b"ur"]), [&b"one"[..], b"two", b"", b"four"]);
        assert_eq!(split(&[b"one\n"]), [b"one"]);
        assert!(split(&[b""]).is_empty());
    }

    #[test]
    fn a_line_is_open_from_its_first_byte_to_its_newline() {
        let mut lines = Lines::new();
        let mut is_open_after = |bytes: &[u8]| {
            lines.feed(bytes, &mut |_| {});
            lines.is_open()
        };
        assert_eq!(
            [&b""[..], b"a", b"", b"b\n", b"c", b"\n"].map(&mut is_open_after),
            [false, true, true, false, true, false]
        );
    }

    #[test]
    fn of_a_long_line_the_first_64_kib_are_passed_on_and_the_next_is_whole() {
        let mut text = vec![b'x'; 3 * LONGEST];
        text.extend_from_slice(b"\nnext\n");
        for size in [1000, LONGEST, LONGEST + 1, text.len()] {
            let chunks: Vec<&[u8]> = text.chunks(size).collect();
            let seen = split(&chunks);
            assert_eq!(seen, [vec![b'x'; 65_536], b"next".to_vec()], "in chunks of {size}");
        }
    }

    proptest! {
        #[test]
        fn how_the_bytes_are_cut_makes_no_difference(
            text in prop_oneof![
                proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200),
                // Lines that are longer than a block in which newlines are looked for.
                proptest::collection::vec(any::<u8>(), 0..1000),
            ],
            size in prop_oneof![1usize..50, 1usize..1000],
        ) {
            let chunks: Vec<&[u8]> = text.chunks(size).collect();
            let mut expected: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
            if expected.last().is_some_and(|last| last.is_empty()) {
                expected.pop();
            }
            prop_assert_eq!(split(&chunks), expected);
        }
    }
}
