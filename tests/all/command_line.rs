//! What is typed: mistakes are one line that says what would be right; defaults come from the environment. R1-R5.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::harness::Place;

const DURATION: &str = "expected seconds or a number with ms, s, m, h, d";
const BYTES: &str = "expected bytes or a whole number with K, M, G, T";

/// Command lines, without the command, and what is said about them; `%D` stands for what a duration is, `%B` for bytes.
const MISTAKES: &[(&[&str], &str)] = &[
    (&["--bogus"], "unknown option '--bogus': see retry --help"),
    (&["--max-t=3"], "unknown option '--max-t': did you mean --max-tries?"),
    (&["--max-retries=3"], "unknown option '--max-retries': did you mean --max-tries?"),
    (&["--bakoff=linear"], "unknown option '--bakoff': did you mean --backoff?"),
    (&["-x"], "unknown option '-x': see retry --help"),
    (&["-qx"], "unknown option '-x': see retry --help"),
    (&["--quiet=3"], "invalid value '3' for --quiet: expected true or false"),
    (&["-n", "0"], "invalid value '0' for --max-tries: expected a number from 1 to 4294967295, or unlimited"),
    (&["-n-3"], "invalid value '-3' for --max-tries: expected a number from 1, or unlimited"),
    (&["-n", "many"], "invalid value 'many' for --max-tries: expected a number from 1, or unlimited"),
    (
        &["-n", "99999999999"],
        "invalid value '99999999999' for --max-tries: expected a number from 1 to 4294967295, or unlimited",
    ),
    (&["--base", "5x"], "invalid value '5x' for --base: %D"),
    (&["--base="], "invalid value '' for --base: %D"),
    (&["--cap", "NaN"], "invalid value 'NaN' for --cap: %D"),
    (&["-t", "-1s"], "invalid value '-1s' for --timeout: %D"),
    (&["--kill-after", "soon"], "invalid value 'soon' for --kill-after: %D"),
    (&["--splay", "1y"], "invalid value '1y' for --splay: %D"),
    (&["--max-elapsed", "1h30"], "invalid value '1h30' for --max-elapsed: %D"),
    (&["--max-elapsed", "a\nb"], "invalid value 'a\\nb' for --max-elapsed: %D"),
    (&["--reset-after", "1.2.3"], "invalid value '1.2.3' for --reset-after: %D"),
    (&["--factor", "0.5"], "invalid value '0.5' for --factor: expected a number of at least 1"),
    (&["--factor", "nan"], "invalid value 'nan' for --factor: expected a number of at least 1"),
    (&["--backoff", "square"], "invalid value 'square' for --backoff: expected exponential, linear or constant"),
    (
        &["--jitter", "ful"],
        "invalid value 'ful' for --jitter: expected full, equal, decorrelated or none; did you mean full?",
    ),
    (
        &["--jitter", "decorrelated", "--backoff", "linear"],
        "invalid value 'decorrelated' for --jitter: it goes with --backoff exponential only; expected full, equal or none",
    ),
    (&["--delays", "1s,,2s"], "invalid value '1s,,2s' for --delays: %D, each between commas"),
    (&["--delays", "1s", "--base", "2s"], "--base cannot be given with --delays: --delays is the whole schedule"),
    (&["--seed", "-1"], "invalid value '-1' for --seed: expected a whole number from 0 to 18446744073709551615"),
    (&["-s", "NOPE"], "invalid value 'NOPE' for --signal: expected a signal such as TERM, SIGTERM or 15"),
    (&["-s", "0"], "invalid value '0' for --signal: expected a signal such as TERM, SIGTERM or 15"),
    (
        &["--retry-on-exit", "256"],
        "invalid value '256' for --retry-on-exit: 256 is not an exit status; expected 0 to 255",
    ),
    (&["--retry-on-exit", "5-3"], "invalid value '5-3' for --retry-on-exit: the range 5-3 is reversed; expected 3-5"),
    (
        &["--fail-on-exit", "1,"],
        "invalid value '1,' for --fail-on-exit: an item is empty; expected a list such as 75,111 or 1-10",
    ),
    (
        &["--succeed-on-exit", "EX_NO"],
        "invalid value 'EX_NO' for --succeed-on-exit: EX_NO is no name of sysexits.h; expected EX_USAGE (64) to EX_CONFIG (78)",
    ),
    (
        &["--fail-on-signal", "TERM,"],
        "invalid value 'TERM,' for --fail-on-signal: an item is empty; expected a list such as TERM,KILL",
    ),
    (&["--stdin", "file"], "invalid value 'file' for --stdin: expected auto, inherit, replay or null"),
    (&["--stdin-max", "big"], "invalid value 'big' for --stdin-max: %B"),
    (&["--record-stdin", "-1"], "invalid value '-1' for --record-stdin: %B"),
    (&["--output", "none"], "invalid value 'none' for --output: expected live, inherit, final or on-failure"),
    (&["--hints", "http,file,ftp"], "invalid value 'ftp' for --hints: expected http or file"),
    (&["--retry-after-max", "x"], "invalid value 'x' for --retry-after-max: %D"),
    (
        &["--record-env", "A,,B"],
        "invalid value 'A,,B' for --record-env: expected names of variables, with commas between them",
    ),
    (
        &["--record-env", "A=1"],
        "invalid value 'A=1' for --record-env: expected names of variables, with commas between them",
    ),
    (&["--log-format", "xml"], "invalid value 'xml' for --log-format: expected text or json"),
    (&["--log-file="], "invalid value '' for --log-file: expected a path"),
    (&["--ci", "jenkins"], "invalid value 'jenkins' for --ci: expected auto, github, gitlab or none"),
    (&["--hook-timeout", "x"], "invalid value 'x' for --hook-timeout: %D"),
    (&["--hook-record", "x"], "invalid value 'x' for --hook-record: expected redacted or full"),
    (&["--plan=xml"], "invalid value 'xml' for --plan: expected text or json"),
    (&["--job="], "invalid value '' for --job: expected some text"),
    (&["--dead-letter="], "invalid value '' for --dead-letter: expected a path"),
    (&["--dead-letter", "/"], "cannot use /: it is not a regular file"),
    (&["--dead-letter", "/no/such/file"], "cannot create /no/such/file: no such file or directory"),
    (&["--preset", "curl", "--preset", "wget"], "--preset given twice: expected one"),
    (&["--version=2"], "--version takes no value"),
];

