//! The record of a run: what a dead letter, a report and a hook hold. Contract D10 to D15.
//!
//! Names follow the Elastic Common Schema where it has one; what is not known is absent, never null. Readers of the
//! file take lines apart for themselves (`dead_letter::fold`), so that fields of later versions survive.

mod bytes;
mod cut;
mod event;
mod history;
mod masked;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use bytes::{Base64, args_of, encode_args, text_and_twin};
pub use event::{Action, Event, EventWhat, Replay};
pub use history::{Attempt, History};
pub use masked::{is_secret, mask, mask_event};

/// The version of the format that this program writes.
pub const VERSION: u32 = 1;

/// A word of a fixed vocabulary: borrowed when written, owned when read, so that unknown words survive a reading.
pub type Word = Cow<'static, str>;

/// `kind` of a dead letter.
pub const DEAD_LETTER: &str = "dead_letter";
/// `kind` of a report on a run, good or bad (D15).
pub const RUN: &str = "run";

/// The record of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// The version of the format.
    pub v: u32,
    /// `dead_letter` or `run`.
    pub kind: Word,
    /// The run's id.
    pub id: String,
    /// When the run ended.
    #[serde(rename = "@timestamp")]
    pub timestamp: String,
    /// Set where secrets were masked: such a letter cannot be replayed (D11).
    #[serde(skip_serializing_if = "is_false")]
    pub redacted: bool,
    /// The name of the job.
    pub job: String,
    /// What every attempt and every replay is told as RETRY_IDEMPOTENCY_KEY.
    pub idempotency_key: String,
    /// The command.
    pub process: Process,
    /// Why the last attempt failed; absent after a success.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// What the last attempt wrote on its standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<Tail>,
    /// What the attempts had as standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<Input>,
    /// What an HTTP server answered to the last attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<Http>,
    /// Recorded variables of the environment (D12).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The same variables, base64, where a value is not UTF-8.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env_b64: BTreeMap<String, Base64>,
    /// The file mode creation mask, octal: `0022`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub umask: String,
    /// How the attempts went.
    pub retry: Retry,
    /// The machine.
    pub host: Name,
    /// Whose process it was.
    pub user: User,
    /// What started the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The program that wrote the record.
    pub agent: Agent,
}

/// The command: what was run, where, and its last end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    /// The arguments, the command first; with replacement characters where they are not UTF-8.
    pub args: Vec<String>,
    /// All arguments, base64, if one is not UTF-8 or if `args` had to be cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args_b64: Option<Vec<Base64>>,
    /// Where it ran.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub working_directory: String,
    /// The same, base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_directory_b64: Option<Base64>,
    /// The exit status of the last attempt, if it exited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// The signal that the last attempt died of: `SIGKILL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

/// Why an attempt failed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Failure {
    /// `exit_code`, `signal`, `timeout`, `spawn` or `output`.
    #[serde(rename = "type")]
    pub kind: Word,
    /// The last line of the standard error, at most 1000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The end of an output.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tail {
    /// Its last bytes as text.
    pub tail: String,
    /// The same, base64, where they are not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail_b64: Option<Base64>,
    /// How much there was in all.
    pub total_bytes: u64,
    /// Whether the tail is less than that.
    pub truncated: bool,
}

impl Tail {
    /// Makes one of the last bytes that were kept and of the number of all.
    pub fn new(tail: &[u8], total_bytes: u64) -> Tail {
        let (text, twin) = text_and_twin(tail);
        Tail { tail: text, tail_b64: twin, total_bytes, truncated: (tail.len() as u64) < total_bytes }
    }
}

/// The standard input of the run (D12). Which fields there are depends on `kind`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Input {
    /// `null`, `not_read`, `file`, `stored` or `not_stored`.
    pub kind: Word,
    /// A file's path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The same, base64, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_b64: Option<Base64>,
    /// Where in the file the run began to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The file's device number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u64>,
    /// The file's inode number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inode: Option<u64>,
    /// The file's size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// The file's time of modification, with all the digits that the system has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtime: Option<String>,
    /// Stored input that is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Stored input that is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b64: Option<Base64>,
    /// The length of the input, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
}

