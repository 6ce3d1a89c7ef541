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
fn each_state_is_known_by_a_name_of_its_own_and_half_of_them_want_somebody() {
    for state in State::ALL {
        assert_eq!(state.name().parse(), Ok(state));
        assert_eq!(format!("{state:<9}|"), format!("{:<9}|", state.name()), "it goes into columns");
    }
    assert_eq!("lost".parse::<State>(), Err(()));
    let open: Vec<&str> = State::ALL.into_iter().filter(|state| state.is_open()).map(State::name).collect();
    assert_eq!(open, ["dead", "in_doubt", "poison"]);
}

#[test]
fn replays_are_counted_and_the_last_that_failed_says_from_when_on() {
    let not_before = |instant: &str| format!(r#""retry":{{"not_before":"{instant}"}},"v":1"#);
    let letter = letter("AAAA").replace(r#""v":1"#, &not_before("1970-01-01T00:00:01Z"));
    let failed = |instant: &str| {
        event("AAAA", "replay_failed", "exhausted")
            .replace(r#""replay":{"#, &format!(r#""replay":{{"not_before":"{instant}","#))
    };
    let started = event("AAAA", "replay_started", "");
    let interrupted = event("AAAA", "replay_failed", "interrupted");
    let of = |events: &[&str]| {
        let letters = folded(format!("{letter}\n{}\n", events.join("\n")), false).letters;
        (letters[0].replays, letters[0].failed_replays, letters[0].not_before_ms)
    };
    assert_eq!(of(&[]), (0, 0, Some(1_000)));
    assert_eq!(of(&[&started]), (1, 0, Some(1_000)));
    let (first, second) = (failed("1970-01-01T00:00:02Z"), failed("1970-01-01T00:00:03Z"));
    assert_eq!(of(&[&started, &first, &started, &second]), (2, 2, Some(3_000)));
    assert_eq!(of(&[&started, &first, &started, &interrupted]), (2, 1, None));
}

#[test]
fn letters_stand_by_the_end_of_their_runs_and_each_line_can_be_read_again() {
    let at = |id: &str, second: u32| {
        letter(id).replace(r#""v":1"#, &format!(r#""v":1,"@timestamp":"1970-01-01T00:00:0{second}Z""#))
    };
    let (late, early) = (at("LATE", 2), at("EARLY", 1));
    let text = format!("{late}\n{early}\n");
    let folded = folded(&text, false);
    let seen: Vec<_> = folded.letters.iter().map(|letter| (&*letter.id, letter.at_ms)).collect();
    assert_eq!(seen, [("EARLY", 1_000), ("LATE", 2_000)]);
    for (letter, line) in folded.letters.iter().zip([early, late]) {
        let read = super::super::scan::read_again(&folded.files[0], letter.offset, letter.length).unwrap();
        assert_eq!(String::from_utf8(read).unwrap(), line);
    }
    assert_eq!(folded.ends, [text.len() as u64]);
}

#[test]
fn letters_of_the_same_job_command_and_directory_are_of_one_group() {
    let base = letter("AAAA");
    let group = |line: &str| folded(line, false).letters[0].group;
    assert_eq!(group(&base), group(&letter("BBBB")));
    for (of_base, of_other) in [
        (r#""job":"j""#, r#""job":"k""#),
        (r#"["a","b"]"#, r#"["a","c"]"#),
        (r#"["a","b"]"#, r#"["ab"]"#),
        (r#"["a","b"]"#, r#"["b","a"]"#),
        (r#"["a","b"]"#, r#"["a","b"],"working_directory":"/x""#),
    ] {
        assert_ne!(group(&base), group(&base.replace(of_base, of_other)), "{of_other}");
    }
}

#[test]
fn a_word_that_many_letters_share_is_in_memory_once() {
    let letters = folded(format!("{}\n{}\n", letter("AAAA"), letter("BBBB")), false).letters;
    assert!(Rc::ptr_eq(&letters[0].job, &letters[1].job));
}

#[test]
fn of_many_faulty_lines_the_first_thousand_are_kept_and_all_are_counted() {
    let folded = folded("x\n".repeat(1_002), false);
    assert_eq!((folded.skipped.len(), folded.skipped_count), (1_000, 1_002));
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
        r#"{"a":1"#.into(),
        "7 days".into(),
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
        (9, Fault::NotJson),
        (10, Fault::NotJson),
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
