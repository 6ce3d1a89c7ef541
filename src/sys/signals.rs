//! The signals that a program acts on: blocked from the first instant, taken one by one from a signalfd.
//!
//! Blocking rather than handling: nothing is lost between two attempts or in the first millisecond (contract C23), no
//! handler can interrupt anything, and PID 1 gets them as well (C27). What was ignored on entry is neither blocked nor
//! taken, so it stays ignored (C24). Masks are set by the raw system call, because the C library hides the two or three
//! real-time signals that it keeps for threads; this program has none.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::signal::Signal;

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caught {
    /// Which.
    pub signal: Signal,
    /// Whether the kernel itself sent it: a terminal, to the whole group in its foreground (contract C11).
    pub by_kernel: bool,
}

impl Caught {
    /// Whether it asks the run to end (contract C20) rather than being news for the child (C21).
    pub fn asks_to_end(&self) -> bool {
        asks_to_end(self.signal)
    }
}

/// TERM, INT, HUP and QUIT (contract C20). PIPE is of the same kind when somebody else sends it: it would end any program.
pub fn asks_to_end(signal: Signal) -> bool {
    [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::PIPE].contains(&signal)
}

/// A set of signals as the kernel's calls take it.
type Mask = u64;

const fn bit(signal: i32) -> Mask {
    1 << (signal - 1)
}

/// The first signal above the standard ones.
const FIRST_REAL_TIME: i32 = 32;
const LAST: i32 = 64;

/// What is acted on: contract C20, C21, the end of children, and PIPE, so that a write without a reader is an error to us.
fn acted_on() -> Mask {
    const STANDARD: [i32; 11] = [
        libc::SIGTERM,
        libc::SIGINT,
        libc::SIGHUP,
        libc::SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGWINCH,
        libc::SIGALRM,
        libc::SIGCONT,
        libc::SIGCHLD,
        libc::SIGPIPE,
    ];
    STANDARD.into_iter().chain(FIRST_REAL_TIME..=LAST).fold(0, |mask, signal| mask | bit(signal))
}

/// Changes the mask of the process and returns what it was. Safe to call between clone and exec.
pub(in crate::sys) fn change_mask(how: libc::c_int, mask: Mask) -> Mask {
    let mut old: Mask = 0;
    // SAFETY: rt_sigprocmask reads and writes sets of the size that is given, both valid.
    unsafe {
        libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const mask, &raw mut old, size_of::<Mask>());
    }
    old
}

/// Whether a signal is ignored now.
fn is_ignored(signal: i32) -> bool {
    // SAFETY: all-zero is a valid sigaction to be filled in.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: a null new action only asks; an error (a signal the C library keeps) leaves the zeroed one, which is the default.
    unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut action) };
    action.sa_sigaction == libc::SIG_IGN
}

/// Sets a signal to its default or to be ignored. Safe to call between clone and exec.
pub(in crate::sys) fn set_ignored(signal: i32, ignored: bool) {
    // SAFETY: all-zero is a valid sigaction: no flags, empty mask, default action.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = if ignored { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: the action is valid and names no handler.
    unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
}

/// The signals of this process, and how they were when it started.
#[derive(Debug)]
pub struct Signals {
    fd: OwnedFd,
    /// The mask on entry, which each child gets (contract C2).
    entry_mask: Mask,
    /// Whether SIGCHLD was ignored on entry: it cannot be while we wait for children, and is again in each child (C2, C4).
    chld_was_ignored: bool,
    queue: VecDeque<Caught>,
    child_changed: bool,
    own_pid: u32,
    /// The signal of which the next is only noted.
    spare: Option<Signal>,
    spared: bool,
}

