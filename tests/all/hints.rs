//! What a command and the other side say about a failure: response headers, the hint file, Retry-After. Contract S30 to S35.
//!
//! What is asked for is read from the message of the wait, whose run is then ended: nothing waits here.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::harness::{Cli, Ended, Place, fenced};
use crate::loopback::{Answer, Server, http};
use crate::needs::have;

const FIXED: [&str; 4] = ["-n", "3", "--base", "0"];

/// Runs until the first wait or the end; the line that tells of it.
fn first_wait(mut cli: Cli) -> String {
    let mut child =
        cli.command().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let found = lines.into_iter().find(|line| line.contains("next attempt") || line.contains("gave up"));
    // SAFETY: kill(2) touches no memory; the child is not reaped yet.
    unsafe { libc::kill(i32::try_from(child.id()).expect("a process id"), libc::SIGTERM) };
    fenced(&mut child);
    found.expect("a wait or an end")
}

/// The wait that a line tells of, in seconds, and whether Retry-After is its source.
fn told(line: &str) -> (f64, bool) {
    if line.ends_with("next attempt at once") {
        return (0.0, false);
    }
    let rest = line.split("next attempt in ").nth(1).unwrap_or_else(|| panic!("no wait: {line}"));
    let (wait, source) = rest.split_once(", as Retry-After asks").map_or((rest, false), |(wait, _)| (wait, true));
    let seconds = wait.split(' ').collect::<Vec<_>>().chunks(2).fold(0.0, |sum, pair| {
        let number: f64 = pair[0].parse().unwrap_or_else(|_| panic!("a number in {line}"));
        let unit = pair.get(1).copied().unwrap_or_default();
        sum + number
            * match unit.trim_end_matches(',') {
                "ms" => 0.001,
                "s" => 1.0,
                "min" | "m" => 60.0,
                "h" => 3600.0,
                "d" => 86400.0,
                other => panic!("unit {other:?} in {line}"),
            }
    });
    (seconds, source)
}

/// That the first wait is what was asked for, and at most a tenth more (S34).
#[track_caller]
fn waits(cli: Cli, asked: f64) {
    let line = first_wait(cli);
    let (seconds, by_retry_after) = told(&line);
    assert!(by_retry_after && seconds >= asked * 0.99 && seconds <= asked * 1.1 + 0.1, "asked {asked}: {line}");
}

/// That nothing was asked for.
#[track_caller]
fn waits_for_nothing(cli: Cli) {
    let line = first_wait(cli);
    assert_eq!(told(&line), (0.0, false), "{line}");
}

fn date(ahead: i64) -> String {
    let now = SystemTime::now();
    let distance = Duration::from_secs(ahead.unsigned_abs());
    httpdate::fmt_http_date(if ahead < 0 { now - distance } else { now + distance })
}

/// `curl -fsS -D /dev/stderr` under the preset, against a server that gives this Retry-After with a 503.
fn curl(place: &Place, value: &str, more: &[&str]) -> Cli {
    let headers = [format!("Retry-After: {value}")];
    let server = Server::new(move |_, _| http(503, &headers.each_ref().map(String::as_str)));
    let url = server.url();
    let command = ["--preset", "curl", "--", "curl", "-fsS", "-D", "/dev/stderr", &url];
    place.retry([&FIXED[..], more, &command].concat())
}

#[test]
fn retry_after_of_the_real_curl_is_waited_for() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    waits(curl(&place, "120", &[]), 120.0);
    waits(curl(&place, "1.5", &[]), 2.0);
    waits(curl(&place, " 30 ", &[]), 30.0);
}

#[test]
fn the_three_forms_of_a_date_are_waited_for() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    for (value, of) in [
        ("Sun, 06 Nov 1994 08:51:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Sunday, 06-Nov-94 08:51:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Sun Nov  6 08:51:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ] {
        // Measured against the response's own Date.
        let headers = [format!("Date: {of}"), format!("Retry-After: {value}")];
        let server = Server::new(move |_, _| http(503, &headers.each_ref().map(String::as_str)));
        let url = server.url();
        let command = ["--preset", "curl", "--", "curl", "-fsS", "-D", "/dev/stderr", &url];
        waits(place.retry([&FIXED[..], &command].concat()), 120.0);
    }
    // Without one against the clock, which goes on while curl runs.
    waits(curl(&place, &date(1000), &[]), 1000.0);
}

