//! Reading a file line by line with a bounded buffer, whatever stands in it. Contract D14, D22, D35.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The longest line that is read.
pub const LONGEST: usize = 64 << 20;
/// What is read at once, and what the buffer has at first.
const CHUNK: usize = 256 << 10;

/// A line of a file, without its newline.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its bytes; empty if it is too long.
    pub bytes: &'a [u8],
    /// Where it begins in the file.
    pub offset: u64,
    /// How long it is in the file.
    pub length: u64,
    /// Its number, from 1.
    pub number: u64,
    /// Whether a newline ended it; only the last line may lack one, and then a writer may be at work.
    pub ended: bool,
    /// Whether it is longer than what is read.
    pub too_long: bool,
}

/// The lines of a file from an offset on, up to the size that it has when the reading begins: a reader does not chase
/// writers.
pub struct Lines {
    file: File,
    buffer: Vec<u8>,
    /// The part of the buffer that was not given out yet.
    from: usize,
    to: usize,
    /// Where in the file `buffer[to]` comes from.
    position: u64,
    end: u64,
    number: u64,
    /// The longest line that is read, and what is read at once: [`LONGEST`] and [`CHUNK`] but in tests.
    longest: usize,
    chunk: usize,
}

impl Lines {
    /// Reads a file from its beginning.
    ///
    /// # Errors
    /// Its size cannot be had.
    pub fn new(file: File) -> io::Result<Lines> {
        Lines::from(file, 0)
    }

    /// Reads a file from an offset on, where a line begins; that line is number 1.
    ///
    /// # Errors
    /// Its size cannot be had.
    pub fn from(file: File, offset: u64) -> io::Result<Lines> {
        Lines::bounded(file, offset, LONGEST, CHUNK)
    }

    fn bounded(file: File, offset: u64, longest: usize, chunk: usize) -> io::Result<Lines> {
        let end = file.metadata()?.len();
        let position = offset.min(end);
        Ok(Lines { file, buffer: vec![0; chunk], from: 0, to: 0, position, end, number: 0, longest, chunk })
    }

