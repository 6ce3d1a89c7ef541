//! The hooks of a run: when each is called, and what it is told. Contract D40.

use std::ffi::OsString;
use std::time::Duration;

use super::streams::Patience;
use super::{Run, environment};
use crate::exit_status::ExitStatus;
use crate::hook::{self, Call, Called};
use crate::job::HookRecord;
use crate::machine::Ending;
use crate::notice::texts;
use crate::outcome::Outcome;
use crate::record::Record;
use crate::signal::Signal;

/// What a hook is told of the run in its environment.
type Told = Vec<(&'static str, String)>;

impl Run<'_> {
    /// Whether the record must be whole for a hook's sake, letter or not.
    pub(super) fn hooks_want_a_record(&self) -> bool {
        self.job.hooks.on_failure.is_some() || self.job.hooks.on_success.is_some()
    }

    /// Calls `--on-retry` before a delay. Returns the signal that ended the run meanwhile.
    pub(super) fn call_on_retry(&mut self, delay: Duration) -> Option<Signal> {
        let command = self.job.hooks.on_retry.clone()?;
        // What the hook prints comes after the line that tells of the failure.
        self.notices.settle(&mut self.streams);
        let last = self.story.last();
        let status = ExitStatus::Code(last.map_or(0, Outcome::shell_status));
        let elapsed = self.now();
        let mut record = self.story.record(self.job, &self.identity, Ending::Succeeded, status, elapsed, None);
        // The run goes on: how it ends nobody knows.
        record.retry.ending = "".into();
        record.retry.exit_code = None;
        self.complete(&mut record);
        let told = vec![
            ("RETRY_EXIT", status.shell_status().to_string()),
            ("RETRY_ATTEMPTS", self.story.attempts().to_string()),
            ("RETRY_DELAY_MS", crate::duration::millis(delay).to_string()),
        ];
        self.call("--on-retry", &command, &record, &told, self.job.hooks.timeout)
    }

    /// Calls `--on-failure` or `--on-success`. A run ended by Ctrl-C calls neither; after TERM there is little time.
    pub(super) fn call_at_the_end(&mut self, record: &Record, ending: Ending, status: ExitStatus, is_saved: bool) {
        let hooks = &self.job.hooks;
        let (option, command) = match ending {
            Ending::Succeeded => ("--on-success", &hooks.on_success),
            Ending::Interrupted { signal: Signal::INT | Signal::QUIT, .. } => return,
            Ending::Permanent
            | Ending::Exhausted
            | Ending::Deadline
            | Ending::RetryAfterTooLong
            | Ending::Interrupted { .. } => ("--on-failure", &hooks.on_failure),
        };
        let Some(command) = command.clone() else { return };
        let mut limit = match ending {
            Ending::Interrupted { .. } => hooks.timeout.min(hook::TIME_AFTER_TERM),
            Ending::Succeeded
            | Ending::Permanent
            | Ending::Exhausted
            | Ending::Deadline
            | Ending::RetryAfterTooLong => hooks.timeout,
        };
        // A signal that came too late to end the run, or again, must not cost the alert.
        while let Some(caught) = self.world.wait.signals.take_ending() {
            if matches!(caught.signal, Signal::INT | Signal::QUIT) {
                return;
            }
            limit = limit.min(hook::TIME_AFTER_TERM);
        }
        let mut told = vec![
            ("RETRY_ENDING", ending.word().to_owned()),
            ("RETRY_EXIT", status.shell_status().to_string()),
            ("RETRY_ATTEMPTS", self.story.attempts().to_string()),
        ];
        if is_saved {
            told.push(("RETRY_DEAD_LETTER_ID", self.identity.id.clone()));
        }
        self.call(option, &command, record, &told, limit);
    }

    fn call(
        &mut self,
        option: &str,
        command: &OsString,
        record: &Record,
        told: &Told,
        limit: Duration,
    ) -> Option<Signal> {
        let mut record = match self.job.hooks.record {
            HookRecord::Redacted => record.to_masked_line(self.redactor()),
            HookRecord::Full => record.to_line(),
        };
        if !record.ends_with(b"\n") {
            record.push(b'\n');
        }
        let of_attempt =
            environment::Told { attempt: self.machine.attempt(), last: self.story.last(), hint_file: None };
        let env = environment::of_attempt(self.world.environment, self.job, &self.identity, of_attempt);
        let env = hook::environment(&env, told);
        // What we have said so far stands before what the hook says.
        self.streams.deliver(self.world.wait, Patience::Short);
        let Called { trouble, interrupted } =
            hook::call(self.world.wait, &Call { command, record: &record, env: &env, limit });
        self.notices.others_write();
        if let Some(trouble) = trouble {
            self.notices.lost(&mut self.streams, &texts::hook_trouble(option, trouble));
        }
        interrupted
    }
}
