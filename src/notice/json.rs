//! The log as JSON: one object a line, with the names of the record. Contract W5, D10.

use std::time::SystemTime;

use serde::Serialize;

use super::{Attempt, End, Wait, escape};
use crate::duration::millis;
use crate::machine::Ending;
use crate::outcome::Outcome;
use crate::policy::{Judgement, Verdict};
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
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<Process>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
    retry: Retry<'a>,
}

#[derive(Serialize)]
struct Process {
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
}

#[derive(Serialize)]
struct Retry<'a> {
    ending: &'a str,
    exit_code: u8,
    attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tries: Option<u32>,
    elapsed_ms: u64,
    waited_ms: u64,
}

#[derive(Serialize)]
struct Error {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
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

/// The record's `error`, of a failure.
fn error(outcome: Outcome, judgement: Judgement, said: Option<&str>) -> Error {
    let r#type = outcome.error_type(judgement.reason.is_about_output());
    Error { r#type, message: said.map(str::to_owned) }
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
        exit_code: attempt.outcome.exit_code(),
        signal: attempt.outcome.signal().map(|signal| signal.to_string()),
        verdict: attempt.judgement.verdict.word(),
        error: has_failed.then(|| error(attempt.outcome, attempt.judgement, attempt.said.as_deref())),
    };
    line(speaker, "attempt_finished", rest)
}

/// `event: waiting`, after the given attempt; before the first there is none.
pub fn waiting(speaker: Speaker, attempt: Option<u32>, wait: Wait) -> String {
    line(speaker, "waiting", Waiting { attempt, delay_ms: millis(wait.delay), delay_source: wait.source.word() })
}

/// `event: finished`.
pub fn finished(speaker: Speaker, end: &End) -> String {
    let (exit_code, signal) = (end.outcome.and_then(Outcome::exit_code), end.outcome.and_then(Outcome::signal));
    let is_known = exit_code.is_some() || signal.is_some();
    let failed = end.outcome.zip(end.judgement).filter(|_| end.ending != Ending::Succeeded);
    let rest = Finished {
        process: is_known.then(|| Process { exit_code, signal: signal.map(|signal| signal.to_string()) }),
        error: failed.map(|(outcome, judgement)| error(outcome, judgement, end.said)),
        retry: Retry {
            ending: end.ending.word(),
            exit_code: end.exit_code,
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
