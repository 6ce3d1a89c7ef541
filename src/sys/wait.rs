//! The one wait of a program: over signals, a timer and the pipes of streams (contract C40).
//!
//! It sleeps in poll(2) and wakes only when something happened. The timer is a timerfd on a clock that counts suspend,
//! which the timeout of poll(2) does not.

use std::io;
use std::time::Duration;

use super::clock::Clock;
use super::poll::{PollFd, Pump, READ, poll_fd};
use super::signals::Signals;
use super::timer::Timer;

/// Why a wait returned. Signals that came are in [`Wait::signals`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wake {
    /// The instant that was given has come.
    pub timed_out: bool,
    /// A child of this process changed its state.
    pub child_changed: bool,
}

/// Signals, clock and timer of a program.
#[derive(Debug)]
pub struct Wait {
    /// What came and has not been acted on.
    pub signals: Signals,
    clock: Clock,
    timer: Timer,
    polls: Vec<PollFd>,
}

impl Wait {
    /// Takes over the signals of the process and starts the run's clock; once, as early as can be.
    ///
    /// # Errors
    /// No descriptor could be had.
    pub fn begin() -> io::Result<Wait> {
        let clock = Clock::start();
        Ok(Wait { signals: Signals::take()?, clock, timer: Timer::default(), polls: Vec::new() })
    }

    /// The time since the run began.
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Waits until a signal came, a child changed its state, a stream moved, or the instant has come, whichever is first.
    /// Streams are served on the way. Returns at once if signals are in the queue.
    pub fn until(&mut self, deadline: Option<Duration>, pump: &mut dyn Pump) -> Wake {
        let due = pump.due();
        let next = deadline.into_iter().chain(due).min();
        self.polls.clear();
        self.polls.push(poll_fd(self.signals.fd(), READ));
        let mut timeout = -1;
        if let Some(next) = next {
            let left = next.saturating_sub(self.now());
            if left.is_zero() || self.signals.is_any_queued() {
                timeout = 0;
            } else {
                match self.timer.set(&self.clock, next) {
                    Some(timer) => self.polls.push(poll_fd(timer, READ)),
                    // No descriptor to be had: whole milliseconds, rounded up, and suspend is not counted.
                    None => timeout = i32::try_from(left.as_millis().saturating_add(1)).unwrap_or(i32::MAX),
                }
            }
        } else if self.signals.is_any_queued() {
            timeout = 0;
        }
        let own = self.polls.len();
        pump.wants(&mut self.polls);
        let count = libc::nfds_t::try_from(self.polls.len()).expect("a handful of descriptors");
        // SAFETY: the entries are valid for the call and `count` of them.
        if unsafe { libc::poll(self.polls.as_mut_ptr(), count, timeout) } < 0 {
            // EINTR, after a stop: nothing is known of any descriptor.
            self.polls.iter_mut().for_each(|entry| entry.revents = 0);
        }
        if self.polls[0].revents != 0 {
            self.signals.gather();
        }
        if self.polls.len() > own {
            pump.ready(&self.polls[own..]);
        }
        let now = self.now();
        if due.is_some_and(|due| due <= now) {
            pump.woken();
        }
        Wake {
            timed_out: deadline.is_some_and(|deadline| deadline <= now),
            child_changed: self.signals.take_child_changed(),
        }
    }
}
