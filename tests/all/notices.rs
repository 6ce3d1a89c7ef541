//! Who hears of a run, where and in which form: logs, the journal, CI, the report, the terminal. Contract W4 to W7, S12.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;

use crate::harness::{Cli, Place};
use crate::messages::masked;

const FAILING: [&str; 9] = ["-n", "2", "--base", "10ms", "--jitter", "none", "--no-dead-letter", "--job", "backup"];
const FAILED: &str = "retry: attempt 1 of 2 failed: exit status 3 (retryable); next attempt in 20 ms\n";
const GAVE_UP: &str = "retry: gave up after 2 attempts in T: exit status 3 (exhausted)\n";

fn run(place: &Place, options: &[&str], script: &str) -> Cli {
    place.retry(FAILING.iter().chain(options).chain(&["--", "sh", "-c", script]))
}

fn events(text: &str) -> Vec<serde_json::Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn a_log_of_fifty_processes_has_whole_lines_in_the_order_of_events() {
    let place = Place::new();
    let log = ["--log-format", "json", "--log-file", "log"];
    let runs: Vec<_> =
        (0..50).map(|_| run(&place, &log, "test $RETRY_ATTEMPT = 2; exit $((3 * $?))").start()).collect();
    for run in runs {
        run.wait().is(0, "", "");
    }
    let mut of_run: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in events(&place.read("log")) {
        assert!(event["@timestamp"].as_str().is_some_and(|at| at.ends_with('Z')), "{event}");
        assert_eq!(event["job"], "backup");
        let id = event["id"].as_str().expect("an id").to_owned();
        of_run.entry(id).or_default().push(event["event"].as_str().expect("an event").to_owned());
    }
    assert_eq!(of_run.len(), 50);
    for (id, events) in of_run {
        assert_eq!(events, ["attempt_finished", "waiting", "attempt_finished", "finished"], "{id}");
    }
}

#[test]
fn the_keys_of_the_log_are_those_of_the_record() {
    let place = Place::new();
    let log = ["--log-format", "json", "--log-file", "log", "--report", "report"];
    run(&place, &log, "echo password=hunter2 >&2; exit 3").run().gives(3, "");
    let events = events(&place.read("log"));
    let report: serde_json::Value = serde_json::from_str(&place.read("report")).expect("a record");
    let known = |record: &serde_json::Value, event: &serde_json::Value, own: &[&str]| {
        for key in event.as_object().expect("an object").keys() {
            assert!(record.get(key).is_some() || own.contains(&key.as_str()), "{key} in {event}");
        }
    };
    let history = &report["retry"]["history"][0];
    known(history, &events[0], &["@timestamp", "id", "job", "event", "max_tries"]);
    known(history, &events[1], &["@timestamp", "id", "job", "event"]);
    known(&report, &events[3], &["event"]);
    known(&report["retry"], &events[3]["retry"], &[]);
    for key in ["process", "error"] {
        for (name, value) in events[3][key].as_object().expect("an object") {
            assert_eq!(report[key][name], *value, "{key}.{name}");
        }
    }
    assert_eq!((&events[3]["process"]["exit_code"], &events[3]["retry"]["exit_code"]), (&3.into(), &3.into()));
    assert_eq!(events[0]["error"]["message"], "password=***");
    assert_eq!(events[0]["exit_code"], 3);
    assert_eq!(events[1]["delay_ms"], 20);
    assert_eq!(events[3]["retry"]["ending"], "exhausted");
}

#[test]
fn the_log_says_of_an_end_without_a_status_what_the_record_says() {
    for (args, exit_code, error) in [
        (&["-t", "10ms", "--", "sleep", "1000"][..], 124, "timeout"),
        (&["--", "sh", "-c", "kill -9 $$"], 137, "signal"),
        (&["--", "/no/such"], 127, "spawn"),
    ] {
        let place = Place::new();
        let options = ["-n", "1", "--no-dead-letter", "--log-format", "json", "--report", "report"];
        let text = place.retry(options.iter().chain(args)).run().err();
        let finished = events(&text).pop().expect("an event");
        let report: serde_json::Value = serde_json::from_str(&place.read("report")).expect("a record");
        assert_eq!((&finished["retry"]["exit_code"], &finished["error"]["type"]), (&exit_code.into(), &error.into()));
        for pointer in ["/process/exit_code", "/process/signal", "/error", "/retry/exit_code"] {
            assert_eq!(finished.pointer(pointer), report.pointer(pointer), "{pointer} of {finished}");
        }
    }
}

