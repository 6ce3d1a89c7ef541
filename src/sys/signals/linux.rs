//! Signals on Linux: blocked from the first instant, read from a signalfd.
//!
//! Blocking rather than handling: no handler can interrupt anything, and PID 1 gets them as well (contract C27). Masks are set
//! by the raw system call, because the C library hides the two or three real-time signals that it keeps for threads; this
//! program has none.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::{News, STANDARD};

/// A set of signals as the kernel's calls take it.
type Mask = u64;

const fn bit(signal: i32) -> Mask {
    1 << (signal - 1)
}

/// The first signal above the standard ones.
const FIRST_REAL_TIME: i32 = 32;
const LAST: i32 = 64;

/// What is acted on, PIPE and XFSZ: a write without a reader, or beyond the size limit of files (setrlimit(2)), is then an error
/// of the write (contract S14, D3).
fn acted_on() -> Mask {
    let real_time = FIRST_REAL_TIME..=LAST;
    STANDARD
        .into_iter()
        .chain([libc::SIGPIPE, libc::SIGXFSZ])
        .chain(real_time)
        .fold(0, |mask, signal| mask | bit(signal))
}

/// Changes the mask of the process and returns what it was. Safe to call between clone and exec.
fn change_mask(how: libc::c_int, mask: Mask) -> Mask {
    let mut old: Mask = 0;
    // SAFETY: rt_sigprocmask reads and writes sets of the size that is given, both valid.
    unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const mask, &raw mut old, size_of::<Mask>());
    }
    old
}

/// The signalfd, and the mask as it was.
#[derive(Debug)]
pub(super) struct Source {
    fd: OwnedFd,
    /// The mask on entry, which each child gets (contract C2).
    entry_mask: Mask,
    own_pid: u32,
}

impl Source {
    pub(super) fn take() -> io::Result<Source> {
        let acted_on = acted_on();
        let entry_mask = change_mask(libc::SIG_BLOCK, acted_on);
        // SAFETY: signalfd4 reads a set of the size that is given; -1 asks for a new descriptor.
        let fd = unsafe {
            libc::syscall(
                libc::SYS_signalfd4,
                -1,
                &raw const acted_on,
                size_of::<Mask>(),
                libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
            )
        };
        let fd = RawFd::try_from(fd).expect("a descriptor fits");
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Source {
            // SAFETY: the descriptor is new and nobody else's.
            fd: unsafe { OwnedFd::from_raw_fd(fd) },
            entry_mask,
            own_pid: std::process::id(),
        })
    }

    pub(super) fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    pub(super) fn gather(&self, tell: &mut dyn FnMut(News)) {
        const EMPTY: std::mem::MaybeUninit<libc::signalfd_siginfo> = std::mem::MaybeUninit::uninit();
        let mut buffer = [EMPTY; 8];
        loop {
            // SAFETY: the kernel writes whole siginfos into the buffer, at most its size.
            let read = unsafe { libc::read(self.fd(), buffer.as_mut_ptr().cast(), size_of_val(&buffer)) };
            let Ok(read) = usize::try_from(read) else { return };
            let count = read / size_of::<libc::signalfd_siginfo>();
            for info in &buffer[..count] {
                // SAFETY: the kernel has filled in the first `count`.
                let info = unsafe { info.assume_init_ref() };
                tell(News {
                    number: i32::try_from(info.ssi_signo).unwrap_or(0),
                    by_kernel: info.ssi_code == libc::SI_KERNEL,
                    by_us: info.ssi_pid == self.own_pid,
                });
            }
            if count < buffer.len() {
                return;
            }
        }
    }

    pub(super) fn restore_in_child(&self) {
        change_mask(libc::SIG_SETMASK, self.entry_mask);
    }

    pub(super) fn unblock_all() {
        change_mask(libc::SIG_SETMASK, 0);
    }

    pub(super) fn unblock(signal: i32) {
        change_mask(libc::SIG_UNBLOCK, bit(signal));
    }
}