#[test]
fn a_bad_command_line_is_one_line_that_says_what_would_be_right_and_nothing_is_started() {
    let place = Place::new();
    for (line, said) in MISTAKES {
        let said = said.replace("%D", DURATION).replace("%B", BYTES);
        let all = line.iter().chain(&["--", "touch", "started"]);
        place.retry(all).run().is(125, "", &format!("retry: {said}\n"));
        assert!(!place.file("started").exists(), "{line:?} started the command");
    }
}

#[test]
fn a_bad_expression_is_one_line_that_names_its_option() {
    let place = Place::new();
    for option in ["--retry-on-output", "--fail-on-output", "--until-output", "--redact"] {
        let ended = place.retry([option, "(", "touch", "started"]).run();
        assert_eq!((ended.code(), ended.out().as_str(), ended.err().lines().count()), (125, "", 1), "{option}");
        let begin = format!("retry: invalid value '(' for {option}: expected a regular expression: ");
        assert!(ended.err().starts_with(&begin), "{}", ended.err());
        assert!(!place.file("started").exists());
    }
}

#[test]
fn a_command_is_needed() {
    let place = Place::new();
    let said = "retry: no command given: expected retry [OPTIONS] [--] COMMAND [ARG]..., see retry -h\n";
    for line in [[].as_slice(), &["-n", "3"], &["--"]] {
        place.retry(line).run().is(125, "", said);
    }
    place.retry([""]).run().is(125, "", "retry: the command is empty: expected its name or path\n");
    place.retry(["-n"]).run().is(125, "", "retry: --max-tries needs a value: expected --max-tries N\n");
}

#[test]
fn options_end_at_the_command_which_gets_the_rest_byte_for_byte() {
    let place = Place::new();
    place.retry(["-n", "1", "printf", "%s,", "-n", "--help", "--", "", "*"]).run().is(0, "-n,--help,--,,*,", "");
    place.retry(["-n1", "--", "printf", "%s,", "--", "-V"]).run().is(0, "--,-V,", "");
    let odd = OsStr::from_bytes(b"\xff\n\xfe");
    let ended = place.retry([OsStr::new("printf"), OsStr::new("%s"), odd]).run();
    assert_eq!((ended.code(), ended.stdout.as_slice()), (0, b"\xff\n\xfe".as_slice()));
}

#[test]
pub fn help_and_version_are_on_stdout_and_run_nothing() {
    let place = Place::new();
    place.retry(["-h", "touch", "started"]).run().is(0, &retry::cli::help::brief(), "");
    place.retry(["-n", "3", "--help", "touch", "started"]).run().is(0, &retry::cli::help::full(), "");
    place.retry(["-V"]).run().is(0, &format!("retry {}\n", env!("CARGO_PKG_VERSION")), "");
    place.retry(["--version"]).run().is(0, &format!("retry {}\n", env!("CARGO_PKG_VERSION")), "");
    assert!(!place.file("started").exists());
    let ended = place.bash("retry --help >/dev/full").run();
    ended.is(125, "", "retry: cannot write to standard output: no space left on device\n");
}

