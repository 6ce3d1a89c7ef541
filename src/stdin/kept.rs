//! What was taken from standard input, kept for later attempts and for the dead letter. Contract S2, S3, D12.

use std::io;

use crate::sys::spool::Spool;

/// Why the input cannot be given to another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unkept {
    /// More was read than `--stdin-max` allows.
    TooLong {
        /// The limit, in bytes.
        limit: u64,
    },
    /// It could not be written to a file, or not be taken from standard input: the error of the system.
    Failed(i32),
    /// What was offered is gone from standard input: another process reads it too.
    Shared,
}

impl Unkept {
    /// What an error of the system says; one that is none of the system's is that of a shared input.
    pub fn by(error: &io::Error) -> Unkept {
        error.raw_os_error().map_or(Unkept::Shared, Unkept::Failed)
    }
}

/// How much is to be kept of what is taken from now on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Everything, for another attempt, up to this many bytes in all.
    ForAttempts(u64),
    /// The last attempt runs: only what a dead letter may store.
    ForLetter(u64),
}

/// The beginning of the input, as far as it is kept.
#[derive(Debug)]
pub struct Kept {
    spool: Spool,
    /// How many bytes were taken in all, kept or not.
    taken: u64,
    keeping: Keeping,
    lost: Option<Unkept>,
}

impl Kept {
    /// Nothing yet.
    pub fn new(keeping: Keeping) -> Kept {
        Kept { spool: Spool::new(), taken: 0, keeping, lost: None }
    }

    /// Changes what is kept from now on.
    pub fn set(&mut self, keeping: Keeping) {
        self.keeping = keeping;
    }

    /// How many bytes were taken from standard input in all attempts.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Why another attempt cannot have the input, if it cannot.
    pub fn lost(&self) -> Option<Unkept> {
        self.lost
    }

    /// Whether every byte that was taken is here.
    pub fn is_whole(&self) -> bool {
        self.spool.len() == self.taken
    }

    /// Whether bytes that are taken from now on are to be looked at, or only thrown away.
    pub fn wants_more(&self) -> bool {
        self.lost.is_none() && self.is_whole() && self.room() > 0
    }

    fn room(&self) -> u64 {
        let (Keeping::ForAttempts(limit) | Keeping::ForLetter(limit)) = self.keeping;
        limit.saturating_sub(self.spool.len())
    }

    /// Bytes were taken and are kept if they are wanted. Where they cannot be, everything is given up (S3).
    pub fn push(&mut self, bytes: &[u8]) {
        let wanted = self.wants_more();
        self.taken += bytes.len() as u64;
        if self.lost.is_some() {
            return;
        }
        match self.keeping {
            Keeping::ForAttempts(limit) if bytes.len() as u64 > self.room() => self.lose(Unkept::TooLong { limit }),
            Keeping::ForAttempts(_) | Keeping::ForLetter(_) if wanted && bytes.len() as u64 <= self.room() => {
                if let Err(e) = self.spool.push(bytes) {
                    self.lose(Unkept::Failed(e.raw_os_error().unwrap_or(libc::EIO)));
                }
            }
            // What is kept already stays, since the running attempt may still be fed with it.
            Keeping::ForAttempts(_) | Keeping::ForLetter(_) => {}
        }
    }

    /// Bytes were taken without looking at them.
    pub fn skip(&mut self, bytes: u64) {
        self.taken += bytes;
        if let (Keeping::ForAttempts(limit), None) = (self.keeping, self.lost) {
            self.lose(Unkept::TooLong { limit });
        }
    }

    /// Gives everything up.
    pub fn lose(&mut self, why: Unkept) {
        self.lost.get_or_insert(why);
        self.spool.clear();
    }

    /// Copies kept bytes from an offset on.
    ///
    /// # Errors
    /// Those of pread(2).
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.spool.read_at(offset, buffer)
    }

    /// All kept bytes, if they are all that was taken and at most `most`.
    pub fn whole(&self, most: u64) -> Option<Vec<u8>> {
        if self.lost.is_some() || !self.is_whole() || self.taken > most {
            return None;
        }
        let mut bytes = vec![0; usize::try_from(self.taken).ok()?];
        let mut done = 0;
        while done < bytes.len() {
            match self.spool.read_at(done as u64, &mut bytes[done..]) {
                Ok(0) | Err(_) => return None,
                Ok(n) => done += n,
            }
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_the_limit_gives_everything_up() {
        let mut kept = Kept::new(Keeping::ForAttempts(5));
        kept.push(b"hello");
        assert_eq!((kept.lost(), kept.whole(9)), (None, Some(b"hello".to_vec())));
        kept.push(b"!");
        assert_eq!((kept.lost(), kept.whole(9), kept.taken()), (Some(Unkept::TooLong { limit: 5 }), None, 6));
    }

    #[test]
    fn the_last_attempt_keeps_what_a_letter_may_store_and_loses_nothing_by_reading_more() {
        let mut kept = Kept::new(Keeping::ForLetter(4));
        kept.push(b"ab");
        kept.push(b"cd");
        assert_eq!(kept.whole(4), Some(b"abcd".to_vec()));
        assert!(!kept.wants_more());
        kept.skip(1);
        assert_eq!((kept.lost(), kept.whole(4), kept.taken()), (None, None, 5));
    }

    #[test]
    fn nothing_can_be_kept_of_a_limit_of_zero_and_an_unread_input_is_no_loss() {
        let mut kept = Kept::new(Keeping::ForAttempts(0));
        assert_eq!((kept.lost(), kept.whole(0)), (None, Some(Vec::new())));
        kept.skip(1);
        assert_eq!(kept.lost(), Some(Unkept::TooLong { limit: 0 }));
    }
}
