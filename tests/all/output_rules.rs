//! Decisions by what a command prints. Contract S20, S21.

use crate::harness::Place;
use crate::verdicts::{comes_to, tried};

#[test]
fn retry_on_output_tries_again_on_a_line_of_either_stream_and_makes_the_rest_permanent() {
    comes_to(&["--retry-on-output", "busy"], "echo so busy; exit 4", 4, 3);
    comes_to(&["--retry-on-output", "busy"], "echo so busy >&2; exit 4", 4, 3);
    comes_to(&["--retry-on-output", "busy"], "echo broken; exit 4", 4, 1);
    comes_to(&["--retry-on-output", "^busy$"], "echo so busy; exit 4", 4, 1);
}

#[test]
fn a_match_makes_a_failure_of_exit_0_and_the_run_exits_1() {
    comes_to(&["--retry-on-output", "busy"], "echo busy", 1, 3);
    comes_to(&["--fail-on-output", "fatal"], "echo fatal", 1, 1);
    comes_to(&["--until-output", "ready"], "echo waiting", 1, 3);
}

#[test]
fn fail_on_output_stops_at_once_whatever_a_retry_rule_says() {
    comes_to(&["--fail-on-output", "fatal"], "echo fatal >&2; exit 4", 4, 1);
    comes_to(&["--fail-on-output", "fatal"], "echo broken; exit 4", 4, 3);
    comes_to(&["--fail-on-output", "fatal", "--retry-on-exit", "4"], "echo fatal; exit 4", 4, 1);
    comes_to(&["--fail-on-output", "fatal", "--retry-on-output", "busy"], "echo busy; echo fatal; exit 4", 4, 1);
}

#[test]
fn until_output_runs_until_a_line_matches() {
    comes_to(&["--until-output", "ready"], "test $RETRY_ATTEMPT = 2 && echo is ready; true", 0, 2);
    comes_to(&["--until-output", "ready|up"], "echo up", 0, 1);
    comes_to(&["--until-output", "ready", "--until-output", "up"], "echo up", 0, 1);
    comes_to(&["--until-output", "ready"], "exit 127", 127, 1);
}

#[test]
fn an_attempt_that_printed_no_match_is_retryable_beside_retry_rules_however_it_ended() {
    comes_to(&["--until-output", "ready", "--retry-on-exit", "75"], "exit 1", 1, 3);
    comes_to(&["--until-output", "ready", "--retry-on-exit", "75"], "kill -KILL $$", 137, 3);
    comes_to(&["--until-output", "ready", "--retry-on-exit", "75"], "echo ready; kill -KILL $$", 137, 1);
    comes_to(&["--until-output", "ready", "--succeed-on-exit", "4"], "exit 4", 4, 3);
}

#[test]
fn rules_that_are_repeated_add_up() {
    comes_to(&["--retry-on-output", "a", "--retry-on-output", "b"], "echo b; exit 4", 4, 3);
    comes_to(&["--fail-on-output", "a", "--fail-on-output", "b"], "echo b; exit 4", 4, 1);
}

#[test]
fn a_last_line_without_newline_counts() {
    comes_to(&["--fail-on-output", "^fatal$"], "printf 'x\\nfatal'; exit 4", 4, 1);
}

#[test]
fn a_line_is_matched_by_its_first_64_kib() {
    let long = "head -c 65535 /dev/zero | tr '\\0' x; printf";
    comes_to(&["--fail-on-output", "y"], &format!("{long} 'y\\n'; exit 4"), 4, 1);
    comes_to(&["--fail-on-output", "y"], &format!("{long} 'xy\\n'; exit 4"), 4, 3);
}

#[test]
fn bytes_that_are_not_utf_8_do_not_disturb_and_pass_as_they_are() {
    let (ended, attempts) = tried(&["--fail-on-output", "fatal"], "printf '\\377\\376 fatal\\n'; exit 4");
    assert_eq!((ended.code(), attempts, ended.stdout.as_slice()), (4, 1, &b"\xff\xfe fatal\n"[..]));
}

#[test]
fn rules_look_at_output_in_every_mode() {
    for mode in ["live", "inherit", "final", "on-failure"] {
        comes_to(&["--output", mode, "--fail-on-output", "fatal"], "echo fatal; exit 4", 4, 1);
        comes_to(
            &["--output", mode, "--until-output", "ready"],
            "test $RETRY_ATTEMPT = 2 && echo ready >&2; true",
            0,
            2,
        );
    }
}

#[test]
fn what_is_looked_at_reaches_its_stream_byte_for_byte() {
    let place = Place::new();
    let script = "printf 'out\\n'; printf 'err' >&2";
    place.retry(["--fail-on-output", "nothing", "--", "sh", "-c", script]).run().is(0, "out\n", "err");
}

#[test]
fn an_expression_that_is_none_is_one_line_and_nothing_is_started() {
    let place = Place::new();
    for option in ["--retry-on-output", "--fail-on-output", "--until-output"] {
        let ended = place.retry([option, "(", "--", "sh", "-c", "echo >n"]).run();
        assert_eq!((ended.code(), ended.err().lines().count()), (125, 1), "{}", ended.err());
        assert!(ended.err().contains(option), "{}", ended.err());
        assert!(!place.file("n").exists());
    }
}

#[test]
fn the_rule_that_decided_is_named() {
    let place = Place::new();
    let ended = place.retry(["-n", "2", "--base", "0", "--fail-on-output", "fatal", "--", "echo", "fatal"]).run();
    assert!(ended.err().contains("(permanent: a line matched --fail-on-output)"), "{}", ended.err());
    let letter: serde_json::Value = serde_json::from_str(&place.read("state/retry/dead-letter.jsonl")).unwrap();
    assert_eq!(letter["error"]["type"], "output");
}
