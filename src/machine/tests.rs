//! Examples and laws of the machine.

use super::*;
use crate::backoff::{Jitter, Shape};
use crate::hint::Hint;
use crate::outcome::Outcome;
use proptest::prelude::*;

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// The limits that `retry` has without an option.
fn defaults() -> Limits {
    Limits {
        max_tries: Some(6),
        backoff: Backoff {
            base: seconds(1),
            cap: seconds(300),
            shape: Shape::Exponential { factor: 2.0 },
            jitter: Jitter::Full,
        },
        splay: Duration::ZERO,
        max_elapsed: None,
        timeout: None,
        reset_after: None,
        retry_after_max: seconds(3600),
        heed_retry_after: true,
    }
}

fn fixed(delay: u64, limits: Limits) -> Limits {
    Limits {
        backoff: Backoff { base: seconds(delay), cap: seconds(delay), shape: Shape::Constant, jitter: Jitter::None },
        ..limits
    }
}

fn failed(at: u64) -> Event {
    Event::Ended { at: seconds(at), took: Duration::ZERO, facts: Facts::only(Outcome::Exited(1)) }
}

fn asking(at: u64, asked: u64) -> Event {
    let hint = Hint { asked: Some(seconds(asked)), ..Hint::default() };
    Event::Ended { at: seconds(at), took: Duration::ZERO, facts: Facts { hint, ..Facts::only(Outcome::Exited(1)) } }
}

fn machine(limits: Limits) -> Machine {
    Machine::new(limits, Rules::default())
}

const LOW: [f64; 2] = [0.0, 0.0];
const HIGH: [f64; 2] = [1.0, 1.0];

#[test]
fn six_attempts_wait_sixty_two_seconds_at_the_very_most() {
    let mut machine = machine(defaults());
    let mut waits = Vec::new();
    let mut step = machine.next(Event::Begin, HIGH);
    loop {
        step = match step {
            Step::Run { .. } => machine.next(failed(0), HIGH),
            Step::Sleep { delay, .. } => {
                waits.push(delay.as_secs());
                machine.next(Event::Woke { at: seconds(0) }, HIGH)
            }
            Step::Stop(ending) => {
                assert_eq!(ending, Ending::Exhausted);
                break;
            }
        };
    }
    assert_eq!(waits, [2, 4, 8, 16, 32]);
    assert_eq!(machine.attempt(), 6);
}

#[test]
fn a_delay_that_would_pass_the_deadline_is_not_begun() {
    let mut machine = machine(fixed(10, Limits { max_elapsed: Some(seconds(15)), ..defaults() }));
    machine.next(Event::Begin, LOW);
    assert!(matches!(machine.next(failed(1), LOW), Step::Sleep { .. }));
    machine.next(Event::Woke { at: seconds(11) }, LOW);
    assert_eq!(machine.next(failed(12), LOW), Step::Stop(Ending::Deadline));
}

#[test]
fn a_delay_that_ends_at_the_very_deadline_is_not_begun() {
    let mut machine = machine(fixed(10, Limits { max_elapsed: Some(seconds(11)), ..defaults() }));
    machine.next(Event::Begin, LOW);
    assert_eq!(machine.next(failed(1), LOW), Step::Stop(Ending::Deadline));
}

#[test]
fn a_wait_that_lasted_too_long_starts_no_attempt_after_the_deadline() {
    let mut machine = machine(fixed(10, Limits { max_elapsed: Some(seconds(20)), ..defaults() }));
    machine.next(Event::Begin, LOW);
    machine.next(failed(1), LOW);
    assert_eq!(machine.next(Event::Woke { at: seconds(20) }, LOW), Step::Stop(Ending::Deadline));
}

#[test]
fn the_first_attempt_starts_whatever_the_window_and_opens_it_after_the_splay() {
    let limits = Limits { splay: seconds(60), max_elapsed: Some(seconds(5)), timeout: Some(seconds(9)), ..defaults() };
    let mut machine = machine(fixed(1, limits));
    assert!(matches!(machine.next(Event::Begin, HIGH), Step::Sleep { source: DelaySource::Splay, .. }));
    let step = machine.next(Event::Woke { at: seconds(60) }, LOW);
    assert_eq!(step, Step::Run { attempt: 1, timeout: Some(seconds(5)) });
    assert!(matches!(machine.next(failed(63), LOW), Step::Sleep { .. }));
    let step = machine.next(Event::Woke { at: seconds(64) }, LOW);
    assert_eq!(step, Step::Run { attempt: 2, timeout: Some(seconds(1)) });
}

#[test]
fn without_a_timeout_the_window_cuts_no_attempt() {
    let mut machine = machine(Limits { max_elapsed: Some(seconds(5)), ..defaults() });
    assert_eq!(machine.next(Event::Begin, LOW), Step::Run { attempt: 1, timeout: None });
}

