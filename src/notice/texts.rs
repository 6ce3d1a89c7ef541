//! Every message of a run, as a function from plain values to one line. Contract W2.
//!
//! Each says what happened, why it counts so, and what happens next. None begins with `retry: `, which the writer adds.

use std::path::Path;
use std::time::Duration;

use crate::duration::human;
use crate::machine::{DelaySource, Ending};
use crate::outcome::{Errno, Outcome};
use crate::policy::{Judgement, Reason};
use crate::retry_after::Ignored;
use crate::shell_word;
use crate::signal::Signal;

/// The number of an attempt and how many there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// From 1, counted from the beginning of the run.
    pub attempt: u32,
    /// The same, counted from the last long attempt (R16); equal to `attempt` where there was none.
    pub tries: u32,
    /// `--max-tries`; `None` is without a limit.
    pub of: Option<u32>,
}

/// `attempt 2 of 6`, `attempt 2`, and after a reset (R16) `attempt 9 (2 of 6 since the last long one)`.
pub fn number(number: Number) -> String {
    let Number { attempt, tries, of } = number;
    match of {
        Some(of) if tries == attempt => format!("attempt {attempt} of {of}"),
        Some(of) => format!("attempt {attempt} ({tries} of {of} since the last long one)"),
        None => format!("attempt {attempt}"),
    }
}

/// `1 attempt`, `6 attempts`.
pub fn attempts(count: u32) -> String {
    counted_as(count.into(), "attempt")
}

/// A number with its noun, which takes an s but for one.
pub fn counted_as(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `retryable`, `permanent: no retry rule names it`. The reason is left out where the reader knows it already: the
/// default, or a rule that names this very outcome.
pub fn counted(judgement: Judgement) -> String {
    let word = judgement.verdict.word();
    match judgement.reason {
        Reason::AnyFailure
        | Reason::ExitZero
        | Reason::TimedOut
        | Reason::NotStarted
        | Reason::RetryOnExit
        | Reason::RetryOnSignal
        | Reason::SucceedOnExit => word.into(),
        Reason::FailOnExit
        | Reason::FailOnSignal
        | Reason::FailOnTimeout
        | Reason::FailOnOutput
        | Reason::RetryOnOutput
        | Reason::UntilOutput
        | Reason::HintNo
        | Reason::HintYes
        | Reason::Preset
        | Reason::WantsResource
        | Reason::Stopped
        | Reason::ReaderGone
        | Reason::NotListed
        | Reason::Unkillable
        | Reason::InputLost
        | Reason::InputBroken
        | Reason::OutputLost => format!("{word}: {}", judgement.reason),
    }
}

/// What an attempt came to. A command that was not started is named: the cause alone does not say whose it is (W1).
pub fn outcome(outcome: Outcome, command: &str) -> String {
    match outcome {
        Outcome::NotStarted { errno, .. } => format!("cannot start {command}: {errno}"),
        Outcome::Exited(_) | Outcome::Signaled(_) | Outcome::TimedOut { .. } => outcome.to_string(),
    }
}

/// `next attempt in 3.2 s`; a wait that somebody asked for says so (S35), and one of less than 1 ms is none.
pub fn next_attempt(delay: Duration, source: DelaySource) -> String {
    if delay < Duration::from_millis(1) {
        return "next attempt at once".to_owned();
    }
    let delay = human(delay);
    match source {
        DelaySource::Backoff | DelaySource::Splay => format!("next attempt in {delay}"),
        DelaySource::RetryAfter => format!("next attempt in {delay}, as Retry-After asks"),
    }
}

/// `attempt 2 of 6 failed: exit status 75 (retryable); next attempt in 3.2 s`. `outcome` is as [`outcome`] has
/// it; `took` is told with `-v`.
pub fn attempt_failed(
    of: Number,
    outcome: &str,
    judgement: Judgement,
    took: Option<Duration>,
    next: Option<(Duration, DelaySource)>,
) -> String {
    let took = took.map(|took| format!(" after {}", human(took))).unwrap_or_default();
    let next = next.map(|(delay, source)| format!("; {}", next_attempt(delay, source))).unwrap_or_default();
    format!("{} failed{took}: {outcome} ({}){next}", number(of), counted(judgement))
}

/// `attempt 1 of 6 succeeded after 812 ms: exit status 0`, for `-v`.
pub fn attempt_succeeded(of: Number, outcome: Outcome, took: Duration) -> String {
    format!("{} succeeded after {}: {outcome}", number(of), human(took))
}

/// `attempt 1 of 6 starts: curl -f https://…`, for `-v`. The command is redacted already.
pub fn attempt_starts(of: Number, timeout: Option<Duration>, command: &str) -> String {
    let limit = timeout.map(|limit| format!(", limit {}", human(limit))).unwrap_or_default();
    format!("{} starts{limit}: {command}", number(of))
}

/// `attempt 2 of 6 counts as retryable: --retry-on-exit names it`, for `-vv`.
pub fn decided(of: Number, judgement: Judgement) -> String {
    format!("{} counts as {}: {}", number(of), judgement.verdict.word(), judgement.reason)
}

/// `a delay of 3.2 s, drawn below a ceiling of 4 s`, for `-vv`.
pub fn drawn(delay: Duration, ceiling: Duration, source: DelaySource) -> String {
    match source {
        DelaySource::Backoff => format!("a delay of {}, drawn below a ceiling of {}", human(delay), human(ceiling)),
        DelaySource::RetryAfter => format!("a delay of {}: Retry-After asks for it", human(delay)),
        DelaySource::Splay => format!("attempt 1 in {}, drawn below a splay of {}", human(delay), human(ceiling)),
    }
}

/// `succeeded on attempt 3 of 6 after 5.1 s`.
pub fn succeeded(of: Number, elapsed: Duration) -> String {
    let Number { attempt, tries, of } = of;
    let of = of.filter(|_| tries == attempt).map(|of| format!(" of {of}")).unwrap_or_default();
    format!("succeeded on attempt {attempt}{of} after {}", human(elapsed))
}

/// Where a dead letter went: what a person needs to go on with it.
#[derive(Clone, Copy, Debug)]
pub struct Letter<'a> {
    /// Its id, whole.
    pub id: &'a str,
    /// The file that holds it, where `retryctl` would not find it by itself (W2).
    pub file: Option<&'a Path>,
}

