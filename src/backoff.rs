//! How long to wait after the n-th failed attempt. Contract R10, R11, R12.
//!
//! Full, equal and decorrelated jitter are those of "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).

use std::time::Duration;

/// How the ceilings grow.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `min(cap, base * factor^n)`.
    Exponential {
        /// At least 1.
        factor: f64,
    },
    /// `min(cap, base * n)`.
    Linear,
    /// `min(cap, base)`.
    Constant,
    /// A schedule of one's own, never empty; the last ceiling repeats, and `cap` does not apply.
    Schedule(Vec<Duration>),
}

/// How a delay is drawn below its ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// Uniform in [0, ceiling].
    Full,
    /// Half the ceiling, and a uniform draw of the other half.
    Equal,
    /// Uniform in [base, 3 * previous delay], at most the cap. Goes with [`Shape::Exponential`] only.
    Decorrelated,
    /// The ceiling itself.
    None,
}

/// The rule for all delays of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Backoff {
    /// The scale.
    pub base: Duration,
    /// The largest ceiling.
    pub cap: Duration,
    /// How the ceilings grow.
    pub shape: Shape,
    /// How a delay is drawn.
    pub jitter: Jitter,
}

/// A delay that was drawn, and the bound it was drawn below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The wait.
    pub delay: Duration,
    /// The longest that the draw could have given.
    pub ceiling: Duration,
}

impl Backoff {
    /// Draws the delay after the `n`-th failed attempt (from 1); `previous` is the delay before it, `None` at first.
    /// `unit` is uniform in [0, 1]; a larger one never gives a shorter delay.
    pub fn draw(&self, n: u32, previous: Option<Duration>, unit: f64) -> Drawn {
        let ceiling = match self.jitter {
            Jitter::Decorrelated => previous.unwrap_or(self.base).saturating_mul(3).max(self.base).min(self.cap),
            Jitter::Full | Jitter::Equal | Jitter::None => self.ceiling(n),
        };
        let delay = match self.jitter {
            Jitter::Full => part(ceiling, unit),
            Jitter::Equal => (ceiling / 2).saturating_add(part(ceiling - ceiling / 2, unit)),
            Jitter::Decorrelated => {
                // The draw is from the whole interval and cut at the cap afterwards, as the rule says.
                let top = previous.unwrap_or(self.base).saturating_mul(3);
                self.base.saturating_add(part(top.saturating_sub(self.base), unit)).min(self.cap)
            }
            Jitter::None => ceiling,
        };
        Drawn { delay, ceiling }
    }

    /// The bound of the delay after the `n`-th failed attempt, from 1. Saturates for every n, base, cap and factor.
    pub fn ceiling(&self, n: u32) -> Duration {
        let grown = match &self.shape {
            Shape::Exponential { factor } => {
                // 0 * infinity would be no number: nothing stays nothing.
                let seconds =
                    if self.base.is_zero() { 0.0 } else { self.base.as_secs_f64() * factor.powf(f64::from(n)) };
                Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
            }
            Shape::Linear => self.base.saturating_mul(n),
            Shape::Constant => self.base,
            Shape::Schedule(delays) => {
                let index = usize::try_from(n.saturating_sub(1)).unwrap_or(usize::MAX);
                return delays.get(index).or(delays.last()).copied().unwrap_or_default();
            }
        };
        grown.min(self.cap)
    }
}

