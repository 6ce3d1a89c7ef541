//! The voice of one run: decides which line goes where, at which level and in which form. Contract W1 to W7.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::ci::{self, Host};
use super::countdown::{self, Countdown};
use super::journal::Priority;
use super::json::{self, Speaker};
use super::surroundings::{self, Surroundings};
use super::texts::{self, Number};
use super::{Attempt, End, Row, Sink, Subject, Wait, escape, logfile};
use crate::job::{Ci, LogFormat, NoticeSettings, Verbosity};
use crate::machine::Ending;
use crate::policy::Verdict;

mod ending;

/// How many rows of the summary are kept of the beginning and of the end, as in the record (D14).
const FIRST_ROWS: usize = 5;
const LAST_ROWS: usize = 15;
/// How many warnings wait for the report.
const HELD_WARNINGS: usize = 20;

/// The voice of one run.
#[derive(Debug)]
pub struct Notices {
    settings: NoticeSettings,
    subject: Subject,
    around: Surroundings,
    host: Option<Host>,
    /// The run is told of in the step summary of GitHub Actions.
    sums_up: bool,
    /// Somebody else may have written on the terminal since our last line.
    others_wrote: bool,
    /// The attempt whose fold is open.
    fold: Option<Number>,
    /// The line that is being drawn, and the plain one that stays behind.
    countdown: Option<(Countdown, String)>,
    log_lost: bool,
    held: Vec<String>,
    first_rows: Vec<Row>,
    last_rows: VecDeque<Row>,
    rows_left_out: u64,
}

impl Notices {
    /// A voice that has said nothing yet.
    pub fn new(settings: NoticeSettings, subject: Subject, around: Surroundings) -> Notices {
        // JSON on stderr must stay JSON: marks are then printed only where they were asked for.
        let may_guess = settings.format == LogFormat::Text || settings.log_file.is_some();
        let host = match settings.ci {
            Ci::Github => Some(Host::Github),
            Ci::Gitlab => Some(Host::Gitlab),
            Ci::Auto if !may_guess => None,
            Ci::Auto if around.github => Some(Host::Github),
            Ci::Auto if around.gitlab => Some(Host::Gitlab),
            Ci::Auto | Ci::None => None,
        };
        // The summary is a file of its own: no form of the messages stands against it.
        let is_github = settings.ci == Ci::Github || settings.ci == Ci::Auto && around.github;
        let sums_up = is_github && around.step_summary.is_some();
        Notices {
            settings,
            subject,
            around,
            host,
            sums_up,
            others_wrote: false,
            fold: None,
            countdown: None,
            log_lost: false,
            held: Vec::new(),
            first_rows: Vec::new(),
            last_rows: VecDeque::new(),
            rows_left_out: 0,
        }
    }

    /// An attempt begins. `command` gives its redacted text, and is asked only with `-v`.
    pub fn attempt_started(
        &mut self,
        sink: &mut dyn Sink,
        of: Number,
        timeout: Option<Duration>,
        command: impl FnOnce() -> String,
    ) {
        if self.hears(Verbosity::Verbose) {
            if let Some(outer) = self.around.outer_job.as_ref().filter(|_| of.attempt == 1) {
                let text = texts::nested(outer, self.subject.max_tries);
                self.say(sink, Verbosity::Verbose, Priority::Info, "message", &text);
            }
            let json = self.as_json(|speaker| json::attempt_started(speaker, of.attempt, of.of));
            let text = texts::attempt_starts(of, timeout, &command());
            self.put(sink, Verbosity::Verbose, Priority::Info, &text, json);
        }
        // A first success stays silent (W7), and folds do not nest: inside another run they are the outer run's.
        if let Some(host) = self.host
            && of.attempt > 1
            && self.around.outer_job.is_none()
            && self.marks_on_stderr(Verbosity::Normal)
        {
            self.fold = Some(of);
            self.send_line(sink, &ci::open(host, of, &self.subject.id, unix_now()));
        }
        self.others_write();
    }

    /// The command or a hook is about to run: on a terminal its bytes do not pass through us.
    pub fn others_write(&mut self) {
        self.others_wrote = true;
    }

