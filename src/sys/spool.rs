//! Bytes put aside: in memory up to 1 MiB, then in an unlinked file in TMPDIR. Contract S2, S11.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

/// How much stays in memory.
pub const IN_MEMORY: usize = 1 << 20;

/// Bytes in the order in which they came, readable from any offset.
#[derive(Debug, Default)]
pub struct Spool {
    memory: Vec<u8>,
    file: Option<File>,
    len: u64,
}

impl Spool {
    /// An empty one, which has no file.
    pub fn new() -> Spool {
        Spool::default()
    }

    /// How many bytes it holds.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds bytes at the end.
    ///
    /// # Errors
    /// No file can be made in TMPDIR, or its disk is full. What is held is then incomplete: the spool should be dropped.
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            if self.memory.len() + bytes.len() <= IN_MEMORY {
                self.memory.extend_from_slice(bytes);
                self.len += bytes.len() as u64;
                return Ok(());
            }
            let mut file = tempfile::tempfile()?;
            file.write_all(&self.memory)?;
            self.memory = Vec::new();
            self.file = Some(file);
        }
        if let Some(file) = &mut self.file {
            file.write_all(bytes)?;
            self.len += bytes.len() as u64;
        }
        Ok(())
    }

    /// Copies bytes from `offset` on into `buffer`; how many: as many as there are and fit.
    ///
    /// # Errors
    /// Those of pread(2).
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(file) = &self.file {
            return file.read_at(buffer, offset);
        }
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.memory.len());
        let n = buffer.len().min(self.memory.len() - start);
        buffer[..n].copy_from_slice(&self.memory[start..start + n]);
        Ok(n)
    }

    /// The file, where there is one, for splice(2) and sendfile(2).
    pub fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// Holds nothing any more and gives memory and file back.
    pub fn clear(&mut self) {
        *self = Spool::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_comes_out_from_any_offset_on_both_sides_of_the_limit() {
        let mut spool = Spool::new();
        let chunk: Vec<u8> = (0..100_003u32).map(|i| (i % 251) as u8).collect();
        let mut all = Vec::new();
        for _ in 0..12 {
            spool.push(&chunk).expect("room");
            all.extend_from_slice(&chunk);
            assert_eq!(spool.file().is_some(), all.len() > IN_MEMORY);
            for offset in [0, 1, all.len() / 2, all.len() - 1, all.len()] {
                let mut buffer = vec![0; all.len()];
                let n = spool.read_at(offset as u64, &mut buffer).expect("readable");
                assert_eq!(buffer[..n], all[offset..]);
            }
        }
        assert_eq!(spool.len(), all.len() as u64);
        spool.clear();
        assert!(spool.is_empty() && spool.file().is_none());
    }
}