#[test]
fn a_value_may_be_written_in_every_usual_way_and_the_last_one_wins() {
    let place = Place::new();
    for line in [
        ["-n2", "-q", "-q"].as_slice(),
        &["-qqn2"],
        &["-qqn", "2"],
        &["-qq", "--max-tries=2"],
        &["-qq", "-n", "9", "--max-tries", "2"],
    ] {
        let run = ["--base", "0", "--no-dead-letter", "sh", "-c", "echo x; exit 9"];
        place.retry(line.iter().chain(&run)).run().is(9, "x\nx\n", "");
    }
}

#[test]
fn a_variable_gives_a_default_and_the_line_wins() {
    let place = Place::new();
    let job = ["-qq", "--base", "0", "--no-dead-letter", "sh", "-c", "echo x; exit 9"];
    let with = |line: &[&str]| place.retry(line.iter().chain(&job)).env("RETRY_DEFAULT_MAX_TRIES", "2");
    with(&[]).run().is(9, "x\nx\n", "");
    with(&["-n", "1"]).run().is(9, "x\n", "");
    // Names that applications use for themselves are nobody's defaults.
    with(&[]).env("RETRY_MAX_TRIES", "5").env("RETRY_TIMEOUT", "x").run().is(9, "x\nx\n", "");
}

#[test]
fn a_switch_is_true_or_false_in_the_environment_and_can_be_taken_back() {
    let place = Place::new();
    let job = ["-n2", "--base=0", "-t", "1s", "--no-dead-letter", "-qq", "sh", "-c", "echo x; exec sleep 60"];
    let attempts = |line: &[&str], value: &str| {
        let run = place.retry(line.iter().chain(&job)).env("RETRY_DEFAULT_FAIL_ON_TIMEOUT", value).run();
        assert_eq!((run.code(), run.err().as_str()), (124, ""));
        run.out().lines().count()
    };
    assert_eq!(attempts(&[], "true"), 1);
    assert_eq!(attempts(&[], "false"), 2);
    assert_eq!(attempts(&["--fail-on-timeout=false"], "true"), 2);
    let said = "retry: invalid value 'yes' for RETRY_DEFAULT_FAIL_ON_TIMEOUT: expected true or false\n";
    place.retry(["touch", "started"]).env("RETRY_DEFAULT_FAIL_ON_TIMEOUT", "yes").run().is(125, "", said);
    assert!(!place.file("started").exists());
}

#[test]
fn a_bad_value_in_the_environment_is_an_error_that_names_the_variable() {
    let place = Place::new();
    for (variable, value) in [
        ("RETRY_DEFAULT_MAX_TRIES", "x"),
        ("RETRY_DEFAULT_BASE", "-1"),
        ("RETRY_DEFAULT_JITTER", "some"),
        ("RETRY_DEFAULT_RETRY_ON_EXIT", "256"),
        ("RETRY_DEFAULT_SIGNAL", ""),
        ("RETRY_DEFAULT_OUTPUT", "x"),
        ("RETRY_DEFAULT_RETRY_ON_OUTPUT", "("),
        ("RETRY_DEFAULT_HOOK_TIMEOUT", "x"),
        ("RETRY_DEFAULT_QUIET", "2"),
    ] {
        let ended = place.retry(["touch", "started"]).env(variable, value).run();
        let begin = format!("retry: invalid value '{value}' for {variable}: ");
        assert!(ended.err().starts_with(&begin) && ended.err().lines().count() == 1, "{}", ended.err());
        assert_eq!((ended.code(), ended.out().as_str(), place.file("started").exists()), (125, "", false));
    }
}

#[test]
fn a_bad_value_that_the_other_options_do_not_need_is_an_error_all_the_same() {
    let place = Place::new();
    for (line, option, expected) in [
        (["--delays", "1s", "--cap", "x"], "--cap", "seconds or a number with ms, s, m, h, d"),
        (["--backoff", "linear", "--factor", "x"], "--factor", "a number of at least 1"),
    ] {
        let said = format!("retry: invalid value 'x' for {option}: expected {expected}\n");
        place.retry(line.iter().chain(&["touch", "started"])).run().is(125, "", &said);
        assert!(!place.file("started").exists());
    }
}

