//! What one run adds to the figures of its job, gathered while it runs and written at its turns. Contract W8.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Trouble;
use super::figures::{Figures, RESULTS, RunEnd, SOURCES, error_class};
use crate::machine::{DelaySource, Ending};
use crate::outcome::Outcome;
use crate::policy::{Judgement, Verdict};

/// Gathers the figures of one run.
#[derive(Debug)]
pub struct Recorder {
    dir: PathBuf,
    job: String,
    /// What was not written yet.
    more: Figures,
}

impl Recorder {
    /// One for a run of the job of this name; nothing is looked at before the first `flush`.
    pub fn new(dir: PathBuf, job: &str) -> Recorder {
        Recorder { dir, job: job.to_owned(), more: Figures::default() }
    }

    /// Counts an attempt that ended, the `attempt`th of the run (from 1).
    pub fn attempt(&mut self, attempt: u32, outcome: Outcome, judgement: Judgement, took: Duration) {
        let error = match judgement.verdict {
            Verdict::Success => None,
            Verdict::Retryable | Verdict::Permanent => Some(error_class(outcome, judgement.reason.is_about_output())),
        };
        self.more.count_attempt(attempt.into(), place(&RESULTS, judgement.verdict.word()), error, took);
    }

    /// Counts a wait, as long as it really was.
    pub fn waited(&mut self, source: DelaySource, waited: Duration) {
        self.more.count_delay(place(&SOURCES, source.word()), waited);
    }

    /// Counts a dead letter, or one that was lost.
    pub fn letter(&mut self, is_saved: bool) {
        match is_saved {
            true => self.more.letters_written += 1,
            false => self.more.letters_failed += 1,
        }
    }

    /// Counts the run itself. `exit_code` is what `retry` exits with, as a shell shows it.
    pub fn run(&mut self, ending: Ending, attempts: u32, exit_code: u8, took: Duration) {
        let end = match ending {
            Ending::Succeeded if attempts > 1 => RunEnd::AfterRetry,
            Ending::Succeeded => RunEnd::FirstTry,
            Ending::Permanent => RunEnd::Permanent,
            Ending::Exhausted => RunEnd::Exhausted,
            Ending::Deadline => RunEnd::Deadline,
            Ending::RetryAfterTooLong => RunEnd::RetryAfterTooLong,
            Ending::Interrupted { .. } => RunEnd::Interrupted,
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Milliseconds are as fine as anybody reads.
        self.more.count_run(end, now.as_millis() as f64 / 1000.0, attempts.into(), exit_code, took);
    }

    /// Writes what was gathered since the last time that this went well.
    ///
    /// # Errors
    /// [`Trouble`]: what could not be written is kept for the next time.
    pub fn flush(&mut self) -> Result<(), Trouble> {
        let written = super::add(&self.dir, &self.job, &self.more);
        match written {
            Ok(()) | Err(Trouble::Unreadable(_)) => self.more = Figures::default(),
            Err(Trouble::Io(..) | Trouble::Locked(_) | Trouble::Foreign(_)) => {}
        }
        written
    }
}

/// The place of a word in its vocabulary, which has it.
fn place(words: &[&str], word: &str) -> usize {
    words.iter().position(|known| *known == word).expect("the labels are the words of the core")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Reason;
    use crate::signal::Signal;

    #[test]
    fn every_word_of_the_core_is_a_label() {
        let mut recorder = Recorder::new("/no/such".into(), "job");
        for verdict in [Verdict::Success, Verdict::Retryable, Verdict::Permanent] {
            let judgement = Judgement { verdict, reason: Reason::AnyFailure };
            recorder.attempt(1, Outcome::Exited(3), judgement, Duration::ZERO);
        }
        for source in [DelaySource::Backoff, DelaySource::RetryAfter, DelaySource::Splay] {
            recorder.waited(source, Duration::from_secs(1));
        }
        assert_eq!(recorder.more.attempts[0], [1, 1, 1]);
        assert_eq!(recorder.more.delays, [1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_success_counts_by_whether_it_took_retries() {
        let counted = |ending, attempts| {
            let mut recorder = Recorder::new("/no/such".into(), "job");
            recorder.run(ending, attempts, 0, Duration::ZERO);
            recorder.more.runs
        };
        assert_eq!(counted(Ending::Succeeded, 1), [1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(counted(Ending::Succeeded, 2), [0, 1, 0, 0, 0, 0, 0]);
        let interrupted = Ending::Interrupted { signal: Signal::TERM, during_attempt: true };
        assert_eq!(counted(interrupted, 2), [0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn what_could_not_be_written_is_written_later() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("later");
        let mut recorder = Recorder::new(place.clone(), "job");
        recorder.letter(true);
        assert!(recorder.flush().is_err());
        std::fs::create_dir(&place).unwrap();
        recorder.letter(true);
        recorder.flush().unwrap();
        recorder.flush().unwrap();
        let text = std::fs::read_to_string(place.join("retry_job.prom")).unwrap();
        assert!(text.contains("retry_dead_letters_written_total{name=\"job\"} 2\n"), "{text}");
    }
}
