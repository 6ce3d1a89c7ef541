//! The attempts of a run: the first 5 and the last 15, so that a run without end has a record with one. Contract D14.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize, Serializer};

use super::Word;

/// How many of the first attempts stay.
const FIRST: usize = 5;
/// How many of the last attempts stay.
const LAST: usize = 15;

/// One attempt, as the history has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attempt {
    /// Its number, from 1.
    pub attempt: u64,
    /// When it began.
    pub started_at: String,
    /// How long it took.
    pub duration_ms: u64,
    /// Its exit status, if it exited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// The signal it died of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// What kind of failure it was, as in `error.type`; absent after a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Word>,
    /// `success`, `retryable` or `permanent`.
    pub verdict: Word,
    /// The delay after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// `backoff` or `retry_after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_source: Option<Word>,
}

/// The first 5 and the last 15 attempts of a run, in their order.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Vec<Attempt>")]
pub struct History(VecDeque<Attempt>);

impl History {
    /// Adds the next attempt; in the middle of a long history one makes room for it.
    pub fn push(&mut self, attempt: Attempt) {
        if self.0.len() == FIRST + LAST {
            self.0.remove(FIRST);
        }
        self.0.push_back(attempt);
    }

    /// The last attempt, to add the delay that followed it.
    pub fn last_mut(&mut self) -> Option<&mut Attempt> {
        self.0.back_mut()
    }

    /// The attempts that stayed, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Attempt> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Vec<Attempt>> for History {
    fn from(attempts: Vec<Attempt>) -> History {
        History(attempts.into())
    }
}

impl Serialize for History {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_history_keeps_its_first_five_and_its_last_fifteen() {
        let mut history = History::default();
        (1..=100).for_each(|attempt| history.push(Attempt { attempt, ..Attempt::default() }));
        let kept: Vec<u64> = history.iter().map(|attempt| attempt.attempt).collect();
        assert_eq!(kept, [1, 2, 3, 4, 5, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100]);
    }

    #[test]
    fn what_follows_the_last_attempt_is_added_to_it() {
        let mut history = History::default();
        assert!(history.is_empty() && history.last_mut().is_none());
        (1..=2).for_each(|attempt| history.push(Attempt { attempt, ..Attempt::default() }));
        history.last_mut().unwrap().delay_ms = Some(7);
        assert!(history.iter().map(|attempt| (attempt.attempt, attempt.delay_ms)).eq([(1, None), (2, Some(7))]));
        assert!(!history.is_empty());
    }

    #[test]
    fn a_history_of_twenty_is_whole() {
        let mut history = History::default();
        (1..=20).for_each(|attempt| history.push(Attempt { attempt, ..Attempt::default() }));
        assert!(history.iter().map(|attempt| attempt.attempt).eq(1..=20));
    }
}