#[test]
fn a_variable_that_is_not_needed_is_not_looked_at() {
    let place = Place::new();
    for (line, variable) in [
        (["--delays", "1s"].as_slice(), "RETRY_DEFAULT_BASE"),
        (&["--delays", "1s"], "RETRY_DEFAULT_FACTOR"),
        (&["--delays", "1s"], "RETRY_DEFAULT_BACKOFF"),
        (&["-n", "2"], "RETRY_DEFAULT_MAX_TRIES"),
        (&["--base", "1s"], "RETRY_DEFAULT_DELAYS"),
        (&[], "RETRY_DEFAULT_SEED"),
        (&[], "RETRY_DEFAULT_PLAN"),
        (&[], "RETRY_DEFAULT_HELP"),
        (&[], "RETRY_DEFAULT_JOB"),
        (&[], "RETRY_DEFAULT_IDEMPOTENCY_KEY"),
    ] {
        place.retry(line.iter().chain(&["echo", "ran"])).env(variable, "").run().is(0, "ran\n", "");
    }
}

#[test]
fn a_variable_gives_way_to_an_option_that_excludes_it() {
    let place = Place::new();
    let plan = |line: &[&str], variables: &[(&str, &str)]| {
        let run = place.retry(["--plan", "-n", "3"].iter().chain(line));
        variables.iter().fold(run, |run, (name, value)| run.env(&format!("RETRY_DEFAULT_{name}"), value)).run()
    };
    for (line, variable, value) in [
        (["--delays", "1s,5s"].as_slice(), "JITTER", "decorrelated"),
        (&["--backoff", "linear"], "JITTER", "decorrelated"),
        (&["--jitter", "decorrelated"], "BACKOFF", "linear"),
        (&["--jitter", "decorrelated"], "DELAYS", "1s,5s"),
        (&["--factor", "3"], "DELAYS", "1s,5s"),
    ] {
        plan(line, &[(variable, value)]).is(0, &plan(line, &[]).out(), "");
    }
    // Where the line takes no side it is an error all the same.
    let said = "retry: invalid value 'decorrelated' for RETRY_DEFAULT_JITTER: \
        it goes with --backoff exponential only; expected full, equal or none\n";
    plan(&[], &[("JITTER", "decorrelated"), ("BACKOFF", "linear")]).is(125, "", said);
    plan(&["--base", "2s"], &[("JITTER", "decorrelated"), ("BACKOFF", "linear")]).is(125, "", said);
    plan(&[], &[("JITTER", "decorrelated"), ("DELAYS", "1s")]).is(125, "", said);
}

#[test]
fn the_verbs_of_retryctl_have_their_own_usage_and_statuses() {
    let place = Place::new();
    place.retryctl(["--help"]).run().is(0, &retry::cli::help::ctl(), "");
    place.retryctl(["-h"]).run().is(0, &retry::cli::help::ctl(), "");
    place.retryctl(["--version"]).run().is(0, &format!("retryctl {}\n", env!("CARGO_PKG_VERSION")), "");
    for verb in retry::cli::verbs::VERBS {
        let help = retry::cli::help::ctl_verb(verb);
        place.retryctl(verb.words.iter().chain(&["--help"])).run().is(0, &help, "");
    }
    for (line, status, said) in [
        ([].as_slice(), 64, "no verb given: expected retryctl VERB, see retryctl --help"),
        (&["dl", "lst"], 64, "dead-letter has no verb 'lst': did you mean list?"),
        (&["list"], 64, "retryctl has no verb 'list': did you mean dead-letter list?"),
        (&["dl", "list", "--bogus"], 64, "unknown option '--bogus': see retryctl dead-letter list --help"),
        (&["dl", "list", "--format", "xml"], 64, "invalid value 'xml' for --format: expected table, jsonl or ids"),
        (&["dl", "show"], 64, "dead-letter show needs an operand: expected retryctl dead-letter show ID..."),
    ] {
        let ended = place.retryctl(line).run();
        assert_eq!((ended.code(), ended.out().as_str()), (status, ""), "{line:?}: {}", ended.err());
        assert!(ended.err().starts_with(&format!("retryctl: {said}")), "{line:?}: {}", ended.err());
        assert_eq!(ended.err().lines().count(), 1, "{}", ended.err());
    }
    // A monitoring system reads what a plugin prints on stdout, and takes 3 for "unknown".
    for (line, said) in [
        (["dl", "check", "--warn=x"], "invalid value 'x' for --warn: expected a number of letters"),
        (["dl", "check", "--bogus"], "unknown option '--bogus': see retryctl dead-letter check --help"),
    ] {
        place.retryctl(line).run().is(3, &format!("DEAD LETTERS UNKNOWN: {said}\n"), "");
    }
}
