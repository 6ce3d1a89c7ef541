//! Every message, to the letter.

use super::*;
use crate::outcome::{Errno, StartStep};
use crate::policy::Verdict;

const EX_TEMPFAIL: Outcome = Outcome::Exited(75);

fn nth(attempt: u32, of: Option<u32>) -> Number {
    Number { attempt, tries: attempt, of }
}

fn judged(verdict: Verdict, reason: Reason) -> Judgement {
    Judgement { verdict, reason }
}

fn ended(ending: Ending, attempts: u32, outcome: Option<Outcome>, judgement: Option<Judgement>) -> BadEnd {
    BadEnd { ending, attempts, elapsed: Duration::from_millis(48_200), outcome, judgement, asked: None }
}

const ANY: Judgement = Judgement { verdict: Verdict::Retryable, reason: Reason::AnyFailure };

#[test]
fn a_failed_attempt_names_outcome_verdict_and_wait() {
    let next = Some((Duration::from_millis(3_200), DelaySource::Backoff));
    assert_eq!(
        attempt_failed(nth(2, Some(6)), "exit status 75", ANY, None, next),
        "attempt 2 of 6 failed: exit status 75 (retryable); next attempt in 3.2 s"
    );
    assert_eq!(
        attempt_failed(nth(2, None), "exit status 75", ANY, Some(Duration::from_millis(40)), None),
        "attempt 2 failed after 40 ms: exit status 75 (retryable)"
    );
}

#[test]
fn a_wait_of_nothing_is_none() {
    let told = |micros| next_attempt(Duration::from_micros(micros), DelaySource::Backoff);
    assert_eq!((told(0).as_str(), told(999).as_str()), ("next attempt at once", "next attempt at once"));
    assert_eq!(told(1_000), "next attempt in 1 ms");
}

#[test]
fn a_wait_that_was_asked_for_says_so() {
    let next = Some((Duration::from_secs(125), DelaySource::RetryAfter));
    assert_eq!(
        attempt_failed(nth(1, Some(3)), "exit status 22", ANY, None, next),
        "attempt 1 of 3 failed: exit status 22 (retryable); next attempt in 2 min 5 s, as Retry-After asks"
    );
}

#[test]
fn a_verdict_that_might_surprise_gives_its_reason() {
    let judgement = judged(Verdict::Retryable, Reason::UntilOutput);
    assert_eq!(
        attempt_failed(nth(1, Some(3)), "exit status 0", judgement, None, None),
        "attempt 1 of 3 failed: exit status 0 (retryable: no line matched --until-output)"
    );
}

#[test]
fn after_a_reset_both_counts_are_told() {
    let of = Number { attempt: 9, tries: 2, of: Some(6) };
    assert_eq!(number(of), "attempt 9 (2 of 6 since the last long one)");
    assert_eq!(succeeded(of, Duration::from_secs(5)), "succeeded on attempt 9 after 5 s");
}

#[test]
fn a_success_after_retries_is_one_line_of_the_same_manner() {
    assert_eq!(succeeded(nth(3, Some(6)), Duration::from_millis(5_100)), "succeeded on attempt 3 of 6 after 5.1 s");
    assert_eq!(succeeded(nth(3, None), Duration::from_millis(5_100)), "succeeded on attempt 3 after 5.1 s");
}

#[test]
fn the_end_of_a_bad_run_names_the_way_on() {
    let end = ended(Ending::Exhausted, 6, Some(EX_TEMPFAIL), Some(ANY));
    assert_eq!(gave_up(end, "sync", None), "gave up after 6 attempts in 48.2 s: exit status 75 (exhausted)");
    let letter = Letter { id: "01JX", file: None };
    assert_eq!(
        gave_up(end, "sync", Some(letter)),
        "gave up after 6 attempts in 48.2 s: exit status 75 (exhausted); \
         dead letter 01JX: retryctl dead-letter replay 01JX"
    );
    let letter = Letter { id: "01JX", file: Some(Path::new("/var/my jobs.jsonl")) };
    assert_eq!(
        gave_up(end, "sync", Some(letter)),
        "gave up after 6 attempts in 48.2 s: exit status 75 (exhausted); \
         dead letter 01JX: retryctl dead-letter replay --file '/var/my jobs.jsonl' 01JX"
    );
}

#[test]
fn a_permanent_failure_says_why_and_counts_one_attempt() {
    let outcome = Outcome::NotStarted { step: StartStep::Exec, errno: Errno(libc::ENOENT) };
    let end = ended(Ending::Permanent, 1, Some(outcome), Some(judged(Verdict::Permanent, Reason::NotStarted)));
    assert_eq!(
        gave_up(end, "sync", None),
        "gave up after 1 attempt in 48.2 s: cannot start sync: no such file or directory (permanent)"
    );
    let end =
        ended(Ending::Permanent, 1, Some(Outcome::Exited(2)), Some(judged(Verdict::Permanent, Reason::NotListed)));
    assert_eq!(
        gave_up(end, "sync", None),
        "gave up after 1 attempt in 48.2 s: exit status 2 (permanent: no retry rule names it)"
    );
}

