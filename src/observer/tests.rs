//! Examples of what is learnt, and that how the bytes are cut makes no difference.

use super::*;
use proptest::prelude::*;
use std::time::Duration;

fn observation(preset: Option<&str>, http: bool, mode: OutputMode) -> Observation {
    let mut observation = Observation {
        rules: OutputRules::default(),
        preset: preset.map(|name| Preset::named(name).unwrap()),
        http,
        mode,
        hearing: Hearing { blind: mode == OutputMode::Inherit, ..Hearing::WHOLE },
        advice: None,
        other_command: false,
        worth_a_look: None,
    };
    observation.worth_a_look = observation.patterns();
    observation
}

fn with_rules(rules: [&str; 3], observation: Observation) -> Observation {
    let [retry, fail, until] = rules.map(|rule| Vec::from_iter((!rule.is_empty()).then(|| rule.to_owned())));
    let mut observation = Observation { rules: OutputRules::new(&retry, &fail, &until).unwrap(), ..observation };
    observation.worth_a_look = observation.patterns();
    observation
}

fn learnt(observation: &Observation, from: Source, text: &str, file: Option<&str>) -> Learnt {
    let mut observer = observation.begin();
    observer.feed(from, text.as_bytes());
    observer.end(Outcome::Exited(22), file.map(str::as_bytes), SystemTime::UNIX_EPOCH)
}

const UNAVAILABLE: &str = "< HTTP/1.1 503 No\r\n< Retry-After: 7\r\n< \r\n";

#[test]
fn a_preset_hears_hints_on_stderr_only() {
    let curl = observation(Some("curl"), false, OutputMode::Live);
    let heard = learnt(&curl, Source::Stderr, UNAVAILABLE, None);
    assert_eq!((heard.hint.http_status, heard.hint.asked), (Some(503), Some(Duration::from_secs(7))));
    assert_eq!((heard.preset, heard.preset_warning), (Some(Verdict::Retryable), None));
    let deaf = learnt(&curl, Source::Stdout, UNAVAILABLE, None);
    assert_eq!((deaf.hint.http_status, deaf.hint.asked), (None, None));
    assert!(deaf.preset_warning.is_some());
    assert!(curl.reads_stderr() && !curl.reads_stdout());
}

#[test]
fn hints_http_reads_both_streams_and_the_last_response_counts() {
    let both = observation(None, true, OutputMode::Inherit);
    assert!(both.reads_stdout() && both.reads_stderr());
    assert_eq!(learnt(&both, Source::Stdout, UNAVAILABLE, None).hint.retry_after_text.as_deref(), Some("7"));
    assert_eq!(learnt(&both, Source::Both, UNAVAILABLE, None).hint.http_status, Some(503));
    for (first, second) in [(Source::Stdout, Source::Stderr), (Source::Stderr, Source::Stdout)] {
        let mut observer = both.begin();
        observer.feed(first, UNAVAILABLE.as_bytes());
        observer.feed(second, b"HTTP/1.1 429 No\r\nRetry-After: 9\r\n");
        let hint = observer.end(Outcome::Exited(1), None, SystemTime::UNIX_EPOCH).hint;
        assert_eq!((hint.http_status, hint.asked), (Some(429), Some(Duration::from_secs(9))));
    }
}

#[test]
fn the_hint_file_has_the_last_word() {
    let both = observation(None, true, OutputMode::Live);
    let hint = learnt(&both, Source::Stderr, UNAVAILABLE, Some("retry-after=3\nretry=no\nerror=quota\n")).hint;
    let expected = Hint {
        retry: Some(false),
        asked: Some(Duration::from_secs(3)),
        retry_after_text: Some("3".into()),
        http_status: Some(503),
        error: Some("quota".into()),
    };
    assert_eq!(hint, expected);
    assert_eq!(learnt(&both, Source::Stderr, UNAVAILABLE, Some("")).hint.asked, Some(Duration::from_secs(7)));
}

#[test]
fn what_is_ignored_is_warned_of_once() {
    let both = observation(None, true, OutputMode::Live);
    let text = "HTTP/1.1 503 No\r\nRetry-After: -5\r\n\r\nHTTP/1.1 503 No\r\nRetry-After: -6\r\n";
    let learnt = learnt(&both, Source::Stderr, text, Some("retry=maybe\n"));
    let why = learnt.ignored.unwrap().to_string();
    assert_eq!(why, "\"-6\" is negative; expected seconds or an HTTP date");
    assert_eq!(learnt.unclear.as_deref(), Some("maybe"));
    assert_eq!((learnt.hint.asked, learnt.hint.retry_after_text.as_deref()), (None, Some("-6")));
}

