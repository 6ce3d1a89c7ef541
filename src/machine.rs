//! The machine that decides: facts in, orders out. No clock, no random generator, no effects.
//!
//! The run, the plan, a replay and the tests drive this one machine; only the world around it differs.

use std::time::Duration;

use crate::backoff::{Backoff, Drawn, part};
pub use crate::outcome::Ending;
use crate::policy::{Facts, Judgement, Rules, Verdict};
use crate::signal::Signal;

/// The limits of a run: how often, how long, how far apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Attempts in all, at least 1; `None` is without a limit.
    pub max_tries: Option<u32>,
    /// The delays.
    pub backoff: Backoff,
    /// The bound of the uniform wait before the first attempt.
    pub splay: Duration,
    /// No attempt begins after this, counted from the start of attempt 1.
    pub max_elapsed: Option<Duration>,
    /// The limit of one attempt, more than zero.
    pub timeout: Option<Duration>,
    /// An attempt that ran this long before it failed starts the counting anew (R16).
    pub reset_after: Option<Duration>,
    /// The longest wait that may be asked for by Retry-After (S34).
    pub retry_after_max: Duration,
    /// Whether Retry-After is looked at.
    pub heed_retry_after: bool,
}

/// What a delay comes from (S35).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelaySource {
    /// The backoff's draw.
    Backoff,
    /// What the other side asked for.
    RetryAfter,
    /// The wait before the first attempt.
    Splay,
}

impl DelaySource {
    /// The word that messages, records and metrics use.
    pub fn word(self) -> &'static str {
        match self {
            DelaySource::Backoff => "backoff",
            DelaySource::RetryAfter => "retry_after",
            DelaySource::Splay => "splay",
        }
    }
}

/// What has happened. Every `at` is counted from the beginning of the run.
#[derive(Clone, Debug)]
pub enum Event {
    /// The run begins, at 0.
    Begin,
    /// An attempt has ended.
    Ended {
        /// When.
        at: Duration,
        /// How long it ran.
        took: Duration,
        /// What is known of it.
        facts: Facts,
    },
    /// A delay is over.
    Woke {
        /// When.
        at: Duration,
    },
    /// A signal ends the run: between two attempts, or in one.
    Caught {
        /// Which.
        signal: Signal,
        /// The attempt that it ended, if it came in one.
        during: Option<Facts>,
    },
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Start an attempt.
    Run {
        /// Its number, from 1.
        attempt: u32,
        /// Its limit.
        timeout: Option<Duration>,
    },
    /// Wait.
    Sleep {
        /// How long.
        delay: Duration,
        /// The longest that the draw could have given.
        ceiling: Duration,
        /// Why.
        source: DelaySource,
    },
    /// The run is over.
    Stop(Ending),
}

/// A run on its way.
#[derive(Clone, Debug)]
pub struct Machine {
    limits: Limits,
    rules: Rules,
    /// The number of the attempt that runs, or ran last; 0 before the first.
    attempt: u32,
    /// The same, counted from the last reset.
    tries: u32,
    /// When attempt 1 started, and with it the window.
    opened: Duration,
    /// The last drawn delay of this count.
    previous: Option<Duration>,
    judgement: Option<Judgement>,
    not_before: Option<Duration>,
}

impl Machine {
    /// A machine that has not begun.
    pub fn new(limits: Limits, rules: Rules) -> Machine {
        Machine {
            limits,
            rules,
            attempt: 0,
            tries: 0,
            opened: Duration::ZERO,
            previous: None,
            judgement: None,
            not_before: None,
        }
    }

    /// Takes what has happened and says what to do. `units` are two draws, uniform in [0, 1].
    pub fn next(&mut self, event: Event, units: [f64; 2]) -> Step {
        match event {
            Event::Begin if self.limits.splay.is_zero() => self.run(Duration::ZERO),
            Event::Begin => Step::Sleep {
                delay: part(self.limits.splay, units[0]),
                ceiling: self.limits.splay,
                source: DelaySource::Splay,
            },
            Event::Woke { at } => self.run(at),
            Event::Ended { at, took, facts } => self.ended(at, took, &facts, units),
            Event::Caught { signal, during } => self.caught(signal, during.as_ref()),
        }
    }

