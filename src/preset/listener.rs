//! Listens to what a tool prints during one attempt and says what its status means. Contract P1.

use super::{From, Hearing, Preset};
use crate::http_headers::Response;
use crate::pattern::{self, Patterns};
use crate::policy::Verdict;

/// How much of a line is looked at: errors stand at the beginning, and lines of data may be long.
const LONGEST_LINE: usize = 4096;

/// What a preset says about an attempt that has exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// What its status means; `None` where the preset has no rule, which leaves the default.
    pub verdict: Option<Verdict>,
    /// What is to be told, once a run: the text that decides could not be there.
    pub warning: Option<String>,
}

/// Hears one attempt, line by line, in a fixed amount of memory.
#[derive(Debug)]
pub struct Listener {
    preset: &'static Preset,
    patterns: Patterns,
    /// What each pattern tells.
    tells: Vec<Tells>,
    /// For each of the preset's texts whether one of its patterns was seen.
    seen: Vec<bool>,
    /// The HTTP status that an error named.
    named: Option<u16>,
    /// Whether standard error had a line that is not empty.
    heard: bool,
    /// Whether the tool's empty words were seen.
    empty: bool,
}

/// What a pattern is there for.
#[derive(Clone, Copy, Debug)]
enum Tells {
    /// It is one of the preset's texts of this number.
    Texts(usize),
    /// It names an HTTP status.
    Status,
    /// It says nothing.
    Nothing,
}

/// The patterns of a preset, and what each tells.
fn told(preset: &'static Preset) -> impl Iterator<Item = (&'static str, Tells)> {
    let texts = preset.texts.iter().enumerate();
    let texts = texts.flat_map(|(number, texts)| texts.any_of.iter().map(move |text| (*text, Tells::Texts(number))));
    let status = preset.http.iter().map(|http| (http.named, Tells::Status));
    let nothing = preset.empty_words.iter().map(|words| (words.text, Tells::Nothing));
    texts.chain(status).chain(nothing)
}

/// The patterns of a preset: of a line that has none it is only heard that it is there.
pub fn patterns(preset: &'static Preset) -> impl Iterator<Item = &'static str> {
    told(preset).map(|(pattern, _)| pattern)
}

impl Listener {
    /// Begins to listen for a preset.
    pub fn new(preset: &'static Preset) -> Listener {
        let (patterns, tells): (Vec<&str>, Vec<Tells>) = told(preset).unzip();
        Listener {
            preset,
            patterns: Patterns::new(patterns.into_iter()),
            tells,
            seen: vec![false; preset.texts.len()],
            named: None,
            heard: false,
            empty: false,
        }
    }

    /// Lines of standard error were passed over that have none of the preset's patterns.
    pub fn stderr_passed(&mut self, lines: &[u8]) {
        self.heard = self.heard || !lines.iter().all(u8::is_ascii_whitespace);
    }

    /// Looks at one line of standard error, or of both streams where they are one.
    pub fn stderr_line(&mut self, line: &[u8]) {
        self.heard = self.heard || !line.trim_ascii().is_empty();
        self.line(line, true);
    }

    /// Looks at one line of standard output.
    pub fn stdout_line(&mut self, line: &[u8]) {
        self.line(line, false);
    }

    fn line(&mut self, line: &[u8], is_stderr: bool) {
        let line = &line[..line.len().min(LONGEST_LINE)];
        let Listener { preset, patterns, tells, seen, named, empty, .. } = self;
        patterns.find(line, |number, at| match tells[number] {
            Tells::Texts(texts) => seen[texts] |= is_stderr || preset.texts[texts].from == From::Either,
            Tells::Status if is_stderr => {
                *named = preset.http.as_ref().and_then(|http| pattern::number(line, at, http.named)).or(*named);
            }
            Tells::Nothing if is_stderr => *empty = true,
            Tells::Status | Tells::Nothing => {}
        });
    }

    /// The HTTP status that an error named, for the record where no headers were seen.
    pub fn named_status(&self) -> Option<u16> {
        self.named
    }

    /// Says what an exit status means.
    ///
    /// `http` is the status of the last response whose headers were seen. What the tool itself names in its error goes before
    /// it: of several requests another may be the last, and where both streams are one, headers may be those of a body. A
    /// status below 400 explains no failure.
    pub fn judge(&self, status: u8, http: Option<u16>, hearing: Hearing) -> Said {
        let said = |verdict| Said { verdict: Some(verdict), warning: None };
        let preset = self.preset;
        // Success is exit 0's own; what was not started is never a tool's (P1).
        if matches!(status, 0 | 126 | 127) {
            return Said { verdict: None, warning: None };
        }
        if preset.success.contains(status) {
            return said(Verdict::Success);
        }
        let is_seen = |verdict| {
            let mut texts = preset.texts.iter().zip(&self.seen);
            texts.any(|(texts, seen)| *seen && texts.verdict == verdict && texts.on.contains(status))
        };
        if is_seen(Verdict::Permanent) {
            return said(Verdict::Permanent);
        }
        if preset.retry.contains(status) || is_seen(Verdict::Retryable) {
            return said(Verdict::Retryable);
        }
        if let Some(rule) = preset.http.as_ref().filter(|http| http.on.contains(status)) {
            return match self.named.or(http.filter(|status| *status >= 400)) {
                Some(http) if Response::is_transient(http) => said(Verdict::Retryable),
                Some(_) => said(Verdict::Permanent),
                None if hearing.blind => self.for_want_of_hearing(status),
                None => self.for_want_of_text(status, "no HTTP status of a failure was seen", rule.cure),
            };
        }
        let asks_text =
            preset.texts.iter().any(|texts| texts.verdict == Verdict::Retryable && texts.on.contains(status));
        if asks_text && hearing.blind {
            return self.for_want_of_hearing(status);
        }
        if asks_text && preset.translated && !hearing.english {
            return self.for_want_of_text(status, "its messages are not in English", "set LC_ALL=C");
        }
        if asks_text && hearing.silenced && !self.heard {
            return self.for_want_of_text(status, "it was told to be silent", "let it print its errors");
        }
        if let Some(words) = preset.empty_words.as_ref().filter(|_| asks_text && self.empty && !hearing.talkative) {
            return self.for_want_of_text(status, "it says the same of every failure", words.cure);
        }
        said(Verdict::Permanent)
    }

    fn for_want_of_hearing(&self, status: u8) -> Said {
        self.for_want_of_text(status, "its messages were not seen", "leave out --output inherit")
    }

    fn for_want_of_text(&self, status: u8, why: &str, cure: &str) -> Said {
        let name = self.preset.name;
        let warning = format!("preset {name}: {why}, so exit status {status} counts as retryable; {cure}");
        Said { verdict: Some(Verdict::Retryable), warning: Some(warning) }
    }
}
