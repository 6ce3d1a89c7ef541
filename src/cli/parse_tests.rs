//! The laws of parsing, by example.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;

use super::parse::{self, Asked};
use super::settings::{Origin, Settings};
use super::spec::Opt;
use super::usage_error::UsageError;
use super::verbs::Verb;

const EMPTY: &dyn Fn(&str) -> Option<OsString> = &|_| None;

fn retry(line: &str) -> Settings<'static> {
    work(parse::retry(line.split(' ').map(OsString::from).collect(), EMPTY))
}

fn refused(line: &str) -> String {
    match parse::retry(line.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect(), EMPTY) {
        Ok(_) => panic!("{line:?} was taken"),
        Err(error) => error.to_string(),
    }
}

fn work(asked: Result<Asked<'_>, UsageError>) -> Settings<'_> {
    match asked {
        Ok(Asked::Work(settings)) => settings,
        Ok(Asked::BriefHelp | Asked::Help | Asked::Version) => panic!("help"),
        Err(error) => panic!("{error}"),
    }
}

fn value(settings: &Settings<'_>, opt: Opt) -> Option<String> {
    settings.one(opt).map(|setting| setting.value.to_string_lossy().into_owned())
}

#[test]
fn options_end_at_the_first_operand() {
    let settings = retry("-n 3 echo -n 9 --help -- x");
    assert_eq!(value(&settings, Opt::MaxTries).as_deref(), Some("3"));
    assert_eq!(settings.operands, ["echo", "-n", "9", "--help", "--", "x"]);
}

#[test]
fn options_end_at_two_hyphens() {
    assert_eq!(retry("-- -n 9").operands, ["-n", "9"]);
    assert_eq!(retry("-q -- echo -- x").operands, ["echo", "--", "x"]);
    assert_eq!(retry("-").operands, ["-"]);
}

#[test]
fn every_spelling_of_a_value_is_understood() {
    for line in ["-n3 x", "-n 3 x", "-n=3 x", "--max-tries=3 x", "--max-tries 3 x", "-qvn3 x", "-n 9 -n 3 x"] {
        assert_eq!(value(&retry(line), Opt::MaxTries).as_deref(), Some("3"), "{line}");
    }
    assert_eq!(value(&retry("--timeout -1s x"), Opt::Timeout).as_deref(), Some("-1s"));
    assert_eq!(value(&retry("--timeout= x"), Opt::Timeout).as_deref(), Some(""));
}

#[test]
fn switches_are_counted_and_can_be_taken_back() {
    assert_eq!(retry("-vv x").count(Opt::Verbose), Ok(2));
    assert_eq!(retry("-v --verbose=false x").count(Opt::Verbose), Ok(0));
    assert_eq!(retry("--fail-on-timeout x").switch(Opt::FailOnTimeout), Ok(true));
    assert_eq!(retry("--fail-on-timeout=false x").switch(Opt::FailOnTimeout), Ok(false));
    assert_eq!(
        retry("--fail-on-timeout=maybe x").switch(Opt::FailOnTimeout).unwrap_err().to_string(),
        "invalid value 'maybe' for --fail-on-timeout: expected true or false"
    );
}

#[test]
fn a_plan_needs_no_command_and_its_value_stands_after_the_equals_sign() {
    assert_eq!(value(&retry("--plan"), Opt::Plan).as_deref(), Some("text"));
    let settings = retry("--plan=json json");
    assert_eq!(value(&settings, Opt::Plan).as_deref(), Some("json"));
    assert_eq!(settings.operands, ["json"]);
    assert_eq!(retry("--plan json").operands, ["json"]);
}

#[test]
fn bytes_that_are_no_text_are_kept() {
    let odd = OsString::from_vec(vec![b'a', 0xff]);
    let mut long = OsString::from("--job=");
    long.push(&odd);
    let settings = work(parse::retry(vec![long, "x".into(), odd.clone()], EMPTY));
    assert_eq!(settings.one(Opt::Job).unwrap().value, odd);
    assert_eq!(settings.operands, [OsStr::new("x"), &odd]);
    assert_eq!(
        settings.one(Opt::Job).unwrap().text().unwrap_err().to_string(),
        "invalid value 'a\u{fffd}' for --job: expected text in UTF-8"
    );
}

#[test]
fn an_error_says_what_would_be_right() {
    for (line, text) in [
        ("", "no command given: expected retry [OPTIONS] [--] COMMAND [ARG]..., see retry -h"),
        ("-n 3", "no command given: expected retry [OPTIONS] [--] COMMAND [ARG]..., see retry -h"),
        ("--max-try 3 x", "unknown option '--max-try': did you mean --max-tries?"),
        ("--max-t 3 x", "unknown option '--max-t': did you mean --max-tries?"),
        ("--max-retries 3 x", "unknown option '--max-retries': did you mean --max-tries?"),
        ("--attempts=3 x", "unknown option '--attempts': did you mean --max-tries?"),
        ("--timout 3 x", "unknown option '--timout': did you mean --timeout?"),
        ("--bogus x", "unknown option '--bogus': see retry --help"),
        ("-x x", "unknown option '-x': see retry --help"),
        ("--max\n x", "unknown option '--max\\n': see retry --help"),
        ("-n", "--max-tries needs a value: expected --max-tries N"),
        ("--preset", "--preset needs a value: expected --preset NAME"),
        ("--preset curl --preset wget x", "--preset given twice: expected one"),
        ("--help=all", "--help takes no value"),
        ("-q=x x", "-q takes no value"),
    ] {
        assert_eq!(refused(line), text, "{line}");
    }
    assert_eq!(
        parse::retry(vec!["".into()], EMPTY).err().map(|error| error.to_string()).as_deref(),
        Some("the command is empty: expected its name or path")
    );
}

#[test]
fn help_is_answered_at_once() {
    for (line, brief) in [("-h --bogus", true), ("-qh", true), ("--help -n", false), ("-n 3 --help", false)] {
        let asked = parse::retry(line.split(' ').map(OsString::from).collect(), EMPTY);
        assert!(matches!((asked, brief), (Ok(Asked::BriefHelp), true) | (Ok(Asked::Help), false)), "{line}");
    }
    assert!(matches!(parse::retry(vec!["-V".into()], EMPTY), Ok(Asked::Version)));
}

#[test]
fn the_line_wins_over_the_environment() {
    let environment = |name: &str| match name {
        "RETRY_DEFAULT_MAX_TRIES" => Some("8".into()),
        "RETRY_DEFAULT_RETRY_ON_EXIT" => Some("75".into()),
        "RETRY_DEFAULT_REDACT" => Some("a".into()),
        "RETRY_DEFAULT_FAIL_ON_TIMEOUT" => Some("yes".into()),
        "RETRY_DEFAULT_JOB" | "RETRY_DEFAULT_SEED" => panic!("{name} is looked at"),
        _ => None,
    };
    let line = ["-n3", "--retry-on-exit=1", "--retry-on-exit", "2", "--redact=b", "x"];
    let given = work(parse::retry(line.iter().map(OsString::from).collect(), &environment));
    assert_eq!(value(&given, Opt::MaxTries).as_deref(), Some("3"));
    let texts = |settings: &Settings<'_>, opt| -> Vec<String> {
        settings.all(opt).iter().map(|setting| setting.value.to_string_lossy().into_owned()).collect()
    };
    assert_eq!(texts(&given, Opt::RetryOnExit), ["1", "2"]);
    assert_eq!(texts(&given, Opt::Redact), ["a", "b"]);

    let bare = work(parse::retry(vec!["x".into()], &environment));
    let tries = bare.one(Opt::MaxTries).unwrap();
    assert_eq!((tries.origin, tries.name().as_str()), (Origin::Environment, "RETRY_DEFAULT_MAX_TRIES"));
    assert_eq!(texts(&bare, Opt::RetryOnExit), ["75"]);
    assert!(bare.one(Opt::Job).is_none() && bare.one(Opt::Seed).is_none());
    assert_eq!(
        bare.switch(Opt::FailOnTimeout).unwrap_err().to_string(),
        "invalid value 'yes' for RETRY_DEFAULT_FAIL_ON_TIMEOUT: expected true or false"
    );
}