#[test]
fn json_on_stderr_is_json_alone_also_in_ci_whose_summary_has_its_table() {
    let place = Place::new();
    let cli = run(&place, &["--log-format", "json", "-vv"], "exit 3").env("GITHUB_ACTIONS", "true");
    let text = cli.env("GITHUB_STEP_SUMMARY", place.file("summary")).run().err();
    assert!(events(&text).len() > 5, "{text}");
    assert!(place.read("summary").contains("\n| 2 | exit status 3 | retryable | "), "{}", place.read("summary"));
}

#[test]
fn a_log_that_cannot_be_written_never_changes_the_run() {
    for log in ["/no/such/log", "/dev/full", "."] {
        let place = Place::new();
        let ended = run(&place, &["--log-file", log], "exit 3").run();
        assert_eq!((ended.code(), ended.out().as_str()), (3, ""));
        let err = masked(&ended.err());
        assert_eq!(err.matches("cannot write the log").count(), 1, "{err}");
        assert!(err.ends_with(&format!("its lines go to stderr\n{FAILED}{GAVE_UP}")), "{err}");
    }
}

#[test]
fn a_log_file_stays_under_qq_and_stderr_is_empty() {
    let place = Place::new();
    run(&place, &["-qq", "--log-file", "log"], "exit 3").run().is(3, "", "");
    let log = place.read("log");
    assert_eq!(log.lines().count(), 2);
    assert!(log.lines().all(|line| line.contains(" backup ") && line.contains(" retry: ")), "{log}");
}

#[test]
fn the_journal_gets_priorities_and_nobody_else_does() {
    for (offset, expected) in [(0, format!("<4>{FAILED}<3>{GAVE_UP}")), (1, format!("{FAILED}{GAVE_UP}"))] {
        let place = Place::new();
        let journal = std::fs::File::create(place.file("journal")).expect("a file");
        let stat = journal.metadata().expect("a file has one");
        let named = format!("{}:{}", stat.dev(), stat.ino() + offset);
        place
            .bash(&format!("exec retry {} -- sh -c 'exit 3' 2>journal", FAILING.join(" ")))
            .env("JOURNAL_STREAM", named)
            .run()
            .is(3, "", "");
        assert_eq!(masked(&place.read("journal")), expected);
    }
}

#[test]
fn the_journal_hears_of_a_success_after_retries_as_a_notice() {
    let place = Place::new();
    let script = format!(
        "exec 2>journal; export JOURNAL_STREAM=$(stat -L -c %d:%i /dev/fd/2); \
         retry {} -- sh -c 'test $RETRY_ATTEMPT = 2'; printf 'child\\n' >&2",
        FAILING.join(" ")
    );
    place.bash(&script).run().is(0, "", "");
    let text = masked(&place.read("journal"));
    assert!(text.ends_with("<5>retry: succeeded on attempt 2 of 2 after T\nchild\n"), "{text}");
}

#[test]
fn github_gets_folds_annotations_a_table_and_outputs() {
    let place = Place::new();
    let ended = run(&place, &["--ci-output", "job_"], "echo said >&2; test $RETRY_ATTEMPT = 2 || exit 3")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", place.file("summary"))
        .env("GITHUB_OUTPUT", place.file("output"))
        .run();
    assert_eq!(
        masked(&ended.err()),
        format!(
            "said\n{FAILED}::group::retry: attempt 2 of 2\nsaid\n::endgroup::\n\
             retry: succeeded on attempt 2 of 2 after T\n\
             ::warning title=backup needed 2 attempts::succeeded on attempt 2 of 2 after T\n"
        )
    );
    assert_eq!(place.read("output"), "job_attempts=2\njob_exit_code=0\njob_ending=succeeded\n");
    let summary = place.read("summary");
    assert!(summary.starts_with("### retry: backup: succeeded on attempt 2 of 2 after "), "{summary}");
    assert!(summary.contains("\n| 1 | exit status 3 | retryable | "), "{summary}");
    assert!(summary.contains("\n| 2 | exit status 0 | success | "), "{summary}");
}