#[test]
fn a_past_date_and_zero_ask_for_nothing() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    waits_for_nothing(curl(&place, "0", &[]));
    waits_for_nothing(curl(&place, &date(-1000), &[]));
}

#[test]
fn what_is_no_retry_after_is_ignored_with_one_warning_a_response() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    for (value, why) in [
        ("-5", "\"-5\" is negative"),
        ("+5", "\"+5\" has a sign"),
        ("0x10", "\"0x10\" is hexadecimal"),
        ("1e3", "\"1e3\" has an exponent"),
        ("soon", "\"soon\" is neither a number nor an HTTP date"),
    ] {
        let ended = curl(&place, value, &[]).run();
        let warning = format!("retry: Retry-After ignored: {why}; expected seconds or an HTTP date\n");
        assert_eq!((ended.code(), ended.err().matches(&warning).count()), (22, 3), "{}", ended.err());
    }
}

fn letter(place: &Place) -> Value {
    let text = place.read("state/retry/dead-letter.jsonl");
    serde_json::from_str(text.lines().last().expect("a letter")).expect("a letter is JSON")
}

#[test]
fn more_than_retry_after_max_or_the_window_ends_the_run_at_once_with_the_instant_in_the_record() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    for (value, options) in [
        ("3601", &[][..]),
        ("99999999999999999999", &[]),
        ("31", &["--retry-after-max", "30s"]),
        ("31", &["--max-elapsed", "30s"]),
    ] {
        let ended = curl(&place, value, options).run();
        assert_eq!(ended.code(), 22, "{value} {options:?}: {}", ended.err());
        let letter = letter(&place);
        assert_eq!(letter["retry"]["ending"], "retry_after_too_long", "{value} {options:?}");
        assert_eq!(letter["retry"]["attempts"], 1);
        assert_eq!(letter["http"], serde_json::json!({"status_code": 503, "retry_after": value}));
        assert!(letter["retry"]["not_before"].is_string());
    }
}

#[test]
fn cap_does_not_shorten_what_was_asked_for_and_ignore_retry_after_does_not_hear_it() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    waits(curl(&place, "60", &["--cap", "1s"]), 60.0);
    waits_for_nothing(curl(&place, "60", &["--ignore-retry-after"]));
}

#[test]
fn retry_after_makes_no_failure_retryable_and_adds_no_attempt() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    let server = Server::new(|_, _| http(404, &["Retry-After: 0"]));
    let url = server.url();
    let command = ["--preset", "curl", "--", "curl", "-fsS", "-D", "/dev/stderr", &url];
    let ended = place.retry([&FIXED[..], &command].concat()).run();
    assert_eq!((ended.code(), server.requests()), (22, 1), "{}", ended.err());
    let server = Server::new(|_, _| http(503, &["Retry-After: 0"]));
    let url = server.url();
    let command = ["--preset", "curl", "--", "curl", "-fsS", "-D", "/dev/stderr", &url];
    let ended = place.retry([&FIXED[..], &command].concat()).run();
    assert_eq!((ended.code(), server.requests()), (22, 3), "{}", ended.err());
}

#[test]
fn a_503_is_tried_again_until_it_is_answered() {
    if !have("curl") {
        return;
    }
    let server =
        Server::new(|_, number| if number < 3 { http(503, &[]) } else { Answer::Http(200, vec![], b"yes\n".into()) });
    let url = server.url();
    let place = Place::new();
    let ended = place.retry([&FIXED[..], &["--preset", "curl", "--", "curl", "-fsS", &url]].concat()).run();
    assert_eq!((ended.code(), ended.out().as_str(), server.requests()), (0, "yes\n", 3), "{}", ended.err());
}

