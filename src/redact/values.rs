//! Finds in a text the values that were masked in the arguments. Contract D13.

use std::collections::HashMap;
use std::ops::Range;

use super::MASK;

/// A value shorter than this is masked only where it is a word of its own: the `1` of `--auth 1` is no part of `127.0.0.1`.
const SHORT: usize = 6;

/// A line of a secret of several lines, such as a key, is a secret of its own from this length on.
const LONG_LINE: usize = 16;

/// The values, by their first byte, the longest first.
#[derive(Debug, Default)]
pub(super) struct Values {
    by_first: HashMap<u8, Vec<String>>,
}

impl Values {
    /// Adds one value; of one that has several lines each long line as well, for it may be printed so.
    pub(super) fn add(&mut self, value: &str) {
        let value = value.trim();
        if value.contains('\n') {
            value.lines().map(str::trim).filter(|line| line.len() >= LONG_LINE).for_each(|line| self.insert(line));
        }
        self.insert(value);
    }

    fn insert(&mut self, value: &str) {
        if let Some(first) = value.bytes().next()
            && value != MASK
        {
            self.by_first.entry(first).or_default().push(value.to_string());
        }
    }

    /// Brings the values into the order in which they are looked for. To be called after the last was added.
    pub(super) fn seal(&mut self) {
        for values in self.by_first.values_mut() {
            values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
            values.dedup();
        }
    }

    /// Adds to the ranges where in the text one of the values stands.
    pub(super) fn find(&self, text: &str, ranges: &mut Vec<Range<usize>>) {
        if self.by_first.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        // Every position is looked at, for values may overlap.
        for at in 0..bytes.len() {
            let values = self.by_first.get(&bytes[at]).map(Vec::as_slice).unwrap_or_default();
            let found = values.iter().find(|value| {
                bytes[at..].starts_with(value.as_bytes())
                    && (value.len() >= SHORT || is_word(bytes, &(at..at + value.len())))
            });
            ranges.extend(found.map(|value| at..at + value.len()));
        }
    }
}

fn is_word(bytes: &[u8], range: &Range<usize>) -> bool {
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80;
    let before = range.start.checked_sub(1).and_then(|before| bytes.get(before));
    !before.is_some_and(is_part) && !bytes.get(range.end).is_some_and(is_part)
}
