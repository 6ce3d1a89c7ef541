//! What is started at the end, and before a delay.

use super::run;
use crate::harness::Place;

#[test]
pub fn on_retry_runs_before_each_delay() {
    let place = Place::new();
    run(&place, &["-n3", "--on-retry", "echo $RETRY_ATTEMPTS >>seen"], "exit 3").run().is(3, "", "");
    assert_eq!(place.read("seen").lines().count(), 2);
}

#[test]
pub fn on_failure_runs_after_a_bad_run() {
    let place = Place::new();
    run(&place, &["-n2", "--on-failure", "echo $RETRY_ENDING $RETRY_EXIT >>seen"], "exit 3").run().is(3, "", "");
    run(&place, &["-n2", "--on-failure", "echo again >>seen"], "exit 0").run().is(0, "", "");
    assert_eq!(place.read("seen"), "exhausted 3\n");
}

#[test]
pub fn on_success_runs_after_a_good_run() {
    let place = Place::new();
    run(&place, &["-n2", "--on-success", "echo $RETRY_ENDING $RETRY_EXIT >>seen"], "exit 0").run().is(0, "", "");
    run(&place, &["-n2", "--on-success", "echo again >>seen"], "exit 3").run().is(3, "", "");
    assert_eq!(place.read("seen"), "succeeded 0\n");
}

#[test]
pub fn hook_timeout_ends_a_hook() {
    // The default would let the hook finish.
    let place = Place::new();
    run(&place, &["--hook-timeout", "2s", "--on-success", "touch began; sleep 20; touch seen"], "exit 0")
        .run()
        .gives(0, "");
    assert!(place.file("began").exists() && !place.file("seen").exists());
}

#[test]
pub fn hook_record_full_hides_nothing() {
    let place = Place::new();
    let with = |options: &[&str]| {
        let hook = ["-qq", "--no-dead-letter", "--on-success", "cat >seen"];
        place.retry(hook.iter().chain(options).chain(&["true", "--password=hunter2"])).run().is(0, "", "");
        place.read("seen").contains("hunter2")
    };
    assert!(!with(&[]));
    assert!(with(&["--hook-record", "full"]));
}
