//! What is learnt of an attempt from what it prints and from its hint file: output rules, hints, the preset's verdict.
//!
//! An [`Observation`] is made once a run, an [`Observer`] once an attempt; whoever passes the streams on feeds it their bytes.

use std::ffi::OsString;
use std::time::SystemTime;

use crate::hint::Hint;
use crate::hint_file::Told;
use crate::http_headers::{HttpHeaders, Response};
use crate::job::{Job, OutputMode};
use crate::lines::Lines;
use crate::outcome::Outcome;
use crate::output_rules::OutputRules;
use crate::pattern::Patterns;
use crate::policy::{OutputFacts, Verdict};
use crate::preset::{self, CommandLine, Hearing, Listener, Preset, Said};
use crate::retry_after::Ignored;

/// Where bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The command's standard output.
    Stdout,
    /// Its standard error.
    Stderr,
    /// Both through one pipe, in the order of the command (S10).
    Both,
}

/// What a run wants to learn from its attempts.
#[derive(Debug)]
pub struct Observation {
    rules: OutputRules,
    preset: Option<&'static Preset>,
    /// `--hints http`, which reads both streams; a preset's hints come from stderr alone (S30).
    http: bool,
    mode: OutputMode,
    hearing: Hearing,
    advice: Option<&'static str>,
    other_command: bool,
    /// What a line must have to be worth a look; `None` where any may be.
    worth_a_look: Option<Patterns>,
}

impl Observation {
    /// What a job wants to learn; `variable` reads the environment that the command gets.
    ///
    /// # Errors
    /// An expression that is none; the command line was checked for that.
    pub fn new(job: &Job, variable: &dyn Fn(&str) -> Option<OsString>) -> Result<Observation, regex_lite::Error> {
        let line = CommandLine::new(&job.command, variable);
        let preset = job.preset.as_deref().and_then(Preset::named);
        let is_for = |preset: &&'static Preset| job.command.first().is_some_and(|command| preset.is_for(command));
        let patterns = &job.output_rules;
        let mut observation = Observation {
            rules: OutputRules::new(&patterns.retry, &patterns.fail, &patterns.until)?,
            preset,
            http: job.hints.http,
            mode: job.streams.output,
            hearing: Hearing::WHOLE,
            // A script is not to be told what its curl lacks.
            advice: preset.filter(is_for).and_then(|preset| preset.advice_for(&line)),
            other_command: preset.is_some_and(|preset| !is_for(&preset)),
            worth_a_look: None,
        };
        observation.worth_a_look = observation.patterns();
        if let Some(preset) = preset {
            observation.hearing = preset.hearing(&line, !observation.reads_stderr());
        }
        Ok(observation)
    }

    /// The texts without which no rule matches a line, no preset hears anything in it, and no response begins with it.
    fn patterns(&self) -> Option<Patterns> {
        let mut texts = self.rules.needs()?;
        for text in self.preset.into_iter().flat_map(preset::patterns) {
            texts.push(text);
        }
        texts.extend(self.hears_http().then_some("HTTP/"));
        Some(Patterns::new(texts.into_iter()))
    }

    fn hears_http(&self) -> bool {
        self.http || self.preset.is_some_and(|preset| preset.http.is_some())
    }

    /// Whether both streams are asked to pass through, whatever `--output` says (S21).
    pub fn asks_for_both(&self) -> bool {
        self.http || !self.rules.is_empty()
    }

    /// Whether the command's standard output must pass through.
    pub fn reads_stdout(&self) -> bool {
        self.asks_for_both() || (self.may_listen() && self.preset.is_some_and(Preset::reads_stdout))
    }

    /// Whether its standard error must.
    pub fn reads_stderr(&self) -> bool {
        self.asks_for_both() || (self.may_listen() && self.preset.is_some_and(Preset::reads_stderr))
    }

    /// `--output inherit` keeps a preset from hearing anything.
    fn may_listen(&self) -> bool {
        match self.mode {
            OutputMode::Inherit => false,
            OutputMode::Live | OutputMode::Final | OutputMode::OnFailure => true,
        }
    }

    /// What is to be warned of before the first attempt: mistakes that make the preset worthless (P1).
    pub fn advice(&self) -> Option<&'static str> {
        self.advice
    }

    /// The preset, where the command is not known to be its tool: `-v` says so (P2), for it is often a script.
    pub fn preset_of_another(&self) -> Option<&'static Preset> {
        self.preset.filter(|_| self.other_command)
    }

    fn judge(&self, listener: &Listener, exit: u8, status: Option<u16>) -> Said {
        listener.judge(exit, status, self.hearing)
    }

    /// Begins to observe an attempt.
    pub fn begin(&self) -> Observer<'_> {
        Observer {
            observation: self,
            stdout: Lines::new(),
            stderr: Lines::new(),
            both: Lines::new(),
            heard: Heard {
                facts: self.rules.begin(),
                listener: self.preset.map(Listener::new),
                stdout: self.http.then(HttpHeaders::new),
                stderr: self.hears_http().then(HttpHeaders::new),
                last_from_stdout: false,
            },
        }
    }
}