#[test]
fn hooks_and_report_of_the_environment_are_the_outer_runs() {
    let outer = |name: &str| name.starts_with("RETRY_DEFAULT_").then(|| OsString::from("x"));
    let inner = |name: &str| name.starts_with("RETRY_").then(|| OsString::from("x"));
    for opt in [Opt::OnRetry, Opt::OnFailure, Opt::OnSuccess, Opt::Report] {
        assert!(work(parse::retry(vec!["x".into()], &outer)).one(opt).is_some());
        assert!(work(parse::retry(vec!["x".into()], &inner)).one(opt).is_none());
    }
    assert!(work(parse::retry(vec!["x".into()], &inner)).one(Opt::Base).is_some());
    let given = work(parse::retry(vec!["--on-retry=y".into(), "x".into()], &inner));
    assert_eq!(value(&given, Opt::OnRetry).as_deref(), Some("y"));
}

#[test]
fn a_word_that_is_no_choice_names_the_choices() {
    let settings = retry("--jitter ful --hints http,fil x");
    let jitter = settings.choice(Opt::Jitter, |word| (word == "full").then_some(())).unwrap_err();
    assert_eq!(
        jitter.to_string(),
        "invalid value 'ful' for --jitter: expected full, equal, decorrelated or none; did you mean full?"
    );
    assert_eq!(
        settings.words(Opt::Hints).unwrap_err().to_string(),
        "invalid value 'fil' for --hints: expected http or file; did you mean file?"
    );
    assert_eq!(retry("--hints http --hints file x").words(Opt::Hints), Ok(vec!["http", "file"]));
}

