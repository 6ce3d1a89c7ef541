//! What an outcome means: success, retryable or permanent. Contract R20 to R24, S20, S33.

use std::fmt;

use crate::code_set::{ExitSet, SignalSet};
use crate::hint::Hint;
use crate::outcome::Outcome;
use crate::signal::Signal;

/// What an outcome means for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The run succeeded.
    Success,
    /// Another attempt may help.
    Retryable,
    /// Another attempt cannot help.
    Permanent,
}

impl Verdict {
    /// The word that messages, records and metrics use.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Success => "success",
            Verdict::Retryable => "retryable",
            Verdict::Permanent => "permanent",
        }
    }
}

/// The explicit rules of a run, and whether a preset stands behind them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// `--fail-on-exit`.
    pub fail_exit: ExitSet,
    /// `--retry-on-exit`.
    pub retry_exit: ExitSet,
    /// `--succeed-on-exit`.
    pub succeed_exit: ExitSet,
    /// `--fail-on-signal`.
    pub fail_signal: SignalSet,
    /// `--retry-on-signal`.
    pub retry_signal: SignalSet,
    /// `--fail-on-timeout`.
    pub fail_on_timeout: bool,
    /// Whether a `--retry-on-output` was given: it makes all else permanent, as the other retry rules do.
    pub retry_on_output: bool,
    /// Whether a preset was given.
    pub preset: bool,
}

/// What the output rules saw in one attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputFacts {
    /// A line matched `--fail-on-output`.
    pub fail: bool,
    /// A line matched `--retry-on-output`.
    pub retry: bool,
    /// `--until-output` was given and no line matched it.
    pub until_unmet: bool,
}

/// Everything that is known of an attempt that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// How it ended.
    pub outcome: Outcome,
    /// What the output rules saw.
    pub output: OutputFacts,
    /// Nobody reads our stdout or stderr any more.
    pub reader_gone: bool,
    /// What the child or the other side said.
    pub hint: Hint,
    /// What the preset says of it; `None` without a preset, or where it has no rule.
    pub preset: Option<Verdict>,
    /// Something of the attempt could not be killed and lives on (C31): nothing may start beside it.
    pub unkillable: bool,
    /// What was lost of its input (S3) or its output (S14).
    pub lost: Option<Lost>,
}

/// What makes another attempt pointless whatever the command said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The input could not be kept, so another attempt would find less of it.
    Input,
    /// The input broke off, and the command took that for its end: it cannot have done all of its work.
    InputEnd,
    /// Output could not be written where it belongs.
    Output,
}

impl Facts {
    /// An outcome of which nothing else is known.
    pub fn only(outcome: Outcome) -> Facts {
        Facts {
            outcome,
            output: OutputFacts::default(),
            reader_gone: false,
            hint: Hint::default(),
            preset: None,
            unkillable: false,
            lost: None,
        }
    }
}

/// The rule that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `--fail-on-exit`.
    FailOnExit,
    /// `--fail-on-signal`.
    FailOnSignal,
    /// `--fail-on-timeout`.
    FailOnTimeout,
    /// `--fail-on-output`.
    FailOnOutput,
    /// `--retry-on-exit`.
    RetryOnExit,
    /// `--retry-on-signal`.
    RetryOnSignal,
    /// `--retry-on-output`.
    RetryOnOutput,
    /// `--until-output` that did not match.
    UntilOutput,
    /// `--succeed-on-exit`.
    SucceedOnExit,
    /// The hint `retry=no`.
    HintNo,
    /// The hint `retry=yes`.
    HintYes,
    /// The preset.
    Preset,
    /// Exit status 0.
    ExitZero,
    /// A time limit is retryable by default.
    TimedOut,
    /// The command was not started, and never will be.
    NotStarted,
    /// The command was not started for want of something that may be there later.
    WantsResource,
    /// Death by SIGINT or SIGQUIT: somebody wanted it to stop.
    Stopped,
    /// Nobody is left to read another attempt.
    ReaderGone,
    /// No rule was given, so every failure is retryable.
    AnyFailure,
    /// Rules were given, and none names this failure.
    NotListed,
    /// What cannot be killed lives on.
    Unkillable,
    /// The input could not be kept for another attempt.
    InputLost,
    /// The input broke off before its end.
    InputBroken,
    /// Output could not be written.
    OutputLost,
}