    /// An attempt has ended, and it is known what follows.
    pub fn attempt_finished(&mut self, sink: &mut dyn Sink, attempt: &Attempt) {
        self.close_fold(sink);
        self.keep_row(attempt);
        let Attempt { of, outcome, judgement, took, .. } = *attempt;
        let has_failed = judgement.verdict != Verdict::Success;
        // A first success says nothing (W2), but in a file of JSON it is data: without it no rate can be counted.
        let is_data = has_failed || of.attempt > 1 || self.settings.log_file.is_some();
        let weight = if is_data { Verbosity::Normal } else { Verbosity::Verbose };
        self.put_json(sink, weight, Priority::Warning, |speaker| json::attempt_finished(speaker, attempt));
        if self.hears(Verbosity::Debug) {
            self.say(sink, Verbosity::Debug, Priority::Debug, "message", &texts::decided(of, judgement));
        }
        if !has_failed {
            let text = texts::attempt_succeeded(of, outcome, took);
            self.say_text(sink, Verbosity::Verbose, Priority::Info, &text);
            return;
        }
        let told = self.hears(Verbosity::Verbose).then_some(took);
        let came_to = texts::outcome(outcome, &self.subject.command);
        let failed = texts::attempt_failed(of, &came_to, judgement, told, None);
        let Some(wait) = attempt.next else {
            // The end line tells of the last attempt; with -v each has a line of its own.
            self.say_text(sink, Verbosity::Verbose, Priority::Info, &failed);
            return;
        };
        if of.attempt == 1 && self.subject.is_unlimited {
            self.say(sink, Verbosity::Normal, Priority::Warning, "warning", &texts::unlimited());
        }
        if self.hears(Verbosity::Debug) {
            let text = texts::drawn(wait.delay, wait.ceiling, wait.source);
            self.say(sink, Verbosity::Debug, Priority::Debug, "message", &text);
        }
        let text = format!("{failed}; {}", texts::next_attempt(wait.delay, wait.source));
        // In the background nothing is drawn: the line is said now, not when the wait is over.
        if self.counts_down() && is_foreground() {
            self.countdown = Some((Countdown::new(of, &failed, &came_to), text));
        } else {
            self.say_text(sink, Verbosity::Normal, Priority::Warning, &text);
        }
        self.put_json(sink, Verbosity::Normal, Priority::Warning, |speaker| {
            json::waiting(speaker, Some(of.attempt), wait)
        });
    }

    /// The wait before attempt 1 begins.
    pub fn splaying(&mut self, sink: &mut dyn Sink, wait: Wait) {
        let json = self.as_json(|speaker| json::waiting(speaker, None, wait));
        let text = texts::drawn(wait.delay, wait.ceiling, wait.source);
        self.put(sink, Verbosity::Verbose, Priority::Info, &text, json);
    }

    /// Shows the time that is left of a wait, where somebody sees it (W4). Returns after how long it wants to be asked
    /// again; `None` if never.
    pub fn count_down(&mut self, sink: &mut dyn Sink, left: Duration) -> Option<Duration> {
        let (countdown, _) = self.countdown.as_mut()?;
        if left.is_zero() {
            return None;
        }
        // In the background the terminal is somebody else's.
        if is_foreground() {
            let columns = columns();
            if !countdown.is_shown() {
                sink.send(countdown::fresh_line(columns).as_bytes());
                self.others_wrote = false;
            }
            let drawn = countdown.draw(left, columns);
            if !drawn.is_empty() {
                sink.send(drawn.as_bytes());
            }
        }
        Some(Countdown::next_change(left))
    }

    /// The wait is over, or the run is: the plain line stays behind.
    pub fn settle(&mut self, sink: &mut dyn Sink) {
        let Some((mut countdown, line)) = self.countdown.take() else { return };
        if countdown.is_shown() {
            let erase = countdown.erase(columns());
            sink.send(format!("{erase}retry: {}\n", escape::line(&line)).as_bytes());
        } else {
            self.say_text(sink, Verbosity::Normal, Priority::Warning, &line);
        }
    }

