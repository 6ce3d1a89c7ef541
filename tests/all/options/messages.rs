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
