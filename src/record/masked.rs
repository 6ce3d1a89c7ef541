//! A record without its secrets: for everything that is shown, uploaded or handed on. Contract D13.
//!
//! It works on JSON rather than on the types, so that fields of later versions are masked and kept, too.

use serde_json::{Map, Value};

use super::Record;
use crate::redact::Redactor;

/// What stands where something was hidden.
const MASK: &str = "***";
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
    if let Some(Value::Object(env)) = record.get_mut("env") {
        env.values_mut().for_each(|value| *value = MASK.into());
    }
    if let Some(Value::Object(stdin)) = record.get_mut("stdin")
        && (stdin.remove("b64").is_some() || stdin.contains_key("text"))
    {
        stdin.insert("text".into(), MASK.into());
    }
    for (name, value) in record.iter_mut() {
        if name != "env" && !OURS.contains(&name.as_str()) {
            mask_value(value, redactor, name == "process");
        }
    }
    record.remove("env_b64");
    record.insert("redacted".into(), true.into());
}

fn mask_value(value: &mut Value, redactor: &Redactor, is_process: bool) {
    match value {
        Value::String(text) => *text = redactor.text(text),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_value(item, redactor, false)),
        Value::Object(fields) => {
            fields.retain(|name, _| !name.ends_with("_b64"));
            for (name, value) in fields.iter_mut() {
                // The arguments have been through their own rules.
                let is_done = is_process && name == "args";
                if !is_done && !OURS.contains(&name.as_str()) {
                    mask_value(value, redactor, false);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
