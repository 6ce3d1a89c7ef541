//! What a letter holds. Contract D10 to D15.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use serde_json::{Value, json};

use super::{FILE, letter_of, lines};
use crate::harness::Place;

#[test]
fn a_letter_holds_what_is_needed_to_understand_it_and_to_run_it_again() {
    let place = Place::new();
    let script = "echo first line >&2; echo the cause >&2; exit 75";
    let args =
        ["-qq", "-n2", "--base=0", "--job=nightly", "--dead-letter", FILE, "--record-env=STAGE", "sh", "-c", script];
    place.retry(args).env("STAGE", "prod").env("OTHER", "x").run().is(
        75,
        "",
        "first line\nthe cause\nfirst line\nthe cause\n",
    );
    let record = lines(&place, FILE).pop().unwrap();
    assert_eq!((&record["v"], &record["kind"], &record["job"]), (&json!(1), &json!("dead_letter"), &json!("nightly")));
    assert_eq!(record["id"], record["idempotency_key"]);
    let directory = std::fs::canonicalize(place.path()).unwrap();
    let process = json!({"args": ["sh", "-c", script], "working_directory": directory.to_str(), "exit_code": 75});
    assert_eq!(record["process"], process);
    assert_eq!(record["error"], json!({"type": "exit_code", "message": "the cause"}));
    let tail = json!({"tail": "first line\nthe cause\n", "total_bytes": 21, "truncated": false});
    assert_eq!(record["stderr"], tail);
    assert_eq!(record["stdin"], json!({"kind": "null"}));
    let env = record["env"].as_object().unwrap();
    assert_eq!(env.keys().collect::<Vec<_>>(), ["HOME", "LC_ALL", "PATH", "STAGE"]);
    assert_eq!(env["STAGE"], "prod");
    assert_eq!(record["umask"].as_str().map(str::len), Some(4));
    let retry = &record["retry"];
    assert_eq!((&retry["ending"], &retry["exit_code"]), (&json!("exhausted"), &json!(75)));
    assert_eq!((&retry["attempts"], &retry["max_tries"]), (&json!(2), &json!(2)));
    assert_eq!(retry["policy"]["max-tries"], "2");
    let history = retry["history"].as_array().unwrap();
    assert_eq!(history.len(), 2);
    assert_eq!((&history[0]["verdict"], &history[0]["delay_ms"]), (&json!("retryable"), &json!(0)));
    assert_eq!(history[0]["delay_source"], "backoff");
    assert!(history[1]["delay_ms"].is_null(), "there is no delay after the last attempt");
    assert!(record["host"]["name"].is_string() && record["user"]["id"].is_string());
    has_no_null(&record);
    for at in [&record["@timestamp"], &retry["first_attempt_at"], &retry["last_attempt_at"], &history[0]["started_at"]]
    {
        let at = at.as_str().unwrap();
        assert!(at.len() == 24 && at.ends_with('Z') && &at[19..20] == ".", "{at}");
    }
}

