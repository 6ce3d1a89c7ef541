//! A child that runs: what the wait reports is acted on, until the child and what its time limit must end are gone.
//!
//! Each pass first looks at the child, then passes signals on, then looks at the time. The child stays a zombie until everything
//! is decided: that pins its process id and its process group, so no signal can reach a stranger.

use std::time::Duration;

use super::{Limits, Report};
use crate::outcome::Outcome;
use crate::signal::Signal;
use crate::sys::descendants::{self, Family, Process};
use crate::sys::poll::Pump;
use crate::sys::reap;
use crate::sys::send::{group_of, send, send_group};
use crate::sys::signals::Caught;
use crate::sys::spawn::Group;
use crate::sys::terminal;
use crate::sys::wait::Wait;

/// How long what does not die of KILL is waited for (contract C31).
const UNKILLABLE: Duration = Duration::from_secs(5);
/// How long a HUP may take to end the command; a command that runs on has reloaded (contract C20).
const RELOADED: Duration = Duration::from_secs(10);
/// How long the supervisor's signal to us may come after its signal to the child (contract C25).
const SAME_SIGNAL: Duration = Duration::from_millis(50);

/// A signal that asks the run to end, and came while the command ran.
#[derive(Clone, Copy, Debug)]
struct Interruption {
    caught: Caught,
    at: Duration,
    /// Whether the command could do anything about it but die.
    could_be_handled: bool,
}

/// A child that runs.
pub(super) struct Life<'a> {
    wait: &'a mut Wait,
    limits: &'a Limits,
    pid: i32,
    group: Group,
    started: Duration,
    /// When the time limit passes; taken when it has.
    limit_at: Option<Duration>,
    /// When KILL is sent; taken when it was.
    kill_at: Option<Duration>,
    /// KILL was sent; when waiting for its effect is given up.
    give_up_at: Option<Duration>,
    /// The limit passed and the first signal was sent while the command ran.
    timed_out: bool,
    /// How the command ended and when; it is a zombie then.
    end: Option<(Outcome, Duration)>,
    /// The signals that ask the run to end.
    interruptions: Vec<Interruption>,
    family: Option<Family>,
    /// Descendants outside the group that got the first signal.
    asked: Vec<Process>,
    reaps: bool,
}

