//! Which outcomes are tried again, which are not, and what `retry` exits with. Contract R20 to R31.

use crate::harness::{Ended, Place};

/// Runs `sh -c SCRIPT` under these options; the script appends a line to the file `n` for each attempt.
pub fn tried(options: &[&str], script: &str) -> (Ended, usize) {
    let place = Place::new();
    let script = format!("echo >>n; {script}");
    let ended = place
        .retry([&["-qq", "-n", "3", "--base", "0", "--no-dead-letter"], options, &["--", "sh", "-c", &script]].concat())
        .run();
    let attempts = place.read("n").lines().count();
    (ended, attempts)
}

/// Compares how it ended, and how many attempts were made.
#[track_caller]
pub fn comes_to(options: &[&str], script: &str, code: i32, attempts: usize) {
    let (ended, made) = tried(options, script);
    assert_eq!((ended.code(), made), (code, attempts), "{options:?} {script}: {}", ended.err());
}

#[test]
fn without_rules_a_failure_is_tried_again_and_what_somebody_stopped_is_not() {
    comes_to(&[], "exit 1", 1, 3);
    comes_to(&[], "kill -KILL $$", 137, 3);
    comes_to(&[], "kill -INT $$", 1000 + libc::SIGINT, 1);
    comes_to(&[], "kill -QUIT $$", 1000 + libc::SIGQUIT, 1);
    comes_to(&[], "exit 127", 127, 1);
    comes_to(&[], "exit 126", 126, 1);
}

#[test]
fn retry_on_exit_makes_the_rest_permanent() {
    comes_to(&["--retry-on-exit", "75,EX_OSERR"], "exit 75", 75, 3);
    comes_to(&["--retry-on-exit", "75,EX_OSERR"], "exit 71", 71, 3);
    comes_to(&["--retry-on-exit", "75"], "exit 3", 3, 1);
    comes_to(&["--retry-on-exit", "137"], "kill -KILL $$", 137, 3);
    comes_to(&["--retry-on-exit", "127"], "exit 127", 127, 3);
}

#[test]
fn fail_on_exit_stops_at_once_and_leaves_the_rest_retryable() {
    comes_to(&["--fail-on-exit", "2-4"], "exit 3", 3, 1);
    comes_to(&["--fail-on-exit", "2-4"], "exit 5", 5, 3);
    comes_to(&["--fail-on-exit", "5", "--retry-on-exit", "5"], "exit 5", 5, 1);
}

#[test]
fn succeed_on_exit_is_success_but_never_for_a_signal() {
    comes_to(&["--succeed-on-exit", "3"], "exit 3", 0, 1);
    comes_to(&["--succeed-on-exit", "1-255"], "kill -TERM $$", 143, 3);
    comes_to(&["--succeed-on-exit", "1-255", "--retry-on-exit", "0"], "test $RETRY_ATTEMPT -lt 3", 0, 3);
}

#[test]
fn rules_on_signals_look_at_the_signal() {
    comes_to(&["--retry-on-signal", "SEGV,KILL"], "kill -KILL $$", 137, 3);
    comes_to(&["--retry-on-signal", "SEGV"], "kill -KILL $$", 137, 1);
    comes_to(&["--retry-on-signal", "INT"], "kill -INT $$", 1000 + libc::SIGINT, 3);
    comes_to(&["--fail-on-signal", "9"], "kill -KILL $$", 137, 1);
}

#[test]
fn a_timeout_is_retryable_beside_retry_rules_unless_it_is_said_to_fail() {
    comes_to(&["-n", "2", "-t", "1s"], "exec sleep 60", 124, 2);
    comes_to(&["-n", "2", "-t", "1s", "--retry-on-exit", "75"], "exec sleep 60", 124, 2);
    comes_to(&["-n", "2", "-t", "1s", "--fail-on-exit", "124"], "exec sleep 60", 124, 2);
    comes_to(&["-n", "2", "-t", "1s", "--fail-on-timeout"], "exec sleep 60", 124, 1);
}

#[test]
fn preserve_status_passes_on_how_the_command_itself_ended() {
    comes_to(&["-n", "1", "-t", "1s", "--preserve-status"], "exec sleep 60", 143, 1);
    comes_to(&["-n", "1", "-t", "3s", "--preserve-status"], "trap 'exit 7' TERM; sleep 60 & wait", 7, 1);
}

#[test]
fn exit_zero_that_counts_as_failure_never_ends_as_zero() {
    comes_to(&["--retry-on-exit", "0"], "exit 0", 1, 3);
    comes_to(&["--fail-on-exit", "0"], "exit 0", 1, 1);
}
