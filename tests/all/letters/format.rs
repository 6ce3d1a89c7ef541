//! `docs/records.md` names every field that is written, and none that is not known to the types.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{FILE, id, letter_ctl, letter_of, lines};
use crate::harness::Place;

/// The fields that the tables of the document name in their first column.
fn documented() -> BTreeSet<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/records.md");
    let text = std::fs::read_to_string(path).expect("the document stands in the package");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    rows.flat_map(|(names, _)| names.split("`, `").map(str::to_owned)).collect()
}

/// The paths of all values, `NAME` for the names of variables and options.
fn paths(value: &Value, prefix: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_open = ["env", "retry.policy"].contains(&prefix);
                let name = if is_open { "NAME" } else { name.as_str() };
                let dot = if prefix.is_empty() { "" } else { "." };
                paths(value, &format!("{prefix}{dot}{name}"), found);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            found.insert(prefix.to_owned());
            items.iter().for_each(|item| paths(item, prefix, found));
        }
        _ => {
            found.insert(prefix.to_owned());
        }
    }
}

#[test]
fn every_field_that_is_written_is_documented() {
    let place = Place::new();
    place.write("input", "x\n");
    place
        .retry(["-qq", "-n2", "--base=0", "--dead-letter", FILE, "sh", "-c", "cat; echo oh >&2; exit 3"])
        .input("in")
        .run();
    place.bash("retry -qq -n1 --dead-letter letters -- sh -c 'cat >/dev/null; exit 1' <input").run();
    letter_of(&place, &[], &["sh", "-c", "kill -9 $$"]);
    letter_of(
        &place,
        &["--report=report", "--hints=http"],
        &["sh", "-c", "printf 'HTTP/1.1 503 x\\r\\nRetry-After: 9\\r\\n\\r\\n'; exit 1"],
    );
    let letter = letter_of(&place, &[], &["sh", "-c", "echo oh >&2; exit 1"]);
    letter_ctl(&place, &["replay", id(&letter)]).run();
    letter_ctl(&place, &["discard", id(&letter), "--reason=x"]).run();
    let documented = documented();
    let mut written = BTreeSet::new();
    let report = serde_json::from_str(&place.read("report")).unwrap();
    lines(&place, FILE).iter().chain([&report]).for_each(|line| paths(line, "", &mut written));
    let missing: Vec<_> = written.difference(&documented).collect();
    assert!(missing.is_empty(), "docs/records.md does not name {missing:?}");
    assert!(written.len() > 60, "the runs of this test show too little: {written:?}");
}