#[test]
fn a_prefix_that_would_make_other_outputs_is_refused() {
    for prefix in ["a=b", "a\nb", "a b", "1", "-x", "é"] {
        let place = Place::new();
        let ended = run(&place, &["--ci-output", prefix], "true").env("GITHUB_OUTPUT", place.file("output")).run();
        assert_eq!((ended.code(), place.file("output").exists()), (125, false));
        let expected = " for --ci-output: expected letters, digits, _ and -, and no digit or - first\n";
        assert!(ended.err().ends_with(expected), "{}", ended.err());
    }
}

#[test]
fn github_hears_nothing_of_a_first_success_but_its_outputs() {
    let place = Place::new();
    run(&place, &["--ci-output", "x_"], "true")
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", place.file("summary"))
        .env("GITHUB_OUTPUT", place.file("output"))
        .run()
        .is(0, "", "");
    assert!(!place.file("summary").exists());
    assert!(place.read("output").contains("x_attempts=1\n"));
}

#[test]
fn github_gets_one_error_with_what_is_special_escaped() {
    let place = Place::new();
    let args = ["-n", "1", "--no-dead-letter", "--job", "50%: a,b", "--ci", "github", "--", "false"];
    let text = masked(&place.retry(args).run().err());
    assert!(
        text.ends_with(
            "\n::error title=50%25%3A a%2Cb failed::gave up after 1 attempt in T: exit status 1 (exhausted)\n"
        ),
        "{text}"
    );
}

#[test]
fn folds_do_not_nest() {
    let place = Place::new();
    let inner = "retry -n 2 --base 0 --no-dead-letter -- false";
    let text = run(&place, &[], inner).env("GITHUB_ACTIONS", "true").run().err();
    assert_eq!(text.matches("::group::").count(), 1, "{text}");
    assert_eq!(text.matches("::endgroup::").count(), 1, "{text}");
}

#[test]
fn gitlab_gets_sections_from_the_second_attempt_on() {
    let place = Place::new();
    let text = run(&place, &[], "exit 3").env("GITLAB_CI", "true").run().err();
    let start =
        regex_lite::Regex::new(r"\x1b\[0Ksection_start:[0-9]+:(retry_[0-9A-Z]+_2)\r\x1b\[0Kretry: attempt 2 of 2\n");
    let start = start.expect("a valid expression").captures(&text).unwrap_or_else(|| panic!("{text:?}"));
    let name = &start[1];
    let end = regex_lite::Regex::new(&format!(r"\x1b\[0Ksection_end:[0-9]+:{name}\r\x1b\[0K\n")).expect("valid");
    assert_eq!(end.find_iter(&text).count(), 1, "{text:?}");
    assert_eq!(text.matches("section_start").count(), 1);
    assert_eq!(
        run(&place, &["--ci", "none"], "exit 3").env("GITLAB_CI", "true").run().err().matches("section").count(),
        0
    );
}

#[test]
fn what_is_printed_again_in_ci_cannot_give_commands() {
    let place = Place::new();
    let hostile = r"printf '::error::forged\n::set-output name=x::y\n::endgroup::'; exit 3";
    let fence =
        regex_lite::Regex::new(r"(?s)::stop-commands::([0-9a-f]{32})\n(.*?)\n::([0-9a-f]{32})::\n").expect("valid");
    for mode in ["final", "on-failure"] {
        let text = run(&place, &["--output", mode, "--ci", "github"], hostile).run().err();
        let mut tokens = Vec::new();
        let mut outside = text.clone();
        for found in fence.captures_iter(&text) {
            assert_eq!(found[1], found[3]);
            tokens.push(found[1].to_owned());
            outside = outside.replace(&found[0], "");
        }
        assert!(text.contains("forged"), "{text}");
        assert!(!outside.contains("forged") && !outside.contains("set-output"), "{outside}");
        tokens.sort();
        let count = tokens.len();
        tokens.dedup();
        assert!(count > 0 && tokens.len() == count, "a token is used once");
    }
}

#[test]
fn on_failure_a_good_run_prints_nothing_at_all() {
    let place = Place::new();
    run(&place, &["--output", "on-failure", "-v"], "echo out; echo err >&2; test $RETRY_ATTEMPT = 2")
        .run()
        .is(0, "", "");
    let unlimited = ["-n", "unlimited", "--base", "0", "--output", "on-failure", "--", "sh", "-c"];
    place.retry(unlimited.iter().chain(&["test $RETRY_ATTEMPT = 2"])).run().is(0, "", "");
}

