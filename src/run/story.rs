//! The story of a run so far, and the record that is made of it. Contract D10 to D14.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, SystemTime};

use super::{Identity, origin};
use crate::child::Report;
use crate::duration::millis;
use crate::exit_status::ExitStatus;
use crate::job::Job;
use crate::machine::{DelaySource, Ending};
use crate::outcome::Outcome;
use crate::policy::{Facts, Judgement, Verdict};
use crate::record::{self, Attempt, Failure, History, Http, Record, encode_args, text_and_twin};
use crate::timestamp;

/// What has happened in a run.
#[derive(Debug, Default)]
pub(super) struct Story {
    attempts: u32,
    history: History,
    waited: Duration,
    first_at: Option<SystemTime>,
    last_at: Option<SystemTime>,
    last: Option<Last>,
}

/// The last attempt that ended.
#[derive(Debug)]
struct Last {
    outcome: Outcome,
    own: Option<Outcome>,
    facts: Facts,
    judgement: Judgement,
}

impl Last {
    /// What the command said of its failure itself (S31), or the system of one that was not started: it wrote no line of
    /// its own.
    fn said(&self) -> Option<String> {
        let said = self.facts.hint.error.clone();
        said.or_else(|| match self.outcome {
            Outcome::NotStarted { errno, .. } => Some(errno.to_string()),
            Outcome::Exited(_) | Outcome::Signaled(_) | Outcome::TimedOut { .. } => None,
        })
    }
}

impl Story {
    pub(super) fn attempt_ended(
        &mut self,
        attempt: u32,
        at: SystemTime,
        report: &Report,
        facts: Facts,
        judgement: Judgement,
    ) {
        self.attempts += 1;
        self.first_at.get_or_insert(at);
        self.last_at = Some(at);
        self.history.push(Attempt {
            attempt: attempt.into(),
            started_at: timestamp::format(at),
            duration_ms: millis(report.took),
            exit_code: report.outcome.exit_code(),
            signal: report.outcome.signal().map(|signal| signal.to_string()),
            error: (judgement.verdict != Verdict::Success).then(|| error_type(report.outcome, judgement).into()),
            verdict: judgement.verdict.word().into(),
            delay_ms: None,
            delay_source: None,
        });
        self.last = Some(Last { outcome: report.outcome, own: report.command, facts, judgement });
    }

    pub(super) fn delayed(&mut self, delay: Duration, source: DelaySource) {
        self.waited = self.waited.saturating_add(delay);
        if let Some(attempt) = self.history.last_mut() {
            attempt.delay_ms = Some(millis(delay));
            attempt.delay_source = Some(source.word().into());
        }
    }

    /// How many attempts were made.
    pub(super) fn attempts(&self) -> u32 {
        self.attempts
    }

    /// How long delays were, all together.
    pub(super) fn waited(&self) -> Duration {
        self.waited
    }

    /// What the last attempt came to.
    pub(super) fn last(&self) -> Option<Outcome> {
        self.last.as_ref().map(|last| last.outcome)
    }

    /// How the command of the last attempt ended by itself, time limit or not.
    pub(super) fn own_outcome(&self) -> Option<Outcome> {
        self.last.as_ref().and_then(|last| last.own)
    }

    /// What the other side asked for last.
    pub(super) fn asked(&self) -> Option<Duration> {
        self.last.as_ref().and_then(|last| last.facts.hint.asked)
    }

    /// Why the last attempt failed, as the record has it; `stderr` is the end of what it wrote there.
    pub(super) fn message(&self, stderr: &[u8]) -> Option<String> {
        let last = self.last.as_ref().filter(|last| last.judgement.verdict != Verdict::Success)?;
        let said = last.said();
        Failure::new("", said.as_ref().map_or(stderr, |said| said.as_bytes())).message
    }

    /// The record of the run.
    pub(super) fn record(
        &self,
        job: &Job,
        identity: &Identity,
        ending: Ending,
        status: ExitStatus,
        elapsed: Duration,
        not_before: Option<SystemTime>,
    ) -> Record {
        let (args, args_b64) = encode_args(&job.command);
        let cwd = std::env::current_dir().unwrap_or_default();
        let (working_directory, working_directory_b64) = text_and_twin(cwd.as_os_str().as_bytes());
        let exit_code = self.last().and_then(Outcome::exit_code);
        let signal = self.last().and_then(Outcome::signal).map(|signal| signal.to_string());
        let last = self.last.as_ref();
        let hint = last.map(|last| &last.facts.hint);
        Record {
            v: record::VERSION,
            kind: if ending == Ending::Succeeded { record::RUN } else { record::DEAD_LETTER }.into(),
            id: identity.id.clone(),
            timestamp: timestamp::format(SystemTime::now()),
            job: job.name.clone(),
            idempotency_key: identity.key.clone(),
            process: record::Process { args, args_b64, working_directory, working_directory_b64, exit_code, signal },
            error: last.filter(|last| last.judgement.verdict != Verdict::Success).map(|last| {
                let said = last.said().unwrap_or_default();
                Failure::new(error_type(last.outcome, last.judgement), said.as_bytes())
            }),
            http: hint
                .filter(|hint| hint.http_status.is_some() || hint.retry_after_text.is_some())
                .map(|hint| Http { status_code: hint.http_status, retry_after: hint.retry_after_text.clone() }),
            retry: record::Retry {
                ending: ending.word().into(),
                exit_code: Some(status.shell_status()),
                attempts: self.attempts.into(),
                max_tries: job.limits.max_tries.map(u64::from),
                first_attempt_at: self.first_at.map(timestamp::format),
                last_attempt_at: self.last_at.map(timestamp::format),
                elapsed_ms: millis(elapsed),
                waited_ms: millis(self.waited),
                not_before: not_before.map(timestamp::format),
                policy: job.policy.clone(),
                history: self.history.clone(),
            },
            ..Record::default()
        }
    }
}

/// Adds what a letter needs besides the story: where it ran, as whom, under which variables. Contract D12.
pub(super) fn add_surroundings(record: &mut Record, environment: &[CString], names: &[String]) {
    const ALWAYS: [&str; 5] = ["PATH", "HOME", "LANG", "LC_ALL", "TZ"];
    for name in ALWAYS.into_iter().chain(names.iter().map(String::as_str)) {
        let value = environment
            .iter()
            .find_map(|entry| entry.to_bytes().strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")));
        if let Some(value) = value {
            let (text, twin) = text_and_twin(value);
            record.env.insert(name.to_owned(), text);
            record.env_b64.extend(twin.map(|twin| (name.to_owned(), twin)));
        }
    }
    record.umask = format!("{:04o}", crate::sys::umask::current());
    record.host = origin::host();
    record.user = origin::user();
    record.origin = Some(origin::origin(environment));
}

/// Gives the failure the last line of stderr as its message, unless the command said one itself (S31).
pub(super) fn add_message(record: &mut Record) {
    if let (Some(failure), Some(stderr)) = (&mut record.error, &record.stderr)
        && failure.message.is_none()
    {
        failure.message = Failure::new("", stderr.tail.as_bytes()).message;
    }
}

/// `error.type` of D10.
fn error_type(outcome: Outcome, judgement: Judgement) -> &'static str {
    outcome.error_type(judgement.reason.is_about_output())
}
