//! The figures of one job: what a metrics file holds, and how a run adds to it. Contract W8.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::outcome::Outcome;

/// How a run ended, as the label `ending` tells it: success is split by whether it took retries, for that difference
/// is what the metrics are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Attempt 1 succeeded.
    FirstTry,
    /// A later attempt succeeded.
    AfterRetry,
    /// A failure that no retry would mend.
    Permanent,
    /// No attempt was left.
    Exhausted,
    /// No time was left.
    Deadline,
    /// The server asked for a longer wait than was allowed.
    RetryAfterTooLong,
    /// A signal ended it.
    Interrupted,
}

impl RunEnd {
    /// All of them, in the order of the file.
    pub const ALL: [RunEnd; 7] = [
        RunEnd::FirstTry,
        RunEnd::AfterRetry,
        RunEnd::Permanent,
        RunEnd::Exhausted,
        RunEnd::Deadline,
        RunEnd::RetryAfterTooLong,
        RunEnd::Interrupted,
    ];

    /// The value of the label.
    pub fn label(self) -> &'static str {
        match self {
            RunEnd::FirstTry => "first_try",
            RunEnd::AfterRetry => "after_retry",
            RunEnd::Permanent => "permanent",
            RunEnd::Exhausted => "exhausted",
            RunEnd::Deadline => "deadline",
            RunEnd::RetryAfterTooLong => "retry_after_too_long",
            RunEnd::Interrupted => "interrupted",
        }
    }
}

/// What an attempt counted as, in the order of the file: the values of the label `result`.
pub const RESULTS: [&str; 3] = ["success", "retryable", "permanent"];
/// Where a delay came from, in the order of the file: the values of the label `source`.
pub const SOURCES: [&str; 3] = ["backoff", "retry_after", "splay"];
/// The values of the label `attempt`: the tenth and all later ones are one series, so that the file stays small.
pub const ATTEMPTS: [&str; 10] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10+"];
/// The upper bounds of the histogram of attempt durations, in seconds; `+Inf` comes on top.
pub const BUCKETS: [f64; 10] = [0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 14400.0];

/// The class of a failure, as the label `error` has it: `exit_75`, `signal_SIGKILL`, `timeout`, `spawn`, `output`.
/// `by_output` says that a rule about the output made it a failure, not the exit status.
pub fn error_class(outcome: Outcome, by_output: bool) -> String {
    match outcome {
        _ if by_output => "output".into(),
        Outcome::Exited(status) => format!("exit_{status}"),
        Outcome::Signaled(signal) => format!("signal_{signal}"),
        Outcome::TimedOut { .. } => "timeout".into(),
        Outcome::NotStarted { .. } => "spawn".into(),
    }
}

/// The gauges of the last run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LastRun {
    /// When it ended, in seconds since 1970.
    pub at: f64,
    /// When a run last ended well, in seconds since 1970; 0 if none ever did.
    pub success_at: f64,
    /// Its attempts.
    pub attempts: u64,
    /// What `retry` exited with.
    pub exit_code: u64,
    /// How long it took, in seconds.
    pub duration: f64,
}

/// The figures of one job since its file began.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Runs, in the order of `RunEnd::ALL`.
    pub runs: [u64; 7],
    /// Attempts, in the order of `ATTEMPTS` and `RESULTS`.
    pub attempts: [[u64; 3]; 10],
    /// Failed attempts by error class and whether they were permanent.
    pub failures: BTreeMap<(String, bool), u64>,
    /// Attempts by duration: not cumulated; the last is beyond the highest bound.
    pub durations: [u64; 11],
    /// The sum of their durations, in seconds.
    pub duration_sum: f64,
    /// Seconds waited, in the order of `SOURCES`.
    pub delays: [f64; 3],
    /// Dead letters written.
    pub letters_written: u64,
    /// Dead letters that could not be written.
    pub letters_failed: u64,
    /// The last run; `None` until one ended.
    pub last: Option<LastRun>,
}

