//! Dead letters: where they go, how they get there, what they hold, and the verbs that look after them.

mod anything;
mod append;
mod crowd;
mod format;
mod place;
mod purge;
mod record;
mod verbs;

use serde_json::Value;

use crate::harness::Place;

/// The file of letters of these tests.
pub const FILE: &str = "letters";

/// The lines of a file of letters, each of which must be JSON.
#[track_caller]
pub fn lines(place: &Place, file: &str) -> Vec<Value> {
    let text = place.read(file);
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

/// Runs a command once, which must fail, and gives the record of its letter.
#[track_caller]
pub fn letter_of(place: &Place, options: &[&str], command: &[&str]) -> Value {
    let args = ["-qq", "-n1", "--dead-letter", FILE].iter().chain(options).chain(&["--"]).chain(command);
    let ended = place.retry(args).run();
    assert_ne!(ended.code(), 0, "{}", ended.err());
    lines(place, FILE).pop().expect("a letter was written")
}

/// The id of a record.
pub fn id(record: &Value) -> &str {
    record["id"].as_str().expect("a record has an id")
}

/// `retryctl dead-letter VERB --file letters …`.
pub fn letter_ctl(place: &Place, args: &[&str]) -> crate::harness::Cli {
    let (verb, rest) = args.split_first().expect("a verb");
    place.retryctl(["dead-letter", verb, "--file", FILE].iter().chain(rest))
}

/// The ids that messages say to be saved: `…; dead letter ID: …`.
pub fn acknowledged(messages: &str) -> Vec<String> {
    let ids = messages.split("; dead letter ").skip(1);
    ids.map(|rest| rest.chars().take_while(char::is_ascii_alphanumeric).collect()).collect()
}
