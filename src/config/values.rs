//! The values of options, read into types; each error names the option or the variable.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::cli::settings::{Setting, Settings};
use crate::cli::spec::Opt;
use crate::cli::usage_error::UsageError;
use crate::preset::Preset;
use crate::{duration, size};

/// Reads one value by `read`.
fn one<T, E: Display>(
    settings: &Settings<'_>,
    opt: Opt,
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<Option<T>, UsageError> {
    settings.one(opt).map(|setting| value(&setting, &read)).transpose()
}

fn value<T, E: Display>(setting: &Setting, read: impl Fn(&str) -> Result<T, E>) -> Result<T, UsageError> {
    read(setting.text()?).map_err(|error| UsageError::value(setting, error))
}

pub(super) fn text(settings: &Settings<'_>, opt: Opt) -> Result<Option<String>, UsageError> {
    let filled = |text: &str| match text.is_empty() {
        true => Err("expected some text"),
        false if text.contains('\0') => Err("expected text without a NUL"),
        false => Ok(text.to_owned()),
    };
    one(settings, opt, filled)
}

/// How the names of a step's outputs may begin: whatever else stands in GITHUB_OUTPUT would be another output, or none.
pub(super) fn name_start(settings: &Settings<'_>, opt: Opt) -> Result<Option<String>, UsageError> {
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
    };
    let named = |text: &str| match is_name(text) {
        true => Ok(text.to_owned()),
        false => Err("expected letters, digits, _ and -, and no digit or - first"),
    };
    one(settings, opt, named)
}

pub(super) fn path(settings: &Settings<'_>, opt: Opt) -> Result<Option<PathBuf>, UsageError> {
    match settings.one(opt) {
        Some(setting) if setting.value.is_empty() => Err(UsageError::value(&setting, "expected a path")),
        setting => Ok(setting.map(|setting| super::to_path(setting.value))),
    }
}

pub(super) fn duration(settings: &Settings<'_>, opt: Opt) -> Result<Option<Duration>, UsageError> {
    one(settings, opt, duration::parse)
}

pub(super) fn size(settings: &Settings<'_>, opt: Opt) -> Result<Option<u64>, UsageError> {
    one(settings, opt, size::parse)
}

/// The whole schedule of `--delays`; never empty.
pub(super) fn delays(settings: &Settings<'_>) -> Result<Option<Vec<Duration>>, UsageError> {
    let list = |text: &str| text.split(',').map(duration::parse).collect::<Result<Vec<_>, _>>();
    one(settings, Opt::Delays, |text| list(text).map_err(|error| format!("{error}, each between commas")))
}

/// At least 1; `None` is `unlimited`, and 6 the default.
pub(super) fn max_tries(settings: &Settings<'_>) -> Result<Option<u32>, UsageError> {
    let read = |text: &str| match text {
        "unlimited" => Ok(None),
        _ if text.bytes().all(|b| b.is_ascii_digit()) => match text.parse() {
            Ok(0) | Err(_) => Err("expected a number from 1 to 4294967295, or unlimited"),
            Ok(tries) => Ok(Some(tries)),
        },
        _ => Err("expected a number from 1, or unlimited"),
    };
    Ok(one(settings, Opt::MaxTries, read)?.unwrap_or(Some(6)))
}

/// At least 1; 2 is the default.
pub(super) fn factor(settings: &Settings<'_>) -> Result<f64, UsageError> {
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let read = |text: &str| match text.parse::<f64>() {
        Ok(factor) if factor >= 1.0 && factor.is_finite() && plain(text) => Ok(factor),
        Ok(_) | Err(_) => Err("expected a number of at least 1"),
    };
    Ok(one(settings, Opt::Factor, read)?.unwrap_or(2.0))
}

pub(super) fn seed(settings: &Settings<'_>) -> Result<Option<u64>, UsageError> {
    one(settings, Opt::Seed, |text| {
        text.parse::<u64>().map_err(|_| "expected a whole number from 0 to 18446744073709551615")
    })
}

/// All lists of an option, added up.
pub(super) fn union<S: Default + FromStr<Err: Display>>(
    settings: &Settings<'_>,
    opt: Opt,
    extend: impl Fn(&mut S, S),
) -> Result<S, UsageError> {
    let mut set = S::default();
    for setting in settings.all(opt) {
        extend(&mut set, value(&setting, str::parse)?);
    }
    Ok(set)
}

/// All regular expressions of an option, each found to be valid.
pub(super) fn expressions(settings: &Settings<'_>, opt: Opt) -> Result<Vec<String>, UsageError> {
    let valid = |text: &str| match regex_lite::Regex::new(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(format!("expected a regular expression: {error}")),
    };
    settings.all(opt).iter().map(|setting| value(setting, valid)).collect()
}

/// All names of variables of an option.
pub(super) fn names(settings: &Settings<'_>, opt: Opt) -> Result<Vec<String>, UsageError> {
    let mut names = Vec::new();
    for setting in settings.all(opt) {
        for name in setting.text()?.split(',') {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(UsageError::value(&setting, "expected names of variables, with commas between them"));
            }
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// The name of a preset that exists.
pub(super) fn preset(settings: &Settings<'_>) -> Result<Option<String>, UsageError> {
    one(settings, Opt::Preset, |name| match Preset::named(name) {
        Some(_) => Ok(name.to_owned()),
        None => Err(Preset::unknown(name)),
    })
}
