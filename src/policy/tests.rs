//! The rules of a verdict, by example and by law.

use super::*;
use crate::outcome::{Errno, StartStep};
use proptest::prelude::*;

fn judge(rules: &Rules, outcome: Outcome) -> Verdict {
    rules.judge(&Facts::only(outcome)).verdict
}

fn exits(list: &str) -> ExitSet {
    list.parse().unwrap()
}

fn not_started(errno: i32) -> Outcome {
    Outcome::NotStarted { step: StartStep::Exec, errno: Errno(errno) }
}

#[test]
fn without_rules_every_failure_is_retryable_but_what_cannot_get_better() {
    let rules = Rules::default();
    assert_eq!(judge(&rules, Outcome::Exited(0)), Verdict::Success);
    assert_eq!(judge(&rules, Outcome::Exited(1)), Verdict::Retryable);
    assert_eq!(judge(&rules, Outcome::Exited(127)), Verdict::Permanent);
    assert_eq!(judge(&rules, Outcome::Signaled(Signal::KILL)), Verdict::Retryable);
    assert_eq!(judge(&rules, Outcome::Signaled(Signal::INT)), Verdict::Permanent);
    assert_eq!(judge(&rules, Outcome::TimedOut { killed: true }), Verdict::Retryable);
    assert_eq!(judge(&rules, not_started(libc::ENOENT)), Verdict::Permanent);
    assert_eq!(judge(&rules, not_started(libc::ETXTBSY)), Verdict::Retryable);
}

#[test]
fn a_retry_rule_makes_the_rest_permanent_but_a_timeout() {
    let rules = Rules { retry_exit: exits("75"), ..Rules::default() };
    assert_eq!(judge(&rules, Outcome::Exited(75)), Verdict::Retryable);
    assert_eq!(judge(&rules, Outcome::Exited(1)), Verdict::Permanent);
    assert_eq!(judge(&rules, Outcome::Signaled(Signal::KILL)), Verdict::Permanent);
    assert_eq!(judge(&rules, Outcome::TimedOut { killed: false }), Verdict::Retryable);
}

#[test]
fn naming_only_what_fails_or_succeeds_leaves_the_rest_retryable() {
    let rules = Rules { fail_exit: exits("2"), succeed_exit: exits("3"), ..Rules::default() };
    assert_eq!(judge(&rules, Outcome::Exited(2)), Verdict::Permanent);
    assert_eq!(judge(&rules, Outcome::Exited(3)), Verdict::Success);
    assert_eq!(judge(&rules, Outcome::Exited(4)), Verdict::Retryable);
}

#[test]
fn fail_stands_before_retry_and_retry_before_succeed() {
    let five = exits("5");
    let rules = Rules { fail_exit: five, retry_exit: five, succeed_exit: five, ..Rules::default() };
    assert_eq!(judge(&rules, Outcome::Exited(5)), Verdict::Permanent);
    let rules = Rules { retry_exit: five, succeed_exit: five, ..Rules::default() };
    assert_eq!(judge(&rules, Outcome::Exited(5)), Verdict::Retryable);
}

#[test]
fn an_exit_list_sees_death_by_a_signal_but_succeed_sees_only_exits() {
    let rules = Rules { fail_exit: exits("137"), succeed_exit: exits("1-255"), ..Rules::default() };
    assert_eq!(judge(&rules, Outcome::Signaled(Signal::KILL)), Verdict::Permanent);
    assert_eq!(judge(&rules, Outcome::Signaled(Signal::TERM)), Verdict::Retryable);
    assert_eq!(judge(&rules, not_started(libc::ENOENT)), Verdict::Permanent);
    let rules = Rules { fail_exit: exits("124,137"), ..Rules::default() };
    assert_eq!(judge(&rules, Outcome::TimedOut { killed: true }), Verdict::Retryable);
}

#[test]
fn a_hint_stands_behind_explicit_rules_and_before_the_preset() {
    let facts = |retry| Facts {
        hint: Hint { retry: Some(retry), ..Hint::default() },
        preset: Some(Verdict::Permanent),
        ..Facts::only(Outcome::Exited(7))
    };
    let rules = Rules { preset: true, ..Rules::default() };
    assert_eq!(rules.judge(&facts(true)).verdict, Verdict::Retryable);
    let rules = Rules { retry_exit: exits("7"), ..rules };
    assert_eq!(rules.judge(&facts(false)).verdict, Verdict::Retryable);
    let done = Facts { outcome: Outcome::Exited(0), preset: None, ..facts(true) };
    assert_eq!(rules.judge(&done).verdict, Verdict::Success);
}

#[test]
fn output_that_never_matched_is_retryable_even_at_exit_zero_but_not_for_a_command_that_never_ran() {
    let facts =
        |outcome| Facts { output: OutputFacts { until_unmet: true, ..OutputFacts::default() }, ..Facts::only(outcome) };
    let rules = Rules::default();
    assert_eq!(rules.judge(&facts(Outcome::Exited(0))).verdict, Verdict::Retryable);
    assert_eq!(rules.judge(&facts(not_started(libc::ENOENT))).verdict, Verdict::Permanent);
    assert_eq!(rules.judge(&facts(Outcome::Signaled(Signal::INT))).verdict, Verdict::Permanent);
    let rules = Rules { retry_exit: "75".parse().unwrap(), ..Rules::default() };
    assert_eq!(rules.judge(&facts(Outcome::Exited(1))).verdict, Verdict::Retryable);
    assert_eq!(rules.judge(&facts(Outcome::Signaled(Signal::KILL))).verdict, Verdict::Retryable);
    let unread = Facts { reader_gone: true, ..facts(Outcome::Signaled(Signal::PIPE)) };
    assert_eq!(rules.judge(&unread).verdict, Verdict::Permanent);
}

