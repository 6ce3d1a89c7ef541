//! When the next attempt comes, and when none does. Time is looked at only as a lower bound, or as a fence against an hour.

use std::time::{Duration, Instant};

use crate::harness::{Place, until};
use crate::processes::idle;

fn letter(place: &Place) -> serde_json::Value {
    serde_json::from_str(place.read("d").trim()).expect("one letter")
}

#[test]
fn no_delay_follows_the_last_attempt_a_success_or_a_permanent_failure() {
    let place = Place::new();
    let hour = ["-qq", "--base", "1h", "--cap", "1h", "--jitter", "none"];
    let started = Instant::now();
    place.retry([&hour[..], &["-n", "1", "--", "false"]].concat()).run().is(1, "", "");
    place.retry([&hour[..], &["--", "true"]].concat()).run().is(0, "", "");
    place.retry([&hour[..], &["--fail-on-exit", "1", "--", "false"]].concat()).run().is(1, "", "");
    assert!(started.elapsed() < Duration::from_secs(1800), "one of them waited its hour");
}

#[test]
fn a_delay_that_would_pass_the_window_is_not_begun_and_the_letter_says_deadline() {
    let place = Place::new();
    let options =
        ["-qq", "--max-elapsed", "1m", "--base", "1h", "--cap", "1h", "--jitter", "none", "--dead-letter", "d"];
    place.retry([&options[..], &["--", "false"]].concat()).run().is(1, "", "");
    let letter = letter(&place);
    assert_eq!((&letter["retry"]["ending"], &letter["retry"]["attempts"]), (&"deadline".into(), &1.into()));
}

#[test]
fn the_delays_of_a_schedule_are_waited_and_recorded_with_their_source() {
    let place = Place::new();
    let started = Instant::now();
    place.retry(["-qq", "-n", "4", "--delays", "30ms,50ms", "--dead-letter", "d", "--", "false"]).run().is(1, "", "");
    assert!(started.elapsed() >= Duration::from_millis(130));
    let letter = letter(&place);
    let history = letter["retry"]["history"].as_array().unwrap();
    let delays: Vec<_> = history.iter().filter_map(|attempt| attempt["delay_ms"].as_u64()).collect();
    assert_eq!((delays, &letter["retry"]["waited_ms"]), (vec![30, 50, 50], &130.into()));
    assert!(history[..3].iter().all(|attempt| attempt["delay_source"] == "backoff"));
}

#[test]
fn the_splay_comes_before_the_first_attempt_and_outside_the_window() {
    let place = Place::new();
    let window = ["--splay", "200ms", "--max-elapsed", "0.000000001", "--base", "1h"];
    let options = [&["-qq", "--seed", "3", "--dead-letter", "d"], &window[..]].concat();
    place.retry([&options[..], &["--", "sh", "-c", "echo ran; exit 4"]].concat()).run().is(4, "ran\n", "");
    let letter = letter(&place);
    assert_eq!((&letter["retry"]["attempts"], &letter["retry"]["ending"]), (&1.into(), &"deadline".into()));
    assert!((1..=200).contains(&letter["retry"]["waited_ms"].as_u64().unwrap()), "{letter}");
}

#[test]
fn the_window_shortens_the_time_limit_of_an_attempt() {
    let place = Place::new();
    place.retry(["-qq", "-n", "1", "--max-elapsed", "100ms", "-t", "1h", "--", "sleep", "3600"]).run().is(124, "", "");
}

#[test]
fn a_long_attempt_starts_the_counting_anew_while_attempts_go_on_counting() {
    let place = Place::new();
    let script = "echo $RETRY_ATTEMPT >>n; test $RETRY_ATTEMPT = 5 || { sleep 0.2; exit 1; }";
    let options = ["-qq", "-n", "2", "--delays", "1ms,1h", "--reset-after", "100ms"];
    place.retry([&options[..], &["--", "sh", "-c", script]].concat()).run().is(0, "", "");
    assert_eq!(place.read("n"), "1\n2\n3\n4\n5\n");
}

#[test]
fn processes_started_together_draw_apart() {
    let place = Place::new();
    let running: Vec<_> = (0..8)
        .map(|i| {
            let file = format!("d{i}");
            place
                .retry([
                    "-qq",
                    "-n",
                    "2",
                    "--delays",
                    "1s",
                    "--jitter",
                    "full",
                    "--max-elapsed",
                    "1h",
                    "--dead-letter",
                    &file,
                    "--",
                    "false",
                ])
                .start()
        })
        .collect();
    for run in running {
        run.wait().is(1, "", "");
    }
    let delays: std::collections::BTreeSet<u64> = (0..8)
        .map(|i| {
            let letter: serde_json::Value = serde_json::from_str(place.read(&format!("d{i}")).trim()).unwrap();
            letter["retry"]["waited_ms"].as_u64().unwrap()
        })
        .collect();
    assert!(delays.len() > 3, "{delays:?}");
}

#[test]
fn an_unlimited_run_without_a_window_says_once_that_it_never_alerts_anyone() {
    let place = Place::new();
    let script = "echo >>n; test $(wc -l <n) = 4";
    let warned = |options: &[&str]| {
        let ended = place.retry([options, &["--base", "0", "--", "sh", "-c", script]].concat()).run();
        std::fs::remove_file(place.file("n")).unwrap();
        ended.err().matches("never alerts anyone").count()
    };
    assert_eq!(warned(&["-n", "unlimited"]), 1);
    assert_eq!(warned(&["-n", "unlimited", "-q"]), 0);
    assert_eq!(warned(&["-n", "unlimited", "--max-elapsed", "1h"]), 0);
    assert_eq!(warned(&["-n", "9"]), 0);
}

#[test]
fn a_wait_ends_at_once_when_a_signal_ends_the_run() {
    let place = Place::new();
    let run =
        place.retry(["--base", "1h", "--cap", "1h", "--jitter", "none", "--", "sh", "-c", ": >ready; exit 1"]).start();
    until("the first attempt", || place.file("ready").exists());
    idle(run.pid());
    run.kill(libc::SIGTERM);
    let ended = run.wait();
    assert_eq!((ended.code(), ended.out().as_str()), (1000 + libc::SIGTERM, ""));
}