impl Reason {
    /// Whether the attempt's output decided, rather than how it ended: `error.type` is then `output` (D10).
    pub fn is_about_output(self) -> bool {
        matches!(self, Reason::FailOnOutput | Reason::RetryOnOutput | Reason::UntilOutput | Reason::OutputLost)
    }
}

/// Why it counts so, in words for `-vv`.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::FailOnExit => "--fail-on-exit names it",
            Reason::FailOnSignal => "--fail-on-signal names it",
            Reason::FailOnTimeout => "--fail-on-timeout",
            Reason::FailOnOutput => "a line matched --fail-on-output",
            Reason::RetryOnExit => "--retry-on-exit names it",
            Reason::RetryOnSignal => "--retry-on-signal names it",
            Reason::RetryOnOutput => "a line matched --retry-on-output",
            Reason::UntilOutput => "no line matched --until-output",
            Reason::SucceedOnExit => "--succeed-on-exit names it",
            Reason::HintNo => "the command said retry=no",
            Reason::HintYes => "the command said retry=yes",
            Reason::Preset => "the preset says so",
            Reason::ExitZero => "exit status 0 is success",
            Reason::TimedOut => "a timeout is retryable unless --fail-on-timeout is given",
            Reason::NotStarted => "a command that cannot be started will not start later",
            Reason::WantsResource => "what it was not started for may be there later",
            Reason::Stopped => "somebody wanted it to stop",
            Reason::ReaderGone => "nobody is left to read the output of another attempt",
            Reason::AnyFailure => "no rule was given, so every failure is retryable",
            Reason::NotListed => "no retry rule names it",
            Reason::Unkillable => "processes of the attempt could not be killed",
            Reason::InputLost => "the input could not be kept for another attempt",
            Reason::InputBroken => "the input broke off before its end",
            Reason::OutputLost => "the output could not be written",
        })
    }
}

/// A verdict and the rule that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What the outcome means.
    pub verdict: Verdict,
    /// The rule that decided.
    pub reason: Reason,
}

impl Rules {
    /// Judges an attempt: the first rule of R22's order that says something about it.
    pub fn judge(&self, facts: &Facts) -> Judgement {
        let (verdict, reason) = self
            .impossible(facts)
            .or_else(|| self.explicit_fail(facts).map(|reason| (Verdict::Permanent, reason)))
            .or_else(|| self.explicit_retry(facts).map(|reason| (Verdict::Retryable, reason)))
            .or_else(|| self.explicit_success(facts).map(|reason| (Verdict::Success, reason)))
            .or_else(|| self.hinted(facts))
            .or_else(|| self.by_preset(facts))
            .unwrap_or_else(|| self.by_default(facts));
        match (verdict, facts.lost) {
            (Verdict::Retryable, Some(Lost::Input)) => {
                Judgement { verdict: Verdict::Permanent, reason: Reason::InputLost }
            }
            (Verdict::Success | Verdict::Retryable, Some(Lost::InputEnd)) => {
                Judgement { verdict: Verdict::Permanent, reason: Reason::InputBroken }
            }
            (Verdict::Success | Verdict::Retryable, Some(Lost::Output)) => {
                Judgement { verdict: Verdict::Permanent, reason: Reason::OutputLost }
            }
            (Verdict::Success | Verdict::Permanent, Some(Lost::Input))
            | (Verdict::Permanent, Some(Lost::InputEnd | Lost::Output))
            | (_, None) => Judgement { verdict, reason },
        }
    }

    /// Whether a rule was given that says what to retry, so that all else is permanent (R23).
    pub fn names_what_to_retry(&self) -> bool {
        !self.retry_exit.is_empty() || !self.retry_signal.is_empty() || self.retry_on_output
    }

    fn impossible(&self, facts: &Facts) -> Option<(Verdict, Reason)> {
        facts.unkillable.then_some((Verdict::Permanent, Reason::Unkillable))
    }

    fn explicit_fail(&self, facts: &Facts) -> Option<Reason> {
        if exit_listed(&self.fail_exit, facts.outcome) {
            return Some(Reason::FailOnExit);
        }
        if signal_listed(&self.fail_signal, facts.outcome) {
            return Some(Reason::FailOnSignal);
        }
        if self.fail_on_timeout && matches!(facts.outcome, Outcome::TimedOut { .. }) {
            return Some(Reason::FailOnTimeout);
        }
        facts.output.fail.then_some(Reason::FailOnOutput)
    }

