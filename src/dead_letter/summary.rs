//! What folding needs of a line, borrowed from it, and nothing else. Contract D22, D35.

use std::borrow::Cow;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::scan::Line;
use crate::record::{Action, DEAD_LETTER, VERSION};

/// What a line of the file is.
#[derive(Debug)]
pub enum Reading<'a> {
    /// A dead letter.
    Letter(Box<LetterHead<'a>>),
    /// Something that happened to one.
    Event(EventHead<'a>),
    /// Nothing: an empty line, or the beginning of one that a writer is just writing.
    Nothing,
    /// Something that this program cannot read.
    Unreadable(Fault),
}

/// Why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It begins like a line of ours but breaks off: its writer was killed.
    Torn,
    /// It is not JSON.
    NotJson,
    /// It is JSON, but none of ours.
    Foreign,
    /// It is of a later version of the format.
    UnknownVersion(u64),
    /// It is of this version but neither a letter nor an event that this program knows.
    UnknownKind,
    /// It is longer than 64 MiB.
    TooLong,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Torn => f.write_str("torn: it breaks off"),
            Fault::NotJson => f.write_str("not JSON"),
            Fault::Foreign => f.write_str("foreign: JSON, but no dead letter and no event"),
            Fault::UnknownVersion(version) => write!(f, "written by a later version (v {version})"),
            Fault::UnknownKind => f.write_str("of an unknown kind"),
            Fault::TooLong => f.write_str("longer than 64 MiB"),
        }
    }
}

/// The head of a letter.
#[derive(Debug)]
pub struct LetterHead<'a> {
    /// Its id.
    pub id: Cow<'a, str>,
    /// When its run ended.
    pub timestamp: Cow<'a, str>,
    /// The job's name.
    pub job: Cow<'a, str>,
    /// Equal for letters of the same arguments and directory.
    pub command: u64,
    /// The last exit status, if the last attempt exited.
    pub exit_code: Option<u8>,
    /// The signal that the last attempt died of.
    pub signal: Option<Cow<'a, str>>,
    /// The kind of the last failure.
    pub error: Cow<'a, str>,
    /// How the run ended.
    pub ending: Cow<'a, str>,
    /// How many attempts it made.
    pub attempts: u64,
    /// Not to be replayed before.
    pub not_before: Option<Cow<'a, str>>,
}

/// The head of an event.
#[derive(Debug)]
pub struct EventHead<'a> {
    /// The letter's id.
    pub reference: Cow<'a, str>,
    /// What happened.
    pub action: Action,
    /// When.
    pub timestamp: Cow<'a, str>,
    /// How a replay ended.
    pub ending: Option<Cow<'a, str>>,
    /// Not to be replayed before.
    pub not_before: Option<Cow<'a, str>>,
}

/// Reads a line.
pub fn read<'a>(line: &Line<'a>) -> Reading<'a> {
    if line.too_long {
        return Reading::Unreadable(Fault::TooLong);
    }
    if line.bytes.iter().all(u8::is_ascii_whitespace) {
        return Reading::Nothing;
    }
    let head: Head = match serde_json::from_slice(line.bytes) {
        Ok(head) => head,
        Err(_) if !line.ended => return Reading::Nothing,
        Err(error) => return Reading::Unreadable(fault(line.bytes, &error)),
    };
    match sort(head) {
        Ok(reading) => reading,
        Err(fault) => Reading::Unreadable(fault),
    }
}

fn fault(bytes: &[u8], error: &serde_json::Error) -> Fault {
    match error.classify() {
        serde_json::error::Category::Eof if bytes.starts_with(b"{\"v\":") => Fault::Torn,
        // A text or a number is no object, whatever follows it.
        serde_json::error::Category::Data if !is_json(bytes) => Fault::NotJson,
        serde_json::error::Category::Data => later_version(bytes).unwrap_or(Fault::Foreign),
        _ => Fault::NotJson,
    }
}

/// A later version may have other types in the fields of ours.
fn later_version(bytes: &[u8]) -> Option<Fault> {
    #[derive(serde::Deserialize)]
    struct Version {
        v: u64,
    }
    let version = serde_json::from_slice::<Version>(bytes).ok()?.v;
    (version != u64::from(VERSION)).then_some(Fault::UnknownVersion(version))
}