    /// The run has ended. Says so where it took retries or ended badly, and tells the CI.
    pub fn finished(&mut self, sink: &mut dyn Sink, end: &End) {
        self.settle(sink);
        self.close_fold(sink);
        let is_good = end.ending == Ending::Succeeded;
        let took_retries = end.of.attempt > 1;
        let text = match is_good {
            true => texts::succeeded(end.of, end.elapsed),
            false => texts::gave_up(end.as_bad(), &self.subject.command, end.letter),
        };
        let (weight, priority) = match (is_good, took_retries) {
            (false, _) => (Verbosity::Quiet, Priority::Error),
            (true, true) => (Verbosity::Normal, Priority::Notice),
            (true, false) => (Verbosity::Verbose, Priority::Info),
        };
        if !is_good || took_retries {
            self.say_text(sink, weight, priority, &text);
        }
        // See attempt_finished: a file of JSON has every run.
        let weight = if self.settings.log_file.is_some() { Verbosity::Silent } else { weight };
        self.put_json(sink, weight, priority, |speaker| json::finished(speaker, end));
        self.tell_github(sink, end, &text);
    }

    /// What was lost, or went wrong in `retry` itself: said with `-q` too (W3).
    pub fn lost(&mut self, sink: &mut dyn Sink, text: &str) {
        self.settle(sink);
        self.hold(text);
        self.say(sink, Verbosity::Quiet, Priority::Warning, "warning", text);
    }

    /// What one should know, but need not.
    pub fn warning(&mut self, sink: &mut dyn Sink, text: &str) {
        self.settle(sink);
        self.hold(text);
        self.say(sink, Verbosity::Normal, Priority::Warning, "warning", text);
    }

    /// What only `-v` or `-vv` tells.
    pub fn detail(&mut self, sink: &mut dyn Sink, from: Verbosity, text: impl FnOnce() -> String) {
        if self.hears(from) {
            let priority = if from == Verbosity::Debug { Priority::Debug } else { Priority::Info };
            self.say(sink, from, priority, "message", &text());
        }
    }

    /// D3: the letter itself, on stderr whatever was asked for. `json` is redacted, one line.
    pub fn letter_not_saved(&mut self, sink: &mut dyn Sink, json: &str) {
        self.settle(sink);
        let prefix = self.journal_prefix(Priority::Critical);
        let json = self.harmless_json(escape::json(json.to_owned()));
        self.send_line(sink, &format!("{prefix}retry: {}\n", texts::letter_not_saved(&json)));
    }

    /// Whether anybody hears what is said at this level. `-q` is about stderr; a log file stays (W3).
    fn hears(&self, weight: Verbosity) -> bool {
        let level = match self.settings.log_file {
            Some(_) => self.settings.verbosity.max(Verbosity::Normal),
            None => self.settings.verbosity,
        };
        level >= weight
    }

    /// Whether marks of the CI are printed: they are no messages, so a log file does not take them.
    fn marks_on_stderr(&self, weight: Verbosity) -> bool {
        self.settings.verbosity >= weight && !self.subject.reports_at_the_end
    }

    /// Whether a person looks at stderr, on a terminal that can take a line away again.
    fn may_redraw(&self) -> bool {
        self.around.can_redraw && self.host.is_none() && self.settings.format == LogFormat::Text
    }

    fn counts_down(&self) -> bool {
        self.may_redraw()
            && self.settings.log_file.is_none()
            && self.settings.verbosity >= Verbosity::Normal
            && !self.subject.reports_at_the_end
    }

    fn as_json(&self, make: impl FnOnce(Speaker) -> String) -> Option<String> {
        let speaker = || Speaker { id: &self.subject.id, job: &self.subject.job, at: SystemTime::now() };
        (self.settings.format == LogFormat::Json).then(|| make(speaker()))
    }

