//! The controlling terminal: whether there is one (contract C10).

/// Whether this process has a controlling terminal, in the foreground or not.
pub fn is_controlling() -> bool {
    // SAFETY: the path is a C string; the descriptor is closed again.
    let fd = unsafe {
        libc::open(c"/dev/tty".as_ptr(), libc::O_RDONLY | libc::O_NOCTTY | libc::O_NONBLOCK | libc::O_CLOEXEC)
    };
    if fd >= 0 {
        // SAFETY: the descriptor is ours.
        unsafe { libc::close(fd) };
        return true;
    }
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::ENXIO | libc::EIO | libc::ENODEV) => false,
        // A world without /dev: one of the streams may still be it.
        // SAFETY: no pointers.
        _ => (0..3).any(|fd| unsafe { libc::tcgetsid(fd) == libc::getsid(0) }),
    }
}

/// Whether this process leads its session: then a hang-up of the terminal is told to it alone.
pub fn is_session_leader() -> bool {
    // SAFETY: no pointers.
    unsafe { libc::getsid(0) == libc::getpid() }
}