    /// What the last attempt meant; `None` before one has ended.
    pub fn judgement(&self) -> Option<Judgement> {
        self.judgement
    }

    /// The number of the attempt that runs, or ran last; 0 before the first.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The number of the attempt within the present count (R16), and how many there may be.
    pub fn tries(&self) -> (u32, Option<u32>) {
        (self.tries, self.limits.max_tries)
    }

    /// Whether no further attempt follows the one that runs, whatever it comes to.
    pub fn is_last_attempt(&self) -> bool {
        // A long attempt would start the count anew.
        self.limits.reset_after.is_none() && self.limits.max_tries.is_some_and(|max| self.tries >= max)
    }

    /// The instant, counted from the run's beginning, before which the other side asked to be left alone.
    pub fn not_before(&self) -> Option<Duration> {
        self.not_before
    }

    fn run(&mut self, at: Duration) -> Step {
        if self.attempt == 0 {
            self.opened = at;
        }
        let left = self.limits.max_elapsed.map(|window| window.saturating_sub(at - self.opened));
        // Attempt 1 always starts (R14).
        if self.attempt > 0 && left == Some(Duration::ZERO) {
            return Step::Stop(Ending::Deadline);
        }
        self.attempt = self.attempt.saturating_add(1);
        self.tries = self.tries.saturating_add(1);
        let timeout = match (self.limits.timeout, left) {
            // A window of nothing still leaves attempt 1 its own instant: a limit of zero would mean none.
            (Some(timeout), Some(left)) => Some(timeout.min(left.max(Duration::from_nanos(1)))),
            (timeout, _) => timeout,
        };
        Step::Run { attempt: self.attempt, timeout }
    }

    fn ended(&mut self, at: Duration, took: Duration, facts: &Facts, units: [f64; 2]) -> Step {
        let judgement = self.rules.judge(facts);
        self.judgement = Some(judgement);
        self.not_before = None;
        match judgement.verdict {
            Verdict::Success => return Step::Stop(Ending::Succeeded),
            Verdict::Permanent => return Step::Stop(Ending::Permanent),
            Verdict::Retryable => {}
        }
        if self.limits.reset_after.is_some_and(|long| took >= long) {
            self.tries = 1;
            self.previous = None;
        }
        let asked = facts.hint.asked.filter(|asked| self.limits.heed_retry_after && !asked.is_zero());
        self.not_before = asked.map(|asked| at.saturating_add(asked));
        if self.limits.max_tries.is_some_and(|max| self.tries >= max) {
            return Step::Stop(Ending::Exhausted);
        }
        let elapsed = at.saturating_sub(self.opened);
        let passes = |delay: Duration| self.limits.max_elapsed.is_some_and(|w| elapsed.saturating_add(delay) >= w);
        let Drawn { delay, ceiling } = self.limits.backoff.draw(self.tries, self.previous, units[0]);
        self.previous = Some(delay);
        let Some(asked) = asked else {
            return match passes(delay) {
                true => Step::Stop(Ending::Deadline),
                false => Step::Sleep { delay, ceiling, source: DelaySource::Backoff },
            };
        };
        if asked > self.limits.retry_after_max || passes(asked) {
            return Step::Stop(Ending::RetryAfterTooLong);
        }
        // S34: never earlier than asked, and never everybody at the same instant.
        let spread = (asked / 10).min(Duration::from_secs(30));
        let source = if asked >= delay { DelaySource::RetryAfter } else { DelaySource::Backoff };
        let delay = delay.max(asked).saturating_add(part(spread, units[1]));
        match passes(delay) {
            true => Step::Stop(Ending::Deadline),
            false => Step::Sleep { delay, ceiling: ceiling.max(asked).saturating_add(spread), source },
        }
    }

    fn caught(&mut self, signal: Signal, during: Option<&Facts>) -> Step {
        if let Some(facts) = during {
            let judgement = self.rules.judge(facts);
            self.judgement = Some(judgement);
            // R31: a command that handled the signal and exited well has succeeded.
            if judgement.verdict == Verdict::Success {
                return Step::Stop(Ending::Succeeded);
            }
        }
        Step::Stop(Ending::Interrupted { signal, during_attempt: during.is_some() })
    }
}

#[cfg(test)]
mod tests;
