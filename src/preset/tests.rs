//! What the table says, and laws that hold for every preset in it.

use super::*;
use proptest::prelude::*;

fn judge(name: &str, status: u8, stderr: &str) -> Said {
    let mut listener = Listener::new(Preset::named(name).unwrap());
    stderr.lines().for_each(|line| listener.stderr_line(line.as_bytes()));
    listener.judge(status, None, Hearing::WHOLE)
}

fn line<'a>(args: &'a [OsString], variables: &'a dyn Fn(&str) -> Option<OsString>) -> CommandLine<'a> {
    CommandLine::new(args, variables)
}

fn words(text: &str) -> Vec<OsString> {
    text.split(' ').map(OsString::from).collect()
}

#[test]
fn statuses_and_texts_decide_as_the_table_says() {
    use Verdict::{Permanent, Retryable, Success};
    for (name, status, stderr, verdict) in [
        ("sysexits", 75, "", Retryable),
        ("sysexits", 74, "", Permanent),
        ("qmail", 99, "", Success),
        ("qmail", 100, "", Permanent),
        ("qmail", 111, "", Retryable),
        ("curl", 7, "", Retryable),
        ("curl", 60, "", Permanent),
        ("curl", 22, "curl: (22) The requested URL returned error: 503", Retryable),
        ("curl", 22, "curl: (22) The requested URL returned error: 404", Permanent),
        ("curl", 22, "curl: (22) The requested URL returned error: 501", Permanent),
        ("wget", 8, "2026-11-30 20:45:03 ERROR 429: Too Many Requests.", Retryable),
        ("wget", 8, "2026-11-30 20:45:03 ERROR 404: Not Found.", Permanent),
        ("rsync", 24, "", Success),
        ("rsync", 23, "", Permanent),
        ("rsync", 5, "@ERROR: max connections (1) reached -- try again later", Retryable),
        ("ssh", 255, "ssh: connect to host h port 22: Connection refused", Retryable),
        ("ssh", 255, "bob@h: Permission denied (publickey).", Permanent),
        ("ssh", 1, "", Permanent),
        ("git", 128, "fatal: unable to access 'http://h/': The requested URL returned error: 503", Retryable),
        ("git", 128, "fatal: repository 'http://h/' not found", Permanent),
        ("psql", 2, "FATAL:  password authentication failed for user \"x\"", Permanent),
        ("psql", 3, "ERROR:  deadlock detected", Retryable),
        ("npm", 1, "npm error code E503", Retryable),
        ("npm", 1, "npm error code E404", Permanent),
        ("borg", 101, "", Success),
        ("rclone", 9, "", Success),
    ] {
        assert_eq!(
            judge(name, status, stderr),
            Said { verdict: Some(verdict), warning: None },
            "{name} {status} {stderr}"
        );
    }
}

#[test]
fn what_an_error_named_decides_before_headers_which_may_be_of_another_response() {
    let curl = Preset::named("curl").unwrap();
    let mut listener = Listener::new(curl);
    listener.stderr_line(b"curl: (22) The requested URL returned error: 404");
    assert_eq!(listener.judge(22, Some(503), Hearing::WHOLE).verdict, Some(Verdict::Permanent));
    assert_eq!(listener.named_status(), Some(404));
    let silent = Listener::new(curl);
    assert_eq!(silent.judge(22, Some(503), Hearing::WHOLE), Said { verdict: Some(Verdict::Retryable), warning: None });
    assert_eq!(silent.judge(22, Some(404), Hearing::WHOLE).verdict, Some(Verdict::Permanent));
    assert_eq!(silent.judge(22, Some(200), Hearing::WHOLE), silent.judge(22, None, Hearing::WHOLE));
}

#[test]
fn where_the_deciding_text_cannot_be_there_a_status_is_retryable_and_the_cure_is_named() {
    let said = judge("curl", 22, "");
    assert_eq!(said.verdict, Some(Verdict::Retryable));
    assert_eq!(
        said.warning.unwrap(),
        "preset curl: no HTTP status of a failure was seen, so exit status 22 counts as retryable; add -S, -v or -D /dev/stderr"
    );
    let mut listener = Listener::new(Preset::named("git").unwrap());
    listener.stderr_line("Fatal: Zugriff nicht möglich".as_bytes());
    let said = listener.judge(128, None, Hearing { english: false, ..Hearing::WHOLE });
    assert_eq!(
        said.warning.unwrap(),
        "preset git: its messages are not in English, so exit status 128 counts as retryable; set LC_ALL=C"
    );
    assert!(
        listener
            .judge(128, None, Hearing { blind: true, ..Hearing::WHOLE })
            .warning
            .unwrap()
            .contains("--output inherit")
    );
    let listener = Listener::new(Preset::named("npm").unwrap());
    assert!(listener.judge(1, None, Hearing { silenced: true, ..Hearing::WHOLE }).warning.unwrap().contains("silent"));
    assert_eq!(listener.judge(1, None, Hearing::WHOLE).verdict, Some(Verdict::Permanent));
}

