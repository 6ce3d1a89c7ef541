//! A mistake on the command line or in a variable: one line that says what would be right. Contract R3.

use std::ffi::OsStr;
use std::fmt;

use super::settings::{Origin, Setting};

/// The one line, without the name of the program before it and without a newline after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageError(String);

impl UsageError {
    /// An error in these words.
    pub fn new(text: impl Into<String>) -> UsageError {
        UsageError(text.into())
    }

    /// `invalid value '5x' for --timeout: expected seconds …`; `expected` is what stands after the colon.
    pub fn value(setting: &Setting, expected: impl fmt::Display) -> UsageError {
        UsageError(format!("invalid value {} for {}: {expected}", quoted(&setting.value), setting.name()))
    }

    /// The value is none of the words of its option.
    pub fn choice(setting: &Setting) -> UsageError {
        let words = setting.spec.choices();
        let hint = match nearest(&setting.value.to_string_lossy(), words.iter().copied()) {
            Some(word) => format!("; did you mean {word}?"),
            None => String::new(),
        };
        UsageError::value(setting, format!("expected {}{hint}", one_of(words)))
    }

    /// Two options that cannot stand together.
    pub fn conflict(one: &Setting, other: &Setting, instead: &str) -> UsageError {
        UsageError(format!("{} cannot be given with {}: {instead}", one.name(), other.name()))
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

impl Setting {
    /// `--timeout`, or `RETRY_DEFAULT_TIMEOUT` where the value comes from there.
    pub fn name(&self) -> String {
        match self.origin {
            Origin::Line => self.spec.name(),
            Origin::Environment => self.spec.variable(),
        }
    }

    /// The value as text.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub fn text(&self) -> Result<&str, UsageError> {
        self.value.to_str().ok_or_else(|| UsageError::value(self, "expected text in UTF-8"))
    }
}

/// Something a user typed, between quotes, on one line, at most 80 characters of it.
pub fn quoted(text: &OsStr) -> String {
    const MOST: usize = 80;
    let text = text.to_string_lossy();
    let mut shown = String::from("'");
    for (i, c) in text.chars().enumerate() {
        if i == MOST {
            shown.push('…');
            break;
        }
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown.push('\'');
    shown
}

/// `full, equal or none`.
pub fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// The candidate that somebody who typed `word` may have meant: the only one that begins so, else the most similar.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if word.is_empty() {
        return None;
    }
    let mut begins = candidates.clone().filter(|candidate| candidate.starts_with(word));
    if let (Some(only), None) = (begins.next(), begins.next()) {
        return Some(only);
    }
    candidates
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.84)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
