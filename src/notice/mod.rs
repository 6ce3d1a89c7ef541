//! What people see of a run: messages, logs, the terminal, the journal, CI. Contract W1 to W7, S12.
//!
//! A run tells what happens as plain values; here it is decided who hears of it and in which form. Nothing is ever
//! written on stdout, and nothing that goes wrong here changes the run.

pub mod ci;
pub mod countdown;
pub mod escape;
pub mod journal;
pub mod json;
pub mod logfile;
pub mod report;
pub mod surroundings;
pub mod texts;
mod voice;

use std::time::{Duration, SystemTime};

use crate::machine::{DelaySource, Ending};
use crate::outcome::Outcome;
use crate::policy::Judgement;
use texts::{BadEnd, Letter, Number};
pub use voice::Notices;

/// Our stderr, as messages need it.
pub trait Sink {
    /// Takes bytes that are to come out in this order. Never waits (S17); what goes wrong is lost.
    fn send(&mut self, bytes: &[u8]);

    /// Whether the last byte that passed to stderr, ours or the child's, was a newline, or none has passed (W1).
    fn is_at_line_start(&self) -> bool;
}

/// A wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// How long.
    pub delay: Duration,
    /// The longest that the draw could have given.
    pub ceiling: Duration,
    /// What it comes from.
    pub source: DelaySource,
}

/// An attempt that has ended.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Which.
    pub of: Number,
    /// What it came to.
    pub outcome: Outcome,
    /// What that means, and why.
    pub judgement: Judgement,
    /// Why it failed, in the words of the record, redacted; looked up only where somebody reads it.
    pub said: Option<String>,
    /// When it started.
    pub started_at: SystemTime,
    /// How long it ran.
    pub took: Duration,
    /// The wait that follows; `None` if the run ends here.
    pub next: Option<Wait>,
}

/// An attempt as tables and reports tell it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Which.
    pub of: Number,
    /// When it started.
    pub started_at: SystemTime,
    /// What it came to.
    pub outcome: String,
    /// What that meant.
    pub verdict: String,
    /// How long it ran.
    pub took: Duration,
    /// The wait after it.
    pub next: Option<(Duration, DelaySource)>,
}

/// A run that has ended.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// The last attempt that was started; number 0 if none was.
    pub of: Number,
    /// Why the run stopped.
    pub ending: Ending,
    /// What the last attempt came to.
    pub outcome: Option<Outcome>,
    /// What that meant.
    pub judgement: Option<Judgement>,
    /// See [`Attempt::said`].
    pub said: Option<&'a str>,
    /// From the beginning of the run.
    pub elapsed: Duration,
    /// How much of that was waited.
    pub waited: Duration,
    /// What `retry` exits with, as a shell shows it.
    pub exit_code: u8,
    /// What Retry-After asked for, where that ended the run.
    pub asked: Option<Duration>,
    /// The dead letter that was written.
    pub letter: Option<Letter<'a>>,
}

impl End<'_> {
    /// The same as the end line tells it.
    fn as_bad(&self) -> BadEnd {
        BadEnd {
            ending: self.ending,
            attempts: self.of.attempt,
            elapsed: self.elapsed,
            outcome: self.outcome,
            judgement: self.judgement,
            asked: self.asked,
        }
    }
}

/// Who a run is, and what its messages must know of it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The run's id.
    pub id: String,
    /// The job's name.
    pub job: String,
    /// The command without its arguments, redacted, with nothing that acts on a terminal.
    pub command: String,
    /// `--max-tries`.
    pub max_tries: Option<u32>,
    /// Neither attempts nor time are limited (R16).
    pub is_unlimited: bool,
    /// `--output on-failure`: nothing is said on stderr but by the report at the end (S12).
    pub reports_at_the_end: bool,
}
