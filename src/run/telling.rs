//! How a run hands its events over to what people see. Contract W1 to W7, S12.

use std::ffi::CString;
use std::time::{Duration, SystemTime};

use super::streams::Patience;
use super::{Identity, Run, environment, patience_after};
use crate::child::Report;
use crate::exit_status::ExitStatus;
use crate::job::{Job, LogFormat, OutputMode};
use crate::machine::{Ending, Step};
use crate::notice::ci::Fence;
use crate::notice::surroundings::Surroundings;
use crate::notice::texts::Number;
use crate::notice::{Attempt, End, Notices, Sink, Subject, Wait};
use crate::notice::{escape, report};
use crate::policy::{Judgement, Verdict};
use crate::record;
use crate::redact::{self, Redactor};
use crate::shell_word;

/// How much of the report is handed over at a time.
const PIECE: usize = 64 << 10;

/// The voice of a run that begins.
pub(super) fn voice(job: &Job, identity: &Identity, environment: &[CString]) -> Notices {
    let around = Surroundings::look(|name| environment::variable(environment, name), rustix::stdio::stderr());
    let limits = &job.limits;
    let subject = Subject {
        id: identity.id.clone(),
        job: job.name.clone(),
        command: command_name(job),
        max_tries: limits.max_tries,
        is_unlimited: limits.max_tries.is_none() && limits.max_elapsed.is_none(),
        reports_at_the_end: job.streams.output == OutputMode::OnFailure,
    };
    Notices::new(job.notices.clone(), subject, around)
}

