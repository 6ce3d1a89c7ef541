//! Descriptors 0, 1 and 2 as the program was given them.

/// Which of the three were closed on entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standard {
    /// By descriptor number.
    pub closed: [bool; 3],
}

/// Puts a place-holder on each of 0, 1 and 2 that is closed, so that no file of ours lands there; it closes on exec, so a
/// child finds them closed (contract C2). It can be neither read nor written: whoever tries gets EBADF, as if it were
/// closed. To be called before anything is opened.
pub fn reserve() -> Standard {
    let mut standard = Standard::default();
    for fd in 0..3 {
        // SAFETY: no pointers.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } >= 0 {
            continue;
        }
        standard.closed[usize::try_from(fd).expect("0 to 2")] = true;
        #[cfg(target_os = "linux")]
        let (path, flags) = (c"/", libc::O_PATH | libc::O_CLOEXEC);
        #[cfg(not(target_os = "linux"))]
        let (path, flags) = (c"/", libc::O_RDONLY | libc::O_CLOEXEC);
        // SAFETY: the path is a C string. The lowest free descriptor is `fd`, as those below are open.
        unsafe { libc::open(path.as_ptr(), flags) };
    }
    standard
}
