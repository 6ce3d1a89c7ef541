//! Tests of folding: states, and files that hold anything.

use super::*;
use proptest::prelude::*;
use std::io::Write;

fn folded(text: impl AsRef<[u8]>, held: bool) -> Folded {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text.as_ref()).unwrap();
    fold(vec![file], |_, _| held).unwrap()
}

fn letter(id: &str) -> String {
    format!(r#"{{"v":1,"kind":"dead_letter","id":"{id}","job":"j","process":{{"args":["a","b"]}}}}"#)
}

fn event(id: &str, action: &str, ending: &str) -> String {
    format!(r#"{{"v":1,"kind":"event","ref":"{id}","event":{{"action":"{action}"}},"replay":{{"ending":"{ending}"}}}}"#)
}

fn state_after(actions: &[(&str, &str)], held: bool) -> State {
    let mut text = letter("AAAA");
    for (action, ending) in actions {
        text += &format!("\n{}", event("AAAA", action, ending));
    }
    folded(text + "\n", held).letters[0].state
}

#[test]
fn each_course_of_events_leads_to_one_state() {
    let (started, failed) = (("replay_started", ""), ("replay_failed", "exhausted"));
    assert_eq!(state_after(&[], false), State::Dead);
    assert_eq!(state_after(&[started], true), State::Replaying);
    assert_eq!(state_after(&[started], false), State::InDoubt);
    assert_eq!(state_after(&[started, failed], false), State::Dead);
    assert_eq!(state_after(&[started, ("replay_succeeded", "succeeded")], false), State::Replayed);
    assert_eq!(state_after(&[("discarded", "")], false), State::Discarded);
    assert_eq!(state_after(&[("discarded", ""), ("restored", "")], false), State::Dead);
    assert_eq!(state_after(&[started, failed, started, failed, started, failed], false), State::Poison);
    let interrupted = ("replay_failed", "interrupted");
    assert_eq!(state_after(&[failed, failed, interrupted], false), State::Dead);
}

#[test]
fn an_event_may_stand_before_its_letter_and_a_letter_twice() {
    let text = format!("{}\n{}\n{}\n", event("AAAA", "discarded", ""), letter("AAAA"), letter("AAAA"));
    let folded = folded(text, false);
    assert_eq!((folded.letters.len(), folded.letters[0].state), (1, State::Discarded));
}

#[test]
fn what_cannot_be_read_is_counted_by_its_line() {
    let lines = [
        letter("AAAA"),
        "{\"v\":1,\"kind\":\"dead_le".into(),
        "not json".into(),
        "\0\0\0".into(),
        "{}".into(),
        "[1]".into(),
        r#"{"v":2,"kind":"dead_letter","id":7}"#.into(),
        r#"{"v":1,"kind":"poem"}"#.into(),
        String::new(),
        letter("BBBB"),
        "{\"v\":1,\"kind\":\"dead".into(),
    ];
    let folded = folded(lines.join("\n"), false);
    let faults: Vec<_> = folded.skipped.iter().map(|skipped| (skipped.number, skipped.fault)).collect();
    let expected = [
        (2, Fault::Torn),
        (3, Fault::NotJson),
        (4, Fault::NotJson),
        (5, Fault::Foreign),
        (6, Fault::Foreign),
        (7, Fault::UnknownVersion(2)),
        (8, Fault::UnknownKind),
    ];
    assert_eq!(faults, expected);
    assert_eq!(folded.letters.iter().map(|letter| &*letter.id).collect::<Vec<_>>(), ["AAAA", "BBBB"]);
}

proptest! {
    #[test]
    fn no_bytes_do_harm(bytes: Vec<u8>, cut in 0usize..200) {
        folded(&bytes, false);
        let mut text = letter("AAAA").into_bytes();
        text.truncate(cut);
        text.extend(bytes);
        folded(&text, false);
    }
}
