//! Completions for bash, zsh and fish, from the tables of options; they also complete the command that is wrapped.
//!
//! Only tests call this, so the linker leaves it out of the programs.

pub mod bash;
pub mod fish;
pub mod zsh;

use super::spec::{Spec, Takes, Value};
use super::table;
use super::verbs::{VERBS, VerbSpec};
use crate::code_set::SYSEXITS;
use crate::preset::PRESETS;
use crate::signal::Signal;

/// What stands on the first line of every file.
const ORIGIN: &str = "Generated from the table of options: RETRY_BLESS=1 cargo test --test all docs::";

/// The shell command that prints the ids of open letters.
const IDS: &str = "retryctl dead-letter list --format ids 2>/dev/null";

/// Names of signals without SIG, by number.
fn signals() -> Vec<String> {
    (1..32)
        .filter_map(Signal::from_number)
        .map(|signal| signal.to_string().trim_start_matches("SIG").to_owned())
        .collect()
}

/// Names of presets.
fn presets() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// Names of sysexits.h.
fn exits() -> Vec<&'static str> {
    SYSEXITS.iter().map(|(name, _)| *name).filter(|name| *name != "EX_OK").collect()
}

/// The kind of value that an option takes, if any.
fn value(spec: &Spec) -> Option<Value> {
    match spec.takes {
        Takes::Nothing => None,
        Takes::Value(value) | Takes::Maybe(value) => Some(value),
    }
}

/// `--name` and `-n`, as far as the option has them.
fn names(spec: &Spec) -> Vec<String> {
    let long = (!spec.long.is_empty()).then(|| format!("--{}", spec.long));
    long.into_iter().chain(spec.short.map(|letter| format!("-{letter}"))).collect()
}

/// The options of a verb, help included.
fn options_of(verb: &VerbSpec) -> Vec<&'static Spec> {
    verb.options.iter().map(|opt| table::spec(*opt)).chain(table::CTL_ABOUT.options).collect()
}

/// The first words of verbs, each once.
fn nouns() -> Vec<&'static str> {
    let mut nouns: Vec<&str> = VERBS.iter().map(|verb| verb.words[0]).collect();
    nouns.dedup();
    nouns
}

/// What a noun is about, for a description.
fn about_noun(noun: &str) -> &'static str {
    match noun {
        "dead-letter" => "records of runs that ended badly",
        "preset" => "what the exit statuses of common tools mean",
        _ => VERBS.iter().find(|verb| verb.words == [noun]).map_or("", |verb| verb.help),
    }
}
