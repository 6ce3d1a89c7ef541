//! What options and variables come to, and the way of a policy through a record and back.

use super::*;
use crate::cli::parse::{self, Asked};

fn settings<'a>(line: &[&str], environment: &'a dyn Fn(&str) -> Option<OsString>) -> Settings<'a> {
    match parse::retry(line.iter().map(OsString::from).collect(), environment) {
        Ok(Asked::Work(settings)) => settings,
        Ok(_) => panic!("help was asked for"),
        Err(error) => panic!("{error}"),
    }
}

fn nothing(_: &str) -> Option<OsString> {
    None
}

fn read(line: &[&str], environment: &dyn Fn(&str) -> Option<OsString>) -> Result<Job, String> {
    let mut all = line.to_vec();
    all.extend(["--", "/usr/bin/cmd", "arg"]);
    let mut settings = settings(&all, environment);
    let command = std::mem::take(&mut settings.operands);
    job(command, &settings).map_err(|error| error.to_string())
}

fn plain(line: &[&str]) -> Result<Job, String> {
    read(line, &nothing)
}

#[test]
fn without_options_a_job_has_the_defaults_of_the_manual() {
    let job = plain(&[]).unwrap();
    assert_eq!((job.name.as_str(), job.limits.max_tries, job.limits.timeout), ("cmd", Some(6), None));
    assert_eq!(job.limits.backoff.shape, Shape::Exponential { factor: 2.0 });
    assert_eq!(job.limits.backoff.jitter, Jitter::Full);
    assert_eq!((job.ending.signal, job.ending.grace), (Signal::TERM, Duration::from_secs(10)));
    assert_eq!(job.ending.grace_after_forwarding, None);
    assert_eq!((job.streams.stdin, job.streams.output), (StdinMode::Auto, OutputMode::Live));
}

#[test]
fn a_schedule_is_waited_as_it_stands_and_excludes_what_would_shape_it() {
    let job = plain(&["--delays", "1s,5s"]).unwrap();
    assert_eq!(job.limits.backoff.jitter, Jitter::None);
    assert!(plain(&["--delays", "1s", "--base", "2s"]).is_err());
    assert!(plain(&["--delays", "1s", "--factor", "2"]).is_err());
    assert!(plain(&["--delays", "1s", "--backoff", "linear"]).is_err());
    assert!(plain(&["--delays", "1s", "--jitter", "decorrelated"]).is_err());
}

#[test]
fn a_variable_that_is_not_needed_is_not_looked_at() {
    let environment = |name: &str| (name == "RETRY_DEFAULT_BASE").then(|| OsString::from("nonsense"));
    assert!(read(&["--delays", "1s"], &environment).is_ok());
    assert!(read(&["--base", "1s"], &environment).is_ok());
    assert!(read(&[], &environment).unwrap_err().contains("RETRY_DEFAULT_BASE"));
    let environment = |name: &str| (name == "RETRY_DEFAULT_DELAYS").then(|| OsString::from("nonsense"));
    assert!(read(&["--base", "1s"], &environment).is_ok());
}

#[test]
fn decorrelated_goes_with_exponential_only() {
    assert!(plain(&["--jitter", "decorrelated"]).is_ok());
    assert!(plain(&["--jitter", "decorrelated", "--backoff", "linear"]).is_err());
}

#[test]
fn a_timeout_of_nothing_is_none() {
    assert_eq!(plain(&["-t", "0"]).unwrap().limits.timeout, None);
    assert!(plain(&["-t", "0.0000000001"]).unwrap().limits.timeout.is_some());
}

#[test]
fn of_a_letter_file_and_none_the_last_wins() {
    assert!(plain(&["--dead-letter", "x", "--no-dead-letter"]).unwrap().letters.off);
    assert!(!plain(&["--no-dead-letter", "--dead-letter", "x"]).unwrap().letters.off);
    let environment = |name: &str| (name == "RETRY_DEFAULT_NO_DEAD_LETTER").then(|| OsString::from("true"));
    assert!(!read(&["--dead-letter", "x"], &environment).unwrap().letters.off);
}

#[test]
fn quiet_and_verbose_add_up_and_the_last_direction_wins() {
    let verbosity = |line: &[&str]| plain(line).unwrap().notices.verbosity;
    assert_eq!(verbosity(&["-q"]), Verbosity::Quiet);
    assert_eq!(verbosity(&["-qq"]), Verbosity::Silent);
    assert_eq!(verbosity(&["-vv"]), Verbosity::Debug);
    assert_eq!(verbosity(&["-qq", "-v"]), Verbosity::Verbose);
}

#[test]
fn a_policy_read_back_gives_the_same_job() {
    let lines: &[&[&str]] = &[
        &[],
        &["-n", "unlimited", "--base", "1.5s", "--cap", "1h30m", "--factor", "1.7", "--jitter", "equal"],
        &["--delays", "1s,500ms,2d", "--jitter", "full", "--splay", "3s"],
        &["--backoff", "linear", "--max-elapsed", "2h", "--reset-after", "10m", "-t", "1m", "-s", "INT", "-k", "5s"],
        &["--backoff", "constant", "--foreground", "--preserve-status", "--fail-on-timeout"],
        &["--retry-on-exit", "75,111", "--retry-on-exit", "1-3", "--fail-on-exit", "2", "--succeed-on-exit", "9"],
        &["--retry-on-signal", "KILL", "--fail-on-signal", "SEGV,ABRT"],
        &["--retry-on-output", "a,b", "--retry-on-output", "c", "--fail-on-output", "d", "--until-output", "^up$"],
        &["--stdin", "null", "--stdin-max", "10M", "--record-stdin", "1000", "--output", "final"],
        &["--hints", "http,file", "--retry-after-max", "5m", "--ignore-retry-after"],
        &["--jitter", "decorrelated", "-s", "RTMIN+3"],
    ];
    for line in lines {
        let job = plain(line).unwrap();
        // Through the record and back.
        let text = serde_json::to_string(&job.policy).unwrap();
        let policy = serde_json::from_str(&text).unwrap();
        let (settings, unknown) = settings_of_policy(&policy, &nothing);
        assert_eq!(unknown, Vec::<String>::new());
        let again = super::job(job.command.clone(), &settings).unwrap();
        assert_eq!((&again.limits, &again.rules, &again.ending), (&job.limits, &job.rules, &job.ending), "{line:?}");
        assert_eq!((&again.streams, &again.hints), (&job.streams, &job.hints), "{line:?}");
        assert_eq!((&again.output_rules, &again.preset), (&job.output_rules, &job.preset), "{line:?}");
        assert_eq!(again.policy, job.policy);
    }
}
