//! What `--output final` holds back of an attempt until its verdict is known. Contract S11.

use super::Stream;
use crate::sys::spool::Spool;

/// Why output that was to come whole is lost; each with the system's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputLost {
    /// It could not be held back: no room in TMPDIR.
    Held(i32),
    /// It could not be written to our stdout; EPIPE: nobody reads it any more.
    Written(i32),
}

/// The stdout of one attempt, whole or not at all.
#[derive(Debug)]
pub struct Held {
    spool: Spool,
    error: Option<OutputLost>,
    /// Where it is being released to, and from which offset on it still has to be.
    release: Option<(Stream, u64)>,
}

impl Held {
    /// Nothing.
    pub fn new() -> Held {
        Held { spool: Spool::new(), error: None, release: None }
    }

    /// Holds more. Where that fails everything is given up, for half of it is worse than nothing.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.error.is_none()
            && let Err(e) = self.spool.push(bytes)
        {
            self.fail(OutputLost::Held(e.raw_os_error().unwrap_or(libc::EIO)));
        }
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.spool.is_empty()
    }

    /// Why something was lost, if anything was.
    pub fn error(&self) -> Option<OutputLost> {
        self.error
    }

    /// Nothing of it can be had or is wanted any more, for this reason.
    pub fn fail(&mut self, error: OutputLost) {
        self.error = Some(error);
        self.drop_rest();
    }

    /// It cannot be written where it is going, for the system's reason of this number. Only on stdout that makes a run fail
    /// (S14).
    pub fn give_up(&mut self, error: i32) {
        match self.released_to() {
            Some(Stream::Stdout | Stream::Both) => self.fail(OutputLost::Written(error)),
            Some(Stream::Stderr) | None => self.drop_rest(),
        }
    }

    /// Decides where it goes.
    pub fn release(&mut self, to: Stream) {
        if !self.spool.is_empty() {
            self.release = Some((to, 0));
        }
    }

    /// Where it is going, while some of it is left.
    pub fn released_to(&self) -> Option<Stream> {
        self.release.map(|(to, _)| to)
    }

    /// Copies the next bytes that are to be released; 0 when that were all.
    pub fn next(&mut self, buffer: &mut [u8]) -> usize {
        let Some((to, offset)) = self.release else { return 0 };
        match self.spool.read_at(offset, buffer) {
            Ok(n) if n > 0 => {
                self.release = Some((to, offset + n as u64));
                n
            }
            Ok(_) if offset == self.spool.len() => {
                self.drop_rest();
                0
            }
            Ok(_) => {
                self.fail(OutputLost::Held(libc::EIO));
                0
            }
            Err(e) => {
                self.fail(OutputLost::Held(e.raw_os_error().unwrap_or(libc::EIO)));
                0
            }
        }
    }

    /// Gives up what is left, with its memory and its file.
    fn drop_rest(&mut self) {
        self.spool.clear();
        self.release = None;
    }
}

impl Default for Held {
    fn default() -> Held {
        Held::new()
    }
}
