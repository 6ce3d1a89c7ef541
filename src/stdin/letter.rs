//! What a dead letter says about standard input, so that a replay can give it again. Contract D10, D12.

use std::ffi::OsString;
use std::os::fd::{AsFd, AsRawFd};
use std::time::{Duration, SystemTime};

use super::replay::Live;
use super::{Source, Stdin, Way};
use crate::job::StdinMode;
use crate::sys::pipe::{self, Got};

/// The input of a run that ended badly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StdinFound {
    /// There was none: closed, /dev/null, or `--stdin null`.
    Null,
    /// No attempt read any; a replay gets /dev/null.
    NotRead,
    /// A file that a replay can open again.
    File(FileFound),
    /// All of it, its end included.
    Stored(Vec<u8>),
    /// It cannot be had again: too long, without an end, or not ours to keep.
    NotStored {
        /// How many bytes the attempts read, where that is known.
        total_bytes: Option<u64>,
    },
}

/// Where a regular file was, and what would show that it is another one now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFound {
    /// Its path, as the system shows it now.
    pub path: OsString,
    /// Where the run began to read.
    pub offset: u64,
    /// The device it is on.
    pub device: u64,
    /// Its inode.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last changed.
    pub mtime: SystemTime,
}

impl Stdin {
    /// Looks at standard input after the last attempt; the rest is neither taken nor waited for.
    pub fn found(&self) -> StdinFound {
        match (&self.way, self.source) {
            (Way::Null(_), _) | (_, Source::Closed | Source::Null) => StdinFound::Null,
            // Nothing is known of what passed by us; what was typed at a terminal would mean nothing to a replay.
            (Way::Inherited, Source::Terminal) => StdinFound::NotRead,
            (Way::Inherited, Source::File { start }) if self.mode == StdinMode::Inherit => self.file(start),
            (Way::PutBack { .. }, _) if !self.moved => StdinFound::NotRead,
            (Way::PutBack { start }, _) => self.file(*start),
            (Way::Offered(_), _) if self.kept.taken() == 0 => StdinFound::NotRead,
            (Way::Offered(live), _) => {
                self.stored(*live).unwrap_or(StdinFound::NotStored { total_bytes: Some(self.kept.taken()) })
            }
            (Way::Inherited, _) => StdinFound::NotStored { total_bytes: None },
        }
    }

    /// What was taken and the rest, if the end of the rest is in sight and all of it is within the limit.
    fn stored(&self, live: Live) -> Option<StdinFound> {
        let mut bytes = self.kept.whole(self.limits.letter)?;
        let room = usize::try_from(self.limits.letter).unwrap_or(usize::MAX) - bytes.len();
        let rest = match live {
            Live::Pipe => self.rest_of_pipe(room)?,
            Live::Socket => self.rest_of_socket(room)?,
        };
        bytes.extend_from_slice(&rest);
        Some(StdinFound::Stored(bytes))
    }

    fn rest_of_pipe(&self, room: usize) -> Option<Vec<u8>> {
        // Asked first: what is written after the answer comes from a writer that the answer has seen.
        if !pipe::is_writer_gone(self.fd) {
            return None;
        }
        let there = usize::try_from(pipe::unread(self.fd)).ok()?;
        if there > room {
            return None;
        }
        let scratch = pipe::pipe().ok()?;
        pipe::set_pages(scratch.write.as_fd(), there / rustix::param::page_size() * 2 + 16);
        let mut rest = vec![0; there];
        if there > 0 && pipe::tee(self.fd, scratch.write.as_fd(), there).ok()? != Got::Bytes(there) {
            return None;
        }
        let mut done = 0;
        while done < there {
            match pipe::read_shared(scratch.read.as_fd(), &mut rest[done..]).ok()? {
                Got::Bytes(n) => done += n,
                Got::End | Got::Nothing => return None,
            }
        }
        Some(rest)
    }

    fn rest_of_socket(&self, room: usize) -> Option<Vec<u8>> {
        let is_ended = pipe::is_writer_gone(self.fd);
        let there = usize::try_from(pipe::unread(self.fd)).ok()?;
        if !is_ended || there > room {
            return None;
        }
        let mut rest = vec![0; there];
        match pipe::peek_socket(self.fd, &mut rest).ok()? {
            Got::Bytes(n) if n < there => None,
            Got::Bytes(_) | Got::End | Got::Nothing => Some(rest),
        }
    }

    fn file(&self, offset: u64) -> StdinFound {
        let Ok(stat) = rustix::fs::fstat(self.fd) else { return StdinFound::NotStored { total_bytes: None } };
        let path = std::fs::read_link(format!("/proc/self/fd/{}", self.fd.as_raw_fd()));
        let size = number(stat.st_size);
        match path {
            Ok(path) if stat.st_nlink > 0 => StdinFound::File(FileFound {
                path: path.into_os_string(),
                offset,
                device: number(stat.st_dev),
                inode: number(stat.st_ino),
                size,
                mtime: SystemTime::UNIX_EPOCH
                    + Duration::new(number(stat.st_mtime), u32::try_from(stat.st_mtime_nsec).unwrap_or(0)),
            }),
            // A here-document: the shell has deleted it already, so it is stored like a pipe.
            Ok(_) | Err(_) => self.stored_file(offset, size),
        }
    }

    fn stored_file(&self, offset: u64, size: u64) -> StdinFound {
        let not_stored = StdinFound::NotStored { total_bytes: Some(size.saturating_sub(offset)) };
        let there = size.saturating_sub(offset);
        if there > self.limits.letter {
            return not_stored;
        }
        let mut bytes = vec![0; usize::try_from(there).unwrap_or(0)];
        let mut done = 0;
        while done < bytes.len() {
            match rustix::io::pread(self.fd, &mut bytes[done..], offset + done as u64) {
                Ok(0) | Err(_) => return not_stored,
                Ok(n) => done += n,
            }
        }
        StdinFound::Stored(bytes)
    }
}

/// A number of stat(2), whose types differ from system to system.
fn number<N: TryInto<u64>>(of_stat: N) -> u64 {
    of_stat.try_into().unwrap_or(0)
}
