//! Who hears what: levels, formats, places.

use super::*;
use crate::machine::DelaySource;
use crate::outcome::Outcome;
use crate::policy::{Judgement, Reason};
use crate::signal::Signal;

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
}

impl Sink for Kept {
    fn send(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn is_at_line_start(&self) -> bool {
        matches!(self.bytes.last(), None | Some(b'\n'))
    }
}

impl Kept {
    fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).unwrap()
    }
}

fn settings(verbosity: Verbosity) -> NoticeSettings {
    NoticeSettings { verbosity, format: LogFormat::Text, log_file: None, ci: Ci::Auto, ci_output: None }
}

fn subject() -> Subject {
    Subject {
        id: "01JTEST".into(),
        job: "backup".into(),
        command: "backup".into(),
        max_tries: Some(2),
        is_unlimited: false,
        reports_at_the_end: false,
    }
}

fn nth(attempt: u32) -> Number {
    Number { attempt, tries: attempt, of: Some(2) }
}

fn attempt(n: u32, status: u8, goes_on: bool) -> Attempt {
    let judgement = match status {
        0 => Judgement { verdict: Verdict::Success, reason: Reason::ExitZero },
        _ => Judgement { verdict: Verdict::Retryable, reason: Reason::AnyFailure },
    };
    let delay = Duration::from_millis(3_200);
    let wait = Wait { delay, ceiling: Duration::from_secs(4), source: DelaySource::Backoff };
    Attempt {
        of: nth(n),
        outcome: Outcome::Exited(status),
        judgement,
        said: None,
        started_at: UNIX_EPOCH,
        took: Duration::from_millis(40),
        next: goes_on.then_some(wait),
    }
}

fn end(n: u32, status: u8) -> End<'static> {
    let last = attempt(n, status, false);
    End {
        of: nth(n),
        ending: if status == 0 { Ending::Succeeded } else { Ending::Exhausted },
        outcome: Some(last.outcome),
        judgement: Some(last.judgement),
        said: None,
        elapsed: Duration::from_millis(5_100),
        waited: Duration::from_millis(3_200),
        exit_code: status,
        asked: None,
        letter: None,
    }
}

/// Plays a run whose attempts end with these statuses.
fn play(mut notices: Notices, sink: &mut Kept, statuses: &[u8]) {
    for (n, status) in (1..).zip(statuses) {
        notices.attempt_started(sink, nth(n), None, || "true".into());
        notices.attempt_finished(sink, &attempt(n, *status, (n as usize) < statuses.len()));
        notices.settle(sink);
    }
    notices.finished(sink, &end(statuses.len() as u32, *statuses.last().unwrap()));
}

fn told_to(settings: NoticeSettings, around: Surroundings, statuses: &[u8]) -> String {
    let mut sink = Kept::default();
    play(Notices::new(settings, subject(), around), &mut sink, statuses);
    sink.text()
}

fn told(verbosity: Verbosity, statuses: &[u8]) -> String {
    told_to(settings(verbosity), Surroundings::default(), statuses)
}

const FAILED: &str = "retry: attempt 1 of 2 failed: exit status 75 (retryable); next attempt in 3.2 s\n";
const GAVE_UP: &str = "retry: gave up after 2 attempts in 5.1 s: exit status 75 (exhausted)\n";
const SUCCEEDED: &str = "retry: succeeded on attempt 2 of 2 after 5.1 s\n";

#[test]
fn each_level_adds_its_lines() {
    assert_eq!(told(Verbosity::Normal, &[0]), "");
    assert_eq!(told(Verbosity::Normal, &[75, 75]), format!("{FAILED}{GAVE_UP}"));
    assert_eq!(told(Verbosity::Quiet, &[75, 75]), GAVE_UP);
    assert_eq!(told(Verbosity::Silent, &[75, 75]), "");
    assert_eq!(told(Verbosity::Normal, &[75, 0]), format!("{FAILED}{SUCCEEDED}"));
    assert_eq!(told(Verbosity::Quiet, &[75, 0]), "");
    assert_eq!(
        told(Verbosity::Verbose, &[0]),
        "retry: attempt 1 of 2 starts: true\nretry: attempt 1 of 2 succeeded after 40 ms: exit status 0\n"
    );
    assert!(told(Verbosity::Debug, &[0]).contains("counts as success: exit status 0 is success\n"));
}

