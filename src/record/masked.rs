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

/// Masks the secrets of an event of a letter, whose redactor this is: the last error of a replay, somebody's reason.
pub fn mask_event(event: &mut Map<String, Value>, redactor: &Redactor) {
    let masker = Masker { redactor, values: Vec::new() };
    for (name, value) in event.iter_mut().filter(|(name, _)| !OURS.contains(&name.as_str())) {
        masker.mask(value, name == "process");
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::ffi::OsString;

    /// The record masked, for a command whose arguments give away the token `hunter22`.
    fn masked(record: Value) -> Value {
        let args: Vec<OsString> = ["send", "--token", "hunter22"].map(OsString::from).to_vec();
        let Value::Object(mut record) = record else { panic!("a record is an object") };
        mask(&mut record, &Redactor::new(&args, &[]));
        Value::Object(record)
    }

    #[test]
    fn arguments_are_masked_by_their_own_rules_and_texts_by_what_was_masked_there() {
        let record = json!({
            "process": {"args": ["send", "--token", "hunter22"], "args_b64": ["aA=="], "working_directory": "/x/hunter22"},
            "error": {"message": "hunter22 is no token"},
            "later": {"args": ["hunter22", 1, null, true], "deep": {"x": "hunter22", "x_b64": "aA=="}},
        });
        let expected = json!({
            "process": {"args": ["send", "--token", "***"], "working_directory": "/x/***"},
            "error": {"message": "*** is no token"},
            "later": {"args": ["***", 1, null, true], "deep": {"x": "***"}},
            "redacted": true,
        });
        assert_eq!(masked(record), expected);
    }

    #[test]
    fn what_stands_in_the_arguments_without_its_mask_is_not_masked_again() {
        let args = [OsString::from("token:"), OsString::from("x")];
        let mut record =
            Record { error: Some(super::super::Failure::new("exit_code", b"token: x")), ..Record::default() };
        record.process.args = vec!["token:".into(), "x".into()];
        let shown = record.masked(&Redactor::new(&args, &[]));
        assert_eq!(shown["process"]["args"], json!(Redactor::new(&args, &[]).args()));
        assert_eq!(shown["error"]["message"], "token: ***");
        assert_eq!(record.to_masked_line(&Redactor::new(&args, &[])), serde_json::to_vec(&shown).unwrap());
    }

    #[test]
    fn a_recorded_variable_is_masked_and_the_value_of_a_secret_one_wherever_it_stands() {
        let record = json!({
            "env": {"DB_PASSWORD": "s3sam", "PIN_TOKEN": "abc", "COLOUR": "green"},
            "env_b64": {"DB_PASSWORD": "aA=="},
            "error": {"message": "s3sam, abc, green"},
        });
        let expected = json!({
            "env": {"DB_PASSWORD": "***", "PIN_TOKEN": "***", "COLOUR": "***"},
            "error": {"message": "***, abc, green"},
            "redacted": true,
        });
        assert_eq!(masked(record), expected);
    }

    #[test]
    fn stored_input_is_masked_as_text_and_as_bytes() {
        for input in [json!({"kind": "stored", "text": "x"}), json!({"kind": "stored", "b64": "aA=="})] {
            let expected = json!({"stdin": {"kind": "stored", "text": "***"}, "redacted": true});
            assert_eq!(masked(json!({"stdin": input})), expected);
        }
        let expected = json!({"stdin": {"kind": "not_read"}, "redacted": true});
        assert_eq!(masked(json!({"stdin": {"kind": "not_read"}})), expected);
    }

    #[test]
    fn what_this_program_wrote_itself_is_left_as_it_is() {
        let record =
            json!({"id": "hunter22", "kind": "hunter22", "retry": {"ending": "hunter22", "other": "hunter22"}});
        let expected = json!({
            "id": "hunter22", "kind": "hunter22", "retry": {"ending": "hunter22", "other": "***"}, "redacted": true,
        });
        assert_eq!(masked(record), expected);
    }
}
