//! `--plan` shows what a run would do, by the machine of a run, and runs nothing. Contract R50.

use serde_json::{Value, json};

use crate::harness::Place;

fn plan(args: &[&str]) -> Value {
    let place = Place::new();
    let ended = place.retry([&["--plan=json"], args].concat()).run();
    assert_eq!((ended.code(), ended.err().as_str()), (0, ""));
    serde_json::from_str(&ended.out()).unwrap()
}

#[test]
fn the_defaults_wait_two_four_eight_sixteen_and_thirty_two_seconds_at_most() {
    let attempt = |n: u64, ceiling: u64, worst: u64| json!({"attempt": n, "ceiling_ms": ceiling, "mean_ms": ceiling / 2, "worst_ms": worst});
    let wanted = json!({
        "attempts": [attempt(1, 2000, 2000), attempt(2, 4000, 6000), attempt(3, 8000, 14000), attempt(4, 16000, 30000),
            attempt(5, 32000, 62000), {"attempt": 6, "worst_ms": 62000}],
        "worst_total_ms": 62000, "mean_total_ms": 31000, "cut": false, "fit": 6,
    });
    assert_eq!(plan(&[]), wanted);
}

#[test]
fn from_the_ninth_attempt_on_the_ceiling_is_the_cap() {
    let plan = plan(&["-n", "13"]);
    let ceilings: Vec<u64> =
        plan["attempts"].as_array().unwrap().iter().filter_map(|a| a["ceiling_ms"].as_u64()).collect();
    assert_eq!(ceilings[7..], [256_000, 300_000, 300_000, 300_000, 300_000]);
}

#[test]
fn each_option_of_the_delays_changes_the_plan() {
    let ceilings = |args: &[&str]| -> Vec<u64> {
        plan(args)["attempts"].as_array().unwrap().iter().filter_map(|a| a["ceiling_ms"].as_u64()).collect()
    };
    assert_eq!(ceilings(&["-n", "4", "--base", "500ms"]), [1000, 2000, 4000]);
    assert_eq!(ceilings(&["-n", "4", "--cap", "3s"]), [2000, 3000, 3000]);
    assert_eq!(ceilings(&["-n", "4", "--factor", "3"]), [3000, 9000, 27_000]);
    assert_eq!(ceilings(&["-n", "4", "--backoff", "linear"]), [1000, 2000, 3000]);
    assert_eq!(ceilings(&["-n", "4", "--backoff", "constant"]), [1000, 1000, 1000]);
    assert_eq!(ceilings(&["-n", "4", "--delays", "1s,5s"]), [1000, 5000, 5000]);
    assert_eq!(ceilings(&["-n", "3", "--jitter", "decorrelated"]), [3000, 9000]);
    assert_eq!(plan(&["--splay", "10s"])["splay_ms"], 10_000);
    let means = |jitter| plan(&["-n", "2", "--jitter", jitter])["attempts"][0]["mean_ms"].as_u64().unwrap();
    assert_eq!((means("full"), means("equal"), means("none"), means("decorrelated")), (1000, 1500, 2000, 2000));
}

#[test]
fn a_window_cuts_the_plan_and_an_endless_run_shows_twenty_attempts() {
    let cut = plan(&["-n", "unlimited", "--max-elapsed", "1m"]);
    assert_eq!((&cut["fit"], &cut["cut"], &cut["worst_total_ms"]), (&json!(5), &json!(true), &json!(30_000)));
    assert_eq!(plan(&["-n", "unlimited"])["fit"], 20);
}

#[test]
fn a_seed_tells_the_very_delays_that_a_run_with_it_takes() {
    let options = ["-n", "4", "--base", "3ms", "--seed", "42"];
    let planned: Vec<u64> =
        plan(&options)["attempts"].as_array().unwrap().iter().filter_map(|a| a["delay_ms"].as_u64()).collect();
    let place = Place::new();
    let ended = place.retry([&options[..], &["--dead-letter", "d", "--", "false"]].concat()).run();
    assert_eq!(ended.code(), 1);
    let letter: Value = serde_json::from_str(place.read("d").trim()).unwrap();
    let taken: Vec<u64> =
        letter["retry"]["history"].as_array().unwrap().iter().filter_map(|a| a["delay_ms"].as_u64()).collect();
    assert_eq!((taken.len(), taken), (3, planned));
}

#[test]
fn the_plan_for_people_names_the_totals_and_starts_nothing() {
    let place = Place::new();
    let ended = place.retry(["--plan", "-n", "3", "--", "touch", "ran"]).run();
    let wanted = "\
attempt  delay at most           mean  in all at most
      1            2 s            1 s             2 s
      2            4 s            2 s             6 s
      3              -              -             6 s
3 attempts, with waits of 6 s at most, 3 s in the mean
";
    ended.is(0, wanted, "");
    assert!(!place.file("ran").exists());
}

#[test]
fn the_plan_for_people_says_how_many_attempts_fit_into_a_window() {
    let place = Place::new();
    let last = |window: &str| {
        let ended = place.retry(["--plan", "--max-elapsed", window]).run();
        ended.out().lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(last("1s"), "--max-elapsed cuts it: 1 attempt fits, with waits of 0 ms at most, 0 ms in the mean");
    assert_eq!(last("5s"), "--max-elapsed cuts it: 2 attempts fit, with waits of 2 s at most, 1 s in the mean");
}