#[test]
fn headers_are_recognised_as_each_tool_prints_them() {
    let server = Server::new(|_, _| http(429, &["Retry-After: 40"]));
    let url = server.url();
    for command in [
        &["curl", "-fsS", "-D", "/dev/stderr", &url][..],
        &["curl", "-fv", &url],
        &["curl", "-fsv", "-o", "/dev/null", &url],
        &["curl", "-fi", &url],
        &["wget", "-S", "-t", "1", "-O", "-", &url],
        &["http", "--headers", "--check-status", "--ignore-stdin", &url],
    ] {
        if !have(command[0]) {
            continue;
        }
        let place = Place::new();
        waits(place.retry([&FIXED[..], &["--hints", "http", "--"], command].concat()), 40.0);
    }
}

#[test]
fn without_hints_headers_are_not_read() {
    let place = Place::new();
    let script = "printf 'HTTP/1.1 503 No\\r\\nRetry-After: 40\\r\\n\\r\\n'; exit 4";
    let run = |options: &[&str]| place.retry([&FIXED[..], options, &["--", "sh", "-c", script]].concat());
    waits_for_nothing(run(&[]));
    waits(run(&["--hints", "http"]), 40.0);
    // A preset turns them on for stderr only (S30).
    waits_for_nothing(run(&["--preset", "curl", "--retry-on-exit", "4"]));
}

/// Runs `sh -c SCRIPT` with a hint file.
fn with_file(place: &Place, options: &[&str], script: &str) -> Cli {
    place.retry([&FIXED[..], &["--hints", "file"], options, &["--", "sh", "-c", script]].concat())
}

fn attempts(place: &Place, ended: &Ended) -> u64 {
    assert_ne!(ended.code(), 0, "{}", ended.err());
    letter(place)["retry"]["attempts"].as_u64().expect("a number")
}

#[test]
fn where_no_hint_file_can_be_made_the_attempt_goes_on_without() {
    let place = Place::new();
    let said = "retry: cannot make a hint file in /nowhere: no such file or directory; the attempt goes on without\n";
    let run = place.retry(["--hints", "file", "--", "sh", "-c", "echo ${RETRY_HINT_FILE-none}"]);
    run.env("TMPDIR", "/nowhere").run().is(0, "none\n", said);
}

#[test]
fn a_hint_file_is_fresh_private_and_removed() {
    let place = Place::new();
    let script = "stat -c '%a %s' \"$RETRY_HINT_FILE\"; echo \"$RETRY_HINT_FILE\" >>names; echo x=y >\"$RETRY_HINT_FILE\"; exit 4";
    with_file(&place, &["-qq"], script).run().gives(4, "600 0\n600 0\n600 0\n");
    let names = place.read("names");
    assert_eq!(names.lines().collect::<std::collections::BTreeSet<_>>().len(), 3, "{names}");
    for name in names.lines() {
        assert!(name.starts_with(place.path().to_str().unwrap()), "{name} is not in TMPDIR");
        assert!(!std::path::Path::new(name).exists(), "{name} was left behind");
    }
}

#[test]
fn there_is_no_hint_file_unless_it_was_asked_for() {
    let place = Place::new();
    place
        .retry(["--", "sh", "-c", "echo ${RETRY_HINT_FILE-none}"])
        .env("RETRY_HINT_FILE", "x")
        .run()
        .is(0, "none\n", "");
    place.retry(["--hints", "http", "--", "sh", "-c", "echo ${RETRY_HINT_FILE-none}"]).run().is(0, "none\n", "");
}

#[test]
fn a_hint_file_asks_for_a_wait_in_each_of_its_forms() {
    for (text, asked) in [
        ("120", 120.0),
        ("retry-after=90\\n", 90.0),
        ("colour=blue\\nretry-after=90\\nerror=x\\n", 90.0),
        ("HTTP/1.1 503 No\\r\\nRetry-After: 70\\r\\n\\r\\n", 70.0),
        (&date(1000), 1000.0),
    ] {
        let place = Place::new();
        waits(with_file(&place, &[], &format!("printf '{text}' >\"$RETRY_HINT_FILE\"; exit 4")), asked);
    }
}

