//! The signals that a program acts on, taken one by one from a descriptor.
//!
//! Nothing is lost between two attempts or in the first millisecond (contract C23), and what was ignored on entry stays ignored
//! (C24). Where the signals come from is the platform's: on Linux they are blocked and read from a signalfd; elsewhere handlers
//! write them into a pipe.

#[cfg(all(target_os = "linux", not(retry_portable)))]
mod linux;
#[cfg(not(all(target_os = "linux", not(retry_portable))))]
mod portable;

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;

use crate::signal::Signal;
#[cfg(all(target_os = "linux", not(retry_portable)))]
use linux::Source;
#[cfg(not(all(target_os = "linux", not(retry_portable))))]
use portable::Source;

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

/// TERM, INT, HUP and QUIT (contract C20). PIPE and XFSZ are of the same kind when somebody else sends them: they would end any
/// program.
pub fn asks_to_end(signal: Signal) -> bool {
    [Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT, Signal::PIPE, Signal::XFSZ].contains(&signal)
}

/// What a source tells of a signal.
#[derive(Clone, Copy, Debug)]
struct News {
    number: i32,
    /// The kernel itself sent it.
    by_kernel: bool,
    /// This process brought it on itself, by a write that failed.
    by_us: bool,
}

/// What is acted on: contract C20, C21 and the end of children; the real-time signals come on top where there are any.
const STANDARD: [i32; 10] = [
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
];

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
    source: Source,
    /// Whether SIGCHLD was ignored on entry: it cannot be while we wait for children, and is again in each child (C2, C4).
    chld_was_ignored: bool,
    queue: VecDeque<Caught>,
    child_changed: bool,
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
        let chld_was_ignored = is_ignored(libc::SIGCHLD);
        if chld_was_ignored {
            set_ignored(libc::SIGCHLD, false);
        }
        Ok(Signals {
            source: Source::take()?,
            chld_was_ignored,
            queue: VecDeque::new(),
            child_changed: false,
            spare: None,
            spared: false,
        })
    }

    /// The descriptor that is readable when a signal came.
    pub(in crate::sys) fn fd(&self) -> RawFd {
        self.source.fd()
    }

    /// Takes everything that is pending from the kernel into the queue.
    pub(in crate::sys) fn gather(&mut self) {
        let Signals { source, queue, child_changed, spare, spared, .. } = self;
        source.gather(&mut |news| {
            let Some(signal) = Signal::from_number(news.number) else { return };
            // Blocked, it comes even if it is ignored. Asking now costs nothing where no signal comes (C24).
            if is_ignored(news.number) {
                return;
            }
            if signal == Signal::CHLD {
                *child_changed = true;
            } else if *spare == Some(signal) {
                (*spare, *spared) = (None, true);
            } else if !news.by_us || ![Signal::PIPE, Signal::XFSZ].contains(&signal) {
                // Of our own write that failed the write has told its caller.
                queue.push_back(Caught { signal, by_kernel: news.by_kernel });
            }
        });
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

    /// Whether a child changed its state since this was last asked.
    pub(in crate::sys) fn take_child_changed(&mut self) -> bool {
        std::mem::take(&mut self.child_changed)
    }

    /// Holds signals back around a fork, so that none is handled in a child that is still us. Always so where they are blocked.
    #[cfg(not(all(target_os = "linux", not(retry_portable))))]
    pub(in crate::sys) fn hold(&self) {
        self.source.hold();
    }

    /// Ends what `hold` began.
    #[cfg(not(all(target_os = "linux", not(retry_portable))))]
    pub(in crate::sys) fn release(&self) {
        self.source.release();
    }

    /// Gives the calling process, a child before its exec, what this one had on entry.
    pub(in crate::sys) fn restore_in_child(&self) {
        if self.chld_was_ignored {
            set_ignored(libc::SIGCHLD, true);
        }
        self.source.restore_in_child();
    }
}

/// Meets every signal of the calling process as a new program does: nothing blocked, nothing ignored that we have touched.
pub(in crate::sys) fn forget() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE, libc::SIGCHLD] {
        set_ignored(signal, false);
    }
    Source::unblock_all();
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
        Source::unblock(signal.number());
        libc::_exit(signal.shell_status().into())
    }
}