    fn explicit_retry(&self, facts: &Facts) -> Option<Reason> {
        if exit_listed(&self.retry_exit, facts.outcome) {
            return Some(Reason::RetryOnExit);
        }
        if signal_listed(&self.retry_signal, facts.outcome) {
            return Some(Reason::RetryOnSignal);
        }
        if facts.output.retry {
            return Some(Reason::RetryOnOutput);
        }
        // What never ran, and what somebody stopped, says nothing by its silence; a timeout has a default of its own.
        let ran_by_itself = match facts.outcome {
            Outcome::Exited(126 | 127) | Outcome::Signaled(Signal::INT | Signal::QUIT) => false,
            Outcome::Exited(_) | Outcome::Signaled(_) => !lacks_a_reader(facts),
            Outcome::TimedOut { .. } | Outcome::NotStarted { .. } => false,
        };
        (facts.output.until_unmet && ran_by_itself).then_some(Reason::UntilOutput)
    }

    fn explicit_success(&self, facts: &Facts) -> Option<Reason> {
        match facts.outcome {
            Outcome::Exited(status) if self.succeed_exit.contains(status) => Some(Reason::SucceedOnExit),
            Outcome::Exited(_) | Outcome::Signaled(_) | Outcome::TimedOut { .. } | Outcome::NotStarted { .. } => None,
        }
    }

    fn hinted(&self, facts: &Facts) -> Option<(Verdict, Reason)> {
        if facts.outcome == Outcome::Exited(0) {
            return None;
        }
        match facts.hint.retry? {
            true => Some((Verdict::Retryable, Reason::HintYes)),
            false => Some((Verdict::Permanent, Reason::HintNo)),
        }
    }

    fn by_preset(&self, facts: &Facts) -> Option<(Verdict, Reason)> {
        match facts.outcome {
            Outcome::Exited(_) => facts.preset.map(|verdict| (verdict, Reason::Preset)),
            Outcome::Signaled(_) | Outcome::TimedOut { .. } | Outcome::NotStarted { .. } => None,
        }
    }

    fn by_default(&self, facts: &Facts) -> (Verdict, Reason) {
        match facts.outcome {
            Outcome::Exited(0) => (Verdict::Success, Reason::ExitZero),
            Outcome::TimedOut { .. } => (Verdict::Retryable, Reason::TimedOut),
            Outcome::NotStarted { .. } if facts.outcome.wants_a_resource() => {
                (Verdict::Retryable, Reason::WantsResource)
            }
            Outcome::NotStarted { .. } | Outcome::Exited(126 | 127) => (Verdict::Permanent, Reason::NotStarted),
            Outcome::Signaled(Signal::INT | Signal::QUIT) => (Verdict::Permanent, Reason::Stopped),
            Outcome::Exited(_) | Outcome::Signaled(_) if lacks_a_reader(facts) => {
                (Verdict::Permanent, Reason::ReaderGone)
            }
            Outcome::Exited(_) | Outcome::Signaled(_) if self.preset || self.names_what_to_retry() => {
                (Verdict::Permanent, Reason::NotListed)
            }
            Outcome::Exited(_) | Outcome::Signaled(_) => (Verdict::Retryable, Reason::AnyFailure),
        }
    }
}

/// Whether it died of writing to a reader of ours that has gone, so that nobody would read another attempt (R23).
fn lacks_a_reader(facts: &Facts) -> bool {
    facts.reader_gone && matches!(facts.outcome, Outcome::Signaled(Signal::PIPE) | Outcome::Exited(141))
}

/// R21: a status in a LIST also matches death by a signal as shells report it; a time limit is no exit (R23).
fn exit_listed(list: &ExitSet, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Exited(_) | Outcome::Signaled(_) | Outcome::NotStarted { .. } => list.contains(outcome.shell_status()),
        Outcome::TimedOut { .. } => false,
    }
}

fn signal_listed(list: &SignalSet, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Signaled(signal) => list.contains(signal),
        Outcome::Exited(_) | Outcome::TimedOut { .. } | Outcome::NotStarted { .. } => false,
    }
}

#[cfg(test)]
mod tests;
