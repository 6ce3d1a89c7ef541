//! A process that leaves ours and stays behind: no parent that waits for it, no terminal, no descriptor but two.

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use super::signals;

/// Starts a process with `from` as its descriptor 0 and `to` as its descriptor 1 and nothing else open, which runs `body`
/// and exits. It has a session of its own, stands in `/`, and meets signals as a new program does. Where no process can be
/// had nothing is started. Returns when it is nobody's child any more, or that of whoever collects orphans.
///
/// `body` runs after fork(2): it must not allocate.
pub fn detach(from: BorrowedFd<'_>, to: BorrowedFd<'_>, body: fn()) {
    // SAFETY: fork(2) takes nothing; this program has one thread, and the children below only make system calls.
    let middle = unsafe { libc::fork() };
    if middle == 0 {
        // SAFETY: as above; _exit never returns.
        unsafe {
            if libc::fork() == 0 {
                leave(from.as_raw_fd(), to.as_raw_fd());
                body();
            }
            libc::_exit(0)
        }
    }
    if middle > 0 {
        // SAFETY: a null status is not written. The child ends at once, so this waits for microseconds.
        while unsafe { libc::waitpid(middle, std::ptr::null_mut(), 0) } < 0
            && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
        {}
    }
}

fn leave(from: RawFd, to: RawFd) {
    // SAFETY: plain system calls on numbers and a C string; the descriptors of this process are its own by now.
    unsafe {
        libc::setsid();
        libc::chdir(c"/".as_ptr());
        // In two steps, as either may stand on the other's number.
        let (from, to) = (libc::fcntl(from, libc::F_DUPFD, 3), libc::fcntl(to, libc::F_DUPFD, 3));
        libc::dup2(from, 0);
        libc::dup2(to, 1);
        #[cfg(target_os = "linux")]
        let closed = libc::syscall(libc::SYS_close_range, 2, libc::c_uint::MAX, 0);
        #[cfg(not(target_os = "linux"))]
        let closed = -1;
        if closed != 0 {
            let mut limit = libc::rlimit { rlim_cur: 1024, rlim_max: 1024 };
            libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
            for fd in 2..libc::c_int::try_from(limit.rlim_cur.min(65_536)).unwrap_or(1024) {
                libc::close(fd);
            }
        }
    }
    signals::forget();
}
