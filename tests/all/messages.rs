//! Every message of a run, to the letter, through the program. Contract W1 to W3, R16, R42, S35.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::harness::{Ended, Place};

/// Replaces what differs from run to run: measured times by `T`, ids by `ID`. Delays stay: they are drawn without jitter.
pub fn masked(text: &str) -> String {
    let times = regex_lite::Regex::new(r"\b(in|after) [0-9]+(\.[0-9]+)? (ms|s)\b").expect("a valid expression");
    let ids = regex_lite::Regex::new(r"\b01[0-9A-HJKMNP-TV-Z]{24}\b").expect("a valid expression");
    let line = |line: &str| match line.split_once("; next attempt") {
        Some((before, delay)) => format!("{}; next attempt{delay}", times.replace_all(before, "$1 T")),
        None => ids.replace_all(&times.replace_all(line, "$1 T"), "ID").into_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

fn run(place: &Place, options: &[&str], script: &str) -> Ended {
    let plain = ["--base", "10ms", "--jitter", "none", "--no-dead-letter"];
    place.retry(plain.iter().chain(options).chain(&["--", "sh", "-c", script])).run()
}

/// The messages of a run without a letter, times masked but for the delay.
fn said(options: &[&str], script: &str) -> String {
    let ended = run(&Place::new(), options, script);
    assert_eq!(ended.out(), "", "nothing of ours on stdout");
    masked(&ended.err())
}

#[test]
fn a_first_success_says_nothing() {
    run(&Place::new(), &[], "true").is(0, "", "");
}

#[test]
fn a_failed_attempt_says_outcome_verdict_and_wait_and_the_end_says_the_rest() {
    let ended = run(&Place::new(), &["-n", "3"], "exit 75");
    let lines: Vec<String> = ended.err().lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "retry: attempt 1 of 3 failed: exit status 75 (retryable); next attempt in 20 ms");
    assert_eq!(lines[1], "retry: attempt 2 of 3 failed: exit status 75 (retryable); next attempt in 40 ms");
    assert!(lines[2].starts_with("retry: gave up after 3 attempts in "), "{}", lines[2]);
    assert!(lines[2].ends_with(": exit status 75 (exhausted)"), "{}", lines[2]);
    assert_eq!(lines.len(), 3);
}

#[test]
fn one_attempt_is_singular() {
    assert!(run(&Place::new(), &["-n", "1"], "exit 3").err().starts_with("retry: gave up after 1 attempt in "));
}

#[test]
fn without_a_maximum_no_maximum_is_named() {
    let text = said(&["-n", "unlimited", "--max-elapsed", "1m"], "test $RETRY_ATTEMPT = 2");
    assert_eq!(
        text,
        "retry: attempt 1 failed: exit status 1 (retryable); next attempt in 20 ms\n\
         retry: succeeded on attempt 2 after T\n"
    );
}

#[test]
fn a_success_after_retries_is_one_line() {
    let text = said(&["-n", "4"], "test $RETRY_ATTEMPT = 3");
    assert_eq!(text.lines().last(), Some("retry: succeeded on attempt 3 of 4 after T"));
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn a_run_without_any_limit_says_what_that_means_once() {
    let text = said(&["-n", "unlimited"], "test $RETRY_ATTEMPT = 3");
    let warning = "retry: no limit is set: a job that is retried forever never alerts anyone; see --max-elapsed and --max-tries\n";
    assert!(text.starts_with(warning), "{text}");
    assert_eq!(text.matches("never alerts").count(), 1);
    assert!(!said(&["-q", "-n", "unlimited"], "test $RETRY_ATTEMPT = 3").contains("never alerts"));
}

#[test]
fn each_outcome_has_its_words() {
    let end = |options: &[&str], script: &str| said(options, script).lines().last().unwrap_or_default().to_owned();
    assert_eq!(end(&["-n", "1"], "kill -9 $$"), "retry: gave up after 1 attempt in T: killed by SIGKILL (exhausted)");
    assert_eq!(
        end(&["-n", "1", "--timeout", "50ms"], "exec sleep 60"),
        "retry: gave up after 1 attempt in T: timed out (exhausted)"
    );
    assert_eq!(end(&["-n", "3"], "exit 127"), "retry: gave up after 1 attempt in T: exit status 127 (permanent)");
    assert_eq!(
        end(&["-n", "3", "--retry-on-exit", "9"], "exit 2"),
        "retry: gave up after 1 attempt in T: exit status 2 (permanent: no retry rule names it)"
    );
    assert_eq!(
        end(&["-n", "3", "--fail-on-exit", "2"], "exit 2"),
        "retry: gave up after 1 attempt in T: exit status 2 (permanent: --fail-on-exit names it)"
    );
    assert_eq!(
        end(&["-n", "9", "--max-elapsed", "15ms"], "exit 2"),
        "retry: gave up after 1 attempt in T: exit status 2 (deadline)"
    );
}

#[test]
fn what_cannot_be_started_names_the_cause() {
    let ended = Place::new().retry(["--no-dead-letter", "--", "/no/such"]).run();
    assert_eq!((ended.code(), ended.out().as_str()), (127, ""));
    assert_eq!(
        masked(&ended.err()),
        "retry: gave up after 1 attempt in T: cannot start /no/such: no such file or directory (permanent)\n"
    );
}

#[test]
fn the_name_of_what_cannot_be_started_does_not_act() {
    for options in [&["--output", "on-failure"][..], &["--ci", "github"], &[]] {
        let args = ["-n", "1", "--no-dead-letter", "--job", "x"].iter().chain(options);
        let text = Place::new().retry(args.chain(&["--", "/no/\x1b[2J\n::error::x"])).run().err();
        assert!(text.contains("cannot start /no/\\x1b[2J\\n::error::x: no such file"), "{text}");
        assert!(!text.contains('\x1b') && !text.contains("\n::error::x"), "{text}");
    }
}

#[test]
fn a_command_whose_name_is_a_secret_is_not_named() {
    let args = ["--no-dead-letter", "--job", "x", "--redact", "s[0-9]+t", "--", "/no/s123t"];
    let ended = Place::new().retry(args).run();
    assert!(ended.err().contains(": cannot start /no/***: no such file"), "{}", ended.err());
}

#[test]
fn the_way_on_can_be_pasted_whatever_the_name_of_the_file() {
    for name in [&b"with 'quotes' and $(blanks)"[..], b"a\nnewline \x1b[2J", b"no \xff text \xc3", b"-n%s!`x`\\"] {
        let place = Place::new();
        let file = OsStr::from_bytes(name);
        let text = place.retry([OsStr::new("-n1"), "--dead-letter".as_ref(), file, "false".as_ref()]).run().err();
        assert!(!text.trim_end().contains(char::is_control) && !text.contains('\u{fffd}'), "{text:?}");
        let (_, line) = text.split_once("retryctl ").expect("a way on");
        let shown = place.bash(&format!("retryctl {} --dry-run", line.trim_end())).run();
        assert_eq!((shown.code(), shown.out().lines().count()), (0, 1), "{text} {}", shown.err());
    }
}

#[test]
fn a_verdict_by_output_says_so() {
    assert!(said(&["-n", "2", "--until-output", "up"], "true").starts_with(
        "retry: attempt 1 of 2 failed: exit status 0 (retryable: no line matched --until-output); next attempt in 20 ms"
    ));
}

#[test]
fn a_wait_that_was_asked_for_says_so_and_one_that_is_too_long_ends_the_run() {
    let ask = |seconds: u32| format!("echo retry-after={seconds} >$RETRY_HINT_FILE; test $RETRY_ATTEMPT = 2");
    let text = said(&["-n", "2", "--hints", "file"], &ask(1));
    assert!(text.contains("(retryable); next attempt in 1"), "{text}");
    assert!(text.contains(" s, as Retry-After asks\n"), "{text}");
    assert_eq!(
        said(&["-n", "2", "--hints", "file"], &ask(7200)),
        "retry: gave up after 1 attempt in T: exit status 1 (retry_after_too_long: asked to wait 2 h)\n"
    );
}

#[test]
fn the_way_on_works_when_it_is_pasted() {
    for named in [false, true] {
        let place = Place::new();
        let mut args = vec!["-n", "1"];
        if named {
            args.extend(["--dead-letter", "my letters.jsonl"]);
        }
        let ended = place.retry(args.iter().chain(&["--", "sh", "-c", "test -e mended"])).run();
        let text = ended.err();
        let line = text.trim_end().rsplit_once(": ").expect("a way on").1;
        // The default of these tests is found by XDG_STATE_HOME, which is not set where the line is pasted.
        assert!(line.contains(" --file "), "{line}");
        place.write("mended", "");
        place.bash(line).env_remove("XDG_STATE_HOME").run().gives(0, "");
        assert!(masked(&text).contains("(exhausted); dead letter ID: retryctl dead-letter replay "), "{text}");
    }
}

#[test]
fn a_line_of_ours_begins_on_a_line_of_its_own() {
    let text = said(&["-n", "2"], "printf partial >&2; exit 3");
    assert!(text.starts_with("partial\nretry: attempt 1 of 2 failed"), "{text}");
    assert!(text.contains("\npartial\nretry: gave up"), "{text}");
    assert!(!said(&["-n", "2"], "echo whole >&2; exit 3").contains("\n\n"));
}

#[test]
fn quiet_and_verbose_take_away_and_add() {
    let gave_up = "retry: gave up after 2 attempts in T: exit status 3 (exhausted)\n";
    assert_eq!(said(&["-n", "2", "-q"], "exit 3"), gave_up);
    assert_eq!(said(&["-n", "2", "-qq"], "exit 3"), "");
    assert_eq!(said(&["-n", "2", "-q"], "test $RETRY_ATTEMPT = 2"), "");
    let verbose = said(&["-n", "1", "-v"], "exit 3");
    assert_eq!(
        verbose,
        "retry: attempt 1 of 1 starts: sh -c 'exit 3'\n\
         retry: attempt 1 of 1 failed after T: exit status 3 (retryable)\n\
         retry: gave up after 1 attempt in T: exit status 3 (exhausted)\n"
    );
    let debug = said(&["-n", "2", "-vv"], "exit 3");
    assert!(
        debug.contains("retry: attempt 1 of 2 counts as retryable: no rule was given, so every failure"),
        "{debug}"
    );
    assert!(debug.contains("retry: a delay of 20 ms, drawn below a ceiling of 20 ms\n"), "{debug}");
}

#[test]
fn verbose_hides_the_secrets_of_the_command() {
    let place = Place::new();
    let ended = place.retry(["-v", "--", "true", "--password", "hunter2", "--token=hunter2"]).run();
    assert!(ended.err().contains("starts: true --password"), "{}", ended.err());
    assert!(!ended.err().contains("hunter2"), "{}", ended.err());
}

#[test]
fn a_run_inside_a_run_says_so_with_v() {
    let place = Place::new();
    let ended = place.retry(["--job", "outer", "--", "retry", "-v", "-n", "3", "true"]).run();
    let line = "retry: running inside another retry (job outer): each attempt there makes up to 3 attempts here\n";
    assert!(ended.err().starts_with(line), "{}", ended.err());
    assert_eq!(place.retry(["--", "retry", "true"]).run().err(), "");
}

#[test]
fn nothing_of_ours_is_ever_on_stdout() {
    let modes: [&[&str]; 12] = [
        &["-vv"],
        &["-q"],
        &["-qq"],
        &["--log-format", "json", "-vv"],
        &["--log-file", "log"],
        &["--ci", "github"],
        &["--ci", "gitlab"],
        &["--output", "on-failure"],
        &["--output", "final", "-vv"],
        &["--metrics-dir", "nowhere"],
        &["--on-retry", "echo hook", "--on-failure", "echo hook"],
        &["--report", "report.json"],
    ];
    for mode in modes {
        let place = Place::new();
        let ended = place.retry(mode.iter().chain(&["-n", "2", "--base", "0", "--", "sh", "-c", "exit 3"])).run();
        ended.gives(3, "");
    }
}

#[test]
fn a_hostile_name_neither_acts_nor_makes_a_line() {
    let place = Place::new();
    let args = ["-n", "1", "--no-dead-letter", "--log-file", "log", "--job", "a\n::error::x\x1b[2J", "--", "false"];
    place.retry(args).run().is(1, "", "");
    let log = place.read("log");
    assert_eq!(log.lines().count(), 1);
    assert!(log.contains(" a\\n::error::x\\x1b[2J ") && !log.contains('\x1b'), "{log}");
    let args = ["-n", "1", "--dead-letter", "a\x1b[2J\n::error::x", "--", "false"];
    let marked = place.retry(args).env("GITHUB_ACTIONS", "true").run().err();
    assert!(marked.contains("::error title=false failed::gave up") && !marked.contains('\x1b'), "{marked}");
    assert_eq!(marked.lines().count(), 2, "{marked}");
}

#[test]
fn no_line_of_ours_carries_a_command_of_the_older_form() {
    let place = Place::new();
    // The state directory is a file: the letter goes to stderr (D3).
    place.write("state", "");
    let hint = r#"echo 'retry=##[add-mask]x' >"$RETRY_HINT_FILE"; exit 3"#;
    for format in ["text", "json"] {
        let args = ["-n", "1", "--hints", "file", "--ci", "github", "--log-format", format, "--job", "##[error]"];
        let text = place.retry(args.iter().chain(&["--", "sh", "-c", hint])).run().err();
        assert!(text.contains("[add-mask]x: expected yes or no") && text.contains("[error]"), "{text}");
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("::")).collect();
        assert!(lines.iter().all(|line| !line.contains("##[")), "{text}");
    }
}

#[test]
fn json_on_a_terminal_does_not_act_and_says_the_same() {
    let place = Place::new();
    let job = "a\u{1b}[2J\u{9b}2J\u{7f}\u{202e}b";
    // The state directory is a file: the letter goes to stderr (D3).
    place.write("state", "");
    let ended = place.retry(["-n", "1", "--log-format", "json", "--job", job, "--", "false"]).run();
    assert!(!ended.err().chars().any(|c| c != '\n' && retry::notice::escape::acts(c)), "{}", ended.err());
    let lines: Vec<String> =
        ended.err().lines().map(|line| line.replace("retry: dead letter not saved: ", "")).collect();
    let jobs: Vec<serde_json::Value> =
        lines.iter().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["job"].clone()).collect();
    assert!(jobs.len() > 2 && jobs.iter().all(|said| said == job), "{jobs:?}");
}

#[test]
fn a_closed_or_full_stderr_changes_nothing() {
    let place = Place::new();
    place.bash("retry -v -n 2 --base 0 -- sh -c 'exit 3' 2>/dev/full").run().is(3, "", "");
    place.bash("retry -v -n 2 --base 0 -- sh -c 'exit 3' 2>&-").run().is(3, "", "");
}
