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

/// Whether this one of 0, 1 and 2 was closed on entry: it is then a place-holder of [`reserve`], or closed still.
pub fn is_closed(fd: std::os::fd::RawFd) -> bool {
    // SAFETY: no pointers.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    #[cfg(target_os = "linux")]
    let is_placeholder = flags & libc::O_PATH != 0;
    #[cfg(not(target_os = "linux"))]
    let is_placeholder = {
        // SAFETY: all-zero is a valid stat to be filled in.
        let mut stat: libc::stat = unsafe { std::mem::zeroed() };
        // SAFETY: the stat is valid.
        unsafe { libc::fstat(fd, &raw mut stat) == 0 && stat.st_mode & libc::S_IFMT == libc::S_IFDIR }
    };
    flags < 0 || is_placeholder
}

/// Writes text to standard error as far as it can be written; that it cannot changes nothing (contract S14).
pub fn say(text: &str) {
    let mut left = text.as_bytes();
    while !left.is_empty() {
        match rustix::io::write(rustix::stdio::stderr(), left) {
            Ok(0) => return,
            Ok(n) => left = &left[n..],
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Writes bytes to standard output, all of them.
///
/// # Errors
/// What write(2) says.
pub fn print(bytes: &[u8]) -> std::io::Result<()> {
    let mut left = bytes;
    while !left.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), left) {
            Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
            Ok(n) => left = &left[n..],
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// Whether nobody will ever read what is written to this descriptor: a pipe whose other end is closed (contract R23).
pub fn is_reader_gone(fd: std::os::fd::RawFd) -> bool {
    let mut entry = libc::pollfd { fd, events: 0, revents: 0 };
    // SAFETY: one valid entry.
    unsafe { libc::poll(&raw mut entry, 1, 0) };
    entry.revents & libc::POLLERR != 0
}
