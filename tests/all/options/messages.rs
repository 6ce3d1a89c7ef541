//! What is said, where, and what is counted.

use crate::harness::Place;

const FAIL: &[&str] = &["-n2", "--base=0", "--no-dead-letter", "false"];

fn said(options: &[&str]) -> String {
    let ended = Place::new().retry(options.iter().chain(FAIL)).run();
    assert_eq!((ended.code(), ended.out().as_str()), (1, ""));
    ended.err()
}

#[test]
pub fn quiet_says_only_the_end_and_twice_nothing() {
    assert_eq!(said(&[]).lines().count(), 2);
    assert_eq!(said(&["--quiet"]).lines().count(), 1);
    assert!(said(&["--quiet"]).contains("gave up"));
    assert_eq!(said(&["-qq"]), "");
}

#[test]
pub fn verbose_says_when_attempts_start_and_end() {
    let (plain, verbose, more) = (said(&[]), said(&["--verbose"]), said(&["-vv"]));
    assert!(verbose.lines().count() > plain.lines().count(), "{verbose}");
    assert!(verbose.lines().all(|line| line.starts_with("retry: ")), "{verbose}");
    assert!(more.len() > verbose.len(), "{more}");
}

#[test]
pub fn log_format_json_is_one_object_a_line() {
    let text = said(&["--log-format", "json"]);
    let events: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect();
    assert!(events.iter().any(|event| event["event"] == "attempt_finished"), "{text}");
    assert!(events.last().is_some_and(|event| event["event"] == "finished"), "{text}");
}

#[test]
pub fn log_file_gets_the_messages() {
    let place = Place::new();
    place.retry(["--log-file", "log"].iter().chain(FAIL)).run().is(1, "", "");
    assert!(place.read("log").contains("gave up after 2 attempts"), "{}", place.read("log"));
}

#[test]
pub fn ci_writes_annotations() {
    assert!(said(&["--ci", "github"]).contains("::error title="), "{}", said(&["--ci", "github"]));
    assert!(!said(&[]).contains("::error"));
    let place = Place::new();
    let ended = place.retry(["--ci", "none"].iter().chain(FAIL)).env("GITHUB_ACTIONS", "true").run();
    assert!(!ended.err().contains("::error"), "{}", ended.err());
}

#[test]
pub fn ci_output_sets_outputs_of_the_step() {
    let place = Place::new();
    let run = place.retry(["-qq", "--ci=github", "--ci-output", "my_"].iter().chain(FAIL));
    run.env("GITHUB_OUTPUT", place.file("outputs")).run();
    assert_eq!(place.read("outputs"), "my_attempts=2\nmy_exit_code=1\nmy_ending=exhausted\n");
}

#[test]
pub fn metrics_dir_counts_runs() {
    let place = Place::new();
    std::fs::create_dir(place.file("metrics")).expect("a directory can be made");
    place.retry(["-qq", "--metrics-dir", "metrics"].iter().chain(FAIL)).run().is(1, "", "");
    let text = place.read("metrics/retry_false.prom");
    assert!(text.contains("retry_runs_total{name=\"false\",ending=\"exhausted\"} 1\n"), "{text}");
}
