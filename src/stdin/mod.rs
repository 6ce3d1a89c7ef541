//! Standard input of the attempts: the same for each, or inherited, or none. Contract S1-S4.

pub mod kept;
pub mod letter;
pub mod replay;

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::fs::FileType;

use self::kept::{Keeping, Kept, Unkept};
use self::replay::{Live, Offer};
use crate::job::StdinMode;
use crate::sys::pipe;
use crate::sys::poll::PollFd;

/// How much of standard input may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StdinLimits {
    /// `--stdin-max`: bytes that are kept for another attempt.
    pub attempts: u64,
    /// `--record-stdin`: bytes that a dead letter stores.
    pub letter: u64,
}

/// What standard input is, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Closed,
    Null,
    Terminal,
    /// A device that is neither a terminal nor the null device.
    Device,
    File {
        /// Where it stood when the run began.
        start: u64,
    },
    Stream(Live),
    /// A thing that is neither put back nor offered: a datagram socket, a directory.
    Other,
}

/// How the attempts get it.
#[derive(Debug)]
enum Way {
    Inherited,
    PutBack { start: u64 },
    Null(OwnedFd),
    Offered(Live),
}

/// Standard input of a run.
#[derive(Debug)]
pub struct Stdin {
    fd: BorrowedFd<'static>,
    source: Source,
    mode: StdinMode,
    way: Way,
    limits: StdinLimits,
    kept: Kept,
    offer: Option<Offer>,
    /// Why the input broke off in the last attempt.
    broken: Option<Unkept>,
    /// Whether an attempt moved the offset of a file that is put back.
    moved: bool,
    began: bool,
}

impl Stdin {
    /// Looks at what descriptor 0 is; nothing of it is read.
    ///
    /// # Errors
    /// `--stdin replay` was asked for, and this is nothing that can be replayed (EINVAL); /dev/null cannot be opened.
    pub fn open(mode: StdinMode, limits: StdinLimits, is_closed: bool) -> io::Result<Stdin> {
        Stdin::over(rustix::stdio::stdin(), mode, limits, is_closed)
    }

    fn over(fd: BorrowedFd<'static>, mode: StdinMode, limits: StdinLimits, is_closed: bool) -> io::Result<Stdin> {
        let source = if is_closed { Source::Closed } else { look(fd) };
        let way = match (mode, source) {
            (StdinMode::Null, _) => Way::Null(pipe::null()?),
            (StdinMode::Inherit, _) | (_, Source::Closed | Source::Null) => Way::Inherited,
            (StdinMode::Auto, Source::Terminal | Source::Device | Source::Other) => Way::Inherited,
            (StdinMode::Replay, Source::Terminal | Source::Device | Source::Other) => {
                return Err(io::Error::from_raw_os_error(libc::EINVAL));
            }
            (StdinMode::Auto | StdinMode::Replay, Source::File { start }) => Way::PutBack { start },
            (StdinMode::Auto | StdinMode::Replay, Source::Stream(live)) => Way::Offered(live),
        };
        let kept = Kept::new(Keeping::ForAttempts(limits.attempts));
        Ok(Stdin { fd, source, mode, way, limits, kept, offer: None, broken: None, moved: false, began: false })
    }

    /// Makes it ready for an attempt; `is_last` says that no other can follow, so that nothing needs to be kept for one.
    ///
    /// # Errors
    /// No descriptor is left for a pipe; a file cannot be put back to where it stood.
    pub fn begin(&mut self, is_last: bool) -> io::Result<()> {
        let again = std::mem::replace(&mut self.began, true);
        match self.way {
            Way::Inherited | Way::Null(_) => Ok(()),
            Way::PutBack { start } => {
                if again {
                    rustix::fs::seek(self.fd, rustix::fs::SeekFrom::Start(start))?;
                }
                Ok(())
            }
            Way::Offered(live) => {
                let limits = self.limits;
                self.kept.set(if is_last {
                    Keeping::ForLetter(limits.letter)
                } else {
                    Keeping::ForAttempts(limits.attempts)
                });
                match Offer::new(self.fd, live, &mut self.kept) {
                    Ok(offer) => self.offer = Some(offer),
                    // A pipe that cannot be looked into without taking from it: a file system of its own kind, an old kernel.
                    Err(e) if cannot_be_offered(&e) && self.mode == StdinMode::Auto && self.kept.taken() == 0 => {
                        self.way = Way::Inherited;
                    }
                    Err(e) => return Err(e),
                }
                Ok(())
            }
        }
    }

    /// What the child gets as its descriptor 0; `None` for what we have there.
    pub fn child_fd(&self) -> Option<RawFd> {
        match &self.way {
            Way::Null(null) => Some(null.as_raw_fd()),
            Way::Offered(_) => self.offer.as_ref().map(Offer::child_end),
            Way::Inherited | Way::PutBack { .. } => None,
        }
    }

    /// The descriptor that is awaited now.
    pub fn wants(&self) -> Option<PollFd> {
        self.offer.as_ref().and_then(Offer::wants)
    }

    /// What `wants` named is ready.
    pub fn ready(&mut self) {
        if let Some(offer) = &mut self.offer {
            offer.go_on(&mut self.kept);
        }
    }

    /// The attempt is over.
    pub fn end(&mut self) {
        if let Some(offer) = self.offer.take() {
            self.broken = offer.finish(&mut self.kept);
        }
        if let Way::PutBack { start } = self.way {
            self.moved |= rustix::fs::tell(self.fd).is_ok_and(|at| at != start);
        }
    }

    /// Why the input of the last attempt broke off before its end, if it did and the attempt read as far as that.
    pub fn broken(&self) -> Option<Unkept> {
        self.broken
    }

    /// Why the next attempt could not have the same input, if it could not (S3).
    pub fn lost(&self) -> Option<Unkept> {
        self.kept.lost()
    }
}

fn cannot_be_offered(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::EBADF | libc::ENOSYS | libc::EOPNOTSUPP | libc::EPERM))
}

fn look(fd: BorrowedFd<'static>) -> Source {
    let Ok(stat) = rustix::fs::fstat(fd) else { return Source::Closed };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => match rustix::fs::tell(fd) {
            Ok(start) => Source::File { start },
            Err(_) => Source::Other,
        },
        FileType::Fifo => Source::Stream(Live::Pipe),
        FileType::Socket => match rustix::net::sockopt::socket_type(fd) {
            Ok(kind) if kind == rustix::net::SocketType::STREAM => Source::Stream(Live::Socket),
            Ok(_) | Err(_) => Source::Other,
        },
        FileType::CharacterDevice if is_null(&stat) => Source::Null,
        FileType::CharacterDevice if rustix::termios::isatty(fd) => Source::Terminal,
        FileType::CharacterDevice => Source::Device,
        FileType::Directory | FileType::Symlink | FileType::BlockDevice | FileType::Unknown => Source::Other,
    }
}

#[cfg(target_os = "linux")]
fn is_null(stat: &rustix::fs::Stat) -> bool {
    (rustix::fs::major(stat.st_rdev), rustix::fs::minor(stat.st_rdev)) == (1, 3)
}

/// Elsewhere the null device has no fixed number.
#[cfg(not(target_os = "linux"))]
fn is_null(stat: &rustix::fs::Stat) -> bool {
    rustix::fs::stat("/dev/null").is_ok_and(|null| null.st_rdev == stat.st_rdev)
}

impl AsFd for Stdin {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd
    }
}

#[cfg(test)]
mod tests;