/// What a server said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Http {
    /// The status of the last response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
    /// Its Retry-After, as it stood there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<String>,
}

/// How the attempts went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Retry {
    /// `permanent`, `exhausted`, `deadline`, `retry_after_too_long` or `interrupted`; in a report `succeeded` too; empty
    /// while the run goes on.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub ending: Word,
    /// The status that `retry` itself ended with, as a shell shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// How many attempts were made.
    pub attempts: u64,
    /// How many there could have been; absent where their number was not limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tries: Option<u64>,
    /// When the first attempt began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_attempt_at: Option<String>,
    /// When the last attempt began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_attempt_at: Option<String>,
    /// From the beginning of the run to its end.
    pub elapsed_ms: u64,
    /// The sum of the delays.
    pub waited_ms: u64,
    /// A server asked not to come back before this instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_before: Option<String>,
    /// The options that a replay runs under, by their long names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub policy: BTreeMap<String, Setting>,
    /// The attempts: the first 5 and the last 15 (D14).
    #[serde(skip_serializing_if = "History::is_empty")]
    pub history: History,
}

/// The value of an option in a recorded policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// One value; a switch has `true`.
    One(String),
    /// The values of an option that may be repeated.
    Many(Vec<String>),
}

impl Setting {
    /// Its values.
    pub fn values(&self) -> &[String] {
        match self {
            Setting::One(value) => std::slice::from_ref(value),
            Setting::Many(values) => values,
        }
    }
}

/// A thing with a name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Name {
    /// The name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
}

/// A user of the machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct User {
    /// The numeric id, as text.
    pub id: String,
    /// The login name, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What started a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// `cron`, `systemd`, `github_actions`, `gitlab_ci` or `shell`.
    pub kind: Word,
    /// systemd's INVOCATION_ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invocation_id: Option<String>,
    /// The page of the CI run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_url: Option<String>,
}

/// The program that wrote a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Agent {
    /// Its version.
    pub version: Word,
}

impl Default for Agent {
    fn default() -> Agent {
        Agent { version: Cow::Borrowed(env!("CARGO_PKG_VERSION")) }
    }
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Failure {
    /// Makes one of the kind and of what the command wrote last on its standard error, of which the last line that
    /// is not empty becomes the message, at most 1000 characters of it.
    pub fn new(kind: &'static str, stderr: &[u8]) -> Failure {
        let text = String::from_utf8_lossy(stderr);
        // A progress meter writes over its line: what stands last is the message.
        let line = text.rsplit(['\n', '\r']).map(str::trim).find(|line| !line.is_empty());
        Failure { kind: Cow::Borrowed(kind), message: line.map(|line| line.chars().take(1000).collect()) }
    }
}

impl Record {
    /// The record without what was written and without the attempts: what still fits in one line of a log (D3).
    pub fn without_details(&self) -> Record {
        let mut record = Record { stderr: None, ..self.clone() };
        record.retry.history = History::default();
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_speaks_of_masking_only_where_something_was_masked() {
        let says = |redacted| String::from_utf8(Record { redacted, ..Record::default() }.to_line()).unwrap();
        assert!(says(true).contains(r#""redacted":true"#));
        assert!(!says(false).contains("redacted"));
    }

    #[test]
    fn one_value_of_an_option_reads_as_a_list_of_one() {
        assert_eq!(Setting::One("a".into()).values(), ["a"]);
        assert_eq!(Setting::Many(vec!["a".into(), "b".into()]).values(), ["a", "b"]);
    }

    #[test]
    fn a_record_for_a_log_has_all_but_the_output_and_the_attempts() {
        let small = Record { id: "x".into(), ..Record::default() };
        let mut record = Record { stderr: Some(Tail::new(b"busy", 4)), ..small.clone() };
        record.retry.history.push(Attempt::default());
        assert_eq!(record.without_details(), small);
    }

    #[test]
    fn an_output_says_when_it_is_not_whole() {
        assert!(!Tail::new(b"busy", 4).truncated);
        assert!(Tail::new(b"busy", 5).truncated);
    }
}