impl Run<'_> {
    pub(super) fn tell_start(&mut self, timeout: Option<Duration>) {
        let number = self.number();
        let (job, redactor) = (self.job, &mut self.redactor);
        let command = || command_text(redactor.get_or_insert_with(|| redactor_of(job)));
        self.notices.attempt_started(&mut self.streams, number, timeout, command);
    }

    pub(super) fn tell_attempt(&mut self, started_at: SystemTime, report: &Report, judgement: Judgement, step: Step) {
        if let Some(metrics) = &mut self.metrics {
            metrics.attempt(self.story.attempts(), report.outcome, judgement, report.took);
        }
        let next = match (judgement.verdict, step) {
            (Verdict::Retryable, Step::Sleep { delay, ceiling, source }) => Some(Wait { delay, ceiling, source }),
            // The end of the run says it in its own line.
            (Verdict::Success | Verdict::Permanent | Verdict::Retryable, _) => None,
        };
        let of = self.number();
        let said = self.said();
        let attempt = Attempt { of, outcome: report.outcome, judgement, said, started_at, took: report.took, next };
        self.notices.attempt_finished(&mut self.streams, &attempt);
    }

    pub(super) fn tell_end(&mut self, ending: Ending, status: ExitStatus, elapsed: Duration, is_saved: bool) {
        let said = self.said();
        let (tries, of) = self.machine.tries();
        let letter = is_saved.then(|| self.letters.reference(&self.identity.id));
        let end = End {
            of: Number { attempt: self.story.attempts(), tries, of },
            ending,
            outcome: self.story.last(),
            judgement: self.machine.judgement(),
            said: said.as_deref(),
            elapsed,
            waited: self.story.waited(),
            exit_code: status.shell_status(),
            asked: self.story.asked(),
            letter,
        };
        let (job, redactor) = (self.job, &mut self.redactor);
        let command = || command_text(redactor.get_or_insert_with(|| redactor_of(job)));
        let report = self.notices.report_head(&end, command).map(|head| (head, self.notices.report_tail(letter)));
        self.notices.finished(&mut self.streams, &end);
        if let Some((head, tail)) = report {
            self.report(&head, &tail, patience_after(ending));
        }
    }

    /// Prints the report of `--output on-failure`, as fast as it is read and no faster; a signal ends it.
    fn report(&mut self, head: &str, tail: &str, patience: Patience) {
        let fence = self.notices.fence();
        if let Some(fence) = &fence {
            self.send_line(&fence.open);
        }
        self.send_line(head);
        let (rows, left_out) = self.notices.rows();
        let redactor = self.redactor.take().unwrap_or_else(|| redactor_of(self.job));
        let mut before = 0;
        for row in rows {
            if row.of.attempt > before + 1 {
                self.send_line(&report::left_out(left_out));
            }
            before = row.of.attempt;
            self.send_line(&report::attempt(&row));
            if self.report_output(row.of.attempt, &redactor, patience) {
                break;
            }
        }
        self.redactor = Some(redactor);
        self.end_fence(fence);
        self.send_line(tail);
    }

    /// Prints what an attempt printed; whether a signal ended that.
    fn report_output(&mut self, attempt: u32, redactor: &Redactor, patience: Patience) -> bool {
        let Some(output) = self.streams.kept(attempt) else { return false };
        for (bytes, missing) in [(&output.head, output.missing), (&output.tail, 0)] {
            let text = report::quoted(&redactor.text(&String::from_utf8_lossy(bytes)));
            for piece in text.as_bytes().chunks(PIECE) {
                self.streams.send(piece);
                if self.streams.deliver(self.world.wait, patience).is_some() {
                    return true;
                }
            }
            if missing > 0 {
                self.send_line(&report::missing(missing));
            }
        }
        false
    }

    /// What was held back of a failed attempt is printed again: in CI between marks that no line of it can forge (W7).
    pub(super) fn fence_off(&mut self, is_success: bool) -> Option<Fence> {
        if is_success || !self.streams.holds_output() {
            return None;
        }
        let fence = self.notices.fence()?;
        self.send_line(&fence.open);
        Some(fence)
    }

    pub(super) fn end_fence(&mut self, fence: Option<Fence>) {
        if let Some(fence) = fence {
            self.send_line(&fence.close);
        }
    }

    fn send_line(&mut self, line: &str) {
        if !self.streams.is_at_line_start() {
            self.streams.send(b"\n");
        }
        self.streams.send(line.as_bytes());
    }

    /// Why the last attempt failed, redacted; only JSON has a place for it.
    fn said(&mut self) -> Option<String> {
        if self.job.notices.format != LogFormat::Json {
            return None;
        }
        let tail = self.streams.stderr().map(|tail| tail.tail).unwrap_or_default();
        let message = self.story.message(tail.as_bytes())?;
        Some(self.redactor().text(&message))
    }

    /// What hides the secrets of this run in all that is shown.
    pub(super) fn redactor(&mut self) -> &Redactor {
        self.redactor.get_or_insert_with(|| redactor_of(self.job))
    }
}

/// Masks what the job says is a secret, and the values of recorded variables with the names of secrets: what is recorded
/// is shown nowhere else (D13).
fn redactor_of(job: &Job) -> Redactor {
    let given = job.letters.redact.iter().cloned();
    let recorded = job.letters.record_env.iter().filter_map(|name| {
        let value = std::env::var_os(name)?.to_string_lossy().into_owned();
        record::is_secret(name, &value).then(|| regex_lite::escape(&value))
    });
    let extra = given.chain(recorded).filter_map(|expression| regex_lite::Regex::new(&expression).ok());
    Redactor::new(&job.command, &extra.collect::<Vec<_>>())
}

/// The command without its arguments, on one line.
fn command_name(job: &Job) -> String {
    match job.command.first() {
        Some(name) if job.letters.redact.is_empty() && !redact::may_hold_secret(name) => {
            escape::line(&name.to_string_lossy())
        }
        _ => redactor_of(job).args().first().map(|name| escape::line(name)).unwrap_or_default(),
    }
}

/// The command as one line that could be pasted, but for its secrets.
fn command_text(redactor: &Redactor) -> String {
    String::from_utf8_lossy(&shell_word::line(redactor.args())).into_owned()
}
