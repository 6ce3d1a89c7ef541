//! Each option of `retryctl dead-letter replay` has a test that fails when the option is ignored.

use serde_json::Value;

use crate::harness::{Ended, Place};

/// A run of one attempt that fails for want of a file `ok`, and prints its argument.
fn fail(place: &Place, argument: &str) {
    let run = ["-qq", "-n1", "--base=0", "--dead-letter=letters", "sh", "-c", "echo ran $0; test -e ok", argument];
    place.retry(run).run().is(1, &format!("ran {argument}\n"), "");
}

/// Replays quietly; what the commands printed is all that is looked at.
fn replay(place: &Place, options: &[&str]) -> Ended {
    let replay = ["dead-letter", "replay", "--file", "letters"].iter().chain(options);
    place.retryctl(replay).env("RETRY_DEFAULT_QUIET", "true").run()
}

/// The ids of letters in these states, oldest first.
fn ids(place: &Place, states: &str) -> Vec<String> {
    let list = ["dl", "list", "--file=letters", "--format=ids", "--state", states];
    place.retryctl(list).run().out().lines().map(str::to_owned).collect()
}

/// Changes the one letter in the file.
fn change(place: &Place, change: impl Fn(&mut Value)) {
    let mut letter: Value = serde_json::from_str(&place.read("letters")).expect("one letter");
    change(&mut letter);
    place.write("letters", format!("{letter}\n"));
}

#[test]
pub fn all_takes_every_open_letter_and_yes_does_not_ask() {
    let place = Place::new();
    fail(&place, "one");
    fail(&place, "two");
    place.write("ok", "");
    let asked = replay(&place, &["--all"]);
    assert_eq!((asked.code(), asked.out().as_str()), (64, ""), "{}", asked.err());
    replay(&place, &["--all", "--yes"]).gives(0, "ran one\nran two\n");
    assert_eq!(ids(&place, "replayed").len(), 2);
}

#[test]
pub fn filters_choose_what_is_replayed() {
    let place = Place::new();
    fail(&place, "one");
    fail(&place, "two");
    place.write("ok", "");
    replay(&place, &["--grep", "two", "--yes"]).gives(0, "ran two\n");
}

#[test]
pub fn max_tries_replaces_the_recorded_number() {
    let place = Place::new();
    fail(&place, "one");
    replay(&place, &["--all", "--yes", "--max-tries", "3"]).gives(1, "ran one\nran one\nran one\n");
    replay(&place, &["--all", "--yes"]).gives(1, "ran one\n");
}

#[test]
pub fn rate_is_checked_and_spaces_the_replays() {
    let place = Place::new();
    fail(&place, "one");
    fail(&place, "two");
    place.write("ok", "");
    let wrong = replay(&place, &["--all", "--yes", "--rate", "often"]);
    assert!(wrong.code() == 64 && wrong.err().contains("--rate"), "{}", wrong.err());
    // At thirty a minute the second one starts two seconds after the first. When each began is noted by events, the
    // first perhaps late on a busy machine; without the option they are a few milliseconds apart.
    replay(&place, &["--all", "--yes", "--rate", "30/m"]).gives(0, "ran one\nran two\n");
    let events: Vec<Value> =
        place.read("letters").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let started = |event: &&Value| event["event"]["action"] == "replay_started";
    let times: Vec<&str> = events.iter().filter(started).filter_map(|event| event["@timestamp"].as_str()).collect();
    let millis = |time: &str| retry::timestamp::parse(time).expect("a time");
    let apart = millis(times[1]).duration_since(millis(times[0])).expect("in order");
    assert!(apart >= std::time::Duration::from_millis(700), "{times:?}");
}

#[test]
pub fn stop_after_ends_a_batch_that_goes_on_failing() {
    let place = Place::new();
    // The first letter is a probe, so it has to succeed.
    let first = ["-qq", "-n1", "--dead-letter=letters", "sh", "-c", "echo first; test -e first"];
    place.retry(first).run().is(1, "first\n", "");
    place.write("first", "");
    for argument in ["one", "two", "three", "four"] {
        fail(&place, argument);
    }
    replay(&place, &["--all", "--yes", "--stop-after", "2"]).gives(1, "first\nran one\nran two\n");
    std::fs::remove_file(place.file("first")).expect("the file was there");
    replay(&place, &["--all", "--yes", "--stop-after", "9"]).gives(1, "ran one\n");
}

