//! Letters that cannot be run as they were: a clear message, no event, status 1. Contract D11, D31.

use serde_json::{Value, json};

use super::{mend, record, replay, until_ok};
use crate::harness::Place;
use crate::letters::{FILE, letter_of};

/// Replays the letter after a change of its line; it must be refused without an event, and nothing may run.
#[track_caller]
fn refused(change: impl FnOnce(&mut Value), why: &str) {
    let place = Place::new();
    let id = until_ok(&place, &[], "touch ran");
    mend(&place);
    let mut letter: Value = serde_json::from_str(&place.read(FILE)).unwrap();
    change(&mut letter);
    place.write(FILE, letter.to_string() + "\n");
    let ended = replay(&place, &[&id]).run();
    assert_eq!((ended.code(), ended.out().as_str()), (1, ""), "{}", ended.err());
    assert_eq!(ended.err(), format!("retryctl: cannot replay {id}: {why}\n"));
    assert_eq!(record(&place, &id)["events"], json!([]));
    assert!(!place.file("ran").exists());
}

#[test]
fn a_letter_without_its_secrets_is_not_run() {
    refused(|letter| letter["redacted"] = true.into(), "it was written without its secrets and cannot be run");
}

#[test]
fn a_letter_of_another_host_is_not_run() {
    refused(
        |letter| letter["host"]["name"] = "elsewhere".into(),
        "it is of another host (elsewhere); --other-host runs it here",
    );
}

#[test]
fn a_letter_whose_directory_is_gone_is_not_run() {
    refused(
        |letter| letter["process"]["working_directory"] = "/no/such".into(),
        "cannot enter /no/such: no such file or directory",
    );
}

#[test]
fn a_letter_whose_directory_was_deleted_under_it_is_not_run() {
    let place = Place::new();
    let line =
        "mkdir gone; cd gone; rmdir ../gone; retry -qq -n1 --dead-letter ../letters -- sh -c 'exit 1' 2>/dev/null";
    let absolute = line.replace("../letters", &place.file(FILE).display().to_string());
    place.bash(&absolute).run().is(1, "", "");
    let letter = crate::letters::lines(&place, FILE).pop().unwrap();
    let id = crate::letters::id(&letter);
    let why = "the directory that it ran in is not known";
    replay(&place, &[id]).run().is(1, "", &format!("retryctl: cannot replay {id}: {why}\n"));
}

#[test]
fn a_letter_whose_line_is_another_s_by_now_is_not_run() {
    let place = Place::new();
    // The first letter of the batch gives the line of the second another id, in the same place of the same file.
    let swap = "id=$(cat second); sed \"/dead_letter/s/$id/01${id#??????}AAAA/\" letters >new; cat new >letters";
    let first = until_ok(&place, &["--job=first"], swap);
    let second = until_ok(&place, &["--job=second"], "touch ran");
    place.write("second", &second);
    mend(&place);
    let ended = replay(&place, &["--yes", &first, &second]).run();
    assert_eq!(ended.code(), 1);
    let why = format!("retryctl: cannot replay {second}: the file was changed where it stood\n");
    assert!(ended.err().starts_with(&why), "{}", ended.err());
    assert!(!place.file("ran").exists());
}

#[test]
fn a_letter_whose_input_was_not_stored_is_not_run() {
    refused(
        |letter| letter["stdin"] = json!({"kind": "not_stored"}),
        "its input was not stored; --stdin gives another",
    );
}

#[test]
fn a_letter_whose_policy_makes_no_sense_is_not_run() {
    let why = "its policy cannot be read: invalid value 'x' for --max-tries: ";
    let place = Place::new();
    let id = until_ok(&place, &[], "touch ran");
    mend(&place);
    let text = place.read(FILE).replace("\"max-tries\":\"1\"", "\"max-tries\":\"x\"");
    place.write(FILE, text);
    let ended = replay(&place, &[&id]).run();
    assert_eq!(ended.code(), 1);
    assert!(ended.err().starts_with(&format!("retryctl: cannot replay {id}: {why}")), "{}", ended.err());
    assert!(!place.file("ran").exists());
}

#[test]
fn a_letter_of_nonsense_harms_nobody() {
    let place = Place::new();
    letter_of(&place, &[], &["false"]);
    for process in [json!({"args": []}), json!({"args": ["a\u{0}b"]}), json!({"args": ["x"], "args_b64": [1]})] {
        let letter = json!({"v": 1, "kind": "dead_letter", "id": "NONSENSE", "process": process});
        place.write(FILE, letter.to_string() + "\n");
        assert_eq!(replay(&place, &["NONSENSE"]).run().code(), 1);
    }
}
