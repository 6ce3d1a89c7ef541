//! A replay is the run again: arguments, directory, mask, input, variables and policy. Contract D12, D32.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::{mend, record, replay, state, until_ok};
use crate::harness::{Cli, Place};
use crate::letters::{FILE, id, letter_ctl, letter_of, lines};

#[test]
fn a_replayed_letter_has_all_its_attempts_again_under_its_policy() {
    let place = Place::new();
    let script = "echo $RETRY_ATTEMPT $RETRY_REPLAY >>seen; exit 7";
    let record = letter_of(&place, &["-n3", "--base=0", "--retry-on-exit=7"], &["sh", "-c", script]);
    let id = id(&record);
    assert_eq!(replay(&place, &[id]).run().code(), 1);
    assert_eq!(replay(&place, &[id]).run().code(), 1);
    assert_eq!(place.read("seen"), "1\n2\n3\n1 1\n2 1\n3 1\n1 2\n2 2\n3 2\n");
}

#[test]
fn defaults_of_today_change_nothing_in_the_policy_of_a_replay() {
    let place = Place::new();
    let script = "echo $RETRY_ATTEMPT >>seen; exit 7";
    let id = id(&letter_of(&place, &["-n2", "--base=0"], &["sh", "-c", script])).to_owned();
    let replay =
        [("FAIL_ON_EXIT", "7"), ("SUCCEED_ON_EXIT", "7"), ("OUTPUT", "x"), ("DELAYS", "1h"), ("TIMEOUT", "1ms")]
            .into_iter()
            .fold(replay(&place, &[&id]), |run, (name, value)| run.env(&format!("RETRY_DEFAULT_{name}"), value));
    let ended = replay.run();
    assert_eq!((ended.code(), place.read("seen").as_str()), (1, "1\n2\n1\n2\n"), "{}", ended.err());
}

#[test]
fn a_replay_has_the_id_the_key_and_the_job_of_the_run() {
    let place = Place::new();
    let rest = "echo $RETRY_ID $RETRY_IDEMPOTENCY_KEY $RETRY_JOB $RETRY_REPLAY";
    let id = until_ok(&place, &["--idempotency-key=order-7", "--job=shipping"], rest);
    mend(&place);
    replay(&place, &[&id]).run().is(0, &format!("{id} order-7 shipping 1\n"), "");
}

#[test]
fn what_a_replay_prints_is_what_the_command_prints() {
    let place = Place::new();
    let id = until_ok(&place, &[], "echo out; echo err >&2");
    mend(&place);
    replay(&place, &[&id]).run().is(0, "out\n", "err\n");
}

/// Arguments that others get wrong.
fn odd() -> Vec<OsString> {
    let bytes: [&[u8]; 9] = [
        b"",
        b"it's \"quoted\"",
        b"two\nlines\n",
        b"\xff\xfe\x01",
        b"$HOME `id` $(id)",
        b"-n",
        b"--",
        "ünï".as_bytes(),
        b"*?[a]\\",
    ];
    bytes.map(|bytes| OsStr::from_bytes(bytes).to_owned()).to_vec()
}

fn zero_ended(args: &[OsString]) -> Vec<u8> {
    args.iter().flat_map(|arg| arg.as_bytes().iter().copied().chain([0])).collect()
}

#[test]
fn odd_arguments_come_back_byte_for_byte_in_a_replay_and_in_a_pasted_line() {
    let place = Place::new();
    let script = "test -e ok || exit 1; printf '%s\\0' \"$@\"";
    let fixed = ["-qq", "-n1", "--dead-letter", FILE, "sh", "-c", script, "sh"].map(OsString::from);
    place.retry(fixed.into_iter().chain(odd())).run().is(1, "", "");
    mend(&place);
    let id = id(&lines(&place, FILE)[0]).to_owned();
    let line = letter_ctl(&place, &["show", "--shell", "--reveal", &id]).run();
    assert_eq!(replay(&place, &[&id]).run().stdout, zero_ended(&odd()));
    let elsewhere = Place::new();
    let pasted = elsewhere.program("sh", [OsStr::new("-c"), OsStr::from_bytes(&line.stdout)]).run();
    assert_eq!((pasted.code(), pasted.stdout), (0, zero_ended(&odd())), "{}", line.out());
}

#[test]
fn a_hundred_thousand_arguments_come_back() {
    let place = Place::new();
    let script = "test -e ok || exit 1; echo $# ${100000}";
    place.bash(&format!("exec retry -qq -n1 --dead-letter letters -- bash -c '{script}' bash $(seq 100000)")).run();
    mend(&place);
    let id = id(&lines(&place, FILE)[0]).to_owned();
    replay(&place, &[&id]).run().is(0, "100000 100000\n", "");
}

#[test]
fn a_replay_is_where_the_run_was_with_its_mask_and_its_variables() {
    let place = Place::new();
    std::fs::create_dir(place.file("there")).unwrap();
    let script = "test -e ../ok || exit 1; pwd; umask; echo $STAGE $TODAY $TZ";
    let line = format!(
        "cd there; umask 027; export STAGE=recorded TZ=UTC; retry -qq -n1 --record-env STAGE --dead-letter ../letters -- sh -c '{script}'"
    );
    place.bash(&line).run().is(1, "", "");
    mend(&place);
    let id = id(&lines(&place, FILE)[0]).to_owned();
    let there = std::fs::canonicalize(place.file("there")).unwrap();
    let out = format!("{}\n0027\nrecorded now UTC\n", there.display());
    replay(&place, &[&id]).env("STAGE", "today").env("TODAY", "now").env("TZ", "EST").run().is(0, &out, "");
}