#[test]
fn a_long_attempt_is_number_one_of_a_new_count() {
    let mut machine = machine(Limits { max_tries: Some(2), reset_after: Some(seconds(100)), ..defaults() });
    machine.next(Event::Begin, HIGH);
    for n in 1..=5 {
        let event = Event::Ended { at: seconds(n * 200), took: seconds(150), facts: Facts::only(Outcome::Exited(1)) };
        assert!(matches!(machine.next(event, HIGH), Step::Sleep { delay, .. } if delay == seconds(2)));
        machine.next(Event::Woke { at: seconds(n * 200 + 2) }, HIGH);
    }
    assert_eq!(machine.attempt(), 6);
    assert_eq!(machine.next(failed(1300), HIGH), Step::Stop(Ending::Exhausted));
}

#[test]
fn what_was_asked_for_is_waited_for_and_a_little_longer() {
    let mut machine = machine(fixed(1, defaults()));
    machine.next(Event::Begin, LOW);
    let Step::Sleep { delay, source, .. } = machine.clone().next(asking(0, 120), LOW) else { panic!() };
    assert_eq!((delay, source), (seconds(120), DelaySource::RetryAfter));
    let Step::Sleep { delay, .. } = machine.next(asking(0, 120), HIGH) else { panic!() };
    assert_eq!(delay, seconds(132));
}

#[test]
fn a_backoff_longer_than_what_was_asked_for_stays_the_source() {
    let mut machine = machine(fixed(50, defaults()));
    machine.next(Event::Begin, LOW);
    let Step::Sleep { delay, source, .. } = machine.next(asking(0, 10), HIGH) else { panic!() };
    assert_eq!((delay, source), (seconds(51), DelaySource::Backoff));
}

#[test]
fn asking_for_more_than_is_allowed_ends_the_run_with_the_instant() {
    let mut machine = machine(defaults());
    machine.next(Event::Begin, LOW);
    assert_eq!(machine.next(asking(7, 3601), LOW), Step::Stop(Ending::RetryAfterTooLong));
    assert_eq!(machine.not_before(), Some(seconds(3608)));
}

#[test]
fn asking_past_the_window_ends_the_run_too() {
    let mut machine = machine(Limits { max_elapsed: Some(seconds(60)), ..defaults() });
    machine.next(Event::Begin, LOW);
    assert_eq!(machine.next(asking(1, 59), LOW), Step::Stop(Ending::RetryAfterTooLong));
}

#[test]
fn asking_never_adds_an_attempt_and_can_be_ignored() {
    let mut once = machine(Limits { max_tries: Some(1), ..defaults() });
    once.next(Event::Begin, LOW);
    assert_eq!(once.next(asking(0, 1), LOW), Step::Stop(Ending::Exhausted));
    let mut deaf = machine(Limits { heed_retry_after: false, ..defaults() });
    deaf.next(Event::Begin, LOW);
    assert!(matches!(deaf.next(asking(0, 9999), LOW), Step::Sleep { source: DelaySource::Backoff, .. }));
}

#[test]
fn a_signal_stops_the_run_unless_the_command_answered_it_with_success() {
    let caught = |outcome| Event::Caught { signal: Signal::TERM, during: Some(Facts::only(outcome)) };
    let mut machine = machine(defaults());
    machine.next(Event::Begin, LOW);
    assert_eq!(machine.clone().next(caught(Outcome::Exited(0)), LOW), Step::Stop(Ending::Succeeded));
    let stopped = Ending::Interrupted { signal: Signal::TERM, during_attempt: true };
    assert_eq!(machine.next(caught(Outcome::Exited(5)), LOW), Step::Stop(stopped));
}

#[test]
fn a_window_of_nothing_still_has_its_first_attempt() {
    let mut machine = machine(Limits { max_elapsed: Some(Duration::ZERO), ..defaults() });
    assert_eq!(machine.next(Event::Begin, LOW), Step::Run { attempt: 1, timeout: None });
}

#[test]
fn asking_for_just_what_is_allowed_is_granted() {
    let mut machine = machine(defaults());
    machine.next(Event::Begin, LOW);
    assert!(matches!(machine.next(asking(0, 3600), LOW), Step::Sleep { source: DelaySource::RetryAfter, .. }));
}

#[test]
fn it_tells_its_count_and_whether_another_attempt_can_follow() {
    let mut machine = machine(Limits { max_tries: Some(2), ..defaults() });
    assert_eq!((machine.tries(), machine.judgement()), ((0, Some(2)), None));
    machine.next(Event::Begin, LOW);
    assert_eq!((machine.tries(), machine.is_last_attempt()), ((1, Some(2)), false));
    machine.next(failed(1), LOW);
    let judged = machine.judgement().map(|judgement| judgement.verdict);
    assert_eq!(judged, Some(Verdict::Retryable));
    machine.next(Event::Woke { at: seconds(2) }, LOW);
    assert_eq!((machine.tries(), machine.is_last_attempt()), ((2, Some(2)), true));
}