    /// The next line; `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read.
    #[expect(clippy::should_implement_trait, reason = "a line borrows the buffer, which Iterator cannot say")]
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut searched = 0;
        let mut skipped = 0u64;
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.from + searched..self.to]);
            let at_end = self.position >= self.end;
            if found.is_none() && !at_end {
                searched = self.to - self.from;
                if searched > self.longest {
                    skipped += searched as u64;
                    (self.from, self.to, searched) = (0, 0, 0);
                }
                self.fill()?;
                continue;
            }
            let (length, ended) = match found {
                Some(found) => (searched + found, true),
                None => (self.to - self.from, false),
            };
            if length == 0 && skipped == 0 && !ended {
                return Ok(None);
            }
            let start = self.from;
            let offset = self.position - (self.to - start) as u64 - skipped;
            self.from += length + usize::from(ended);
            self.number += 1;
            let too_long = skipped > 0 || length > self.longest;
            let bytes = if too_long { &[] } else { &self.buffer[start..start + length] };
            let length = skipped + length as u64;
            return Ok(Some(Line { bytes, offset, length, number: self.number, ended, too_long }));
        }
    }

    /// Up to where the file is read.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Gives the file back, for reading single lines again.
    pub fn into_file(self) -> File {
        self.file
    }

    fn fill(&mut self) -> io::Result<()> {
        if self.from > 0 {
            self.buffer.copy_within(self.from..self.to, 0);
            (self.from, self.to) = (0, self.to - self.from);
        }
        if self.to == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        let left = usize::try_from(self.end - self.position).unwrap_or(usize::MAX);
        let room = (self.buffer.len() - self.to).min(left).min(self.chunk.max(self.to));
        match self.file.read_at(&mut self.buffer[self.to..self.to + room], self.position) {
            // It was cut while we read.
            Ok(0) => self.end = self.position,
            Ok(read) => {
                self.to += read;
                self.position += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Reads one line again by where it begins and how long it is.
///
/// # Errors
/// The file cannot be read, or has become shorter.
pub fn read_again(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(LONGEST).min(LONGEST)];
    file.read_exact_at(&mut bytes, offset).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::other("it has become shorter"),
        _ => error,
    })?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn file_of(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn reading_may_begin_at_any_line_and_beyond_the_end_finds_none() {
        let mut lines = Lines::from(file_of(b"a\nbc\n"), 2).unwrap();
        let line = lines.next().unwrap().unwrap();
        assert_eq!((line.bytes, line.offset, line.number), (&b"bc"[..], 2, 1));
        assert_eq!(lines.end(), 5);
        assert!(Lines::from(file_of(b"a\n"), 7).unwrap().next().unwrap().is_none());
    }

    #[test]
    fn what_is_written_while_a_file_is_read_is_left_to_the_next_reader() {
        let mut file = file_of(b"a\n");
        let mut lines = Lines::new(file.try_clone().unwrap()).unwrap();
        file.write_all(b"b\n").unwrap();
        assert_eq!(lines.next().unwrap().unwrap().bytes, b"a");
        assert!(lines.next().unwrap().is_none());
    }

    #[test]
    fn a_file_that_is_cut_while_it_is_read_ends_where_it_was_cut() {
        let file = file_of(b"a\nbc\n");
        let mut lines = Lines::new(file.try_clone().unwrap()).unwrap();
        file.set_len(3).unwrap();
        assert_eq!(lines.next().unwrap().unwrap().bytes, b"a");
        let last = lines.next().unwrap().unwrap();
        assert_eq!((last.bytes, last.ended), (&b"b"[..], false));
        assert!(lines.next().unwrap().is_none());
        assert_eq!(lines.end(), 3);
    }

    #[test]
    fn a_line_is_read_again_unless_its_file_has_become_shorter() {
        let file = file_of(b"a\nbc\n");
        assert_eq!(read_again(&file, 2, 2).unwrap(), b"bc");
        assert_eq!(read_again(&file, 4, 2).unwrap_err().to_string(), "it has become shorter");
    }

    #[test]
    fn what_is_written_while_the_last_lines_are_read_is_left_too() {
        let mut file = file_of(b"ab\ncd\n");
        let mut lines = Lines::bounded(file.try_clone().unwrap(), 0, 20, 4).unwrap();
        assert_eq!(lines.next().unwrap().unwrap().bytes, b"ab");
        file.write_all(b"ef\n").unwrap();
        assert_eq!(lines.next().unwrap().unwrap().bytes, b"cd");
        assert!(lines.next().unwrap().is_none());
    }

    proptest! {
        #[test]
        fn lines_are_what_splitting_at_newlines_gives_and_of_the_too_long_only_their_place(
            text in "(a{0,3}\n|[bc]{0,70}\n?){0,12}", longest in 1usize..30, chunk in 1usize..40,
        ) {
            let mut lines = Lines::bounded(file_of(text.as_bytes()), 0, longest, chunk).unwrap();
            let mut offset = 0;
            for (i, expected) in text.split_inclusive('\n').enumerate() {
                let line = lines.next().unwrap().unwrap();
                let bytes = expected.trim_end_matches('\n').as_bytes();
                prop_assert_eq!((line.number, line.offset, line.length), (i as u64 + 1, offset, bytes.len() as u64));
                prop_assert_eq!((line.ended, line.too_long), (expected.ends_with('\n'), bytes.len() > longest));
                prop_assert_eq!(line.bytes, if line.too_long { b"" } else { bytes });
                offset += expected.len() as u64;
            }
            prop_assert!(lines.next().unwrap().is_none());
            prop_assert!(lines.buffer.len() <= chunk.max(2 * longest), "memory is bounded");
        }
    }
}
