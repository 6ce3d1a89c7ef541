//! Every message, to the letter.

use super::*;
use crate::outcome::{Errno, StartStep};

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
fn a_hook_that_goes_wrong_is_named_by_its_option() {
    assert_eq!(
        hook_trouble("--on-failure", HookTrouble::TookTooLong(Duration::from_secs(30))),
        "the --on-failure hook was ended after 30 s (--hook-timeout); nothing else changes"
    );
    assert_eq!(
        hook_trouble("--on-retry", HookTrouble::Failed(Outcome::Exited(3))),
        "the --on-retry hook failed: exit status 3; nothing else changes"
    );
}

#[test]
fn what_cannot_be_killed_is_named_by_its_pids() {
    assert_eq!(
        unkillable(&[12, 13]),
        "processes 12, 13 of the timed-out attempt do not end; no further attempt is made beside it"
    );
}
