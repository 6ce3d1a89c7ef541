//! What is kept of a run.

use super::{record, run};
use crate::harness::Place;

#[test]
pub fn dead_letter_names_the_file() {
    let place = Place::new();
    place.retry(["-qq", "-n1", "--dead-letter", "here", "false"]).run().is(1, "", "");
    assert_eq!(record(&place, "here")["process"]["args"][0], "false");
}

#[test]
pub fn no_dead_letter_keeps_none() {
    let place = Place::new();
    let default = place.file("retry/dead-letter.jsonl");
    let fail = |options: &[&str]| {
        let run = place.retry(["-qq", "-n1"].iter().chain(options).chain(&["false"]));
        run.env("XDG_STATE_HOME", place.path()).run().is(1, "", "");
    };
    fail(&["--no-dead-letter"]);
    assert!(!default.exists());
    fail(&[]);
    assert!(default.exists());
}

#[test]
pub fn job_names_the_job() {
    let place = Place::new();
    place.retry(["-qq", "-n1", "--dead-letter=l", "--job", "nightly", "sh", "-c", "echo $RETRY_JOB; exit 3"]).run().is(
        3,
        "nightly\n",
        "",
    );
    assert_eq!(record(&place, "l")["job"], "nightly");
}

#[test]
pub fn idempotency_key_reaches_every_attempt() {
    let place = Place::new();
    let script = "echo $RETRY_IDEMPOTENCY_KEY; exit 3";
    run(&place, &["-n2", "--idempotency-key", "order 7"], script).run().is(3, "order 7\norder 7\n", "");
}

#[test]
pub fn record_env_keeps_a_variable() {
    let place = Place::new();
    let fail = ["-qq", "-n1", "--dead-letter=l", "--record-env", "STAGE,NOT_SET", "false"];
    place.retry(fail).env("STAGE", "test").env("OTHER", "x").run().is(1, "", "");
    let env = &record(&place, "l")["env"];
    assert_eq!((&env["STAGE"], env.get("OTHER"), env.get("NOT_SET")), (&"test".into(), None, None));
}

#[test]
pub fn record_stdin_limits_the_stored_input() {
    for (limit, kind) in [("10", "not_stored"), ("11", "stored")] {
        let place = Place::new();
        let fail = ["-qq", "-n1", "--dead-letter=l", "--record-stdin", limit, "sh", "-c", "cat >/dev/null; exit 3"];
        place.retry(fail).input("hello world").run().is(3, "", "");
        assert_eq!(record(&place, "l")["stdin"]["kind"], kind);
    }
}

#[test]
pub fn redact_hides_what_matches() {
    let place = Place::new();
    let with = |options: &[&str]| {
        place.retry(["--report=r"].iter().chain(options).chain(&["true", "order-12345"])).run().is(0, "", "");
        place.read("r").contains("12345")
    };
    assert!(with(&[]));
    assert!(!with(&["--redact", "[0-9]{5}"]));
}

#[test]
pub fn report_is_written_for_a_good_run_too() {
    let place = Place::new();
    place.retry(["--report", "r", "true"]).run().is(0, "", "");
    let record = record(&place, "r");
    assert_eq!((&record["kind"], &record["retry"]["ending"]), (&"run".into(), &"succeeded".into()));
}

#[test]
pub fn report_full_hides_nothing() {
    let place = Place::new();
    let with = |options: &[&str]| {
        place.retry(["--report=r"].iter().chain(options).chain(&["true", "--password=hunter2"])).run().is(0, "", "");
        place.read("r").contains("hunter2")
    };
    assert!(!with(&[]));
    assert!(with(&["--report-full"]));
}