#[test]
fn output_rules_see_both_streams_and_the_last_line_without_newline() {
    let observation = with_rules(["busy", "fatal", "done"], observation(None, false, OutputMode::Live));
    let mut observer = observation.begin();
    observer.feed(Source::Stdout, b"x\nbu");
    observer.feed(Source::Stderr, b"fat");
    observer.feed(Source::Stdout, b"sy\ndo");
    observer.feed(Source::Stderr, b"al");
    observer.feed(Source::Stdout, b"ne");
    let output = observer.end(Outcome::Exited(0), None, SystemTime::UNIX_EPOCH).output;
    assert_eq!(output, OutputFacts { fail: true, retry: true, until_unmet: false });
}

#[test]
fn a_preset_that_may_not_listen_says_so_and_a_named_status_is_known() {
    let git = observation(Some("git"), false, OutputMode::Inherit);
    assert!(!git.reads_stderr());
    let said = git.begin().end(Outcome::Exited(128), None, SystemTime::UNIX_EPOCH);
    assert_eq!(said.preset, Some(Verdict::Retryable));
    assert!(said.preset_warning.unwrap().contains("--output inherit"));
    let curl = observation(Some("curl"), false, OutputMode::Live);
    let said = learnt(&curl, Source::Stderr, "curl: (22) The requested URL returned error: 503\n", None);
    assert_eq!(said.hint.http_status, Some(503));
}

#[test]
fn a_preset_has_no_say_in_what_did_not_exit() {
    let curl = observation(Some("curl"), false, OutputMode::Live);
    let said = curl.begin().end(Outcome::TimedOut { killed: false }, None, SystemTime::UNIX_EPOCH);
    assert_eq!((said.preset, said.preset_warning), (None, None));
}

proptest! {
    #[test]
    fn how_the_bytes_are_cut_makes_no_difference(size in 1usize..30, text in "(< HTTP/1.1 (503|404) x\r\n|< Retry-After: [0-9]{1,3}\r\n|busy\n|fatal){0,8}") {
        let observation = with_rules(["busy", "^fatal$", ""], observation(Some("curl"), true, OutputMode::Live));
        let mut observer = observation.begin();
        text.as_bytes().chunks(size).for_each(|chunk| observer.feed(Source::Both, chunk));
        let in_pieces = observer.end(Outcome::Exited(22), None, SystemTime::UNIX_EPOCH);
        prop_assert_eq!(in_pieces, learnt(&observation, Source::Both, &text, None));
    }
    /// The law that lets most lines be passed over: nothing else is learnt than from each line.
    #[test]
    fn what_is_passed_over_would_have_told_nothing(
        preset in proptest::sample::select(vec![None, Some("curl"), Some("wget"), Some("git"), Some("pip"), Some("npm")]),
        http in any::<bool>(),
        rules in proptest::sample::select(vec![["", "", ""], ["busy|later", "", ""], ["(no|busy) [xy]", "^fatal$", "done"], ["^$", "", "x"]]),
        from in proptest::sample::select(vec![Source::Stdout, Source::Stderr, Source::Both]),
        exit in proptest::sample::select(vec![0u8, 1, 8, 22, 128]),
        flags in any::<[bool; 4]>(),
        size in 1usize..400,
        text in "(HTTP/1.1 (503|404|200) x\r\n|  HTTP/1.1 503 x\n|< HTTP/2 429\r\n|(< |  |)Retry-After: [0-9]{1,3}\r?\n|\r?\n| \n|ordinary\n|an ordinary line of a log\n\
            |ERROR 503: x|returned error: 404|early EOF|npm error code E5[01]3|\\(from versions: none\\)|read timed out|busy|no x|later\n|fatal|done|\u{fc}\n){0,12}",
    ) {
        let hearing = Hearing { english: flags[0], silenced: flags[1], talkative: flags[2], blind: flags[3] };
        let passing = Observation { hearing, ..with_rules(rules, observation(preset, http, OutputMode::Live)) };
        let looking = Observation { worth_a_look: None, hearing, ..with_rules(rules, observation(preset, http, OutputMode::Live)) };
        let seen = [&passing, &looking].map(|observation| {
            let mut observer = observation.begin();
            text.as_bytes().chunks(size).for_each(|chunk| observer.feed(from, chunk));
            observer.end(Outcome::Exited(exit), None, SystemTime::UNIX_EPOCH)
        });
        prop_assert_eq!(&seen[0], &seen[1]);
    }
}
