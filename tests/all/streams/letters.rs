//! What a dead letter says of the streams. Contract D10, D12, S10.

use serde_json::Value;

use crate::harness::Place;

/// The last letter of `d` in this place.
fn letter(place: &Place) -> Value {
    let text = place.read("d");
    serde_json::from_str(text.lines().last().expect("a letter")).expect("a letter is JSON")
}

fn input(place: &Place, script: &str) -> Value {
    place.bash(script).run();
    letter(place)["stdin"].clone()
}

#[test]
fn the_end_of_stderr_stands_in_the_letter() {
    let place = Place::new();
    let script = "for i in 1 2; do echo first $RETRY_ATTEMPT >&2; done; seq 5000 >&2; echo the cause >&2; exit 3";
    place.retry(["-q", "-n", "2", "--base", "0", "--dead-letter", "d", "--", "sh", "-c", script]).run();
    let letter = letter(&place);
    let tail = letter["stderr"]["tail"].as_str().expect("text");
    assert!(tail.len() == 8192 && tail.ends_with("\n5000\nthe cause\n"), "{tail}");
    // Of the last attempt alone.
    assert_eq!(letter["stderr"]["total_bytes"], 23_893 + 10 + 16);
    assert_eq!(letter["stderr"]["truncated"], true);
    assert_eq!(letter["error"]["message"], "the cause");
}

#[test]
fn input_is_stored_if_its_end_is_in_sight_and_within_the_limit() {
    let place = Place::new();
    let retry = "retry -q -n 2 --base 0 --dead-letter d";
    let read = "sh -c 'read x; exit 3'";
    let stored = input(&place, &format!("printf 'a\\nb\\n' | {retry} -- {read}"));
    assert_eq!(
        (&stored["kind"], &stored["text"], &stored["total_bytes"]),
        (&"stored".into(), &"a\nb\n".into(), &4.into())
    );
    let stored = input(&place, &format!("printf 'a\\n\\377' | {retry} -- {read}"));
    assert_eq!((&stored["kind"], &stored["b64"]), (&"stored".into(), &"YQr/".into()));
    let stored = input(&place, &format!("printf 'a\\nb\\n' | {retry} --record-stdin 3 -- {read}"));
    assert_eq!((&stored["kind"], stored["text"].is_null()), (&"not_stored".into(), true));
    let stored = input(&place, &format!("mkfifo p; exec 9<>p; echo a >&9; {retry} -- {read} <p"));
    assert_eq!(stored["kind"], "not_stored");
    // One attempt alone stores it too.
    let stored = input(&place, &format!("printf 'a\\nb\\n' | {retry} -n 1 -- {read}"));
    assert_eq!((&stored["kind"], &stored["text"]), (&"stored".into(), &"a\nb\n".into()));
}

#[test]
fn input_that_nobody_read_is_told_from_none_and_from_a_file() {
    let place = Place::new();
    let retry = "retry -q -n 1 --dead-letter d";
    place.write("list", "one\ntwo\n");
    assert_eq!(input(&place, &format!("yes | {retry} -- false"))["kind"], "not_read");
    assert_eq!(input(&place, &format!("{retry} -- false <list"))["kind"], "not_read");
    assert_eq!(input(&place, &format!("{retry} -- false </dev/null"))["kind"], "null");
    assert_eq!(input(&place, &format!("{retry} -- false <&-"))["kind"], "null");
    assert_eq!(input(&place, &format!("yes | {retry} --stdin null -- false"))["kind"], "null");
    // A device passes by us: a replay with /dev/null would be another run.
    assert_eq!(input(&place, &format!("{retry} -- false </dev/zero"))["kind"], "not_stored");
    let file = input(&place, &format!("{{ read x; {retry} -- sh -c 'cat; exit 1'; }} <list"));
    assert_eq!((&file["kind"], &file["offset"], &file["size_bytes"]), (&"file".into(), &4.into(), &8.into()));
    assert_eq!(file["path"], place.file("list").to_str().expect("a path"));
    assert!(file["inode"].is_u64() && file["device"].is_u64() && file["mtime"].is_string());
    // A here-document has no name; bash makes it a pipe or a deleted file, by its length.
    let long = "x".repeat(70_000);
    for (text, kind) in [("short", "stored"), (long.as_str(), "not_stored")] {
        assert_eq!(input(&place, &format!("{retry} -- sh -c 'cat; exit 1' <<X >/dev/null\n{text}\nX"))["kind"], kind);
    }
}
