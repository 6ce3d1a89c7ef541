//! Letters run again. Contract D32 to D34.

mod batches;
mod faithful;
mod imports;
mod once;
mod refused;
mod terminal;

use serde_json::Value;

use crate::harness::{Cli, Ended, Place};
use crate::letters::{id, letter_ctl, letter_of};

/// Makes a letter of a shell line that fails until the file `ok` is there, and then does the rest of the line.
pub fn until_ok(place: &Place, options: &[&str], rest: &str) -> String {
    let line = format!("test -e ok || exit 1; {rest}");
    id(&letter_of(place, options, &["sh", "-c", &line])).to_owned()
}

/// Lets what `until_ok` made succeed.
pub fn mend(place: &Place) {
    place.write("ok", "");
}

/// `retryctl dead-letter replay`, whose runs are quiet.
pub fn replay(place: &Place, args: &[&str]) -> Cli {
    let all: Vec<&str> = ["replay"].iter().chain(args).copied().collect();
    letter_ctl(place, &all).env("RETRY_DEFAULT_QUIET", "true")
}

/// The state of a letter.
#[track_caller]
pub fn state(place: &Place, id: &str) -> String {
    record(place, id)["state"].as_str().expect("a letter has a state").to_owned()
}

/// The record of a letter, its state and events.
#[track_caller]
pub fn record(place: &Place, id: &str) -> Value {
    let shown: Ended = letter_ctl(place, &["show", "--json", "--reveal", id]).run();
    serde_json::from_str(&shown.out()).unwrap_or_else(|_| panic!("{}", shown.err()))
}