#[test]
fn curl_writes_its_headers_into_the_hint_file() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    let server = Server::new(|_, _| http(503, &["Retry-After: 50"]));
    waits(with_file(&place, &[], &format!("curl -fsS -D \"$RETRY_HINT_FILE\" {}", server.url())), 50.0);
}

#[test]
fn a_hint_decides_unless_an_explicit_rule_does() {
    let say = |text: &str| format!("echo {text} >\"$RETRY_HINT_FILE\"; exit 4");
    for (options, text, expected) in [
        (&[][..], "retry=no", 1),
        (&["--retry-on-exit", "4"], "retry=no", 3),
        (&["--retry-on-exit", "5"], "retry=yes", 3),
        (&["--fail-on-exit", "4"], "retry=yes", 1),
        (&["--preset", "sysexits"], "retry=yes", 3),
    ] {
        let place = Place::new();
        let ended = with_file(&place, options, &say(text)).run();
        assert_eq!(attempts(&place, &ended), expected, "{options:?} {text}: {}", ended.err());
    }
}

#[test]
fn the_error_of_a_hint_file_stands_in_the_letter() {
    let place = Place::new();
    let ended = with_file(&place, &["-qq"], "echo error=the quota is used up >\"$RETRY_HINT_FILE\"; exit 4").run();
    assert_eq!(attempts(&place, &ended), 3);
    assert_eq!(letter(&place)["error"]["message"], "the quota is used up");
}

#[test]
fn an_unclear_hint_is_warned_of_and_does_nothing() {
    let place = Place::new();
    let ended = with_file(&place, &["-q", "-n", "1"], "echo retry=maybe >\"$RETRY_HINT_FILE\"; exit 4").run();
    assert!(ended.err().starts_with("retry: hint ignored: retry=maybe: expected yes or no\n"), "{}", ended.err());
}

#[test]
fn what_nobody_would_act_on_is_not_warned_of() {
    let place = Place::new();
    let vague = "printf 'retry-after=-5\\nretry=maybe\\n' >\"$RETRY_HINT_FILE\"";
    with_file(&place, &[], vague).run().is(0, "", "");
    let refused = with_file(&place, &["--fail-on-exit", "4"], &format!("{vague}; exit 4")).run();
    assert!(!refused.err().contains("Retry-After"), "{}", refused.err());
    let deaf = with_file(&place, &["--ignore-retry-after"], &format!("{vague}; exit 4")).run();
    assert!(!deaf.err().contains("Retry-After"), "{}", deaf.err());
    assert_eq!(deaf.err().matches("retry=maybe: expected yes or no").count(), 3, "{}", deaf.err());
}

#[test]
fn a_hint_file_that_is_no_file_any_more_keeps_nobody_waiting() {
    let place = Place::new();
    for other in ["mkfifo", "mkdir", "ln -s /etc/passwd"] {
        let script = format!("rm \"$RETRY_HINT_FILE\"; {other} \"$RETRY_HINT_FILE\"; exit 4");
        let ended = with_file(&place, &["-qq"], &script).run();
        assert_eq!(attempts(&place, &ended), 3);
        let left: Vec<_> = std::fs::read_dir(place.path()).expect("a directory").filter_map(Result::ok).collect();
        assert!(!left.iter().any(|entry| entry.file_name().to_string_lossy().starts_with("retry-hint.")), "{left:?}");
    }
}

#[test]
fn records_name_the_source_of_each_delay() {
    let place = Place::new();
    let script = "test $RETRY_ATTEMPT = 2 && echo 1 >\"$RETRY_HINT_FILE\"; exit 4";
    with_file(&place, &["-qq"], script).run().is(4, "", "");
    let history = letter(&place)["retry"]["history"].clone();
    assert_eq!((&history[0]["delay_source"], &history[1]["delay_source"]), (&"backoff".into(), &"retry_after".into()));
}
