//! One attempt: start, one wait over signals, time limit and streams, and nothing left behind that the limit ended.

mod life;

use std::ffi::CString;
use std::time::Duration;

use crate::outcome::Outcome;
use crate::signal::Signal;
use crate::sys::descendants::{self, Family};
use crate::sys::poll::Pump;
use crate::sys::reap;
use crate::sys::resident;
use crate::sys::signals::asks_to_end;
use crate::sys::spawn::{Group, Start, spawn};
use crate::sys::wait::Wait;
use life::Life;

/// What limits one attempt.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long it may take; `None` for ever.
    pub timeout: Option<Duration>,
    /// What is sent when that has passed.
    pub signal: Signal,
    /// From that signal to KILL.
    pub grace: Duration,
    /// From a signal that was passed on to KILL; `None` never (contract C20: only where `--kill-after` was given).
    pub grace_when_interrupted: Option<Duration>,
    /// Whether the limit ends descendants outside the group too (contract C31); an attempt wants it, a hook does not.
    pub sweep: bool,
}

/// What is known of an attempt that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it came to.
    pub outcome: Outcome,
    /// What the command itself did, `Exited` or `Signaled`, also where the outcome is that it timed out
    /// (`--preserve-status`); `None` if it was not started or could not be killed.
    pub command: Option<Outcome>,
    /// The first signal that asked the run to end while it ran (contract C20, R31).
    pub interrupted: Option<Signal>,
    /// What KILL did not end, by process id (contract C31).
    pub unkillable: Vec<i32>,
    /// When it started, by the run's clock.
    pub started: Duration,
    /// How long it took.
    pub took: Duration,
}

impl Report {
    /// Whether the command handled the signal that ended the run and exited by itself: its status is then passed on (R31).
    pub fn is_handled(&self) -> bool {
        self.interrupted.is_some() && matches!(self.outcome, Outcome::Exited(_))
    }
}

/// What became of the wish to run an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempted {
    /// It ran, or could not be started.
    Ended(Report),
    /// A signal that ends the run came before it was started (contract C23).
    Interrupted(Signal),
}

/// Runs one attempt to its end.
///
/// The pump's `child_fds` become the command's descriptors; what the pump has not delivered when the command ends is the
/// caller's.
pub fn attempt(wait: &mut Wait, start: &Start, limits: &Limits, pump: &mut dyn Pump) -> Attempted {
    let mut family = limits.timeout.filter(|_| limits.sweep).map(|_| {
        descendants::become_subreaper();
        Family::expect(marks(start.env))
    });
    // The last thing before the start, so that a signal which came before it starts nothing.
    if let Some(caught) = wait.signals.take_ending() {
        pump.close_child_ends();
        return Attempted::Interrupted(caught.signal);
    }
    let started = wait.now();
    let spawned = spawn(start, pump.child_fds(), &wait.signals);
    pump.close_child_ends();
    let pid = match spawned {
        Ok(pid) => pid,
        Err((step, errno)) => {
            return Attempted::Ended(Report {
                outcome: Outcome::NotStarted { step, errno },
                command: None,
                interrupted: None,
                unkillable: Vec::new(),
                started,
                took: wait.now().saturating_sub(started),
            });
        }
    };
    if let Some(family) = &mut family {
        family.born(pid, start.group == Group::Own);
    }
    Attempted::Ended(Life::new(wait, limits, pid, start.group, started, family).run(pump))
}

/// The entries of an environment that tell this attempt from any other.
fn marks(env: &[CString]) -> Vec<Vec<u8>> {
    let is_mark = |entry: &&[u8]| entry.starts_with(b"RETRY_ID=") || entry.starts_with(b"RETRY_ATTEMPT=");
    env.iter().map(|entry| entry.to_bytes()).filter(is_mark).map(<[u8]>::to_vec).collect()
}

/// A delay from which on it matters what a waiting process weighs.
const LONG_DELAY: Duration = Duration::from_secs(5);

/// Waits until an instant of the run's clock, or until a signal ends the run; returns that one (contract C22).
pub fn wait_delay(wait: &mut Wait, until: Duration, pump: &mut dyn Pump) -> Option<Signal> {
    if until.saturating_sub(wait.now()) >= LONG_DELAY {
        resident::give_back_code();
    }
    let reaps = descendants::is_reaper();
    loop {
        while let Some(caught) = wait.signals.take_next() {
            if asks_to_end(caught.signal) {
                return Some(caught.signal);
            }
        }
        let wake = wait.until(Some(until), pump);
        if wake.child_changed && reaps {
            reap::reap_all(None);
        }
        if wake.timed_out && !wait.signals.is_any_queued() {
            return None;
        }
    }
}
