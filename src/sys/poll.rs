//! What takes part in the one wait of a program: descriptors besides signals and timer.
//!
//! Streams are not threads here. Each names the descriptors that it waits for, the wait sleeps once over all of them, and
//! each is told what became ready (contract C40).

use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

/// One descriptor of a poll(2): what is awaited (`events`) and what came (`revents`).
pub use libc::pollfd as PollFd;

/// There is something to read.
pub const READ: i16 = libc::POLLIN;
/// There is room to write.
pub const WRITE: i16 = libc::POLLOUT;
/// What poll(2) reports unasked: the other end is gone, an error, no such descriptor.
pub const TROUBLE: i16 = libc::POLLERR | libc::POLLHUP | libc::POLLNVAL;

/// An entry that waits for `events` on `fd`.
pub fn poll_fd(fd: RawFd, events: i16) -> PollFd {
    PollFd { fd, events, revents: 0 }
}

/// A stream, or several, that moves bytes while an attempt runs. No method may block (contract S17).
pub trait Pump {
    /// Adds the descriptors that are awaited now; none while nothing is. A descriptor that is not wanted must not be added with
    /// `events: 0`: poll(2) would report its hang-up again and again.
    fn wants(&mut self, polls: &mut Vec<PollFd>);

    /// Is given exactly the entries that `wants` added, in their order, with `revents` filled in.
    fn ready(&mut self, polls: &[PollFd]);

    /// The instant of the run's clock at which `woken` is wanted even if no descriptor is ready; `None` for no timer.
    fn due(&self) -> Option<Duration> {
        None
    }

    /// The instant of `due` has come.
    fn woken(&mut self) {}

    /// What the child gets as its descriptors 0, 1 and 2; `None` is what the program itself has there.
    fn child_fds(&self) -> [Option<RawFd>; 3] {
        [None; 3]
    }

    /// The child has its descriptors (or could not be started): ours for it are closed here.
    fn close_child_ends(&mut self) {}
}

/// Nothing that moves: a wait on signals and time alone, and a child with our own descriptors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Still;

impl Pump for Still {
    fn wants(&mut self, _: &mut Vec<PollFd>) {}

    fn ready(&mut self, _: &[PollFd]) {}
}

/// Waits for one of two descriptors without a limit, for whoever has nothing else to do; what came of each.
pub fn wait_for(wanted: [(BorrowedFd<'_>, i16); 2]) -> [i16; 2] {
    let mut polls = wanted.map(|(fd, events)| poll_fd(fd.as_raw_fd(), events));
    // SAFETY: two valid entries.
    if unsafe { libc::poll(polls.as_mut_ptr(), 2, -1) } < 0 {
        return [0; 2];
    }
    polls.map(|entry| entry.revents)
}