impl<'a> Life<'a> {
    /// A child that was just started.
    pub(super) fn new(
        wait: &'a mut Wait,
        limits: &'a Limits,
        pid: i32,
        group: Group,
        started: Duration,
        family: Option<Family>,
    ) -> Life<'a> {
        Life {
            reaps: descendants::is_reaper(),
            limit_at: limits.timeout.map(|timeout| started.saturating_add(timeout)),
            wait,
            limits,
            pid,
            group,
            started,
            kill_at: None,
            give_up_at: None,
            timed_out: false,
            end: None,
            interruptions: Vec::new(),
            family,
            asked: Vec::new(),
        }
    }

    /// Waits for its end.
    pub(super) fn run(mut self, pump: &mut dyn Pump) -> Report {
        let mut unkillable = Vec::new();
        loop {
            self.look_at_child();
            self.pass_signals_on();
            if self.end.is_some() && (!self.timed_out || !self.is_anyone_left()) {
                break;
            }
            let now = self.wait.now();
            let has_come = |at: Option<Duration>| at.is_some_and(|at| at <= now);
            if has_come(self.give_up_at) {
                unkillable = self.survivors();
                break;
            }
            if has_come(self.limit_at) {
                self.limit_at = None;
                self.time_out(now);
            }
            if has_come(self.kill_at) {
                self.kill(now);
            }
            let wake = self.wait.until(self.next_instant(), pump);
            // Once the command has ended, whoever looks for its descendants reaps them.
            if wake.child_changed && self.reaps && self.end.is_none() {
                reap::reap_all(Some(self.pid));
            }
        }
        self.await_same_signal(pump);
        self.report(unkillable)
    }

    /// Notes how the command ended, if it has, without reaping it.
    fn look_at_child(&mut self) {
        if self.end.is_none() {
            self.end = reap::peek(self.pid).map(|outcome| (outcome, self.wait.now()));
        }
    }

    fn pass_signals_on(&mut self) {
        while let Some(caught) = self.wait.signals.take_next() {
            if !caught.asks_to_end() {
                if self.end.is_none() && !self.is_delivered(caught) {
                    send(self.pid, caught.signal);
                }
                continue;
            }
            // The command had ended before this was passed on: unless it died of the same, the signal is for whoever waits
            // next, a delay, or the start of another attempt.
            let is_late = |end| end != Outcome::Signaled(caught.signal) && !self.is_delivered(caught);
            if !self.timed_out && self.end.is_some_and(|(end, _)| is_late(end)) {
                self.wait.signals.put_back(caught);
                return;
            }
            let now = self.wait.now();
            let is_delivered = self.is_delivered(caught);
            let could_be_handled = is_delivered || descendants::could_handle(self.pid, caught.signal);
            self.interruptions.push(Interruption { caught, at: now, could_be_handled });
            if is_delivered {
                continue;
            }
            self.send_to_all(caught.signal);
            // A command that takes HUP for a reload must not be killed for it.
            if let Some(grace) = self.limits.grace_when_interrupted.filter(|_| caught.signal != Signal::HUP) {
                self.kill_within(grace, now);
            }
        }
    }

    /// KILL follows after this grace, unless it follows sooner or was sent.
    fn kill_within(&mut self, grace: Duration, now: Duration) {
        if self.give_up_at.is_none() {
            self.kill_at = self.kill_at.into_iter().chain([now.saturating_add(grace)]).min();
        }
    }

    /// Whether the terminal has sent it to the child as well (contract C11). A hang-up is told to the leader of a session
    /// alone; the kernel's ALRM is from a timer that was set before our exec.
    fn is_delivered(&self, caught: Caught) -> bool {
        let typed = [Signal::INT, Signal::QUIT, Signal::HUP, Signal::CONT, Signal::WINCH];
        self.group == Group::Shared
            && caught.by_kernel
            && typed.contains(&caught.signal)
            && !(caught.signal == Signal::HUP && terminal::is_session_leader())
    }

    /// Sends a signal to the group, or where that is the user's to the child, and CONT after it (contract C10, C20, C30).
    fn send_to_all(&self, signal: Signal) {
        for signal in [signal, Signal::CONT] {
            match self.group {
                Group::Shared => send(self.pid, signal),
                Group::Own => {
                    send_group(self.pid, signal);
                    if group_of(self.pid) != self.pid {
                        send(self.pid, signal);
                    }
                }
            }
        }
    }

    /// The limit has passed.
    fn time_out(&mut self, now: Duration) {
        // Who belongs to it is best told while the tree stands.
        if let Some(family) = &mut self.family {
            family.living();
        }
        // It may have ended this instant: then it did not time out.
        self.look_at_child();
        if self.end.is_some() {
            return;
        }
        self.timed_out = true;
        self.send_to_all(self.limits.signal);
        if self.limits.signal == Signal::KILL {
            self.kill(now);
        } else {
            self.kill_within(self.limits.grace, now);
        }
    }

    /// The grace has passed.
    fn kill(&mut self, now: Duration) {
        self.kill_at = None;
        self.give_up_at = Some(now.saturating_add(UNKILLABLE));
        self.send_to_all(Signal::KILL);
        if self.timed_out {
            self.sweep();
        }
    }

    /// After the limit and the command's end: whether descendants live, to whom is sent what is due.
    fn is_anyone_left(&mut self) -> bool {
        let is_blind = self.family.as_ref().is_some_and(|family| !family.can_see());
        if !is_blind || !self.reaps || self.group == Group::Shared {
            return !self.sweep().is_empty();
        }
        // Orphans are our children, but only the group can be asked for them, and there the command as a zombie would hide
        // them. From now on they pin the group's id.
        reap::reap(self.pid);
        reap::is_group_left(self.pid)
    }

    /// After the limit: sends what is due to those descendants that the group's signal does not reach. Returns who lives.
    fn sweep(&mut self) -> Vec<Process> {
        let Some(family) = &mut self.family else { return Vec::new() };
        if !family.can_see() {
            // The group is all that is known, and nothing would tell when it is empty: no grace beyond the command's own end.
            if self.end.is_some() {
                self.send_to_all(Signal::KILL);
            }
            return Vec::new();
        }
        let living = family.living();
        for process in &living {
            if self.give_up_at.is_some() {
                process.kill();
                continue;
            }
            // While the command lives it is left to see to its own children.
            let had_it = self.group == Group::Own && group_of(process.pid) == self.pid;
            if self.end.is_some() && !had_it && !self.asked.contains(process) {
                process.send(self.limits.signal);
                process.send(Signal::CONT);
                self.asked.push(*process);
            }
        }
        living
    }

    /// Who is left when waiting is given up.
    fn survivors(&mut self) -> Vec<i32> {
        let mut left: Vec<i32> = self.sweep().iter().map(|process| process.pid).collect();
        if self.end.is_none() {
            left.insert(0, self.pid);
        }
        if left.is_empty() {
            // Somebody is, whom nothing names but the group.
            left.push(self.pid);
        }
        left
    }

    fn next_instant(&self) -> Option<Duration> {
        [self.limit_at, self.kill_at, self.give_up_at].into_iter().flatten().min()
    }

    /// A supervisor that signals a whole group may have reached the child first: waits for the same signal (contract C25).
    /// A shell that reports such a death by its exit status counts as well.
    fn await_same_signal(&mut self, pump: &mut dyn Pump) {
        let Some((end, at)) = self.end else { return };
        let died_of_one = [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT]
            .into_iter()
            .any(|signal| end == Outcome::Signaled(signal) || end == Outcome::Exited(signal.shell_status()));
        if !died_of_one || self.timed_out || !self.interruptions.is_empty() {
            return;
        }
        let until = at.saturating_add(SAME_SIGNAL);
        loop {
            if let Some(caught) = self.wait.signals.take_ending() {
                let at = self.wait.now();
                self.interruptions.push(Interruption { caught, at, could_be_handled: true });
                return;
            }
            // What is news for the child comes too late.
            while self.wait.signals.take_next().is_some() {}
            if self.wait.until(Some(until), pump).timed_out {
                return;
            }
        }
    }

    fn report(self, unkillable: Vec<i32>) -> Report {
        if self.end.is_some() {
            reap::reap(self.pid);
            if self.reaps {
                // Those that this one stood in front of.
                reap::reap_all(None);
            }
        }
        let ended = self.wait.now();
        let command = self.end.map(|(outcome, _)| outcome);
        let outcome = match command {
            Some(outcome) if !self.timed_out => outcome,
            Some(outcome) => {
                let killed = outcome == Outcome::Signaled(Signal::KILL) || !unkillable.is_empty();
                Outcome::TimedOut { killed }
            }
            None if self.timed_out => Outcome::TimedOut { killed: true },
            None => Outcome::Signaled(Signal::KILL),
        };
        let ended_at = self.end.map_or(ended, |(_, at)| at);
        let counts = |it: &Interruption| it.caught.signal != Signal::HUP || ended_at.saturating_sub(it.at) <= RELOADED;
        let mut interrupted = self.interruptions.iter().copied().find(counts);
        // A command that exits although none of the signals could do anything but end it had its end before them: they are for
        // whoever waits next, as if they had come after it.
        if matches!(outcome, Outcome::Exited(_))
            && !self.interruptions.iter().any(|it| it.could_be_handled)
            && let Some(it) = interrupted.take()
        {
            self.wait.signals.put_back(it.caught);
        }
        Report {
            outcome,
            command,
            interrupted: interrupted.map(|it| it.caught.signal),
            unkillable,
            started: self.started,
            took: ended.saturating_sub(self.started),
        }
    }
}