impl Figures {
    /// Counts an attempt, the `attempt`th of its run (from 1). `result` is an index into `RESULTS`; `error` is the
    /// class of a failure, see [`error_class`].
    pub fn count_attempt(&mut self, attempt: u64, result: usize, error: Option<String>, took: Duration) {
        let row = usize::try_from(attempt.clamp(1, 10)).unwrap_or(10) - 1;
        self.attempts[row][result] += 1;
        if let Some(class) = error {
            *self.failures.entry((class, RESULTS[result] == "permanent")).or_default() += 1;
        }
        let seconds = took.as_secs_f64();
        let bucket = BUCKETS.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS.len());
        self.durations[bucket] += 1;
        self.duration_sum += seconds;
    }

    /// Counts a wait; `source` is an index into `SOURCES`.
    pub fn count_delay(&mut self, source: usize, waited: Duration) {
        self.delays[source] += waited.as_secs_f64();
    }

    /// Counts a run that ended; `at` is in seconds since 1970.
    pub fn count_run(&mut self, end: RunEnd, at: f64, attempts: u64, exit_code: u8, took: Duration) {
        let good = matches!(end, RunEnd::FirstTry | RunEnd::AfterRetry);
        self.runs[end as usize] += 1;
        self.last = Some(LastRun {
            at,
            success_at: if good { at } else { 0.0 },
            attempts,
            exit_code: exit_code.into(),
            duration: took.as_secs_f64(),
        });
    }

    /// Adds what a run brought to what was there. Counters saturate rather than wrap: they never go back.
    pub fn add(&mut self, more: &Figures) {
        let add = |to: &mut u64, from: u64| *to = to.saturating_add(from);
        self.runs.iter_mut().zip(more.runs).for_each(|(to, from)| add(to, from));
        let rows = self.attempts.iter_mut().flatten().zip(more.attempts.into_iter().flatten());
        rows.for_each(|(to, from)| add(to, from));
        for (key, from) in &more.failures {
            add(self.failures.entry(key.clone()).or_default(), *from);
        }
        self.durations.iter_mut().zip(more.durations).for_each(|(to, from)| add(to, from));
        self.duration_sum += more.duration_sum;
        self.delays.iter_mut().zip(more.delays).for_each(|(to, from)| *to += from);
        add(&mut self.letters_written, more.letters_written);
        add(&mut self.letters_failed, more.letters_failed);
        if let Some(mut last) = more.last {
            if last.success_at == 0.0 {
                last.success_at = self.last.map_or(0.0, |before| before.success_at);
            }
            self.last = Some(last);
        }
    }

    /// All runs.
    pub fn total_runs(&self) -> u64 {
        self.runs.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Errno, StartStep};
    use crate::signal::Signal;
    use proptest::prelude::*;

    #[test]
    fn a_failure_is_classed_by_what_made_it_one() {
        let spawn = Outcome::NotStarted { step: StartStep::Exec, errno: Errno(libc::ENOENT) };
        assert_eq!(error_class(Outcome::Exited(75), false), "exit_75");
        assert_eq!(error_class(Outcome::Exited(0), true), "output");
        assert_eq!(error_class(Outcome::Signaled(Signal::KILL), false), "signal_SIGKILL");
        assert_eq!(error_class(Outcome::TimedOut { killed: true }, false), "timeout");
        assert_eq!(error_class(spawn, false), "spawn");
    }

    #[test]
    fn an_attempt_falls_into_the_bucket_whose_bound_it_does_not_pass() {
        let mut figures = Figures::default();
        for millis in [0, 100, 101, 14_400_000, 14_400_001] {
            figures.count_attempt(1, 0, None, Duration::from_millis(millis));
        }
        assert_eq!(figures.durations, [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    }

    #[test]
    fn failures_are_counted_by_class_and_verdict_and_times_add_up() {
        let mut figures = Figures::default();
        for result in [1, 2, 2] {
            figures.count_attempt(1, result, Some("exit_1".into()), Duration::from_millis(250));
            figures.count_delay(1, Duration::from_millis(500));
        }
        let failures: Vec<_> = figures.failures.into_iter().collect();
        assert_eq!(failures, [(("exit_1".into(), false), 1), (("exit_1".into(), true), 2)]);
        assert_eq!((figures.duration_sum, figures.delays), (0.75, [0.0, 1.5, 0.0]));
    }

    #[test]
    fn the_tenth_attempt_and_all_later_ones_are_one_series() {
        let mut figures = Figures::default();
        for attempt in [9, 10, 11, u64::MAX] {
            figures.count_attempt(attempt, 1, None, Duration::ZERO);
        }
        assert_eq!((figures.attempts[8][1], figures.attempts[9][1]), (1, 3));
    }

    #[test]
    fn a_run_that_ended_well_after_retries_is_a_good_one() {
        let mut figures = Figures::default();
        for (end, success_at) in [(RunEnd::AfterRetry, 5.0), (RunEnd::Permanent, 0.0), (RunEnd::FirstTry, 5.0)] {
            figures.count_run(end, 5.0, 2, 0, Duration::from_millis(1_500));
            let last = figures.last.unwrap();
            assert_eq!((last.success_at, last.attempts, last.duration), (success_at, 2, 1.5), "{end:?}");
        }
        assert_eq!(figures.total_runs(), 3);
    }

    proptest! {
        /// Quarters of a second, whose sums have no rounding.
        #[test]
        fn what_runs_add_one_after_the_other_is_what_one_would_have_counted(
            counted in proptest::collection::vec((1u64..12, 0usize..3, 0u64..80_000, any::<bool>(), 0usize..7), 0..12),
        ) {
            let (mut sum, mut whole) = (Figures::default(), Figures::default());
            for (attempt, result, quarters, failed, end) in counted {
                let took = Duration::from_millis(quarters * 250);
                let mut one = Figures::default();
                for figures in [&mut one, &mut whole] {
                    figures.count_attempt(attempt, result, failed.then(|| format!("exit_{result}")), took);
                    figures.count_delay(result, took);
                    let before = figures.last;
                    figures.count_run(RunEnd::ALL[end], attempt as f64, attempt, 1, took);
                    if let (Some(last), Some(before)) = (&mut figures.last, before) && last.success_at == 0.0 {
                        last.success_at = before.success_at;
                    }
                }
                sum.add(&one);
            }
            for (letters_written, letters_failed) in [(3, 1), (1, u64::MAX)] {
                sum.add(&Figures { letters_written, letters_failed, ..Figures::default() });
            }
            (whole.letters_written, whole.letters_failed) = (4, u64::MAX);
            prop_assert_eq!(sum, whole);
        }
    }

    #[test]
    fn a_bad_run_keeps_the_instant_of_the_last_good_one() {
        let mut all = Figures::default();
        let mut good = Figures::default();
        good.count_run(RunEnd::FirstTry, 100.0, 1, 0, Duration::ZERO);
        let mut bad = Figures::default();
        bad.count_run(RunEnd::Exhausted, 200.0, 6, 75, Duration::ZERO);
        all.add(&good);
        all.add(&bad);
        let last = all.last.unwrap();
        assert_eq!((last.at, last.success_at, last.exit_code), (200.0, 100.0, 75));
    }
}
