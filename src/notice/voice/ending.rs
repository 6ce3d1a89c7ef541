//! What a run tells at its end: the report of `--output on-failure`, and what CI shows of it. Contract S12, W7.

use std::path::Path;

use super::{FIRST_ROWS, HELD_WARNINGS, LAST_ROWS, Notices};
use crate::job::Verbosity;
use crate::machine::Ending;
use crate::notice::ci::{self, Fence, Host};
use crate::notice::journal::Priority;
use crate::notice::texts::{self, Letter};
use crate::notice::{Attempt, End, Row, Sink, escape, logfile, report};

impl Notices {
    /// What must stand around text of the child that is printed again; `None` outside GitHub (W7).
    pub fn fence(&self) -> Option<Fence> {
        if self.host != Some(Host::Github) {
            return None;
        }
        let mut token = [0; 16];
        crate::entropy::fill(&mut token).then_some(())?;
        Some(Fence::new(token))
    }

    /// The first lines of the report of `--output on-failure`; `None` if none is wanted. `command` is redacted.
    pub fn report_head(&self, end: &End, command: impl FnOnce() -> String) -> Option<String> {
        let is_wanted = self.subject.reports_at_the_end
            && end.ending != Ending::Succeeded
            && self.settings.verbosity >= Verbosity::Quiet;
        let text = texts::gave_up(end.as_bad(), &self.subject.command, None);
        let prefix = self.journal_prefix(Priority::Error);
        is_wanted.then(|| format!("{prefix}{}", report::head(&self.subject.job, &text, &command())))
    }

    /// The attempts that it tells of, and how many between the first and the last ones it leaves out.
    pub fn rows(&self) -> (Vec<Row>, u64) {
        (self.first_rows.iter().chain(&self.last_rows).cloned().collect(), self.rows_left_out)
    }

    /// Its last lines: what was held back until now, and the way on.
    pub fn report_tail(&mut self, letter: Option<Letter>) -> String {
        let mut tail: String = self.held.drain(..).collect();
        tail.push_str(&report::tail(letter));
        tail
    }

    pub(super) fn hold(&mut self, text: &str) {
        if self.subject.reports_at_the_end && self.held.len() < HELD_WARNINGS {
            self.held.push(format!("retry: {}\n", self.harmless(text)));
        }
    }

    pub(super) fn keep_row(&mut self, attempt: &Attempt) {
        if !self.sums_up && !self.subject.reports_at_the_end {
            return;
        }
        let row = Row {
            of: attempt.of,
            started_at: attempt.started_at,
            outcome: texts::outcome(attempt.outcome, &self.subject.command),
            verdict: texts::counted(attempt.judgement),
            took: attempt.took,
            next: attempt.next.map(|wait| (wait.delay, wait.source)),
        };
        if self.first_rows.len() < FIRST_ROWS {
            self.first_rows.push(row);
            return;
        }
        if self.last_rows.len() == LAST_ROWS {
            self.last_rows.pop_front();
            self.rows_left_out += 1;
        }
        self.last_rows.push_back(row);
    }

    /// Annotation, summary and outputs (W7).
    pub(super) fn tell_github(&mut self, sink: &mut dyn Sink, end: &End, text: &str) {
        let is_good = end.ending == Ending::Succeeded;
        let took_retries = end.of.attempt > 1;
        let job = escape::line(&self.subject.job);
        let text = &escape::line(text);
        if self.host == Some(Host::Github) {
            if !is_good && self.settings.verbosity >= Verbosity::Quiet {
                self.send_line(sink, &ci::annotation("error", &format!("{job} failed"), text));
            } else if is_good && took_retries && self.marks_on_stderr(Verbosity::Normal) {
                let title = format!("{job} needed {}", texts::attempts(end.of.attempt));
                self.send_line(sink, &ci::annotation("warning", &title, text));
            }
        }
        let summary = self.around.step_summary.clone().filter(|_| self.sums_up && took_retries);
        if let Some(file) = summary {
            let (rows, left_out) = self.rows();
            let table = ci::summary(&self.subject.job, text, &rows, left_out);
            self.append_for_ci(sink, "GITHUB_STEP_SUMMARY", &file, &table);
        }
        if let (Some(prefix), Some(file)) = (self.settings.ci_output.clone(), self.around.step_output.clone()) {
            let lines = ci::outputs(&prefix, end.of.attempt, end.exit_code, end.ending.word());
            self.append_for_ci(sink, "GITHUB_OUTPUT", &file, &lines);
        }
    }

    fn append_for_ci(&mut self, sink: &mut dyn Sink, variable: &str, file: &Path, text: &str) {
        if let Err(error) = logfile::append(file, text) {
            self.lost(sink, &texts::ci_file_lost(variable, file, &logfile::cause(&error)));
        }
    }
}