#[test]
pub fn newest_runs_one_of_each_group_and_discards_the_rest() {
    let place = Place::new();
    for argument in ["one", "one", "two", "one"] {
        fail(&place, argument);
    }
    place.write("ok", "");
    replay(&place, &["--all", "--yes", "--newest"]).gives(0, "ran two\nran one\n");
    assert_eq!((ids(&place, "replayed").len(), ids(&place, "discarded").len()), (2, 2));
}

#[test]
pub fn in_doubt_takes_letters_whose_replay_was_cut_off() {
    let place = Place::new();
    fail(&place, "one");
    let id = ids(&place, "dead").remove(0);
    let started = format!(
        "{{\"v\":1,\"kind\":\"event\",\"ref\":\"{id}\",\"@timestamp\":\"2026-01-01T00:00:00.000Z\",\
         \"event\":{{\"action\":\"replay_started\"}}}}\n"
    );
    place.write("letters", place.read("letters") + &started);
    assert_eq!(ids(&place, "in_doubt"), [id.as_str()]);
    place.write("ok", "");
    assert_eq!(replay(&place, &["--all", "--yes"]).out(), "");
    replay(&place, &["--all", "--yes", "--in-doubt"]).gives(0, "ran one\n");
}

#[test]
pub fn poison_takes_letters_of_which_three_replays_failed() {
    let place = Place::new();
    fail(&place, "one");
    for _ in 0..3 {
        replay(&place, &["--all", "--yes"]).gives(1, "ran one\n");
    }
    assert_eq!(ids(&place, "poison").len(), 1);
    place.write("ok", "");
    assert_eq!(replay(&place, &["--all", "--yes"]).out(), "");
    replay(&place, &["--all", "--yes", "--poison"]).gives(0, "ran one\n");
}

#[test]
pub fn dry_run_runs_nothing_and_says_what_would_run() {
    let place = Place::new();
    fail(&place, "one");
    place.write("ok", "");
    let before = place.read("letters");
    let ended = replay(&place, &["--all", "--dry-run"]);
    assert!(ended.code() == 0 && !ended.out().contains("ran one\n"), "{}", ended.out());
    assert!(ended.out().contains(&ids(&place, "dead")[0][18..]), "{}", ended.out());
    assert_eq!(place.read("letters"), before);
}

#[test]
pub fn other_host_takes_letters_that_were_written_elsewhere() {
    let place = Place::new();
    fail(&place, "one");
    change(&place, |letter| letter["host"]["name"] = "elsewhere.example".into());
    place.write("ok", "");
    let refused = replay(&place, &["--all", "--yes"]);
    assert!(refused.code() == 1 && refused.out().is_empty(), "{}", refused.err());
    assert!(refused.err().contains("--other-host"), "{}", refused.err());
    replay(&place, &["--all", "--yes", "--other-host"]).gives(0, "ran one\n");
}

#[test]
pub fn changed_input_takes_a_file_that_is_no_longer_as_it_was() {
    let place = Place::new();
    place.write("input", "before\n");
    let run = "retry -qq -n1 --dead-letter letters -- sh -c 'cat; test -e ok' <input";
    place.bash(run).run().is(1, "before\n", "");
    place.write("input", "after the change\n");
    place.write("ok", "");
    let refused = replay(&place, &["--all", "--yes"]);
    assert!(refused.code() == 1 && refused.err().contains("input changed"), "{}", refused.err());
    replay(&place, &["--all", "--yes", "--changed-input"]).gives(0, "after the change\n");
}

#[test]
pub fn stdin_gives_another_input() {
    let place = Place::new();
    let run = ["-qq", "-n1", "--dead-letter=letters", "sh", "-c", "cat; test -e ok"];
    place.retry(run).input("recorded\n").run().is(1, "recorded\n", "");
    place.write("other", "another\n");
    replay(&place, &["--all", "--yes"]).gives(1, "recorded\n");
    replay(&place, &["--all", "--yes", "--stdin", "null"]).gives(1, "");
    place.write("ok", "");
    replay(&place, &["--all", "--yes", "--stdin", "other"]).gives(0, "another\n");
}

#[test]
pub fn env_file_sets_variables() {
    let place = Place::new();
    place
        .retry(["-qq", "-n1", "--dead-letter=letters", "sh", "-c", "echo ${TOKEN-none}; test \"$TOKEN\""])
        .run()
        .is(1, "none\n", "");
    place.write("env", "TOKEN=x y\n");
    replay(&place, &["--all", "--yes", "--env-file", "env"]).gives(0, "x y\n");
}