#[test]
fn a_pipe_that_was_read_in_part_is_replayed_whole_or_not_at_all() {
    let input: Vec<u8> = (0..40 << 10).map(|i| (i % 251) as u8).collect();
    let place = Place::new();
    place.write("input", &input);
    // The writer is done before the run begins, so its end is in sight.
    let script = "if test -e ok; then cat; else head -c 10 >/dev/null; exit 1; fi";
    let line = format!("cat input | {{ sleep 0.1; retry -qq -n1 --dead-letter letters -- sh -c '{script}'; }}");
    place.bash(&line).run().gives(1, "");
    mend(&place);
    let letter = lines(&place, FILE).pop().unwrap();
    let again = replay(&place, &[id(&letter)]).run();
    match letter["stdin"]["kind"].as_str().unwrap() {
        "stored" => assert_eq!((again.code(), again.stdout == input), (0, true)),
        kind => assert_eq!((kind, again.code(), again.stdout), ("not_stored", 1, Vec::new())),
    }
}

#[test]
fn stored_input_comes_back_at_each_attempt_of_a_replay() {
    let place = Place::new();
    let script = "cat; test $RETRY_ATTEMPT = 2 && test -e ok";
    let args = ["-qq", "-n2", "--base=0", "--dead-letter", FILE, "sh", "-c", script];
    place.retry(args).input("some\0bytes\n").run().is(1, "some\0bytes\nsome\0bytes\n", "");
    mend(&place);
    let id = id(&lines(&place, FILE)[0]).to_owned();
    replay(&place, &[&id]).run().is(0, "some\0bytes\nsome\0bytes\n", "");
}

#[test]
fn a_file_is_read_again_from_where_it_was_and_a_change_is_refused() {
    let place = Place::new();
    place.write("input", "first\nsecond\nthird\n");
    let script = "test -e ok || { cat >/dev/null; exit 1; }; cat";
    let line = format!("exec <input; read line; retry -qq -n1 --dead-letter letters -- sh -c '{script}'");
    place.bash(&line).run().is(1, "", "");
    mend(&place);
    let id = id(&lines(&place, FILE)[0]).to_owned();
    assert_eq!(record(&place, &id)["stdin"]["offset"], 6);
    place.write("input", "FIRST\nSECOND\nTHIRD, changed\n");
    let refused = replay(&place, &[&id]).run();
    assert_eq!((refused.code(), refused.out().as_str()), (1, ""));
    assert!(refused.err().contains("input changed: "), "{}", refused.err());
    assert!(record(&place, &id)["events"].as_array().unwrap().is_empty(), "a letter that was not run has no event");
    replay(&place, &["--changed-input", &id]).run().is(0, "SECOND\nTHIRD, changed\n", "");
}

#[test]
fn a_replay_makes_no_second_letter_and_says_how_it_ended() {
    let place = Place::new();
    let id = until_ok(&place, &["--record-env=X"], "exit 3");
    mend(&place);
    assert_eq!(replay(&place, &[&id]).run().code(), 1);
    let record = record(&place, &id);
    let end = &record["events"][1];
    assert_eq!(end["event"]["action"], "replay_failed");
    assert_eq!((&end["replay"]["number"], &end["replay"]["exit_code"]), (&1.into(), &3.into()));
    assert_eq!((&end["replay"]["ending"], &end["replay"]["attempts"]), (&"exhausted".into(), &1.into()));
    assert!(end["user"]["id"].is_string() && end["@timestamp"].is_string());
    assert_eq!((lines(&place, FILE).len(), state(&place, &id).as_str()), (3, "dead"));
}

#[test]
fn the_line_of_the_message_replays_the_letter_when_it_is_pasted() {
    let place = Place::new();
    let args = ["-q", "-n1", "--dead-letter", "it's here", "sh", "-c", "test -e ok || exit 1; echo done"];
    let said = place.retry(args).run().err();
    mend(&place);
    let at = said.find("retryctl dead-letter replay").unwrap_or_else(|| panic!("{said}"));
    place.bash(&said[at..]).run().is(0, "done\n", "");
}

#[test]
fn a_hook_of_a_replay_finds_written_how_it_ended_and_why() {
    let place = Place::new();
    let good = until_ok(&place, &[], "true");
    mend(&place);
    let hooks = |replay: Cli| {
        let copy = format!("cp '{}' '{}'", place.file(FILE).display(), place.file("seen").display());
        replay.env("RETRY_DEFAULT_ON_FAILURE", &copy).env("RETRY_DEFAULT_ON_SUCCESS", &copy)
    };
    assert_eq!(hooks(replay(&place, &[&good])).run().code(), 0);
    assert_eq!(lines(&place, "seen").last().unwrap()["event"]["action"], "replay_succeeded");
    let letter = letter_of(&place, &[], &["sh", "-c", "echo the disk is full >&2; exit 3"]);
    assert_eq!(hooks(replay(&place, &[id(&letter)])).run().code(), 1);
    let event = lines(&place, "seen").pop().unwrap();
    assert_eq!(event["event"]["action"], "replay_failed");
    assert_eq!(event["error"], serde_json::json!({"type": "exit_code", "message": "the disk is full"}));
}

#[test]
fn a_long_input_that_was_asked_for_is_in_a_line_that_can_be_read() {
    let place = Place::new();
    // As text of JSON each of these bytes would be six, and the line longer than any reader takes.
    let size = 11 << 20;
    let args = ["-qq", "-n1", "--record-stdin=64M", "--dead-letter", FILE, "sh", "-c", "wc -c; test -e ok"];
    assert_eq!(place.retry(args).input(vec![0; size]).run().code(), 1);
    mend(&place);
    replay(&place, &["--all"]).run().is(0, &format!("{size}\n"), "");
}