fn sort(head: Head<'_>) -> Result<Reading<'_>, Fault> {
    let (Some(version), Some(kind)) = (head.v, &head.kind) else { return Err(Fault::Foreign) };
    if version != u64::from(VERSION) {
        return Err(Fault::UnknownVersion(version));
    }
    if kind == DEAD_LETTER {
        let (Some(id), Some(process)) = (head.id, head.process) else { return Err(Fault::Foreign) };
        if !crate::ulid::is_id(&id) {
            return Err(Fault::Foreign);
        }
        let retry = head.retry.unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        (process.args.0, process.working_directory).hash(&mut hasher);
        return Ok(Reading::Letter(Box::new(LetterHead {
            id,
            timestamp: head.timestamp.unwrap_or_default(),
            job: head.job.unwrap_or_default(),
            command: hasher.finish(),
            exit_code: process.exit_code,
            signal: process.signal,
            error: head.error.and_then(|error| error.kind).unwrap_or_default(),
            ending: retry.ending.unwrap_or_default(),
            attempts: retry.attempts.unwrap_or_default(),
            not_before: retry.not_before,
        })));
    }
    if kind == "event" {
        let (Some(reference), Some(what)) = (head.reference, head.event) else { return Err(Fault::Foreign) };
        let action = Action::from_name(&what.action).ok_or(Fault::UnknownKind)?;
        let replay = head.replay.unwrap_or_default();
        return Ok(Reading::Event(EventHead {
            reference,
            action,
            timestamp: head.timestamp.unwrap_or_default(),
            ending: replay.ending,
            not_before: replay.not_before,
        }));
    }
    Err(Fault::UnknownKind)
}

#[derive(serde::Deserialize)]
struct Head<'a> {
    v: Option<u64>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "ref")]
    reference: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "@timestamp")]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    job: Option<Cow<'a, str>>,
    #[serde(borrow)]
    process: Option<ProcessHead<'a>>,
    #[serde(borrow)]
    error: Option<ErrorHead<'a>>,
    #[serde(borrow)]
    retry: Option<RetryHead<'a>>,
    #[serde(borrow)]
    event: Option<WhatHead<'a>>,
    #[serde(borrow)]
    replay: Option<RetryHead<'a>>,
}

#[derive(serde::Deserialize)]
struct ProcessHead<'a> {
    #[serde(default)]
    args: Hashed,
    #[serde(borrow)]
    working_directory: Option<Cow<'a, str>>,
    exit_code: Option<u8>,
    #[serde(borrow)]
    signal: Option<Cow<'a, str>>,
}

#[derive(serde::Deserialize)]
struct ErrorHead<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
}

#[derive(Default, serde::Deserialize)]
struct RetryHead<'a> {
    #[serde(borrow)]
    ending: Option<Cow<'a, str>>,
    attempts: Option<u64>,
    #[serde(borrow)]
    not_before: Option<Cow<'a, str>>,
}

#[derive(serde::Deserialize)]
struct WhatHead<'a> {
    #[serde(borrow)]
    action: Cow<'a, str>,
}

/// The hash of a list of texts, taken while it is parsed.
#[derive(Default)]
struct Hashed(u64);

impl<'de> Deserialize<'de> for Hashed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hashed, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Hashed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of arguments")
            }
            fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Hashed, S::Error> {
                let mut hasher = DefaultHasher::new();
                while let Some(item) = list.next_element::<Item>()? {
                    item.0.hash(&mut hasher);
                }
                Ok(Hashed(hasher.finish()))
            }
        }
        deserializer.deserialize_seq(List)
    }
}

/// The hash of one text.
struct Item(u64);

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Item, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Item;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an argument")
            }
            fn visit_str<E>(self, text: &str) -> Result<Item, E> {
                let mut hasher = DefaultHasher::new();
                text.hash(&mut hasher);
                Ok(Item(hasher.finish()))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// Whether a line is one JSON value, whatever it holds; for `verify`, which reads every byte.
pub fn is_json(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}
