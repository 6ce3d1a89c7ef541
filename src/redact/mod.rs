//! Masks secrets in everything that is shown. Contract D13.
//!
//! A record holds the real arguments, because a replay needs them; what people, logs and hooks get to see goes through a
//! [`Redactor`]. It knows secrets by the names they stand under (`words`), finds them in arguments and in text (`scan`),
//! and masks what it found in the arguments wherever else it turns up (`values`). When in doubt it masks: a word too much
//! is a nuisance, a word too few is a leak. Its time is linear in what it reads.

mod arguments;
mod scan;
mod shell;
mod values;
mod words;

use std::ffi::{OsStr, OsString};
use std::ops::Range;

use regex_lite::Regex;

use self::scan::Place;
use self::values::Values;
pub use self::words::is_secret_name;

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// Masks what the arguments of one command, its messages and its output give away.
#[derive(Debug)]
pub struct Redactor {
    args: Vec<String>,
    values: Values,
    extra: Vec<Regex>,
}

impl Redactor {
    /// A redactor for a command; `extra` are the expressions of `--redact`, whose whole match is masked.
    ///
    /// Bytes of the arguments that are not UTF-8 are taken as replacement characters.
    pub fn new(args: &[OsString], extra: &[Regex]) -> Redactor {
        let texts: Vec<String> = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let mut values = Values::default();
        let mut found: Vec<Vec<Range<usize>>> = arguments::secrets(&texts);
        for (text, ranges) in texts.iter().zip(&mut found) {
            ranges.extend(matches(extra, text));
            ranges.iter().for_each(|range| values.add(&text[range.clone()]));
        }
        values.seal();
        let args = texts
            .iter()
            .zip(found)
            .map(|(text, mut ranges)| {
                values.find(text, &mut ranges);
                masked(text, ranges)
            })
            .collect();
        Redactor { args, values, extra: extra.to_vec() }
    }

    /// The arguments, masked; as many as were given.
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// A text of the command or about it, masked: by the same rules as the arguments, and every value that was masked
    /// in the arguments is masked here too.
    pub fn text(&self, text: &str) -> String {
        let mut ranges = scan::secrets(text, Place::Text);
        arguments::printed(text, &mut ranges);
        self.values.find(text, &mut ranges);
        ranges.extend(matches(&self.extra, text));
        masked(text, ranges)
    }
}

/// Whether a word could hold a secret for all that its letters say: none is found where none of these signs stands. Cheaper
/// than a [`Redactor`], for every run.
pub fn may_hold_secret(word: &OsStr) -> bool {
    word.as_encoded_bytes().iter().any(|b| matches!(b, b'=' | b':') || b.is_ascii_whitespace())
}

/// What the expressions match, but for empty matches.
fn matches(extra: &[Regex], text: &str) -> Vec<Range<usize>> {
    let found = extra.iter().flat_map(|expression| expression.find_iter(text).map(|found| found.range()));
    found.filter(|range| !range.is_empty()).collect()
}

/// The text with each of the ranges masked; ranges that overlap or touch become one.
fn masked(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut ends_masked = false;
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        if range.start > at || !ends_masked {
            out.push_str(&text[at.min(range.start)..range.start]);
            out.push_str(MASK);
        }
        at = at.max(range.end);
        ends_masked = true;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests;