fn has_no_null(value: &Value) {
    match value {
        Value::Null => panic!("absent rather than null"),
        Value::Array(items) => items.iter().for_each(has_no_null),
        Value::Object(fields) => fields.values().for_each(has_no_null),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn how_an_attempt_ended_is_told_by_its_kind() {
    let place = Place::new();
    let killed = letter_of(&place, &[], &["sh", "-c", "kill -9 $$"]);
    assert_eq!((&killed["error"]["type"], &killed["process"]["signal"]), (&json!("signal"), &json!("SIGKILL")));
    assert!(killed["process"]["exit_code"].is_null());
    let timed_out = letter_of(&place, &["--timeout=50ms"], &["sleep", "60"]);
    assert_eq!((&timed_out["error"]["type"], &timed_out["retry"]["exit_code"]), (&json!("timeout"), &json!(124)));
    let missing = letter_of(&place, &[], &["./no-such"]);
    assert_eq!(missing["error"], json!({"type": "spawn", "message": "no such file or directory"}));
    assert_eq!(missing["retry"]["ending"], "permanent");
    let refused = letter_of(&place, &["--fail-on-output=bad"], &["echo", "bad"]);
    assert_eq!((&refused["error"]["type"], &refused["process"]["exit_code"]), (&json!("output"), &json!(0)));
}

#[test]
fn bytes_that_are_not_text_stand_as_text_and_as_base64() {
    let place = Place::new();
    let args =
        ["-qq", "-n1", "--dead-letter", FILE, "--record-env=ODD", "sh", "-c", "printf '\\377' >&2; exit 1", "sh"];
    let args = args.map(OsStr::new).into_iter().chain([OsStr::from_bytes(b"a\xffb")]);
    place.retry(args).env("ODD", OsStr::from_bytes(b"\xfe")).run();
    let record = lines(&place, FILE).pop().unwrap();
    assert_eq!(record["process"]["args"][4], "a\u{fffd}b");
    assert_eq!(record["process"]["args_b64"][4], "Yf9i");
    assert_eq!((&record["stderr"]["tail"], &record["stderr"]["tail_b64"]), (&json!("\u{fffd}"), &json!("/w==")));
    assert_eq!((&record["env"]["ODD"], &record["env_b64"]["ODD"]), (&json!("\u{fffd}"), &json!("/g==")));
}

#[test]
fn a_run_without_limit_has_no_max_tries_and_a_history_with_an_end() {
    let place = Place::new();
    let script = "[ $RETRY_ATTEMPT -lt 40 ] || exit 3; exit 1";
    let options = ["--max-tries=unlimited", "--base=0", "--fail-on-exit=3"];
    let record = letter_of(&place, &options, &["sh", "-c", script]);
    assert!(record["retry"]["max_tries"].is_null());
    let numbers: Vec<u64> =
        record["retry"]["history"].as_array().unwrap().iter().map(|a| a["attempt"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=5).chain(26..=40).collect::<Vec<u64>>());
}

#[test]
fn a_run_that_is_ended_by_term_leaves_a_letter_and_one_that_is_ended_by_ctrl_c_none() {
    for (signal, leaves) in [(libc::SIGTERM, true), (libc::SIGINT, false)] {
        let place = Place::new();
        let args = ["-n5", "--delays=1h", "--dead-letter", FILE, "sh", "-c", "touch failed; exit 1"];
        let running = place.retry(args).start();
        crate::harness::until("the first attempt has begun", || place.file("failed").exists());
        crate::processes::idle(running.pid());
        running.kill(signal);
        assert_eq!(running.wait().code(), 1000 + signal);
        let letters = lines(&place, FILE);
        assert_eq!(letters.len(), usize::from(leaves));
        assert!(letters.iter().all(|letter| letter["retry"]["ending"] == "interrupted"));
    }
}

#[test]
fn a_hundred_thousand_arguments_make_a_letter_of_less_than_four_mebibytes() {
    let place = Place::new();
    let script = "set -- $(seq 100000); exec retry -qq -n1 --dead-letter letters -- false \"$@\"";
    place.bash(script).run().is(1, "", "");
    let record = lines(&place, FILE).pop().unwrap();
    let args = record["process"]["args"].as_array().unwrap();
    assert_eq!((args.len(), &args[100_000]), (100_001, &json!("100000")));
    assert!(place.read(FILE).len() < 4 << 20);
}

#[test]
fn a_report_is_written_for_every_run_and_masked_unless_it_is_to_be_whole() {
    let place = Place::new();
    let run = |options: &[&str], command: &str| {
        let fixed = ["-qq", "-n1", "--no-dead-letter", "--report", "report.json"];
        place.retry(fixed.iter().chain(options).chain(&[command, "--token=abc"])).run();
        serde_json::from_str::<Value>(&place.read("report.json")).unwrap()
    };
    let good = run(&[], "true");
    assert_eq!((&good["kind"], &good["retry"]["ending"]), (&json!("run"), &json!("succeeded")));
    assert_eq!((&good["redacted"], &good["process"]["args"][1]), (&json!(true), &json!("--token=***")));
    let bad = run(&["--report-full"], "false");
    assert_eq!((&bad["kind"], &bad["retry"]["ending"]), (&json!("run"), &json!("exhausted")));
    assert_eq!((&bad["redacted"], &bad["process"]["args"][1]), (&Value::Null, &json!("--token=abc")));
}
