//! The presets: data, to be read and corrected by people who know the tools.
//!
//! Rules follow what the tools were seen to do against a server on loopback (docs/presets.md), and where that could not be
//! seen, their documents. A text is a piece of a line in any case of letters, `#` is a digit.

mod backup;
mod packages;
mod services;
mod transfer;

use super::{From, Preset, Texts};
use crate::code_set::ExitSet;
use crate::policy::Verdict;

/// A preset without a rule, to fill up from.
const NONE: Preset = Preset {
    name: "",
    commands: &[],
    retry: ExitSet::EMPTY,
    success: ExitSet::EMPTY,
    texts: &[],
    http: None,
    ambiguous: ExitSet::EMPTY,
    translated: false,
    silencers: &[],
    empty_words: None,
    advice: None,
    sureness: "",
    source: "",
    note: "",
    own_retries: "",
};

const fn retry_on(statuses: &[u8], any_of: &'static [&'static str]) -> Texts {
    Texts { on: ExitSet::of(statuses), verdict: Verdict::Retryable, from: From::Stderr, any_of }
}

const SYSEXITS: Preset = Preset {
    name: "sysexits",
    retry: ExitSet::of(&[75]),
    sureness: "A",
    source: "sysexits.h(3head): EX_TEMPFAIL invites to try again, 64 to 74 and 76 to 78 are for good",
    note: "For programs that keep to sysexits.h: mail programs above all.",
    ..NONE
};

const QMAIL: Preset = Preset {
    name: "qmail",
    retry: ExitSet::of(&[111]),
    success: ExitSet::of(&[99]),
    sureness: "A",
    source: "qmail-command(8): 111 is a soft error, 100 a hard one, 99 success that ends the file",
    note: "For programs in the manner of qmail, daemontools and s6.",
    ..NONE
};

/// All presets, in the order in which they are listed.
pub const PRESETS: &[&Preset] = &[
    &SYSEXITS,
    &QMAIL,
    &transfer::CURL,
    &transfer::WGET,
    &transfer::RSYNC,
    &transfer::SSH,
    &transfer::GIT,
    &services::AWS,
    &services::PSQL,
    &services::PG_DUMP,
    &services::DOCKER,
    &services::KUBECTL,
    &packages::APT,
    &packages::PIP,
    &packages::NPM,
    &backup::RESTIC,
    &backup::BORG,
    &backup::RCLONE,
    &backup::S3CMD,
    &services::ANSIBLE,
];
