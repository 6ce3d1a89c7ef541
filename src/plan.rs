//! The plan: the machine in an invented world, where every attempt fails at once. Contract R50.

mod mean;

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;

use crate::draws::Draws;
use crate::duration::{human, millis};
use crate::machine::{DelaySource, Event, Limits, Machine, Step};
use crate::outcome::Outcome;
use crate::policy::{Facts, Rules};

/// How many attempts of an unlimited run without a window are shown.
const SHOWN: usize = 20;

/// How many attempts are shown at the very most.
const MOST: usize = 10_000;

/// The schedule of a run.
#[derive(Debug, PartialEq, Serialize)]
pub struct Plan {
    /// The attempts that would be made if each failed at once.
    pub attempts: Vec<PlannedAttempt>,
    /// All delays at their longest.
    pub worst_total_ms: u64,
    /// All delays at their mean.
    pub mean_total_ms: u64,
    /// Whether `max-elapsed` ends the schedule before the tries are used up, in the worst case.
    pub cut: bool,
    /// How many attempts fit in the worst case; for an unlimited run without a window, how many are shown.
    pub fit: usize,
    /// The longest wait before the first attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub splay_ms: Option<u64>,
    /// What follows the last attempt that is shown.
    #[serde(skip)]
    rest: Rest,
}

/// What follows the attempts that a plan shows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rest {
    Nothing,
    /// More of the same, up to the window or the number of tries.
    More,
    /// More of the same without end.
    Endless,
}

/// One attempt of a schedule, and the delay after it. The last has none.
#[derive(Debug, PartialEq, Serialize)]
pub struct PlannedAttempt {
    /// Its number, from 1.
    pub attempt: u32,
    /// The bound of the delay after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling_ms: Option<u64>,
    /// The mean of the delay after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_ms: Option<u64>,
    /// The delays up to and with this one, at their longest.
    pub worst_ms: u64,
    /// The very delay of a run with the same `--seed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

/// One way through the schedule: the delay after each attempt, and whether the window cut it.
struct Walk {
    attempts: usize,
    delays: Vec<(Duration, Duration)>,
    cut: bool,
    endless: bool,
    splay: Duration,
}

/// Drives the machine through a world in which every attempt fails at once.
fn walk(limits: &Limits, mut draw: impl FnMut() -> [f64; 2], most: usize) -> Walk {
    let mut machine = Machine::new(limits.clone(), Rules::default());
    let mut walk = Walk { attempts: 0, delays: Vec::new(), cut: false, endless: false, splay: Duration::ZERO };
    let mut now = Duration::ZERO;
    let mut step = machine.next(Event::Begin, draw());
    loop {
        step = match step {
            Step::Run { .. } => {
                walk.attempts += 1;
                let facts = Facts::only(Outcome::Exited(1));
                machine.next(Event::Ended { at: now, took: Duration::ZERO, facts }, draw())
            }
            Step::Sleep { delay, ceiling, source } => {
                match source {
                    DelaySource::Splay => walk.splay = ceiling,
                    DelaySource::Backoff | DelaySource::RetryAfter => walk.delays.push((delay, ceiling)),
                }
                if walk.delays.len() >= most {
                    walk.endless = true;
                    return walk;
                }
                now = now.saturating_add(delay);
                machine.next(Event::Woke { at: now }, draw())
            }
            Step::Stop(ending) => {
                walk.cut = ending == crate::machine::Ending::Deadline;
                return walk;
            }
        };
    }
}

impl Plan {
    /// Plans a run with these limits; `seed` adds the delays that a run with that seed takes.
    pub fn new(limits: &Limits, seed: Option<u64>) -> Plan {
        let most = match (limits.max_tries, limits.max_elapsed) {
            (None, None) => SHOWN,
            // Delays of nothing fit without end into any window.
            (None, Some(_)) => MOST,
            (Some(tries), _) => MOST.min(usize::try_from(tries).unwrap_or(MOST)),
        };
        let worst = walk(limits, || [1.0; 2], most);
        let means = mean::means(&limits.backoff, worst.delays.len());
        // A run that waits shorter makes attempts that the worst case has no time for.
        let unhurried = Limits { max_elapsed: None, ..limits.clone() };
        let seeded = seed.map(|seed| {
            let mut draws = Draws::seeded(seed);
            walk(&unhurried, move || draws.next(), worst.delays.len().max(1))
        });
        let mut running = Duration::ZERO;
        let attempts = (0..worst.attempts)
            .map(|i| {
                let delay = worst.delays.get(i);
                running = running.saturating_add(delay.map_or(Duration::ZERO, |(delay, _)| *delay));
                PlannedAttempt {
                    attempt: u32::try_from(i + 1).unwrap_or(u32::MAX),
                    ceiling_ms: delay.map(|(_, ceiling)| millis(*ceiling)),
                    mean_ms: means.get(i).copied().map(millis),
                    worst_ms: millis(running),
                    delay_ms: delay.and(seeded.as_ref()).and_then(|s| s.delays.get(i)).map(|(d, _)| millis(*d)),
                }
            })
            .collect::<Vec<_>>();
        let mean_total = means.iter().fold(Duration::ZERO, |sum, mean| sum.saturating_add(*mean));
        Plan {
            fit: attempts.len(),
            worst_total_ms: millis(running),
            mean_total_ms: millis(mean_total),
            cut: worst.cut,
            splay_ms: (!worst.splay.is_zero()).then(|| millis(worst.splay)),
            rest: match (worst.endless, limits.max_tries, limits.max_elapsed) {
                (false, _, _) => Rest::Nothing,
                (true, None, None) => Rest::Endless,
                (true, _, _) => Rest::More,
            },
            attempts,
        }
    }