#[test]
fn a_line_of_ours_begins_on_a_line_of_its_own() {
    let mut sink = Kept { bytes: b"partial".to_vec() };
    play(Notices::new(settings(Verbosity::Normal), subject(), Surroundings::default()), &mut sink, &[75, 75]);
    assert_eq!(sink.text(), format!("partial\n{FAILED}{GAVE_UP}"));
}

#[test]
fn the_journal_is_told_how_much_a_line_matters() {
    let told = |statuses: &[u8]| {
        let around = Surroundings { journal: true, ..Surroundings::default() };
        told_to(settings(Verbosity::Normal), around, statuses)
    };
    assert_eq!(told(&[75, 75]), format!("<4>{FAILED}<3>{GAVE_UP}"));
    assert_eq!(told(&[75, 0]), format!("<4>{FAILED}<5>{SUCCEEDED}"));
}

#[test]
fn a_letter_that_is_not_saved_is_told_even_under_qq() {
    let mut sink = Kept::default();
    let around = Surroundings { journal: true, ..Surroundings::default() };
    Notices::new(settings(Verbosity::Silent), subject(), around).letter_not_saved(&mut sink, "{\"v\":1}");
    assert_eq!(sink.text(), "<2>retry: dead letter not saved: {\"v\":1}\n");
}

#[test]
fn json_has_one_object_a_line_in_the_order_of_events() {
    let settings = NoticeSettings { format: LogFormat::Json, ..settings(Verbosity::Normal) };
    let text = told_to(settings, Surroundings::default(), &[75, 75]);
    let events: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["attempt_finished", "waiting", "attempt_finished", "finished"]);
    for event in &events {
        assert_eq!((&event["id"], &event["job"]), (&"01JTEST".into(), &"backup".into()));
        assert!(event["@timestamp"].as_str().unwrap().ends_with('Z'));
    }
    assert_eq!(events[0]["exit_code"], 75);
    assert_eq!(events[0]["verdict"], "retryable");
    assert_eq!(events[1]["delay_ms"], 3_200);
    assert_eq!(events[3]["retry"]["ending"], "exhausted");
    assert_eq!(events[3]["process"]["exit_code"], 75);
}

#[test]
fn a_first_success_is_silent_in_json_too_but_a_file_has_it() {
    let json = || NoticeSettings { format: LogFormat::Json, ..settings(Verbosity::Normal) };
    assert_eq!(told_to(json(), Surroundings::default(), &[0]), "");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("log");
    let settings = NoticeSettings { log_file: Some(file.clone()), ..json() };
    assert_eq!(told_to(settings, Surroundings::default(), &[0]), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 2);
}

#[test]
fn under_on_failure_stderr_hears_nothing_before_the_report() {
    let subject = Subject { reports_at_the_end: true, is_unlimited: true, ..subject() };
    let mut sink = Kept::default();
    let mut notices = Notices::new(settings(Verbosity::Debug), subject.clone(), Surroundings::default());
    notices.lost(&mut sink, "something");
    assert_eq!(notices.report_tail(None), "retry: something\n");
    play(Notices::new(settings(Verbosity::Debug), subject, Surroundings::default()), &mut sink, &[75, 75]);
    assert_eq!(sink.text(), "");
}

