//! Opening the file of dead letters, and what makes it unfit. Contract D2, D4.

use std::fmt;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::outcome;

/// Why a file will not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The system refused a step: `open`, `create`, `create the directory of`.
    Refused {
        /// The step, as a verb.
        step: &'static str,
        /// What it was done to.
        path: PathBuf,
        /// Why.
        errno: outcome::Errno,
    },
    /// It is a symbolic link.
    Link(PathBuf),
    /// It is neither a regular file nor a link.
    NotAFile(PathBuf),
    /// It belongs to somebody else, who could put commands into it.
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its owner's number.
        owner: u32,
    },
    /// Group or others may write it, and what stands in it would be run.
    Writable {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Refused { step, path, errno } => write!(f, "cannot {step} {}: {errno}", path.display()),
            Unfit::Link(path) => write!(f, "cannot use {}: it is a symbolic link", path.display()),
            Unfit::NotAFile(path) => write!(f, "cannot use {}: it is not a regular file", path.display()),
            Unfit::Foreign { path, owner } => {
                write!(f, "cannot use {}: it belongs to user {owner}, who is neither root nor you", path.display())
            }
            Unfit::Writable { path, mode } => write!(
                f,
                "cannot use {}: group or others may write it (mode {mode:04o}), and what stands in it is run; chmod 600",
                path.display()
            ),
        }
    }
}

impl Unfit {
    /// Whether the file, or a directory on the way to it, is not there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Unfit::Refused { errno: outcome::Errno(libc::ENOENT), .. })
    }

    pub(super) fn refused(step: &'static str, path: &Path, errno: Errno) -> Unfit {
        match errno {
            Errno::LOOP => Unfit::Link(path.to_owned()),
            // A directory, a socket, a FIFO without a reader.
            Errno::ISDIR | Errno::NXIO => Unfit::NotAFile(path.to_owned()),
            errno => Unfit::Refused { step, path: path.to_owned(), errno: outcome::Errno(errno.raw_os_error()) },
        }
    }
}

/// Who may use a file, beyond its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// For appending and reading: our own file or root's.
    Owner,
    /// For reading alone: root may look at anybody's file (D4).
    OwnerOrRootLooks,
    /// For executing and changing: our own or root's, and nobody else may write it.
    OwnerAlone,
}

/// Opens a file for appending; makes it, with mode 0600, where it is not there. Says whether it was made, and whether it can be read.
///
/// # Errors
/// What D2 and D4 name.
pub fn for_appending(path: &Path) -> Result<Opened, Unfit> {
    let flags = OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let mode = Mode::RUSR | Mode::WUSR;
    loop {
        let (fd, readable) = match rustix::fs::open(path, flags | OFlags::RDWR, mode) {
            // Whoever may only write may still write; the last byte is then not known.
            Err(Errno::ACCESS) => (rustix::fs::open(path, flags | OFlags::WRONLY, mode), false),
            opened => (opened, true),
        };
        match fd {
            Ok(fd) => return Opened::checked(fd, path, readable, false),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(Unfit::refused("open", path, errno)),
        }
        match rustix::fs::open(path, flags | OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, mode) {
            Ok(fd) => return Opened::checked(fd, path, true, true),
            // Another process was faster.
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(Unfit::refused("create", path, errno)),
        }
    }
}

/// Opens a file for reading.
///
/// # Errors
/// What D4 names for this use; a missing file too.
pub fn for_reading(path: &Path, trust: Trust) -> Result<File, Unfit> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let fd = rustix::fs::open(path, flags, Mode::empty()).map_err(|errno| Unfit::refused("open", path, errno))?;
    let stat = rustix::fs::fstat(&fd).map_err(|errno| Unfit::refused("look at", path, errno))?;
    check(&stat, path, trust)?;
    Ok(File::from(fd))
}

/// Makes the directory of a default file and what is above it, with mode 0700 (D1).
///
/// # Errors
/// The system refused one of them.
pub fn make_directory_of(path: &Path) -> Result<(), Unfit> {
    let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) else { return Ok(()) };
    match rustix::fs::mkdir(directory, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(Errno::NOENT) => {
            make_directory_of(directory)?;
            match rustix::fs::mkdir(directory, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => Ok(()),
                Err(errno) => Err(Unfit::refused("create the directory", directory, errno)),
            }
        }
        Err(errno) => Err(Unfit::refused("create the directory", directory, errno)),
    }
}

/// A file open for appending.
#[derive(Debug)]
pub struct Opened {
    /// The descriptor.
    pub fd: OwnedFd,
    /// What it was when it was opened.
    pub stat: Stat,
    /// Whether it may be read, too.
    pub readable: bool,
    /// Whether this opening made it.
    pub made: bool,
}

impl Opened {
    fn checked(fd: OwnedFd, path: &Path, readable: bool, made: bool) -> Result<Opened, Unfit> {
        let stat = rustix::fs::fstat(&fd).map_err(|errno| Unfit::refused("look at", path, errno))?;
        check(&stat, path, Trust::Owner)?;
        Ok(Opened { fd, stat, readable, made })
    }
}

/// Permissions of group or others to write, if there are any.
pub(super) fn writable_by_others(stat: &Stat) -> Option<u32> {
    (stat.st_mode & 0o022 != 0).then(|| {
        // A mode has 16 bits on some systems.
        #[allow(clippy::useless_conversion)]
        u32::from(stat.st_mode & 0o7777)
    })
}

fn check(stat: &Stat, path: &Path, trust: Trust) -> Result<(), Unfit> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Unfit::NotAFile(path.to_owned()));
    }
    let me = rustix::process::geteuid().as_raw();
    let root_looks = trust == Trust::OwnerOrRootLooks && me == 0;
    if stat.st_uid != me && stat.st_uid != 0 && !root_looks {
        return Err(Unfit::Foreign { path: path.to_owned(), owner: stat.st_uid });
    }
    match writable_by_others(stat) {
        Some(mode) if trust == Trust::OwnerAlone => Err(Unfit::Writable { path: path.to_owned(), mode }),
        _ => Ok(()),
    }
}
