//! The mean of each delay, over all draws. Contract R50.

use std::time::Duration;

use crate::backoff::{Backoff, Jitter};

/// How many delays, equally likely, stand for all that a decorrelated one may be.
const LIKELY: usize = 256;
/// How many draws, spread evenly, are made after each of them.
const DRAWS: u32 = 16;
/// After so many delays the next are as likely as these were.
const SETTLED: usize = 512;

/// The mean of the delay after each of the first `count` failed attempts.
///
/// Where a delay depends on no other it is that of the draw in the middle. A decorrelated one depends on the one before it,
/// and the cap cuts it on one side: there it is the mean over many ways through the schedule, right to a hundredth.
pub(super) fn means(backoff: &Backoff, count: usize) -> Vec<Duration> {
    match backoff.jitter {
        Jitter::Full | Jitter::Equal | Jitter::None => {
            (1..).take(count).map(|n| backoff.draw(n, None, 0.5).delay).collect()
        }
        Jitter::Decorrelated => decorrelated(backoff, count),
    }
}

fn decorrelated(backoff: &Backoff, count: usize) -> Vec<Duration> {
    let mut likely: Vec<Option<Duration>> = vec![None; LIKELY];
    let mut means = Vec::with_capacity(count);
    for n in (1..).take(count.min(SETTLED)) {
        let units = || (0..DRAWS).map(|draw| (f64::from(draw) + 0.5) / f64::from(DRAWS));
        let mut drawn: Vec<Duration> =
            likely.iter().flat_map(|previous| units().map(|unit| backoff.draw(n, *previous, unit).delay)).collect();
        drawn.sort_unstable();
        means.push(mean(&drawn));
        likely = drawn.chunks(drawn.len() / LIKELY).map(|alike| Some(mean(alike))).collect();
    }
    means.resize(count, means.last().copied().unwrap_or_default());
    means
}

/// The mean of some durations, to the nearest nanosecond.
fn mean(durations: &[Duration]) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    let count = durations.len().max(1) as u128;
    let nanos = (durations.iter().map(Duration::as_nanos).sum::<u128>() + count / 2) / count;
    Duration::new((nanos / SECOND) as u64, (nanos % SECOND) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backoff::Shape;
    use crate::draws::Draws;

    fn backoff(jitter: Jitter) -> Backoff {
        let second = Duration::from_secs(1);
        Backoff { base: second, cap: 300 * second, shape: Shape::Exponential { factor: 2.0 }, jitter }
    }

    #[test]
    fn the_mean_of_a_decorrelated_delay_is_that_of_many_runs_also_where_the_cap_cuts_it() {
        const RUNS: u32 = 4_000;
        let backoff = backoff(Jitter::Decorrelated);
        let mut sums = vec![0.0; 24];
        for run in 0..RUNS {
            let (mut draws, mut previous) = (Draws::seeded(u64::from(run)), None);
            for (n, sum) in (1..).zip(&mut sums) {
                let delay = backoff.draw(n, previous, draws.next()[0]).delay;
                *sum += delay.as_secs_f64();
                previous = Some(delay);
            }
        }
        for (planned, sum) in means(&backoff, sums.len()).iter().zip(sums) {
            let real = sum / f64::from(RUNS);
            assert!((planned.as_secs_f64() - real).abs() < 0.06 * real, "{planned:?} but {real} s");
        }
    }

    #[test]
    fn the_first_decorrelated_means_are_exact() {
        let millis: Vec<u128> = means(&backoff(Jitter::Decorrelated), 3).iter().map(Duration::as_millis).collect();
        assert_eq!(millis, [2_000, 3_500, 5_750]);
    }

    #[test]
    fn means_saturate_and_go_on_for_ever() {
        let long = Backoff { base: Duration::MAX, cap: Duration::MAX, ..backoff(Jitter::Decorrelated) };
        assert_eq!(means(&long, 3), [Duration::MAX; 3]);
        assert_eq!(means(&backoff(Jitter::Decorrelated), 1_000).len(), 1_000);
        assert_eq!(means(&backoff(Jitter::Decorrelated), 0), []);
    }

    #[test]
    fn a_delay_that_depends_on_no_other_has_the_mean_of_its_law() {
        for (jitter, seconds) in [(Jitter::Full, [1, 2, 4]), (Jitter::None, [2, 4, 8])] {
            assert_eq!(means(&backoff(jitter), 3), seconds.map(Duration::from_secs));
        }
        assert_eq!(means(&backoff(Jitter::Equal), 1), [Duration::from_millis(1_500)]);
    }
}