/// A part of a duration, `unit` in [0, 1]; never more than the whole.
pub fn part(whole: Duration, unit: f64) -> Duration {
    Duration::try_from_secs_f64(whole.as_secs_f64() * unit).unwrap_or(whole).min(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn default() -> Backoff {
        Backoff {
            base: Duration::from_secs(1),
            cap: Duration::from_secs(300),
            shape: Shape::Exponential { factor: 2.0 },
            jitter: Jitter::Full,
        }
    }

    #[test]
    fn the_default_ceilings_are_two_four_eight_and_three_hundred_from_the_ninth() {
        let seconds: Vec<u64> = (1..=12).map(|n| default().ceiling(n).as_secs()).collect();
        assert_eq!(seconds, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300]);
        assert_eq!(seconds[..5].iter().sum::<u64>(), 62);
    }

    #[test]
    fn a_schedule_repeats_its_last_delay_and_knows_no_cap() {
        let backoff = Backoff {
            cap: Duration::from_secs(2),
            shape: Shape::Schedule(vec![Duration::from_secs(1), Duration::from_secs(5)]),
            jitter: Jitter::None,
            ..default()
        };
        let seconds: Vec<u64> = (1..=4).map(|n| backoff.draw(n, None, 0.5).delay.as_secs()).collect();
        assert_eq!(seconds, [1, 5, 5, 5]);
    }

    #[test]
    fn decorrelated_starts_from_base_and_grows_from_the_previous_delay() {
        let backoff = Backoff { jitter: Jitter::Decorrelated, ..default() };
        assert_eq!(backoff.draw(1, None, 0.0).delay, Duration::from_secs(1));
        assert_eq!(backoff.draw(1, None, 1.0).delay, Duration::from_secs(3));
        assert_eq!(backoff.draw(2, Some(Duration::from_secs(3)), 1.0).delay, Duration::from_secs(9));
        assert_eq!(backoff.draw(9, Some(Duration::from_secs(290)), 1.0).delay, Duration::from_secs(300));
    }

    fn any_duration() -> impl Strategy<Value = Duration> {
        prop_oneof![
            (0u64..1000, 0u32..1_000_000_000).prop_map(|(s, n)| Duration::new(s, n)),
            (any::<u64>(), 0u32..1_000_000_000).prop_map(|(s, n)| Duration::new(s, n)),
            Just(Duration::ZERO),
            Just(Duration::MAX),
        ]
    }

    fn any_backoff() -> impl Strategy<Value = Backoff> {
        let shape = prop_oneof![
            prop_oneof![1.0..4.0f64, Just(f64::MAX), Just(1.0)].prop_map(|factor| Shape::Exponential { factor }),
            Just(Shape::Linear),
            Just(Shape::Constant),
        ];
        let jitter =
            prop_oneof![Just(Jitter::Full), Just(Jitter::Equal), Just(Jitter::Decorrelated), Just(Jitter::None)];
        (any_duration(), any_duration(), shape, jitter).prop_map(|(base, cap, shape, jitter)| Backoff {
            base,
            cap,
            shape,
            jitter,
        })
    }

    proptest! {
        #[test]
        fn no_delay_is_beyond_its_ceiling_or_the_cap(
            backoff in any_backoff(), n in 1u32.., previous in proptest::option::of(any_duration()), unit in 0.0..=1.0f64,
        ) {
            let drawn = backoff.draw(n, previous, unit);
            prop_assert!(drawn.delay <= drawn.ceiling, "{:?}", drawn);
            prop_assert!(drawn.ceiling <= backoff.cap);
        }

        #[test]
        fn a_larger_draw_never_waits_shorter(backoff in any_backoff(), n in 1u32..40, a in 0.0..=1.0f64, b in 0.0..=1.0f64) {
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(backoff.draw(n, None, low).delay <= backoff.draw(n, None, high).delay);
        }

        #[test]
        fn ceilings_never_fall(backoff in any_backoff(), n in 1u32..2000) {
            prop_assert!(backoff.ceiling(n) <= backoff.ceiling(n + 1));
        }

        #[test]
        fn equal_jitter_waits_at_least_half(backoff in any_backoff(), n in 1u32..40, unit in 0.0..=1.0f64) {
            let backoff = Backoff { jitter: Jitter::Equal, ..backoff };
            let drawn = backoff.draw(n, None, unit);
            prop_assert!(drawn.delay >= drawn.ceiling / 2);
        }
    }
}
