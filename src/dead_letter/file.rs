//! Appending to the file of dead letters so that nothing is lost or torn. Contract D20, D21, D24.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::open::{self, Opened, Unfit};
use super::place::Place;
use crate::outcome;
use crate::shell_word;

/// How long a writer waits for the others.
const PATIENCE: Duration = Duration::from_secs(5);
/// Above this size every run that appends says so.
const LARGE: u64 = 64 << 20;

/// Something that deserves a line but keeps no letter from being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Group or others may write the file (D4).
    Writable {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The lock could not be had; the letter stands nevertheless (D20).
    NotLocked {
        /// The file.
        path: PathBuf,
    },
    /// The file has grown beyond 64 MiB (D24).
    Large {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
    },
}

impl Warning {
    /// Whether another says the same of the same file, be it with other figures.
    pub fn is_like(&self, other: &Warning) -> bool {
        let path = |warning: &Warning| match warning {
            Warning::Writable { path, .. } | Warning::NotLocked { path } | Warning::Large { path, .. } => path.clone(),
        };
        std::mem::discriminant(self) == std::mem::discriminant(other) && path(self) == path(other)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Writable { path, mode } => write!(
                f,
                "{} may be written by group or others (mode {mode:04o}): nothing in it will be replayed; chmod 600",
                path.display()
            ),
            Warning::NotLocked { path } => {
                write!(
                    f,
                    "{} was locked for more than 5 s: the dead letter was appended without the lock",
                    path.display()
                )
            }
            Warning::Large { path, bytes } => write!(
                f,
                "{} has {} MiB: retryctl dead-letter purge --file {} --older-than 30d",
                path.display(),
                bytes >> 20,
                shell_word::to_paste(path)
            ),
        }
    }
}

/// Why a line was not appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The file could not be opened.
    Unfit(Unfit),
    /// A write or a sync failed; what had been written was cut back.
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        errno: outcome::Errno,
    },
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Unfit(unfit) => unfit.fmt(f),
            Lost::Write { path, errno } => write!(f, "cannot append to {}: {errno}", path.display()),
        }
    }
}

impl From<Unfit> for Lost {
    fn from(unfit: Unfit) -> Lost {
        Lost::Unfit(unfit)
    }
}

/// A file that letters can be appended to. No descriptor stays open between two appends, so none is ever a child's.
#[derive(Clone, Debug)]
pub struct DeadLetterFile {
    path: PathBuf,
    makes_directory: bool,
}

impl DeadLetterFile {
    /// Opens the file once, so that what is wrong with it shows before anything is run (D2); makes it where it is not
    /// there, and the directories of a default file.
    ///
    /// # Errors
    /// What D2 and D4 name.
    pub fn open(place: &Place) -> Result<(DeadLetterFile, Vec<Warning>), Unfit> {
        let file = DeadLetterFile { path: place.path.clone(), makes_directory: !place.is_named() };
        let opened = file.opened()?;
        if opened.made {
            file.sync_directory();
        }
        let warnings = open::writable_by_others(&opened.stat)
            .map(|mode| Warning::Writable { path: file.path.clone(), mode })
            .into_iter()
            .collect();
        Ok((file, warnings))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one line, given without its newline, and returns when the disk has it.
    ///
    /// # Errors
    /// The line is not in the file: the disk is full, the file went away and cannot be made again.
    ///
    /// # Panics
    /// The line holds a newline, which would make two of it.
    pub fn append(&self, line: &[u8]) -> Result<Vec<Warning>, Lost> {
        assert!(!line.contains(&b'\n'), "a line is one line");
        let mut warnings = Vec::new();
        let patience = Instant::now() + PATIENCE;
        let size = loop {
            let opened = self.opened()?;
            let locked = self.locked(&opened, patience)?;
            if locked && !self.is_current(&opened) {
                continue; // It was rotated, or purged, while we waited.
            }
            let size = self.write(&opened, line, locked)?;
            if opened.made {
                self.sync_directory();
            }
            if locked {
                break size;
            }
            if !warnings.iter().any(|warning| matches!(warning, Warning::NotLocked { .. })) {
                warnings.push(Warning::NotLocked { path: self.path.clone() });
            }
            // Without the lock a purge may have copied the file just before: then the new one needs the line too.
            if self.is_current(&opened) {
                break size;
            }
        };
        if size > LARGE {
            warnings.push(Warning::Large { path: self.path.clone(), bytes: size });
        }
        Ok(warnings)
    }

    fn opened(&self) -> Result<Opened, Unfit> {
        match open::for_appending(&self.path) {
            Err(unfit) if unfit.is_missing() && self.makes_directory => {
                open::make_directory_of(&self.path)?;
                open::for_appending(&self.path)
            }
            opened => opened,
        }
    }

    /// Takes the lock, which goes with the descriptor; `false` if it could not be had in time or not at all (a file
    /// system without locks).
    fn locked(&self, opened: &Opened, patience: Instant) -> Result<bool, Lost> {
        let mut pause = Duration::from_millis(1);
        loop {
            match rustix::fs::flock(&opened.fd, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(true),
                Err(Errno::WOULDBLOCK) if Instant::now() < patience => {
                    std::thread::sleep(pause);
                    pause = (pause * 3 / 2).min(Duration::from_millis(20));
                }
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL | Errno::NOLCK) => {
                    return Ok(false);
                }
                Err(errno) => return Err(self.lost(errno)),
            }
        }
    }