    fn journal_prefix(&self, priority: Priority) -> &'static str {
        if self.around.journal { priority.prefix() } else { "" }
    }

    /// Says a text that JSON has as a message.
    fn say(&mut self, sink: &mut dyn Sink, weight: Verbosity, priority: Priority, event: &str, text: &str) {
        let json = self.as_json(|speaker| json::message(speaker, event, text));
        self.put(sink, weight, priority, text, json);
    }

    /// Says a text that JSON has in another form.
    fn say_text(&mut self, sink: &mut dyn Sink, weight: Verbosity, priority: Priority, text: &str) {
        if self.settings.format == LogFormat::Text {
            self.put(sink, weight, priority, text, None);
        }
    }

    /// Says what text has in another form.
    fn put_json(
        &mut self,
        sink: &mut dyn Sink,
        weight: Verbosity,
        priority: Priority,
        make: impl FnOnce(Speaker) -> String,
    ) {
        if let Some(json) = self.as_json(make) {
            self.put(sink, weight, priority, "", Some(json));
        }
    }

    /// Puts one line where lines go.
    fn put(&mut self, sink: &mut dyn Sink, weight: Verbosity, priority: Priority, text: &str, json: Option<String>) {
        if !self.hears(weight) {
            return;
        }
        if let Some(file) = self.settings.log_file.clone() {
            match logfile::append(&file, &self.log_line(text, json.as_deref())) {
                Ok(()) => return,
                Err(error) => self.log_is_lost(sink, &texts::log_lost(&file, &logfile::cause(&error))),
            }
            // From here on as if none had been asked for, so that the end of a bad run is not lost with the log.
            if self.settings.verbosity < weight.max(Verbosity::Quiet) {
                return;
            }
        }
        if !self.subject.reports_at_the_end {
            let prefix = self.journal_prefix(priority);
            let line = json.map_or_else(|| format!("retry: {}", self.harmless(text)), |json| self.harmless_json(json));
            self.send_line(sink, &format!("{prefix}{line}\n"));
        }
    }

    /// A line for the log. Many jobs share one: there a line says when, and whose it is.
    fn log_line(&self, text: &str, json: Option<&str>) -> String {
        match json {
            Some(json) => format!("{json}\n"),
            None => {
                let at = crate::timestamp::format(SystemTime::now());
                let (job, id) = (escape::line(&self.subject.job), &self.subject.id);
                format!("{at} {job} {id} retry: {}\n", escape::line(text))
            }
        }
    }

    /// Says once, on stderr, that the log cannot be written.
    fn log_is_lost(&mut self, sink: &mut dyn Sink, text: &str) {
        if std::mem::replace(&mut self.log_lost, true) {
            return;
        }
        self.hold(text);
        if self.marks_on_stderr(Verbosity::Quiet) {
            let prefix = self.journal_prefix(Priority::Warning);
            let text = self.harmless(text);
            self.send_line(sink, &format!("{prefix}retry: {text}\n"));
        }
    }

    /// Text from elsewhere as one line that gives no command, to a terminal or to a CI.
    fn harmless(&self, text: &str) -> String {
        let line = escape::line(text);
        if self.host == Some(Host::Github) { ci::without_commands(&line, "\\x23") } else { line }
    }

    /// The same of a line of JSON, which reads the same afterwards.
    fn harmless_json(&self, json: String) -> String {
        if self.host == Some(Host::Github) { ci::without_commands(&json, "\\u0023") } else { json }
    }

    /// Sends a line of ours to stderr, on a line of its own (W1).
    fn send_line(&mut self, sink: &mut dyn Sink, line: &str) {
        if !sink.is_at_line_start() {
            sink.send(b"\n");
        }
        if std::mem::take(&mut self.others_wrote) && self.may_redraw() && is_foreground() {
            sink.send(countdown::fresh_line(columns()).as_bytes());
        }
        sink.send(line.as_bytes());
    }

    fn close_fold(&mut self, sink: &mut dyn Sink) {
        if let (Some(of), Some(host)) = (self.fold.take(), self.host) {
            self.send_line(sink, &ci::close(host, of, &self.subject.id, unix_now()));
        }
    }
}

fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The width of the terminal on stderr.
fn columns() -> usize {
    // A run begins to draw only where there is a width (see Surroundings); one that was taken away since is taken for 80.
    surroundings::columns(rustix::stdio::stderr()).unwrap_or(80)
}

/// Whether our process group is the one that the terminal talks to.
fn is_foreground() -> bool {
    rustix::termios::tcgetpgrp(rustix::stdio::stderr()).is_ok_and(|group| group == rustix::process::getpgrp())
}

#[cfg(test)]
mod tests;