#[test]
fn a_tool_that_was_told_to_be_silent_and_spoke_all_the_same_is_believed() {
    let silenced = Hearing { silenced: true, ..Hearing::WHOLE };
    let mut listener = Listener::new(Preset::named("npm").unwrap());
    listener.stderr_line(b" \t");
    assert!(listener.judge(1, None, silenced).warning.is_some(), "a blank line says nothing");
    listener.stderr_line(b"npm error code E404");
    listener.stderr_line(b"");
    assert_eq!(listener.judge(1, None, silenced), Said { verdict: Some(Verdict::Permanent), warning: None });
}

#[test]
fn what_does_not_pass_through_us_is_missed_only_where_it_would_decide() {
    let blind = Hearing { blind: true, ..Hearing::WHOLE };
    let judge = |name: &str, status| Listener::new(Preset::named(name).unwrap()).judge(status, None, blind);
    for (name, status) in [("curl", 22), ("wget", 8), ("git", 128)] {
        assert!(judge(name, status).warning.is_some_and(|warning| warning.contains("--output inherit")), "{name}");
    }
    for (name, status) in [("curl", 60), ("ssh", 1), ("sysexits", 64)] {
        assert_eq!(judge(name, status), Said { verdict: Some(Verdict::Permanent), warning: None }, "{name}");
    }
}

#[test]
fn on_standard_output_only_texts_that_are_expected_there_count() {
    let judge = |name: &str, status, line: &str, hearing| {
        let mut listener = Listener::new(Preset::named(name).unwrap());
        listener.stdout_line(line.as_bytes());
        (listener.judge(status, None, hearing).verdict, listener.named_status())
    };
    let retrying = "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken";
    assert_eq!(judge("pip", 1, retrying, Hearing::WHOLE), (Some(Verdict::Retryable), None));
    let refused = "fatal: unable to access 'http://h/': Failed to connect: Connection refused";
    assert_eq!(judge("git", 128, refused, Hearing::WHOLE), (Some(Verdict::Permanent), None));
    let quiet = Hearing { talkative: false, ..Hearing::WHOLE };
    assert_eq!(judge("pip", 1, "ERROR: x (from versions: none)", quiet), (Some(Verdict::Permanent), None));
    // A page may quote an error of curl; an error of curl itself does not stand there.
    assert_eq!(judge("curl", 22, "returned error: 404", Hearing::WHOLE), (Some(Verdict::Retryable), None));
}

#[test]
fn only_streams_on_which_a_preset_looks_for_something_are_read() {
    for (name, streams) in [
        ("sysexits", (false, false)),
        ("qmail", (false, false)),
        ("curl", (true, false)),
        ("git", (true, false)),
        ("pip", (true, true)),
        ("ansible", (true, true)),
    ] {
        let preset = Preset::named(name).unwrap();
        assert_eq!((preset.reads_stderr(), preset.reads_stdout()), streams, "{name}");
    }
}

#[test]
fn a_name_that_no_preset_has_is_answered_with_the_one_that_was_nearly_typed_or_with_all() {
    for (typed, meant) in [("crul", "curl"), ("gitt", "git"), ("kubetl", "kubectl"), ("dockre2", "docker")] {
        assert_eq!(Preset::unknown(typed), format!("there is no such preset; is it {meant}?"));
    }
    let all = Preset::unknown("postgresql");
    assert!(all.starts_with("expected one of sysexits, qmail, curl, "), "{all}");
    assert_eq!(Preset::unknown("cur123"), all, "three letters away");
}

#[test]
fn words_that_a_tool_says_of_every_failure_are_no_reason_to_give_up() {
    let mut listener = Listener::new(Preset::named("pip").unwrap());
    listener.stderr_line(b"ERROR: Could not find a version that satisfies the requirement foo (from versions: none)");
    let said = listener.judge(1, None, Hearing { talkative: false, ..Hearing::WHOLE });
    assert!(said.verdict == Some(Verdict::Retryable) && said.warning.unwrap().contains("-vv"));
    assert_eq!(listener.judge(1, None, Hearing::WHOLE).verdict, Some(Verdict::Permanent));
}

