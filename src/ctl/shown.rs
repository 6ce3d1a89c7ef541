//! Records as they may be shown: with secrets masked, unless everything is to be revealed. Contract D13.

use std::collections::BTreeMap;
use std::ffi::OsString;

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::world::World;
use crate::record::{self, Record, Setting};
use crate::redact::Redactor;

/// What is masked in what is shown.
pub struct Mask {
    /// `None` with `--reveal`.
    extra: Option<Vec<Regex>>,
}

/// What a row of a list needs of a line beyond what the fold knows.
#[derive(Default)]
pub struct Head {
    /// The last error, masked.
    pub message: Option<String>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct LineHead {
    process: Args,
    error: Option<record::Failure>,
    env: BTreeMap<String, String>,
    retry: Policy,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Args {
    args: Vec<String>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct Policy {
    policy: RedactSetting,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct RedactSetting {
    redact: Option<Setting>,
}

impl Mask {
    /// Nothing with `reveal`; else what D13 names and what RETRY_DEFAULT_REDACT adds.
    pub fn read(reveal: bool, world: &World<'_>) -> Mask {
        let own = || {
            let extra = world.variable("RETRY_DEFAULT_REDACT");
            // A bad expression is an error where runs are made; here it would only keep letters from being seen.
            extra.and_then(|text| Regex::new(text.to_str()?).ok()).into_iter().collect()
        };
        Mask { extra: (!reveal).then(own) }
    }

    /// Whether everything is shown.
    pub fn reveals(&self) -> bool {
        self.extra.is_none()
    }

    /// A masker for one record's texts; `None` where nothing is masked.
    pub fn redactor_of(&self, record: &Record) -> Option<Redactor> {
        self.redactor(&record::args_of(&record.process), record.retry.policy.get("redact"), &record.env)
    }

    /// The same for its parts: the expressions that the run was given, and secrets among its variables, are masked too.
    fn redactor(
        &self,
        args: &[OsString],
        redact: Option<&Setting>,
        env: &BTreeMap<String, String>,
    ) -> Option<Redactor> {
        let mut extra = self.extra.clone()?;
        let recorded = redact.map(Setting::values).unwrap_or_default();
        extra.extend(recorded.iter().filter_map(|text| Regex::new(text).ok()));
        let secrets = env.iter().filter(|(name, value)| record::is_secret(name, value));
        extra.extend(secrets.filter_map(|(_, value)| Regex::new(&regex_lite::escape(value)).ok()));
        Some(Redactor::new(args, &extra))
    }

    /// The record of a line as it may be shown, unknown fields included; `None` if it is no object. So are the events of
    /// its letter.
    pub fn value(&self, line: &[u8], events: &mut [Map<String, Value>]) -> Option<Map<String, Value>> {
        let mut value = serde_json::from_slice::<Map<String, Value>>(line).ok()?;
        let record = serde_json::from_slice::<Record>(line).unwrap_or_default();
        if let Some(redactor) = self.redactor_of(&record) {
            record::mask(&mut value, &redactor);
            events.iter_mut().for_each(|event| record::mask_event(event, &redactor));
        }
        Some(value)
    }
}

impl Head {
    /// Reads it from a line.
    pub fn read(line: &[u8], mask: &Mask) -> Head {
        let head: LineHead = serde_json::from_slice(line).unwrap_or_default();
        let Some(message) = head.error.and_then(|error| error.message) else { return Head::default() };
        let args: Vec<OsString> = head.process.args.into_iter().map(OsString::from).collect();
        let message = match mask.redactor(&args, head.retry.policy.redact.as_ref(), &head.env) {
            Some(redactor) => redactor.text(&message),
            None => message,
        };
        Head { message: Some(message) }
    }
}