#[test]
fn where_the_count_may_start_anew_or_has_no_end_no_attempt_is_known_to_be_the_last() {
    for limits in [
        Limits { max_tries: Some(1), reset_after: Some(seconds(9)), ..defaults() },
        Limits { max_tries: None, ..defaults() },
    ] {
        let mut machine = machine(limits);
        machine.next(Event::Begin, LOW);
        assert!(!machine.is_last_attempt());
    }
}

#[test]
fn the_words_of_delays_are_those_of_records() {
    let words = [DelaySource::Backoff, DelaySource::RetryAfter, DelaySource::Splay].map(DelaySource::word);
    assert_eq!(words, ["backoff", "retry_after", "splay"]);
}

fn any_delay() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (0u64..400_000).prop_map(Duration::from_millis),
        Just(Duration::ZERO),
        Just(Duration::MAX),
        any::<u64>().prop_map(Duration::from_secs),
    ]
}

prop_compose! {
    fn any_limits()(
        max_tries in 1u32..60,
        (base, cap, splay) in (any_delay(), any_delay(), (0u64..100).prop_map(Duration::from_secs)),
        max_elapsed in proptest::option::of((0u64..1000).prop_map(Duration::from_secs)),
        timeout in proptest::option::of((1u64..100).prop_map(Duration::from_secs)),
        factor in 1.0..10.0f64,
        (linear, jitter) in (any::<bool>(), 0usize..4),
    ) -> Limits {
        let jitter = [Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::None][jitter];
        let shape = match jitter {
            Jitter::Decorrelated => Shape::Exponential { factor },
            _ if linear => Shape::Linear,
            _ => Shape::Exponential { factor },
        };
        Limits {
            max_tries: Some(max_tries), backoff: Backoff { base, cap, shape, jitter },
            splay, max_elapsed, timeout, ..defaults()
        }
    }
}

fn any_outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        any::<u8>().prop_map(Outcome::Exited),
        (1i32..32).prop_map(|n| Outcome::Signaled(Signal::from_number(n).unwrap())),
        any::<bool>().prop_map(|killed| Outcome::TimedOut { killed }),
    ]
}

proptest! {
    #[test]
    fn the_machine_always_ends_within_its_limits(
        limits in any_limits(),
        world in proptest::collection::vec((any_outcome(), 0u64..50_000, proptest::option::of(0u64..5000), 0.0..=1.0f64), 60),
    ) {
        let mut machine = machine(limits.clone());
        let (mut now, mut attempts, mut opened) = (Duration::ZERO, 0u32, Duration::ZERO);
        let mut step = machine.next(Event::Begin, [world[0].3, 0.5]);
        let mut succeeded = false;
        loop {
            match step {
                Step::Run { attempt, timeout } => {
                    attempts += 1;
                    prop_assert_eq!(attempt, attempts);
                    prop_assert!(attempts <= limits.max_tries.unwrap());
                    if attempts == 1 { opened = now; }
                    if let (Some(window), true) = (limits.max_elapsed, attempts > 1) {
                        prop_assert!(now - opened < window, "an attempt begins after the deadline");
                        if let Some(timeout) = timeout { prop_assert!(now - opened + timeout <= window); }
                    }
                    let (outcome, took, asked, unit) = &world[(attempts as usize - 1) % world.len()];
                    let took = Duration::from_millis(*took).min(timeout.unwrap_or(Duration::MAX));
                    now = now.saturating_add(took);
                    succeeded = *outcome == Outcome::Exited(0);
                    let facts = Facts { hint: Hint { asked: asked.map(seconds), ..Hint::default() }, ..Facts::only(*outcome) };
                    step = machine.next(Event::Ended { at: now, took, facts }, [*unit, 1.0 - unit]);
                }
                Step::Sleep { delay, ceiling, source } => {
                    prop_assert!(delay <= ceiling);
                    if source == DelaySource::Backoff { prop_assert!(delay <= limits.backoff.cap.max(seconds(5000)).saturating_add(seconds(30))); }
                    now = now.saturating_add(delay);
                    if let (Some(window), true) = (limits.max_elapsed, attempts > 0) {
                        prop_assert!(now - opened < window, "a delay past the deadline was begun");
                    }
                    step = machine.next(Event::Woke { at: now }, [0.5, 0.5]);
                }
                Step::Stop(ending) => {
                    prop_assert_eq!(ending == Ending::Succeeded, succeeded);
                    break;
                }
            }
        }
    }
}