/// `retryctl dead-letter replay 01J…`: it works when pasted.
pub fn replay_command(letter: Letter) -> String {
    let file = letter.file.map(|file| format!(" --file {}", shell_word::to_paste(file))).unwrap_or_default();
    format!("retryctl dead-letter replay{file} {}", letter.id)
}

/// `; dead letter 01J…: retryctl dead-letter replay 01J…`, or nothing where none was written.
fn way_on(letter: Option<Letter>) -> String {
    letter.map(|letter| format!("; dead letter {}: {}", letter.id, replay_command(letter))).unwrap_or_default()
}

/// How a bad run ended, without the way on.
#[derive(Clone, Copy, Debug)]
pub struct BadEnd {
    /// Why it stopped.
    pub ending: Ending,
    /// Attempts that were started.
    pub attempts: u32,
    /// From the beginning of the run.
    pub elapsed: Duration,
    /// What the last attempt came to; `None` if none ended.
    pub outcome: Option<Outcome>,
    /// What it counted as.
    pub judgement: Option<Judgement>,
    /// What Retry-After asked for.
    pub asked: Option<Duration>,
}

/// `gave up after 6 attempts in 48.2 s: exit status 75 (exhausted); dead letter …`. `command` is the name of what was run.
pub fn gave_up(end: BadEnd, command: &str, letter: Option<Letter>) -> String {
    let what = match (end.ending, end.attempts) {
        (Ending::Interrupted { signal, .. }, 0) => format!("stopped by {signal} before the first attempt"),
        (Ending::Interrupted { signal, .. }, n) => {
            format!("stopped by {signal} after {} in {}", attempts(n), human(end.elapsed))
        }
        (_, n) => format!("gave up after {} in {}", attempts(n), human(end.elapsed)),
    };
    let outcome = end.outcome.map(|came_to| format!(": {}", outcome(came_to, command))).unwrap_or_default();
    let why = match (end.ending, end.judgement, end.asked) {
        (Ending::Permanent, Some(judgement), _) => counted(judgement),
        (Ending::RetryAfterTooLong, _, Some(asked)) => {
            format!("{}: asked to wait {}", end.ending.word(), human(asked))
        }
        (ending, _, _) => ending.word().into(),
    };
    format!("{what}{outcome} ({why}){}", way_on(letter))
}

