//! The log as JSON: one object a line, with the names of the record. Contract W5, D10.

use std::time::SystemTime;

use serde::Serialize;

use super::{Attempt, End, Wait, escape};
use crate::duration::millis;
use crate::machine::Ending;
use crate::outcome::Outcome;
use crate::policy::Verdict;
use crate::timestamp;

/// What each line begins with.
#[derive(Serialize)]
struct Line<'a, Rest> {
    #[serde(rename = "@timestamp")]
    timestamp: String,
    id: &'a str,
    job: &'a str,
    event: &'a str,
    #[serde(flatten)]
    rest: Rest,
}

#[derive(Serialize)]
struct Started {
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tries: Option<u32>,
}

/// The record's `retry.history[]`, of one attempt.
#[derive(Serialize)]
struct AttemptFinished<'a> {
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tries: Option<u32>,
    started_at: String,
    duration_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
}

#[derive(Serialize)]
struct Waiting<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    delay_ms: u64,
    delay_source: &'a str,
}

#[derive(Serialize)]
struct Finished<'a> {
    process: Process,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
    retry: Retry<'a>,
}

#[derive(Serialize)]
struct Process {
    exit_code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
}

#[derive(Serialize)]
struct Retry<'a> {
    ending: &'a str,
    attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tries: Option<u32>,
    elapsed_ms: u64,
    waited_ms: u64,
}

#[derive(Serialize)]
struct Error {
    r#type: &'static str,
    message: String,
}

#[derive(Serialize)]
struct Message<'a> {
    message: &'a str,
}

/// Who speaks: the run and when.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    /// The run's id.
    pub id: &'a str,
    /// Its job.
    pub job: &'a str,
    /// Now.
    pub at: SystemTime,
}

fn line<Rest: Serialize>(speaker: Speaker, event: &str, rest: Rest) -> String {
    let line = Line { timestamp: timestamp::format(speaker.at), id: speaker.id, job: speaker.job, event, rest };
    escape::json(serde_json::to_string(&line).expect("strings and numbers can always be written"))
}

fn exit_code(outcome: Outcome) -> Option<u8> {
    match outcome {
        Outcome::Exited(status) => Some(status),
        Outcome::Signaled(_) | Outcome::TimedOut { .. } | Outcome::NotStarted { .. } => None,
    }
}

fn signal(outcome: Outcome) -> Option<String> {
    match outcome {
        Outcome::Signaled(signal) => Some(signal.to_string()),
        Outcome::Exited(_) | Outcome::TimedOut { .. } | Outcome::NotStarted { .. } => None,
    }
}

/// The record's `error`, of a failure.
fn error(outcome: Outcome, by_output: bool) -> Error {
    let r#type = match outcome {
        _ if by_output => "output",
        Outcome::Exited(_) => "exit_code",
        Outcome::Signaled(_) => "signal",
        Outcome::TimedOut { .. } => "timeout",
        Outcome::NotStarted { .. } => "spawn",
    };
    Error { r#type, message: outcome.to_string() }
}

/// `event: attempt_started`, with `-v`.
pub fn attempt_started(speaker: Speaker, attempt: u32, max_tries: Option<u32>) -> String {
    line(speaker, "attempt_started", Started { attempt, max_tries })
}

/// `event: attempt_finished`.
pub fn attempt_finished(speaker: Speaker, attempt: &Attempt) -> String {
    let has_failed = attempt.judgement.verdict != Verdict::Success;
    let rest = AttemptFinished {
        attempt: attempt.of.attempt,
        max_tries: attempt.of.of,
        started_at: timestamp::format(attempt.started_at),
        duration_ms: millis(attempt.took),
        exit_code: exit_code(attempt.outcome),
        signal: signal(attempt.outcome),
        verdict: attempt.judgement.verdict.word(),
        error: has_failed.then(|| error(attempt.outcome, attempt.judgement.reason.is_about_output())),
    };
    line(speaker, "attempt_finished", rest)
}

/// `event: waiting`, after the given attempt; before the first there is none.
pub fn waiting(speaker: Speaker, attempt: Option<u32>, wait: Wait) -> String {
    line(speaker, "waiting", Waiting { attempt, delay_ms: millis(wait.delay), delay_source: wait.source.word() })
}

/// `event: finished`.
pub fn finished(speaker: Speaker, end: &End) -> String {
    let by_output = end.judgement.is_some_and(|judgement| judgement.reason.is_about_output());
    let failed = end.outcome.filter(|_| end.ending != Ending::Succeeded);
    let rest = Finished {
        process: Process { exit_code: end.exit_code, signal: end.outcome.and_then(signal) },
        error: failed.map(|outcome| error(outcome, by_output)),
        retry: Retry {
            ending: end.ending.word(),
            attempts: end.of.attempt,
            max_tries: end.of.of,
            elapsed_ms: millis(end.elapsed),
            waited_ms: millis(end.waited),
        },
    };
    line(speaker, "finished", rest)
}

/// `event: warning`, `event: message`: whatever else is said.
pub fn message(speaker: Speaker, event: &str, message: &str) -> String {
    line(speaker, event, Message { message })
}
