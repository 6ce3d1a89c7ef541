//! What is success, what is tried again, what is not. Each run has two attempts.

use super::run;
use crate::harness::Place;

/// Runs a script at most twice; its status, and how often it ran, which it says by an `x` each time.
fn tried(options: &[&str], script: &str) -> (i32, usize) {
    let ended = run(&Place::new(), &[&["-n2"], options].concat(), script).run();
    assert_eq!(ended.err(), "", "{options:?}");
    (ended.code(), ended.out().lines().filter(|line| *line == "x").count())
}

#[test]
pub fn retry_on_exit_makes_the_rest_permanent() {
    assert_eq!(tried(&["--retry-on-exit", "5,EX_TEMPFAIL"], "echo x; exit 75"), (75, 2));
    assert_eq!(tried(&["--retry-on-exit", "5"], "echo x; exit 6"), (6, 1));
    assert_eq!(tried(&["--retry-on-exit", "5", "--retry-on-exit", "6"], "echo x; exit 5"), (5, 2));
    assert_eq!(tried(&[], "echo x; exit 6"), (6, 2));
}

#[test]
pub fn fail_on_exit_is_permanent() {
    assert_eq!(tried(&["--fail-on-exit", "5-7"], "echo x; exit 6"), (6, 1));
    assert_eq!(tried(&["--fail-on-exit", "137"], "echo x; kill -KILL $$"), (137, 1));
}

#[test]
pub fn succeed_on_exit_is_success() {
    assert_eq!(tried(&["--succeed-on-exit", "6"], "echo x; exit 6"), (0, 1));
}

#[test]
pub fn retry_on_signal_makes_the_rest_permanent() {
    assert_eq!(tried(&["--retry-on-signal", "KILL"], "echo x; kill -KILL $$"), (137, 2));
    assert_eq!(tried(&["--retry-on-signal", "KILL"], "echo x; exit 6"), (6, 1));
}

#[test]
pub fn fail_on_signal_is_permanent() {
    assert_eq!(tried(&["--fail-on-signal", "SIGKILL"], "echo x; kill -KILL $$"), (137, 1));
    assert_eq!(tried(&[], "echo x; kill -KILL $$"), (137, 2));
}

#[test]
pub fn fail_on_timeout_is_permanent() {
    assert_eq!(tried(&["-t1s", "--fail-on-timeout"], "echo x; exec sleep 100"), (124, 1));
    assert_eq!(tried(&["-t1s"], "echo x; exec sleep 100"), (124, 2));
}

#[test]
pub fn retry_on_output_tries_a_success_again() {
    assert_eq!(tried(&["--retry-on-output", "^bus."], "echo x; echo busy"), (1, 2));
    assert_eq!(tried(&["--retry-on-output", "^bus."], "echo x; echo not busy"), (0, 1));
}

#[test]
pub fn fail_on_output_is_permanent() {
    assert_eq!(tried(&["--fail-on-output", "den[iy]ed"], "echo x; echo access denied; exit 6"), (6, 1));
    assert_eq!(tried(&["--fail-on-output", "den[iy]ed"], "echo x; echo access denied"), (1, 1));
}

#[test]
pub fn until_output_tries_until_a_line_matches() {
    assert_eq!(tried(&["--until-output", "^ready$"], "echo x; echo unready"), (1, 2));
    assert_eq!(tried(&["--until-output", "^ready$"], "echo x; test $RETRY_ATTEMPT = 1 || echo ready"), (0, 2));
}

#[test]
pub fn preset_knows_the_statuses_of_a_tool() {
    assert_eq!(tried(&["--preset", "qmail"], "echo x; exit 111"), (111, 2));
    assert_eq!(tried(&["--preset", "qmail"], "echo x; exit 100"), (100, 1));
    assert_eq!(tried(&["--preset", "qmail"], "echo x; exit 99"), (0, 1));
}