#[test]
fn sigpipe_is_permanent_only_where_the_reader_has_gone() {
    let rules = Rules::default();
    for outcome in [Outcome::Signaled(Signal::PIPE), Outcome::Exited(141)] {
        let facts = Facts { reader_gone: true, ..Facts::only(outcome) };
        assert_eq!(rules.judge(&facts).verdict, Verdict::Permanent);
        assert_eq!(judge(&rules, outcome), Verdict::Retryable);
    }
}

#[test]
fn input_that_is_lost_spoils_a_retry_and_lost_output_spoils_a_success() {
    let rules = Rules::default();
    let facts = |outcome, lost| Facts { lost: Some(lost), ..Facts::only(outcome) };
    assert_eq!(rules.judge(&facts(Outcome::Exited(0), Lost::Input)).verdict, Verdict::Success);
    assert_eq!(rules.judge(&facts(Outcome::Exited(1), Lost::Input)).verdict, Verdict::Permanent);
    assert_eq!(rules.judge(&facts(Outcome::Exited(0), Lost::Output)).verdict, Verdict::Permanent);
    assert_eq!(rules.judge(&facts(Outcome::Exited(0), Lost::InputEnd)).verdict, Verdict::Permanent);
    assert_eq!(rules.judge(&facts(Outcome::Exited(1), Lost::InputEnd)).verdict, Verdict::Permanent);
}

#[test]
fn each_kind_of_retry_rule_alone_makes_the_rest_permanent() {
    let rules = [
        Rules { retry_exit: exits("75"), ..Rules::default() },
        Rules { retry_signal: "KILL".parse().unwrap(), ..Rules::default() },
        Rules { retry_on_output: true, ..Rules::default() },
        Rules { preset: true, ..Rules::default() },
    ];
    for rules in rules {
        assert_eq!(judge(&rules, Outcome::Exited(1)), Verdict::Permanent, "{rules:?}");
    }
}

#[test]
fn rules_on_signals_name_deaths_and_never_exits() {
    let kill = "KILL".parse().unwrap();
    let rules = Rules { retry_signal: kill, ..Rules::default() };
    assert_eq!(judge(&rules, Outcome::Signaled(Signal::KILL)), Verdict::Retryable);
    assert_eq!(judge(&rules, Outcome::Signaled(Signal::TERM)), Verdict::Permanent);
    let rules = Rules { fail_signal: kill, ..Rules::default() };
    assert_eq!(judge(&rules, Outcome::Signaled(Signal::KILL)), Verdict::Permanent);
    assert_eq!(judge(&rules, Outcome::Exited(137)), Verdict::Retryable);
}

#[test]
fn a_preset_decides_an_exit_that_no_rule_names_and_nothing_else() {
    let rules = Rules { preset: true, fail_exit: exits("9"), ..Rules::default() };
    let facts = |outcome| Facts { preset: Some(Verdict::Retryable), ..Facts::only(outcome) };
    let judged = |outcome| {
        let Judgement { verdict, reason } = rules.judge(&facts(outcome));
        (verdict, reason)
    };
    assert_eq!(judged(Outcome::Exited(7)), (Verdict::Retryable, Reason::Preset));
    assert_eq!(judged(Outcome::Exited(9)), (Verdict::Permanent, Reason::FailOnExit));
    assert_eq!(judged(Outcome::Signaled(Signal::KILL)), (Verdict::Permanent, Reason::NotListed));
}

#[test]
fn what_cannot_be_killed_lets_nothing_start_beside_it_whatever_the_rules_say() {
    let rules = Rules { retry_exit: exits("0-255"), ..Rules::default() };
    let facts = Facts { unkillable: true, ..Facts::only(Outcome::TimedOut { killed: true }) };
    let judged = rules.judge(&facts);
    assert_eq!((judged.verdict, judged.reason), (Verdict::Permanent, Reason::Unkillable));
}

#[test]
fn the_words_of_verdicts_are_those_of_records() {
    let words = [Verdict::Success, Verdict::Retryable, Verdict::Permanent].map(Verdict::word);
    assert_eq!(words, ["success", "retryable", "permanent"]);
}

#[test]
fn a_reason_says_itself_and_whether_output_decided() {
    assert_eq!(Reason::NotListed.to_string(), "no retry rule names it");
    let by_output = [Reason::FailOnOutput, Reason::RetryOnOutput, Reason::UntilOutput, Reason::OutputLost];
    assert!(by_output.into_iter().all(Reason::is_about_output));
    assert!(![Reason::FailOnExit, Reason::InputLost, Reason::AnyFailure].into_iter().any(Reason::is_about_output));
}

proptest! {
    #[test]
    fn an_explicit_fail_overrules_everything(status: u8, retry in "[1-9]", until: bool, hint: Option<bool>) {
        let rules = Rules {
            fail_exit: ExitSet::of(&[status]), retry_exit: retry.parse().unwrap(),
            succeed_exit: ExitSet::of(&[status]), ..Rules::default()
        };
        let facts = Facts {
            output: OutputFacts { retry: true, until_unmet: until, fail: false },
            hint: Hint { retry: hint, ..Hint::default() },
            ..Facts::only(Outcome::Exited(status))
        };
        prop_assert_eq!(rules.judge(&facts).verdict, Verdict::Permanent);
    }
}
