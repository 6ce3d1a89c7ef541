//! Signals where there is no signalfd: handlers write them into a pipe.
//!
//! A handler runs between any two instructions, so it does the one thing that is allowed there: it writes two bytes. Around a
//! fork all signals are blocked, lest a child that is still us write into the pipe.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};

use super::{News, STANDARD, is_ignored, set_ignored};

/// The end of the pipe that handlers write to.
static WRITER: AtomicI32 = AtomicI32::new(-1);

extern "C" fn note(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo.
    let code = unsafe { (*info).si_code };
    // Somebody's kill(2) or sigqueue(3); what else there is comes from the kernel.
    #[cfg(target_os = "linux")]
    let by_kernel = code == libc::SI_KERNEL;
    #[cfg(not(target_os = "linux"))]
    let by_kernel = ![0x10001, 0x10002].contains(&code);
    let bytes = [u8::try_from(signal).unwrap_or(0), u8::from(by_kernel)];
    // SAFETY: write(2) is async-signal-safe, the buffer valid; errno is put back for whoever was interrupted.
    unsafe {
        let errno = errno_place();
        let saved = *errno;
        // A full pipe loses nothing that matters: thousands of signals wait in it already.
        libc::write(WRITER.load(Ordering::Relaxed), bytes.as_ptr().cast(), bytes.len());
        *errno = saved;
    }
}

unsafe fn errno_place() -> *mut libc::c_int {
    // SAFETY: these return the address of the thread's errno.
    unsafe {
        #[cfg(any(target_os = "macos", target_os = "ios", target_os = "freebsd"))]
        return libc::__error();
        #[cfg(not(any(target_os = "macos", target_os = "ios", target_os = "freebsd")))]
        return libc::__errno_location();
    }
}

/// All signals, or none.
fn mask(full: bool) -> libc::sigset_t {
    // SAFETY: all-zero is memory for a set, which the call initialises.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        if full {
            libc::sigfillset(&raw mut set)
        } else {
            libc::sigemptyset(&raw mut set)
        };
        set
    }
}

fn change_mask(how: libc::c_int, set: &libc::sigset_t) -> libc::sigset_t {
    let mut old = mask(false);
    // SAFETY: both sets are valid.
    unsafe { libc::sigprocmask(how, set, &raw mut old) };
    old
}

/// The pipe, and the mask as it was and as it is.
pub(super) struct Source {
    reader: OwnedFd,
    /// Kept open for the handlers.
    _writer: OwnedFd,
    entry_mask: libc::sigset_t,
    own_mask: libc::sigset_t,
    /// What has a handler of ours.
    handled: Vec<i32>,
    /// What is ignored by us and was not on entry.
    ignored: Vec<i32>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("reader", &self.reader).field("handled", &self.handled).finish_non_exhaustive()
    }
}

impl Source {
    pub(super) fn take() -> io::Result<Source> {
        let (reader, writer) = pipe()?;
        WRITER.store(writer.as_raw_fd(), Ordering::Relaxed);
        let entry_mask = change_mask(libc::SIG_BLOCK, &mask(true));
        let mut own_mask = entry_mask;
        let handled: Vec<i32> = acted_on().into_iter().filter(|signal| !is_ignored(*signal)).collect();
        for signal in &handled {
            // SAFETY: a zeroed sigaction is valid; the handler is async-signal-safe; the set is valid.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = note as extern "C" fn(_, _, _) as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
                action.sa_mask = mask(true);
                libc::sigaction(*signal, &raw const action, std::ptr::null_mut());
                // What was blocked on entry is acted on all the same (contract C2).
                libc::sigdelset(&raw mut own_mask, *signal);
            }
        }
        // A write without a reader, or to a file beyond the size limit, is an error of the write.
        let ignored: Vec<i32> =
            [libc::SIGPIPE, libc::SIGXFSZ].into_iter().filter(|signal| !is_ignored(*signal)).collect();
        ignored.iter().for_each(|signal| set_ignored(*signal, true));
        change_mask(libc::SIG_SETMASK, &own_mask);
        Ok(Source { reader, _writer: writer, entry_mask, own_mask, handled, ignored })
    }

    pub(super) fn fd(&self) -> RawFd {
        self.reader.as_raw_fd()
    }

    pub(super) fn gather(&self, tell: &mut dyn FnMut(News)) {
        let mut buffer = [0u8; 64];
        loop {
            // SAFETY: the buffer is valid for its length.
            let read = unsafe { libc::read(self.fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
            let Ok(read) = usize::try_from(read) else { return };
            for pair in buffer[..read].chunks_exact(2) {
                tell(News { number: pair[0].into(), by_kernel: pair[1] != 0, by_us: false });
            }
            if read < buffer.len() {
                return;
            }
        }
    }

    pub(super) fn hold(&self) {
        change_mask(libc::SIG_SETMASK, &mask(true));
    }

    pub(super) fn release(&self) {
        change_mask(libc::SIG_SETMASK, &self.own_mask);
    }

    pub(super) fn restore_in_child(&self) {
        for signal in &self.handled {
            // What SIGCHLD was on entry has been put back before this.
            if *signal != libc::SIGCHLD || !is_ignored(*signal) {
                set_ignored(*signal, false);
            }
        }
        self.ignored.iter().for_each(|signal| set_ignored(*signal, false));
        change_mask(libc::SIG_SETMASK, &self.entry_mask);
    }

    pub(super) fn unblock_all() {
        change_mask(libc::SIG_SETMASK, &mask(false));
    }

    pub(super) fn unblock(signal: i32) {
        let mut set = mask(false);
        // SAFETY: the set is valid.
        unsafe { libc::sigaddset(&raw mut set, signal) };
        change_mask(libc::SIG_UNBLOCK, &set);
    }
}

/// The standard signals, and the real-time ones where libc knows their range.
fn acted_on() -> Vec<i32> {
    #[cfg(target_os = "linux")]
    let real_time = libc::SIGRTMIN()..=libc::SIGRTMAX();
    #[cfg(not(target_os = "linux"))]
    let real_time = std::iter::empty();
    STANDARD.into_iter().chain(real_time).collect()
}

/// A pipe of ours alone, neither end of which blocks.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    // SAFETY: the array takes two descriptors.
    if unsafe { libc::pipe(ends.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    for fd in ends {
        // SAFETY: the descriptors are new and ours.
        unsafe {
            libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
            libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK);
        }
    }
    // SAFETY: the descriptors are new and nobody else's.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}