    /// The plan as one line of JSON.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a plan has only strings as keys");
        text.push('\n');
        text
    }

    /// The plan as a table for the eye.
    pub fn text(&self) -> String {
        let show = |ms: u64| human(Duration::from_millis(ms));
        let optional = |ms: Option<u64>| ms.map_or_else(|| "-".to_string(), show);
        let seeded = self.attempts.iter().any(|a| a.delay_ms.is_some());
        let mut text = String::new();
        if let Some(splay) = self.splay_ms {
            let _ = writeln!(text, "before the first attempt a random wait of at most {}", show(splay));
        }
        let _ = write!(text, "{:>7}  {:>13}  {:>13}  {:>13}", "attempt", "delay at most", "mean", "in all at most");
        text += if seeded { "   with this seed\n" } else { "\n" };
        for a in &self.attempts {
            let (ceiling, mean) = (optional(a.ceiling_ms), optional(a.mean_ms));
            let _ = write!(text, "{:>7}  {ceiling:>13}  {mean:>13}  {:>14}", a.attempt, show(a.worst_ms));
            text += &if seeded { format!("  {:>15}\n", optional(a.delay_ms)) } else { "\n".to_string() };
        }
        let (plural, fit) = if self.fit == 1 { ("attempt", "fits") } else { ("attempts", "fit") };
        let waits = format!("waits of {} at most, {} in the mean", show(self.worst_total_ms), show(self.mean_total_ms));
        let _ = match (self.rest, self.cut) {
            (Rest::Endless, _) => {
                writeln!(text, "and so on without end: neither --max-tries nor --max-elapsed ends this run")
            }
            (Rest::More, _) => writeln!(text, "and so on: these are the first {}", self.fit),
            (Rest::Nothing, true) => writeln!(text, "--max-elapsed cuts it: {} {plural} {fit}, with {waits}", self.fit),
            (Rest::Nothing, false) => writeln!(text, "{} {plural}, with {waits}", self.fit),
        };
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backoff::{Backoff, Jitter, Shape};

    fn limits() -> Limits {
        Limits {
            max_tries: Some(6),
            backoff: Backoff {
                base: Duration::from_secs(1),
                cap: Duration::from_secs(300),
                shape: Shape::Exponential { factor: 2.0 },
                jitter: Jitter::Full,
            },
            splay: Duration::ZERO,
            max_elapsed: None,
            timeout: None,
            reset_after: None,
            retry_after_max: Duration::from_secs(3600),
            heed_retry_after: true,
        }
    }

    #[test]
    fn the_defaults_wait_sixty_two_seconds_at_most_and_thirty_one_in_the_mean() {
        let plan = Plan::new(&limits(), None);
        let ceilings: Vec<_> = plan.attempts.iter().map(|a| a.ceiling_ms).collect();
        assert_eq!(ceilings, [Some(2000), Some(4000), Some(8000), Some(16000), Some(32000), None]);
        assert_eq!((plan.worst_total_ms, plan.mean_total_ms, plan.cut, plan.fit), (62_000, 31_000, false, 6));
    }

    #[test]
    fn a_window_cuts_the_schedule_and_says_how_many_fit() {
        let plan = Plan::new(&Limits { max_tries: None, max_elapsed: Some(Duration::from_secs(20)), ..limits() }, None);
        assert_eq!((plan.fit, plan.cut, plan.worst_total_ms), (4, true, 14_000));
    }

    #[test]
    fn an_unlimited_run_shows_twenty_attempts() {
        let plan = Plan::new(&Limits { max_tries: None, ..limits() }, None);
        assert_eq!((plan.fit, plan.rest, plan.cut), (20, Rest::Endless, false));
    }

    #[test]
    fn one_attempt_has_no_delay() {
        let plan = Plan::new(&Limits { max_tries: Some(1), ..limits() }, Some(1));
        assert_eq!(
            plan.json(),
            "{\"attempts\":[{\"attempt\":1,\"worst_ms\":0}],\"worst_total_ms\":0,\"mean_total_ms\":0,\"cut\":false,\"fit\":1}\n"
        );
    }

    #[test]
    fn a_seed_gives_the_same_delays_each_time_and_others_with_another_seed() {
        let delays = |seed| Plan::new(&limits(), Some(seed)).attempts.iter().map(|a| a.delay_ms).collect::<Vec<_>>();
        assert_eq!(delays(7), delays(7));
        assert_ne!(delays(7), delays(8));
    }
}