fn ctl(line: &str) -> (Option<Verb>, Result<Vec<OsString>, String>) {
    let args = line.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect();
    let (verb, asked) = parse::retryctl(args, EMPTY);
    (
        verb.map(|spec| spec.verb),
        match asked {
            Ok(Asked::Work(settings)) => Ok(settings.operands),
            Ok(Asked::BriefHelp | Asked::Help | Asked::Version) => Err("help".into()),
            Err(error) => Err(error.to_string()),
        },
    )
}

#[test]
fn options_of_a_verb_may_stand_among_its_operands() {
    let ids = Ok(vec!["01A".into(), "01B".into()]);
    assert_eq!(ctl("dl replay 01A --yes 01B"), (Some(Verb::LetterReplay), ids));
    assert_eq!(ctl("dead-letter replay - --yes"), (Some(Verb::LetterReplay), Ok(vec!["-".into()])));
    assert_eq!(ctl("dead-letter show -- -x"), (Some(Verb::LetterShow), Ok(vec!["-x".into()])));
    assert_eq!(ctl("stats --by error"), (Some(Verb::Stats), Ok(vec![])));
    assert_eq!(ctl("--by error stats"), (Some(Verb::Stats), Ok(vec![])));
    assert_eq!(ctl("--file=x dl --json show --file x 01A"), (Some(Verb::LetterShow), Ok(vec!["01A".into()])));
    assert_eq!(ctl("dl -n 1 list -n1").0, Some(Verb::LetterList));
    assert_eq!(ctl("-h dl list"), (Some(Verb::LetterList), Err("help".into())));
}

#[test]
fn a_mistake_names_the_verb_or_option_that_was_meant() {
    for (line, text) in [
        ("", "no verb given: expected retryctl VERB, see retryctl --help"),
        ("replay", "retryctl has no verb 'replay': did you mean dead-letter replay?"),
        ("qqq", "retryctl has no verb 'qqq': expected dead-letter, stats or preset"),
        ("dead-leter list", "retryctl has no verb 'dead-leter': did you mean dead-letter?"),
        ("dl lst", "dead-letter has no verb 'lst': did you mean list?"),
        ("preset", "preset needs a verb: expected list or show"),
        ("preset show", "preset show needs an operand: expected retryctl preset show NAME"),
        ("preset show curl wget", "preset show takes one NAME: 'wget' is one too many"),
        ("dl list x", "dead-letter list takes no operand: 'x' is one too many"),
        ("dl list --yes", "unknown option '--yes': see retryctl dead-letter list --help"),
        ("dl replay --dryrun x", "unknown option '--dryrun': did you mean --dry-run?"),
        ("--yes dl list", "unknown option '--yes': see retryctl dead-letter list --help"),
        ("--bogus", "unknown option '--bogus': see retryctl --help"),
        ("--file x", "no verb given: expected retryctl VERB, see retryctl --help"),
        (
            "dl --file list",
            "dead-letter needs a verb: expected list, show, replay, discard, restore, purge, stats, check, verify or path",
        ),
        ("dl show", "dead-letter show needs an operand: expected retryctl dead-letter show ID..."),
    ] {
        assert_eq!(ctl(line).1, Err(text.into()), "{line}");
    }
    assert_eq!(ctl("dl check --bogus").0, Some(Verb::LetterCheck), "so that its exit status can be 3");
    assert_eq!(ctl("dl check --help"), (Some(Verb::LetterCheck), Err("help".into())));
}

proptest::proptest! {
    #[test]
    fn whatever_is_typed_the_command_is_a_suffix_of_it_and_an_error_is_one_line(
        words in proptest::collection::vec(word(), 0..8),
    ) {
        let args: Vec<OsString> = words.into_iter().map(OsString::from_vec).collect();
        match parse::retry(args.clone(), EMPTY) {
            Ok(Asked::Work(settings)) => proptest::prop_assert!(args.ends_with(&settings.operands)),
            Ok(Asked::BriefHelp | Asked::Help | Asked::Version) => {}
            Err(error) => proptest::prop_assert!(!error.to_string().contains(char::is_control), "{error}"),
        }
        if let Err(error) = parse::retryctl(args, EMPTY).1 {
            proptest::prop_assert!(!error.to_string().contains(char::is_control), "{error}");
        }
    }
}

/// Words that look like options, and any bytes.
fn word() -> impl proptest::strategy::Strategy<Value = Vec<u8>> {
    use proptest::prelude::*;
    let known = proptest::sample::select(vec![
        "-n",
        "-n3",
        "-qv",
        "--",
        "-",
        "--plan",
        "--plan=json",
        "--max-tries",
        "--timeout=1s",
        "dl",
        "list",
        "--yes",
        "-h",
    ]);
    prop_oneof![
        known.prop_map(|word| word.as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..6),
        "--?[a-z=\n-]{0,8}".prop_map(String::into_bytes),
    ]
}