/// R16: said once, at the first retry of a run without a limit and without a window.
pub fn unlimited() -> String {
    "no limit is set: a job that is retried forever never alerts anyone; see --max-elapsed and --max-tries".into()
}

/// R42: a run inside a run multiplies attempts.
pub fn nested(outer: &str, of: Option<u32>) -> String {
    let of = of.map_or("attempts without a limit".into(), |of| format!("up to {}", attempts(of)));
    format!("running inside another retry (job {outer}): each attempt there makes {of} here")
}

/// D3, the second half: `json` is one line, redacted, without tail and history.
pub fn letter_not_saved(json: &str) -> String {
    format!("dead letter not saved: {json}")
}

/// W5: a log that cannot be written never changes the run.
pub fn log_lost(file: &Path, cause: &str) -> String {
    format!("cannot write the log {}: {cause}; its lines go to stderr", file.display())
}

/// A file of the CI that cannot be written.
pub fn ci_file_lost(variable: &str, file: &Path, cause: &str) -> String {
    format!("cannot write {} (${variable}): {cause}", file.display())
}

/// C31: what cannot be killed.
pub fn unkillable(pids: &[i32]) -> String {
    let pids: Vec<String> = pids.iter().map(i32::to_string).collect();
    let (noun, verb) = if pids.len() == 1 { ("process", "does") } else { ("processes", "do") };
    format!("{noun} {} of the timed-out attempt {verb} not end; no further attempt is made beside it", pids.join(", "))
}

/// S32: a Retry-After that says nothing usable.
pub fn retry_after_ignored(why: &Ignored) -> String {
    format!("Retry-After ignored: {why}")
}

/// S31: a `retry=` in a hint file that is neither yes nor no.
pub fn hint_unclear(value: &str) -> String {
    format!("hint ignored: retry={value}: expected yes or no")
}

/// S31: there is no file for hints.
pub fn no_hint_file(error: &std::io::Error) -> String {
    format!(
        "cannot make a hint file in {}: {}; the attempt goes on without",
        std::env::temp_dir().display(),
        Errno::of(error)
    )
}

/// P2: a preset beside a command that is not its tool.
pub fn preset_of_another(preset: &str, command: &str) -> String {
    format!("preset {preset} reads the statuses of {command} as if it were {preset}")
}

/// What became of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookTrouble {
    /// It ended by itself, but not well; also what could not be started.
    Failed(Outcome),
    /// Its time limit ended it.
    TookTooLong(Duration),
    /// It was not waited for any longer because this signal had asked for an end.
    CutShort(Signal),
}

/// D40: a hook that fails or hangs is one warning and changes nothing.
pub fn hook_trouble(option: &str, trouble: HookTrouble) -> String {
    match trouble {
        HookTrouble::Failed(outcome) => format!("the {option} hook failed: {outcome}; nothing else changes"),
        HookTrouble::TookTooLong(limit) => {
            format!("the {option} hook was ended after {} (--hook-timeout); nothing else changes", human(limit))
        }
        HookTrouble::CutShort(signal) => format!("the {option} hook was ended: {signal} leaves it no more time"),
    }
}

#[cfg(test)]
mod tests;