#[test]
fn a_run_that_was_stopped_names_the_signal() {
    let ending = Ending::Interrupted { signal: Signal::TERM, during_attempt: true };
    let end = ended(ending, 2, Some(Outcome::Signaled(Signal::TERM)), None);
    assert_eq!(
        gave_up(end, "sync", None),
        "stopped by SIGTERM after 2 attempts in 48.2 s: killed by SIGTERM (interrupted)"
    );
    let end = ended(ending, 0, None, None);
    assert_eq!(gave_up(end, "sync", None), "stopped by SIGTERM before the first attempt (interrupted)");
}

#[test]
fn a_wait_that_is_too_long_is_named() {
    let mut end = ended(Ending::RetryAfterTooLong, 1, Some(Outcome::Exited(22)), Some(ANY));
    end.asked = Some(Duration::from_secs(7_200));
    assert_eq!(
        gave_up(end, "sync", None),
        "gave up after 1 attempt in 48.2 s: exit status 22 (retry_after_too_long: asked to wait 2 h)"
    );
}

#[test]
fn what_v_and_vv_add() {
    assert_eq!(
        attempt_starts(nth(1, Some(6)), Some(Duration::from_secs(30)), "curl -f x"),
        "attempt 1 of 6 starts, limit 30 s: curl -f x"
    );
    assert_eq!(
        attempt_succeeded(nth(1, Some(6)), Outcome::Exited(0), Duration::from_millis(812)),
        "attempt 1 of 6 succeeded after 812 ms: exit status 0"
    );
    assert_eq!(
        decided(nth(1, Some(6)), judged(Verdict::Retryable, Reason::RetryOnExit)),
        "attempt 1 of 6 counts as retryable: --retry-on-exit names it"
    );
    assert_eq!(
        drawn(Duration::from_millis(3_200), Duration::from_secs(4), DelaySource::Backoff),
        "a delay of 3.2 s, drawn below a ceiling of 4 s"
    );
    assert_eq!(
        nested("backup", Some(3)),
        "running inside another retry (job backup): each attempt there makes up to 3 attempts here"
    );
}

#[test]
fn vv_tells_where_a_delay_comes_from() {
    let (delay, ceiling) = (Duration::from_secs(3), Duration::from_secs(4));
    assert_eq!(drawn(delay, ceiling, DelaySource::RetryAfter), "a delay of 3 s: Retry-After asks for it");
    assert_eq!(drawn(delay, ceiling, DelaySource::Splay), "attempt 1 in 3 s, drawn below a splay of 4 s");
}

#[test]
fn what_threatens_a_run_is_said_before_it_hurts() {
    assert_eq!(
        unlimited(),
        "no limit is set: a job that is retried forever never alerts anyone; see --max-elapsed and --max-tries"
    );
    assert_eq!(
        nested("backup", None),
        "running inside another retry (job backup): each attempt there makes attempts without a limit here"
    );
    assert_eq!(
        nested("backup", Some(1)),
        "running inside another retry (job backup): each attempt there makes up to 1 attempt here"
    );
    assert_eq!(
        preset_of_another("curl", "backup.sh"),
        "preset curl reads the statuses of backup.sh as if it were curl"
    );
}

#[test]
fn what_cannot_be_written_is_named_with_its_cause() {
    assert_eq!(letter_not_saved("{}"), "dead letter not saved: {}");
    assert_eq!(
        log_lost(Path::new("/x/log"), "permission denied"),
        "cannot write the log /x/log: permission denied; its lines go to stderr"
    );
    assert_eq!(
        ci_file_lost("GITHUB_STEP_SUMMARY", Path::new("/x"), "permission denied"),
        "cannot write /x ($GITHUB_STEP_SUMMARY): permission denied"
    );
    let made = no_hint_file(&std::io::Error::from_raw_os_error(libc::ENOSPC));
    assert!(made.starts_with("cannot make a hint file in /"), "{made}");
    assert!(made.ends_with(": no space left on device; the attempt goes on without"), "{made}");
}

#[test]
fn what_a_command_or_a_server_said_and_nobody_understands_is_quoted() {
    assert_eq!(hint_unclear("maybe"), "hint ignored: retry=maybe: expected yes or no");
    let why = crate::retry_after::parse("soon", None, std::time::SystemTime::UNIX_EPOCH).unwrap_err();
    assert_eq!(
        retry_after_ignored(&why),
        "Retry-After ignored: \"soon\" is neither a number nor an HTTP date; expected seconds or an HTTP date"
    );
}

#[test]
fn a_hook_that_goes_wrong_is_named_by_its_option() {
    assert_eq!(
        hook_trouble("--on-failure", HookTrouble::TookTooLong(Duration::from_secs(30))),
        "the --on-failure hook was ended after 30 s (--hook-timeout); nothing else changes"
    );
    assert_eq!(
        hook_trouble("--on-retry", HookTrouble::Failed(Outcome::Exited(3))),
        "the --on-retry hook failed: exit status 3; nothing else changes"
    );
    assert_eq!(
        hook_trouble("--on-failure", HookTrouble::CutShort(Signal::TERM)),
        "the --on-failure hook was ended: SIGTERM leaves it no more time"
    );
}

#[test]
fn what_cannot_be_killed_is_named_by_its_pids() {
    assert_eq!(
        unkillable(&[12, 13]),
        "processes 12, 13 of the timed-out attempt do not end; no further attempt is made beside it"
    );
    assert_eq!(
        unkillable(&[12]),
        "process 12 of the timed-out attempt does not end; no further attempt is made beside it"
    );
}
