//! `retryctl stats`: what metrics say, for people and as JSON. Contract W9, W10.

use crate::harness::Place;
use crate::metrics::promtool_is_silent;

/// A place where `sync` took retries in half of its runs, `api` failed in one way and `messy` in many.
fn counted() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.file("m")).expect("a directory can be made");
    let run = |job: &str, script: &str| {
        let args = ["-qq", "-n", "2", "--base", "0", "--metrics-dir", "m", "--job", job, "--", "sh", "-c", script];
        place.retry(args).run();
    };
    for attempt in ["1", "2", "1", "2"] {
        run("sync", &format!("test $RETRY_ATTEMPT = {attempt}"));
    }
    for status in 1..=6 {
        run("api", "exit 7");
        run("messy", &format!("exit {status}"));
    }
    place
}

fn stats(place: &Place, args: &[&str]) -> String {
    let ended = place.retryctl(["stats", "--metrics-dir", "m"].iter().chain(args)).run();
    assert_eq!((ended.code(), ended.err().as_str()), (0, ""));
    ended.out()
}

#[test]
fn the_first_rate_stands_beside_the_final_one() {
    let place = counted();
    let text = stats(&place, &[]);
    let ages = regex_lite::Regex::new(r"[0-9]+[smh] ago").expect("valid");
    assert_eq!(
        ages.replace_all(&text, "AGO"),
        "JOB    RUNS  FIRST TRY  IN THE END  RETRIES  ERROR   LETTERS  SUCCESS\n\
         api       6    0 %        0 %           1.0  exit_7        6  never\n\
         messy     6    0 %        0 %           1.0  exit_1        6  never\n\
         sync      4   50 %      100 %           0.5  exit_1        0  AGO\n\
         \n\
         sync: retries hid a failure in 50 % of its runs\n"
    );
}

#[test]
fn json_has_the_same_figures() {
    let place = counted();
    let all: serde_json::Value = serde_json::from_str(&stats(&place, &["--format", "json"])).expect("JSON");
    let sync = &all["jobs"][2];
    assert_eq!((&sync["name"], &sync["runs"]), (&"sync".into(), &4.into()));
    assert_eq!(sync["first_attempt_success_rate"], 0.5);
    assert_eq!(sync["final_success_rate"], 1.0);
    assert_eq!(sync["retries_per_run"], 0.5);
    assert!(sync["last_success_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{sync}");
    assert_eq!(all["jobs"][0]["errors"]["exit_7"], 12);
    assert_eq!(all["jobs"][0]["open_dead_letters"], 6);
    assert_eq!(all["jobs"][0].get("last_success_at"), None);
}

#[test]
fn by_error_one_class_is_told_from_many() {
    let place = counted();
    let text = stats(&place, &["--by", "error"]);
    assert!(text.starts_with("ERROR   FAILURES  SHARE  JOBS\nexit_7        12   46 %  api (12)\n"), "{text}");
    assert!(text.contains("exit_1         4   15 %  messy (2), sync (2)\n"), "{text}");
    assert!(text.contains("\napi: nearly always exit_7: what it depends on may be down\n"), "{text}");
    assert!(text.contains("\nmessy: fails in 6 ways: the fault may be its own\n"), "{text}");
    let all: serde_json::Value =
        serde_json::from_str(&stats(&place, &["--by", "error", "--format", "json"])).expect("JSON");
    assert_eq!(all["errors"][0]["jobs"]["api"], 12);
}

#[test]
fn on_a_terminal_there_are_small_bars() {
    let place = counted();
    let job = "a job whose name is longer than what is left of the line beside all the figures";
    place.retry(["-qq", "--no-dead-letter", "--metrics-dir", "m", "--job", job, "false"]).run().gives(1, "");
    let command = "stty cols 80; retryctl stats --metrics-dir m";
    let text = place.program("script", ["-qec", command, "/dev/null"]).run().out();
    assert!(text.contains(" 50 % \u{2588}\u{2588}\u{258c}"), "{text}");
    let (table, _) = text.split_once("\r\n\r\n").expect("a table, and what it means");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("\na job whose "), "{table}");
}

#[test]
fn the_gauges_of_letters_are_written_in_a_file_of_their_own() {
    let place = counted();
    stats(&place, &[]);
    let text = place.read("m/retryctl_dead_letters.prom");
    assert!(text.contains("retry_dead_letters{name=\"api\",state=\"dead\"} 6\n"), "{text}");
    assert!(text.contains("retry_dead_letters{name=\"api\",state=\"poison\"} 0\n"), "{text}");
    assert!(text.contains("retry_dead_letter_oldest_timestamp_seconds{name=\"api\",state=\"dead\"} "), "{text}");
    assert!(promtool_is_silent(&place.file("m/retryctl_dead_letters.prom")));
}

#[test]
fn the_directory_may_come_from_the_environment() {
    let place = counted();
    let ended = place.retryctl(["stats"]).env("RETRY_DEFAULT_METRICS_DIR", "m").run();
    assert_eq!(ended.code(), 0);
    assert!(ended.out().contains("sync"), "{}", ended.out());
}

#[test]
fn without_metrics_it_says_how_to_turn_them_on() {
    let how = "run jobs with --metrics-dir DIR, or set RETRY_DEFAULT_METRICS_DIR at the top of the crontab\n";
    let place = Place::new();
    place.retryctl(["stats"]).run().is(66, "", &format!("retryctl: nothing is counted yet: {how}"));
    std::fs::create_dir(place.file("m")).expect("a directory can be made");
    let said = format!("retryctl: no job has been counted in m yet: {how}");
    place.retryctl(["stats", "--metrics-dir", "m"]).run().is(0, "", &said);
    let missing = "retryctl: cannot read none: no such file or directory\n";
    place.retryctl(["stats", "--metrics-dir", "none"]).run().is(66, "", missing);
}

#[test]
fn a_file_that_cannot_be_read_is_passed_over_with_a_word() {
    let place = counted();
    place.write("m/retry_torn.prom", "retry_runs_total{name=\"to");
    let ended = place.retryctl(["stats", "--metrics-dir", "m"]).run();
    assert_eq!(ended.err(), "retryctl: passed over m/retry_torn.prom: it is not a file of metrics\n");
    assert!(ended.out().contains("sync"), "{}", ended.out());
}

#[test]
fn what_others_put_into_the_directory_is_neither_waited_for_nor_followed() {
    let place = counted();
    place.program("mkfifo", ["m/retry_fifo.prom"]).run().is(0, "", "");
    std::os::unix::fs::symlink("retry_sync.prom", place.file("m/retry_link.prom")).expect("a link can be made");
    let ended = place.retryctl(["stats", "--metrics-dir", "m"]).run();
    assert_eq!(ended.code(), 0);
    assert_eq!(ended.err().matches("passed over").count(), 2, "{}", ended.err());
    assert_eq!(ended.out().matches("\nsync ").count(), 1, "{}", ended.out());
}