    /// Whether the path still leads to the file that is open.
    fn is_current(&self, opened: &Opened) -> bool {
        rustix::fs::lstat(&self.path)
            .is_ok_and(|now| (now.st_dev, now.st_ino) == (opened.stat.st_dev, opened.stat.st_ino))
    }

    /// Writes the line and gives the size of the file after it.
    fn write(&self, opened: &Opened, line: &[u8], locked: bool) -> Result<u64, Lost> {
        let before = rustix::fs::fstat(&opened.fd).map_err(|errno| self.lost(errno))?.st_size.cast_unsigned();
        // Without the lock the end may be anybody's half line by the time of the write: a newline costs nothing.
        let fence = !locked || (before > 0 && self.is_torn(opened, before));
        let mut bytes = Vec::with_capacity(line.len() + 2);
        if fence {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        let mut written = 0;
        let ended = write_all(opened, &bytes, &mut written).and_then(|()| sync(&opened.fd));
        match ended {
            // Some file systems cannot sync; the line is in the file.
            Ok(()) | Err(Errno::INVAL | Errno::ROFS) => Ok(before + bytes.len() as u64),
            Err(errno) => {
                // A writer that could not wait for the lock may stand behind us: its letter is not ours to cut.
                let is_last =
                    || rustix::fs::fstat(&opened.fd).is_ok_and(|now| now.st_size == (before + written).cast_signed());
                if locked && is_last() {
                    // Best effort: what stays is a torn line, which the next writer fences.
                    let _ = rustix::fs::ftruncate(&opened.fd, before);
                }
                Err(self.lost(errno))
            }
        }
    }

    fn is_torn(&self, opened: &Opened, size: u64) -> bool {
        let mut last = [0u8];
        !opened.readable || !matches!(rustix::io::pread(&opened.fd, &mut last, size - 1), Ok(1) if last[0] == b'\n')
    }

    /// Makes the name of a new file last, too.
    fn sync_directory(&self) {
        let directory = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // A directory that cannot be opened or synced is no reason to call the letter lost.
        let _ = std::fs::File::open(directory).and_then(|directory| directory.sync_all());
    }

    fn lost(&self, errno: Errno) -> Lost {
        Lost::Write { path: self.path.clone(), errno: outcome::Errno(errno.raw_os_error()) }
    }
}

/// Writes all bytes; `written` says how many, also after an error.
fn write_all(opened: &Opened, bytes: &[u8], written: &mut u64) -> rustix::io::Result<()> {
    let mut left = bytes;
    while !left.is_empty() {
        match rustix::io::write(&opened.fd, left) {
            Ok(0) => return Err(Errno::NOSPC),
            Ok(count) => {
                left = &left[count..];
                *written += count as u64;
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// The error as the standard library has it.
impl From<Lost> for io::Error {
    fn from(lost: Lost) -> io::Error {
        match lost {
            Lost::Write { errno, .. } | Lost::Unfit(Unfit::Refused { errno, .. }) => {
                io::Error::from_raw_os_error(errno.0)
            }
            Lost::Unfit(unfit) => io::Error::other(unfit.to_string()),
        }
    }
}

/// Brings a file's bytes to the disk.
fn sync(fd: &OwnedFd) -> Result<(), Errno> {
    #[cfg(target_vendor = "apple")]
    return rustix::fs::fsync(fd);
    #[cfg(not(target_vendor = "apple"))]
    rustix::fs::fdatasync(fd)
}

#[cfg(test)]
mod tests;