/// What one attempt gave to learn.
#[derive(Clone, Debug, PartialEq)]
pub struct Learnt {
    /// What the output rules saw.
    pub output: OutputFacts,
    /// What the command or the other side said.
    pub hint: Hint,
    /// What the preset says; `None` without one, or where it has no rule.
    pub preset: Option<Verdict>,
    /// A Retry-After that says nothing usable.
    pub ignored: Option<Ignored>,
    /// A `retry=` that says neither yes nor no.
    pub unclear: Option<String>,
    /// What is to be warned of once a run: text that a preset decides by and that could not be there (P1).
    pub preset_warning: Option<String>,
}

/// Observes one attempt, in bounded memory.
#[derive(Debug)]
pub struct Observer<'a> {
    observation: &'a Observation,
    stdout: Lines,
    stderr: Lines,
    both: Lines,
    heard: Heard,
}

#[derive(Debug)]
struct Heard {
    facts: OutputFacts,
    listener: Option<Listener>,
    stdout: Option<HttpHeaders>,
    stderr: Option<HttpHeaders>,
    last_from_stdout: bool,
}

impl Observer<'_> {
    /// Looks at bytes that pass, in chunks of any size.
    pub fn feed(&mut self, from: Source, bytes: &[u8]) {
        let (heard, rules) = (&mut self.heard, &self.observation.rules);
        let lines = match from {
            Source::Stdout => &mut self.stdout,
            Source::Stderr => &mut self.stderr,
            Source::Both => &mut self.both,
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            if let Some(patterns) = &self.observation.worth_a_look
                && !lines.is_open()
                && !heard.is_in_headers(from)
            {
                let (passed, next) = rest.split_at(line_of(patterns.first(rest).unwrap_or(rest.len()), rest));
                heard.passed(from, passed);
                rest = next;
            }
            rest = lines.feed(rest, &mut |line| heard.line(rules, from, line));
        }
    }

    /// Ends the observation: what stands without a newline counts as a line.
    ///
    /// `file` is what the hint file held, where there was one; a Retry-After date without a Date beside it is measured
    /// from `now`.
    pub fn end(mut self, outcome: Outcome, file: Option<&[u8]>, now: SystemTime) -> Learnt {
        let (heard, rules) = (&mut self.heard, &self.observation.rules);
        self.stdout.finish(&mut |line| heard.line(rules, Source::Stdout, line));
        self.stderr.finish(&mut |line| heard.line(rules, Source::Stderr, line));
        self.both.finish(&mut |line| heard.line(rules, Source::Both, line));

        let told = file.map(Told::read).unwrap_or_default();
        let response = self.heard.response();
        let (asked, ignored) =
            match told.asked(now).or_else(|| response.as_ref().and_then(|response| response.asked(now))) {
                Some(Ok(asked)) => (Some(asked), None),
                Some(Err(ignored)) => (None, Some(ignored)),
                None => (None, None),
            };
        let status = told.response.as_ref().or(response.as_ref()).map(|response| response.status);
        let said = match (&self.heard.listener, outcome) {
            (Some(listener), Outcome::Exited(exit)) => Some(self.observation.judge(listener, exit, status)),
            (None, _) | (_, Outcome::Signaled(_) | Outcome::TimedOut { .. } | Outcome::NotStarted { .. }) => None,
        };
        let text = told.retry_after_text().map(str::to_string);
        let hint = Hint {
            retry: told.retry,
            asked,
            retry_after_text: text.or_else(|| response.and_then(|response| response.retry_after)),
            http_status: status.or_else(|| self.heard.listener.as_ref().and_then(Listener::named_status)),
            error: told.error,
        };
        let (preset, preset_warning) = said.map_or((None, None), |said| (said.verdict, said.warning));
        Learnt { output: self.heard.facts, hint, preset, ignored, unclear: told.unclear, preset_warning }
    }
}

/// Where the line begins in which a place is.
fn line_of(place: usize, bytes: &[u8]) -> usize {
    bytes[..place].iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1)
}

impl Heard {
    /// Whether the next line of this stream may be one of headers that are being read.
    fn is_in_headers(&self, from: Source) -> bool {
        let headers = match from {
            Source::Stdout => &self.stdout,
            Source::Stderr | Source::Both => &self.stderr,
        };
        headers.as_ref().is_some_and(HttpHeaders::is_in_block)
    }

    /// Whole lines were passed over of which nothing is to be learnt but that they are there.
    fn passed(&mut self, from: Source, lines: &[u8]) {
        match from {
            Source::Stdout => {}
            Source::Stderr | Source::Both => {
                self.listener.iter_mut().for_each(|listener| listener.stderr_passed(lines));
            }
        }
    }

    fn line(&mut self, rules: &OutputRules, from: Source, line: &[u8]) {
        rules.line(&mut self.facts, line);
        let headers = match from {
            Source::Stdout => {
                self.listener.iter_mut().for_each(|listener| listener.stdout_line(line));
                &mut self.stdout
            }
            Source::Stderr | Source::Both => {
                self.listener.iter_mut().for_each(|listener| listener.stderr_line(line));
                &mut self.stderr
            }
        };
        if headers.as_mut().is_some_and(|headers| headers.line(line)) {
            self.last_from_stdout = from == Source::Stdout;
        }
    }

    /// The last response of either stream.
    fn response(&mut self) -> Option<Response> {
        let stdout = self.stdout.take().and_then(HttpHeaders::into_last);
        let stderr = self.stderr.take().and_then(HttpHeaders::into_last);
        if self.last_from_stdout { stdout.or(stderr) } else { stderr.or(stdout) }
    }
}

#[cfg(test)]
mod tests;