#[test]
fn a_run_without_any_limit_says_once_what_that_means() {
    let subject = Subject { is_unlimited: true, ..subject() };
    let mut sink = Kept::default();
    play(Notices::new(settings(Verbosity::Normal), subject, Surroundings::default()), &mut sink, &[75, 75, 75]);
    assert_eq!(sink.text().matches("never alerts anyone").count(), 1);
}

#[test]
fn github_gets_folds_from_the_second_attempt_on_and_one_annotation() {
    let told = |statuses: &[u8]| {
        let around = Surroundings { github: true, ..Surroundings::default() };
        told_to(settings(Verbosity::Normal), around, statuses)
    };
    assert_eq!(told(&[0]), "");
    let fold = "::group::retry: attempt 2 of 2\n::endgroup::\n";
    let text = |line: &str| line.trim_start_matches("retry: ").to_owned();
    assert_eq!(
        told(&[75, 0]),
        format!("{FAILED}{fold}{SUCCEEDED}::warning title=backup needed 2 attempts::{}", text(SUCCEEDED))
    );
    assert_eq!(told(&[75, 75]), format!("{FAILED}{fold}{GAVE_UP}::error title=backup failed::{}", text(GAVE_UP)));
}

#[test]
fn inside_another_run_there_are_no_folds() {
    let around = Surroundings { github: true, outer_job: Some("outer".into()), ..Surroundings::default() };
    assert!(!told_to(settings(Verbosity::Normal), around, &[75, 75]).contains("group"));
}

#[test]
fn marks_are_not_guessed_where_stderr_is_json() {
    let json = NoticeSettings { format: LogFormat::Json, ..settings(Verbosity::Normal) };
    let around = Surroundings { github: true, ..Surroundings::default() };
    assert!(!told_to(json, around, &[75, 75]).contains("::"));
}

#[test]
fn the_log_file_keeps_its_level_and_stderr_hears_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("log");
    let settings = NoticeSettings { log_file: Some(file.clone()), ..settings(Verbosity::Silent) };
    assert_eq!(told_to(settings, Surroundings::default(), &[75, 75]), "");
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[1].ends_with(&format!("Z backup 01JTEST {}", GAVE_UP.trim_end())), "{text}");
}

#[test]
fn what_a_log_cannot_take_is_said_on_stderr_after_one_warning() {
    let lost = "retry: cannot write the log /no/such/place: no such file or directory; its lines go to stderr\n";
    let log = || Some("/no/such/place".into());
    let told = |verbosity| {
        told_to(NoticeSettings { log_file: log(), ..settings(verbosity) }, Surroundings::default(), &[75, 75])
    };
    assert_eq!(told(Verbosity::Normal), format!("{lost}{FAILED}{GAVE_UP}"));
    assert_eq!(told(Verbosity::Quiet), format!("{lost}{GAVE_UP}"));
    assert_eq!(told(Verbosity::Silent), "");
    let json = NoticeSettings { log_file: log(), format: LogFormat::Json, ..settings(Verbosity::Silent) };
    assert_eq!(told_to(json, Surroundings::default(), &[75, 75]), "");
}

#[test]
fn a_hostile_name_cannot_act_nor_make_a_line() {
    let mut sink = Kept::default();
    let mut notices = Notices::new(settings(Verbosity::Normal), subject(), Surroundings::default());
    notices.lost(&mut sink, "cannot open a\n::error::\x1b[2J");
    assert_eq!(sink.text(), "retry: cannot open a\\n::error::\\x1b[2J\n");
}

#[test]
fn a_stopped_run_says_by_what() {
    let mut sink = Kept::default();
    let mut notices = Notices::new(settings(Verbosity::Quiet), subject(), Surroundings::default());
    let ending = Ending::Interrupted { signal: Signal::TERM, during_attempt: false };
    notices.finished(&mut sink, &End { ending, ..end(1, 75) });
    assert_eq!(sink.text(), "retry: stopped by SIGTERM after 1 attempt in 5.1 s: exit status 75 (interrupted)\n");
}
