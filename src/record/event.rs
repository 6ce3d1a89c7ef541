//! A change of a letter's state: one more line that refers to it. Contract D22.

use serde::{Deserialize, Serialize};

use super::{Agent, Failure, Name, User, VERSION, Word};

/// What can happen to a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A replay took it and is about to start the command.
    ReplayStarted,
    /// A replay ended well.
    ReplaySucceeded,
    /// A replay ended badly.
    ReplayFailed,
    /// Somebody does not want it any more.
    Discarded,
    /// Somebody wants it after all.
    Restored,
}

impl Action {
    /// The word for it in the file.
    pub fn name(self) -> &'static str {
        match self {
            Action::ReplayStarted => "replay_started",
            Action::ReplaySucceeded => "replay_succeeded",
            Action::ReplayFailed => "replay_failed",
            Action::Discarded => "discarded",
            Action::Restored => "restored",
        }
    }

    /// The action of a word; `None` for one that a later version may know.
    pub fn from_name(name: &str) -> Option<Action> {
        Some(match name {
            "replay_started" => Action::ReplayStarted,
            "replay_succeeded" => Action::ReplaySucceeded,
            "replay_failed" => Action::ReplayFailed,
            "discarded" => Action::Discarded,
            "restored" => Action::Restored,
            _ => return None,
        })
    }
}

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Event {
    /// The version of the format.
    pub v: u32,
    /// `event`.
    pub kind: Word,
    /// The id of the letter.
    #[serde(rename = "ref")]
    pub reference: String,
    /// When it happened.
    #[serde(rename = "@timestamp")]
    pub timestamp: String,
    /// What happened.
    pub event: EventWhat,
    /// How the replay went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
    /// Why its last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Who did it.
    pub user: User,
    /// Where.
    pub host: Name,
    /// With what.
    pub agent: Agent,
}

/// What happened, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventWhat {
    /// The action's name.
    pub action: Word,
    /// Why, in the words of who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One replay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Replay {
    /// Its number, from 1: what the command is told as RETRY_REPLAY.
    pub number: u64,
    /// How it ended, as `retry.ending` of a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Word>,
    /// How many attempts it made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u64>,
    /// Its exit status, as a shell shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ms: Option<u64>,
    /// A server asked not to come back before this instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_before: Option<String>,
}

impl Event {
    /// Makes an event that happened at this instant to the letter of this id.
    pub fn new(action: Action, reference: &str, at: std::time::SystemTime) -> Event {
        Event {
            v: VERSION,
            kind: "event".into(),
            reference: reference.to_owned(),
            timestamp: crate::timestamp::format(at),
            event: EventWhat { action: action.name().into(), reason: None },
            ..Event::default()
        }
    }

    /// The event as one line without its newline.
    pub fn to_line(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an event has nothing that JSON cannot hold")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_action_is_known_by_a_word_of_its_own() {
        use Action::*;
        for action in [ReplayStarted, ReplaySucceeded, ReplayFailed, Discarded, Restored] {
            assert_eq!(Action::from_name(action.name()), Some(action));
        }
        assert_eq!(Action::from_name("of a later version"), None);
    }

    #[test]
    fn an_event_is_one_line_and_read_back_from_it() {
        let mut event = Event::new(Action::Discarded, "01ARYZ6S41", std::time::SystemTime::UNIX_EPOCH);
        event.event.reason = Some("two\nlines".into());
        event.replay = Some(Replay { number: 2, exit_code: Some(75), ..Replay::default() });
        let line = event.to_line();
        assert!(!line.contains(&b'\n'));
        assert_eq!(serde_json::from_slice::<Event>(&line).unwrap(), event);
        assert_eq!(event.timestamp, "1970-01-01T00:00:00.000Z");
    }
}