impl Signals {
    /// Takes over the signals of the process; to be called once, as early as can be.
    ///
    /// # Errors
    /// No descriptor could be had.
    pub fn take() -> io::Result<Signals> {
        let acted_on = acted_on();
        let entry_mask = change_mask(libc::SIG_BLOCK, acted_on);
        let chld_was_ignored = is_ignored(libc::SIGCHLD);
        if chld_was_ignored {
            set_ignored(libc::SIGCHLD, false);
        }
        let ours = (1..=LAST)
            .filter(|signal| acted_on & bit(*signal) != 0 && !is_ignored(*signal))
            .fold(0, |mask, signal| mask | bit(signal));
        // A file beyond the size limit (setrlimit(2)) is then an error of the write, and the letter goes to stderr (D3).
        change_mask(libc::SIG_SETMASK, entry_mask | ours | bit(libc::SIGXFSZ));
        // SAFETY: signalfd4 reads a set of the size that is given; -1 asks for a new descriptor.
        let fd = unsafe {
            libc::syscall(
                libc::SYS_signalfd4,
                -1,
                &raw const ours,
                size_of::<Mask>(),
                libc::SFD_CLOEXEC | libc::SFD_NONBLOCK,
            )
        };
        let fd = RawFd::try_from(fd).expect("a descriptor fits");
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Signals {
            // SAFETY: the descriptor is new and nobody else's.
            fd: unsafe { OwnedFd::from_raw_fd(fd) },
            entry_mask,
            chld_was_ignored,
            queue: VecDeque::new(),
            child_changed: false,
            own_pid: std::process::id(),
            spare: None,
            spared: false,
        })
    }

    /// The descriptor that is readable when a signal came.
    pub(in crate::sys) fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Takes everything that is pending from the kernel into the queue.
    pub(in crate::sys) fn gather(&mut self) {
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
                self.sort(info);
            }
            if count < buffer.len() {
                return;
            }
        }
    }

    fn sort(&mut self, info: &libc::signalfd_siginfo) {
        let Some(signal) = i32::try_from(info.ssi_signo).ok().and_then(Signal::from_number) else { return };
        if signal == Signal::CHLD {
            self.child_changed = true;
        } else if signal == Signal::PIPE && info.ssi_pid == self.own_pid {
            // Our own write without a reader; the write has told its caller.
        } else if self.spare == Some(signal) {
            (self.spare, self.spared) = (None, true);
        } else {
            self.queue.push_back(Caught { signal, by_kernel: info.ssi_code == libc::SI_KERNEL });
        }
    }

    /// From now on the first of this signal is only noted: what runs is to end by itself (contract D34).
    pub fn spare_next(&mut self, signal: Signal) {
        (self.spare, self.spared) = (Some(signal), false);
    }

    /// Whether the signal to be spared has come; the next is like any other again.
    pub fn take_spared(&mut self) -> bool {
        self.gather();
        self.spare = None;
        std::mem::take(&mut self.spared)
    }

    /// The next signal that was gathered, in the order of arrival as far as the kernel tells it.
    pub fn take_next(&mut self) -> Option<Caught> {
        self.queue.pop_front()
    }

    /// Puts a signal back, to be the next again: it is for whoever waits next.
    pub fn put_back(&mut self, caught: Caught) {
        self.queue.push_front(caught);
    }

    /// Whether signals wait in the queue.
    pub fn is_any_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Takes the first signal that asks the run to end, if one has come; the others stay (contract C23).
    pub fn take_ending(&mut self) -> Option<Caught> {
        self.gather();
        let at = self.queue.iter().position(Caught::asks_to_end)?;
        self.queue.remove(at)
    }

    /// Whether a child changed its state since this was last asked.
    pub(in crate::sys) fn take_child_changed(&mut self) -> bool {
        std::mem::take(&mut self.child_changed)
    }

    /// Gives the calling process, a child before its exec, what this one had on entry.
    pub(in crate::sys) fn restore_in_child(&self) {
        if self.chld_was_ignored {
            set_ignored(libc::SIGCHLD, true);
        }
        change_mask(libc::SIG_SETMASK, self.entry_mask);
    }
}

/// Meets every signal of the calling process as a new program does: nothing blocked, nothing ignored that we have touched.
pub(in crate::sys) fn forget() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE, libc::SIGCHLD] {
        set_ignored(signal, false);
    }
    change_mask(libc::SIG_SETMASK, 0);
}

/// Ends this process by a signal, without a core; as PID 1, where that is impossible, by exit 128+N (contract R31).
pub fn die_of(signal: Signal) -> ! {
    // SAFETY: plain system calls without pointers but a valid rlimit; _exit ends the process.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
        // A core that goes to a pipe is not bound by the limit.
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
        set_ignored(signal.number(), false);
        libc::kill(libc::getpid(), signal.number());
        change_mask(libc::SIG_UNBLOCK, bit(signal.number()));
        libc::_exit(signal.shell_status().into())
    }
}
