//! Locks on single bytes of a file that belong to the process: fcntl(2), F_SETLK. rustix has no call for a range.

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::io::Errno;

/// Takes the lock of one byte without waiting; `false` if another process has it.
///
/// # Errors
/// The file system has no locks, or the file is not open for writing.
pub fn try_lock(file: &OwnedFd, byte: i64) -> Result<bool, Errno> {
    let mut lock = of(libc::F_WRLCK as libc::c_short, byte);
    match call(file, libc::F_SETLK, &mut lock) {
        Ok(()) => Ok(true),
        Err(Errno::ACCESS | Errno::AGAIN) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Gives the lock of one byte back.
///
/// # Errors
/// The file system has no locks.
pub fn unlock(file: &OwnedFd, byte: i64) -> Result<(), Errno> {
    call(file, libc::F_SETLK, &mut of(libc::F_UNLCK as libc::c_short, byte))
}

/// The other process that has the lock of one byte, if one has. Our own locks are not seen.
///
/// # Errors
/// The file system has no locks.
pub fn holder(file: &OwnedFd, byte: i64) -> Result<Option<i32>, Errno> {
    let mut lock = of(libc::F_WRLCK as libc::c_short, byte);
    call(file, libc::F_GETLK, &mut lock)?;
    Ok((lock.l_type != libc::F_UNLCK as libc::c_short).then_some(lock.l_pid))
}

/// The constants have another type than the fields on some systems; both fit.
fn of(kind: libc::c_short, byte: i64) -> libc::flock {
    // SAFETY: the structure is plain numbers, for which all zeros are valid.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = kind;
    lock.l_whence = libc::SEEK_SET as libc::c_short;
    lock.l_start = byte;
    lock.l_len = 1;
    lock
}

fn call(file: &OwnedFd, command: i32, lock: &mut libc::flock) -> Result<(), Errno> {
    loop {
        // SAFETY: the descriptor is open while it is borrowed, and these commands read and write one `flock`.
        if unsafe { libc::fcntl(file.as_raw_fd(), command, &raw mut *lock) } == 0 {
            return Ok(());
        }
        match std::io::Error::last_os_error().raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::INTR) => {}
            Some(errno) => return Err(errno),
            None => return Err(Errno::IO),
        }
    }
}