#[test]
fn the_language_of_messages_is_that_of_the_environment() {
    for (variables, english) in [
        (&[][..], true),
        (&[("LANG", "de_DE.UTF-8")], false),
        (&[("LANG", "en_GB.UTF-8")], true),
        (&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")], true),
        (&[("LANG", "C.UTF-8"), ("LANGUAGE", "de")], true),
        (&[("LANG", "de_DE"), ("LC_MESSAGES", "POSIX")], true),
        (&[("LANG", "en_US.UTF-8"), ("LANGUAGE", "de:en")], false),
        (&[("LANG", ""), ("LC_ALL", "")], true),
    ] {
        let read = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(*value));
        assert_eq!(line(&[], &read).speaks_english(), english, "{variables:?}");
    }
}

#[test]
fn a_mistake_that_makes_a_preset_worthless_is_told() {
    let nothing = |_: &str| None;
    for (name, command, told) in [
        ("curl", "curl -sS http://h", true),
        ("curl", "curl -fsS http://h", false),
        ("curl", "curl -#Lf http://h", false),
        ("curl", "curl -sofile http://h", true),
        ("curl", "curl --fail-with-body http://h", false),
        ("psql", "psql -h h -f x.sql", true),
        ("psql", "psql -v ON_ERROR_STOP=1 -f x.sql", false),
        ("psql", "psql -c select", false),
        ("psql", "psql -XAtc select", false),
        ("psql", "psql -cselect", false),
        ("psql", "psql -lqt", false),
        ("psql", "psql -Atl", false),
        ("psql", "psql -Uclara -f x.sql", true),
        ("apt", "apt-get -qq update", true),
        ("apt", "apt-get update --error-on=any", false),
        ("apt", "apt-get update --error-on any", false),
        ("apt", "apt-get -e any update", false),
        ("apt", "apt-get install x", false),
        ("borg", "borg list", true),
        ("git", "git fetch", false),
    ] {
        let command = words(command);
        let advice = Preset::named(name).unwrap().advice_for(&line(&command, &nothing));
        assert_eq!(advice.is_some(), told, "{command:?}");
    }
    let modern = |name: &str| (name == "BORG_EXIT_CODES").then(|| "modern".into());
    assert_eq!(Preset::named("borg").unwrap().advice_for(&line(&words("borg list"), &modern)), None);
}

#[test]
fn a_command_is_known_by_its_base_name() {
    let is = |name: &str, command: &str| Preset::named(name).unwrap().is_for(OsStr::new(command));
    assert!(is("curl", "/usr/bin/curl") && is("pip", "pip3") && is("pip", "python3.11") && is("sysexits", "anything"));
    assert!(!is("curl", "curlie") && !is("git", "backup.sh"));
}

#[test]
fn every_preset_says_where_it_comes_from_and_names_itself_once() {
    for preset in PRESETS {
        assert!(!preset.sureness.is_empty() && !preset.source.is_empty(), "{}", preset.name);
        assert_eq!(PRESETS.iter().filter(|other| other.name == preset.name).count(), 1, "{}", preset.name);
        assert!(preset.texts.iter().all(|texts| !texts.any_of.is_empty() && !texts.on.is_empty()), "{}", preset.name);
        assert!(preset.http.as_ref().is_none_or(|http| http.named.contains("###")), "{}", preset.name);
    }
}

proptest! {
    #[test]
    fn no_preset_has_a_say_in_0_126_and_127(preset in 0..PRESETS.len(), status in prop_oneof![Just(0u8), Just(126), Just(127)]) {
        let said = Listener::new(PRESETS[preset]).judge(status, Some(503), Hearing { english: false, silenced: true, talkative: false, blind: true });
        prop_assert_eq!(said, Said { verdict: None, warning: None });
    }

    #[test]
    fn a_warning_goes_with_retryable_only(preset in 0..PRESETS.len(), status: u8, http in proptest::option::of(100u16..600), lines in "\\PC{0,50}", flags: [bool; 4]) {
        let mut listener = Listener::new(PRESETS[preset]);
        listener.stderr_line(lines.as_bytes());
        listener.stdout_line(lines.as_bytes());
        let said = listener.judge(status, http, Hearing { english: flags[0], silenced: flags[1], talkative: flags[2], blind: flags[3] });
        prop_assert!(said.warning.is_none() || said.verdict == Some(Verdict::Retryable));
    }
}
