//! Holding a letter while it is replayed: a lock on one byte of `FILE.lock`. Contract D23.
//!
//! The lock is of the kind that belongs to a process (fcntl(2), F_SETLK): it goes with the process however that
//! ends, and neither the command nor a relay that stays behind inherits it.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::open::Unfit;
use crate::sys::range_lock;

/// The file beside the letters whose bytes are locked. It is never removed, and it is opened once a process: closing
/// any descriptor of it would give up all locks.
#[derive(Debug)]
pub struct Locks {
    /// `None` where there is none and this process may not make one: then nobody holds anything.
    file: Option<OwnedFd>,
}

/// The path of the lock file of a file of letters.
pub fn path_of(letters: &Path) -> PathBuf {
    let mut name = OsString::from(letters);
    name.push(".lock");
    PathBuf::from(name)
}

impl Locks {
    /// Opens the lock file to look who holds what; where there is none nobody does.
    pub fn to_look(letters: &Path) -> Locks {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        Locks { file: rustix::fs::open(path_of(letters), flags, Mode::empty()).ok() }
    }

    /// Opens the lock file to hold letters; makes it where it is not there.
    ///
    /// # Errors
    /// It cannot be opened or made.
    pub fn to_hold(letters: &Path) -> Result<Locks, Unfit> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let path = path_of(letters);
        rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)
            .map(|file| Locks { file: Some(file) })
            .map_err(|errno| Unfit::refused("open", &path, errno))
    }

    /// Whether another process holds this letter.
    pub fn is_held(&self, id: &str) -> bool {
        self.file.as_ref().is_some_and(|file| matches!(range_lock::holder(file, byte_of(id)), Ok(Some(_))))
    }

    /// Takes a letter; `false` if another process has it.
    ///
    /// # Errors
    /// The file system has no locks.
    pub fn take(&self, id: &str) -> Result<bool, Errno> {
        self.file.as_ref().map_or(Ok(false), |file| range_lock::try_lock(file, byte_of(id)))
    }

    /// Gives a letter back.
    pub fn give_back(&self, id: &str) {
        if let Some(file) = &self.file {
            // Nothing can be done about a failure, and the end of the process gives it back.
            let _ = range_lock::unlock(file, byte_of(id));
        }
    }
}

/// The byte that stands for a letter: far enough apart by their hash that no two meet.
fn byte_of(id: &str) -> i64 {
    // FNV-1a: the same in every build, which std's hasher does not promise.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_uppercase())).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 2).cast_signed()
}