#[test]
fn on_failure_a_bad_run_prints_one_report() {
    let place = Place::new();
    let args =
        ["-n", "2", "--base", "0", "--output", "on-failure", "--job", "backup", "--dead-letter", "letters", "--"];
    let ended = place.retry(args.iter().chain(&["sh", "-c", "echo out$RETRY_ATTEMPT; printf err >&2; exit 4"])).run();
    assert_eq!((ended.code(), ended.out().as_str()), (4, ""));
    let instants = regex_lite::Regex::new(r"at [0-9TZ:.-]+, [0-9]+ ms").expect("valid");
    let text =
        masked(&instants.replace_all(&ended.err(), "at T, T").replace(place.path().to_str().expect("text"), "DIR"));
    assert_eq!(
        text,
        "retry: backup: gave up after 2 attempts in T: exit status 4 (exhausted)\n\
         command: sh -c 'echo out$RETRY_ATTEMPT; printf err >&2; exit 4'\n\
         attempt 1 of 2 at T, T: exit status 4 (retryable)\n  | out1\n  | err\n\
         attempt 2 of 2 at T, T: exit status 4 (retryable)\n  | out2\n  | err\n\
         dead letter ID; to run it again: retryctl dead-letter replay --file DIR/letters ID\n"
    );
    assert_eq!(
        place.retry(args.iter().chain(&["false"])).env("RETRY_DEFAULT_QUIET", "true").run().err().lines().count(),
        5
    );
    place.retry(["-qq"].iter().chain(&args).chain(&["sh", "-c", "echo x; exit 4"])).run().is(4, "", "");
}

#[test]
fn nothing_in_a_report_moves_the_cursor() {
    let place = Place::new();
    let hostile = r"printf 'a\033[2J\033]52;c;eA==\007b\rc\000d\010'; head -c 1000000 /dev/zero | tr '\0' x; exit 3";
    let text = run(&place, &["--output", "on-failure"], hostile).run().err();
    assert!(text.contains("  | a\\x1b[2J\\x1b]52;c;eA==\\x07b\\rc\\x00d\\x08xxx"), "{}", &text[..300.min(text.len())]);
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    assert!(text.len() > 2_000_000, "both attempts are there");
}

#[test]
fn a_report_hides_secrets_and_says_how_much_is_missing() {
    let place = Place::new();
    let script = "echo \"password=$0 $1\"; head -c 2000000 /dev/zero | tr '\\0' '\\n'; exit 3";
    let args =
        ["-n", "1", "--no-dead-letter", "--output", "on-failure", "--", "sh", "-c", script, "x", "--token=hunter2"];
    let text = place.retry(args).run().err();
    assert!(!text.contains("hunter2"), "{}", &text[..400]);
    assert!(text.contains("  … 951"), "some bytes are missing");
}

/// What a terminal of 80 columns shows of a run.
fn at_a_terminal(environment: &[(&str, &str)], script: &str) -> String {
    let place = Place::new();
    let command = format!("stty cols ${{COLS:-80}}; retry {} -- sh -c '{script}'", FAILING.join(" "));
    let mut cli = place.program("script", ["-qec", command.as_str(), "/dev/null"]).env("TERM", "xterm");
    for (name, value) in environment {
        cli = cli.env(name, value);
    }
    cli.run().out().replace("\r\n", "\n")
}

#[test]
fn a_terminal_shows_the_time_left_and_keeps_the_plain_line() {
    let shown = at_a_terminal(&[], "printf partial; exit 3");
    let live = "\x1b[2mretry: attempt 1 of 2 failed: exit status 3 (retryable); next attempt in 1 s\x1b[0m";
    // After the blanks the cursor stands at the beginning of a line, wherever the command left it.
    let fresh = format!("{}\r\x1b[K", " ".repeat(80));
    let expected = format!("partial{fresh}LIVE\r\x1b[K{FAILED}partial{fresh}{GAVE_UP}");
    assert_eq!(masked(&shown.replacen(live, "LIVE", 1)), expected);
}

#[test]
fn without_a_capable_terminal_lines_are_plain() {
    for environment in [[("NO_COLOR", "1")], [("TERM", "dumb")], [("GITHUB_ACTIONS", "true")], [("COLS", "0")]] {
        let shown = at_a_terminal(&environment, "exit 3");
        assert!(!shown.contains('\x1b') && shown.contains(FAILED), "{environment:?} {shown:?}");
    }
}
