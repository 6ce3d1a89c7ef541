//! A record without its secrets: for everything that is shown, uploaded or handed on. Contract D13.
//!
//! It works on JSON rather than on the types, so that fields of later versions are masked and kept, too.

use serde_json::{Map, Value};

use super::Record;
use crate::redact::{MASK, Redactor, is_secret_name};

/// Fields whose texts are made by this program and hold nothing to hide; masking them could only break them.
const OURS: &[&str] = &["v", "kind", "id", "@timestamp", "ref", "state", "started_at", "verdict", "ending"];

impl Record {
    /// The record as JSON without its secrets.
    pub fn masked(&self, redactor: &Redactor) -> Map<String, Value> {
        let mut value = match serde_json::to_value(self) {
            Ok(Value::Object(value)) => value,
            _ => Map::new(),
        };
        mask(&mut value, redactor);
        value
    }

    /// The same as one line without its newline.
    pub fn to_masked_line(&self, redactor: &Redactor) -> Vec<u8> {
        serde_json::to_vec(&self.masked(redactor)).expect("a record has nothing that JSON cannot hold")
    }
}

/// Masks the secrets of a record: its arguments by the rules for arguments, recorded variables and stored input
/// altogether, every other text by the rules for text. Bytes as base64 are left out, and the record says so itself.
pub fn mask(record: &mut Map<String, Value>, redactor: &Redactor) {
    if let Some(Value::Object(process)) = record.get_mut("process") {
        process.insert("args".into(), redactor.args().to_vec().into());
    }
    let mut values = Vec::new();
    if let Some(Value::Object(env)) = record.get_mut("env") {
        for (name, value) in env.iter_mut() {
            values.extend(value.as_str().filter(|value| is_secret(name, value)).map(str::to_owned));
            *value = MASK.into();
        }
    }
    let masker = Masker { redactor, values };
    if let Some(Value::Object(stdin)) = record.get_mut("stdin")
        && (stdin.remove("b64").is_some() || stdin.contains_key("text"))
    {
        stdin.insert("text".into(), MASK.into());
    }
    for (name, value) in record.iter_mut() {
        if name != "env" && !OURS.contains(&name.as_str()) {
            masker.mask(value, name == "process");
        }
    }
    record.remove("env_b64");
    record.insert("redacted".into(), true.into());
}

/// Whether the value of a recorded variable is a secret that has to be hidden wherever else it stands. The shortest are
/// left: masked everywhere they would tell nothing but make nonsense of the rest.
pub fn is_secret(name: &str, value: &str) -> bool {
    value.len() >= 4 && is_secret_name(name)
}

struct Masker<'a> {
    redactor: &'a Redactor,
    /// The values of recorded variables with the names of secrets.
    values: Vec<String>,
}

impl Masker<'_> {
    fn text(&self, text: &str) -> String {
        self.values.iter().fold(self.redactor.text(text), |text, value| text.replace(value, MASK))
    }

    fn mask(&self, value: &mut Value, is_process: bool) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask(item, false)),
            Value::Object(fields) => {
                fields.retain(|name, _| !name.ends_with("_b64"));
                for (name, value) in fields.iter_mut() {
                    // The arguments have been through their own rules.
                    let is_done = is_process && name == "args";
                    if !is_done && !OURS.contains(&name.as_str()) {
                        self.mask(value, false);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
