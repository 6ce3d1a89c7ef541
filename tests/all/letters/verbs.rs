//! The verbs that look, and the two that put away and bring back. Contract D30, D31, D36.

use serde_json::{Value, json};

use super::{FILE, id, letter_ctl, letter_of};
use crate::harness::Place;

/// A letter written by hand, an hour or more old whenever this runs.
fn letter(id: &str, job: &str, status: u8, message: &str) -> String {
    json!({"v": 1, "kind": "dead_letter", "id": id, "@timestamp": "2020-01-01T00:00:00.000Z", "job": job,
        "process": {"args": [job, "--x"], "working_directory": "/", "exit_code": status},
        "error": {"type": "exit_code", "message": message},
        "retry": {"ending": "exhausted", "attempts": 6}})
    .to_string()
        + "\n"
}

fn with(lines: &[String]) -> Place {
    let place = Place::new();
    place.write(FILE, lines.concat());
    std::fs::set_permissions(place.file(FILE), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    place
}

/// The table without its ages, which change from day to day.
fn without_ages(table: &str) -> String {
    let day = |c: char| c.is_ascii_digit();
    let mut text = String::new();
    for line in table.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_age = |word: &&str| word.strip_suffix('d').is_some_and(|number| number.chars().all(day));
        text += &words.into_iter().filter(|word| !is_age(word)).collect::<Vec<_>>().join(" ");
        text.push('\n');
    }
    text
}

#[test]
fn the_table_has_letters_of_one_command_in_one_row_and_fits_80_columns() {
    let long = "connection to the database server at db1.example was refused, is it running?";
    let place = with(&[
        letter("AAAA1111", "backup", 75, "one"),
        letter("BBBB2222", "a-job-with-a-name-that-is-far-too-long", 2, long),
        letter("CCCC3333", "backup", 1, "two"),
    ]);
    let table = letter_ctl(&place, &["list"]).run();
    assert!(table.out().lines().all(|line| line.chars().count() <= 80), "{}", table.out());
    assert_eq!(
        without_ages(&table.out()),
        "ID AGE N JOB TRIES ENDED LAST ERROR\n\
         CCCC3333 2 backup 6 exhausted exit 1: two\n\
         BBBB2222 a-job-with-a-na… 6 exhausted exit 2: connection to t…\n"
    );
    let wide = letter_ctl(&place, &["list"]).env("COLUMNS", "200").run();
    assert!(
        wide.out().contains(&format!("a-job-with-a-name-that-is-far-too-long      6  exhausted  exit 2: {long}\n")),
        "{}",
        wide.out()
    );
}

#[test]
fn filters_choose_by_job_exit_ending_text_age_and_state() {
    let place = with(&[
        letter("AAAA1111", "backup", 75, "disk full"),
        letter("BBBB2222", "upload", 2, "refused"),
        letter("CCCC3333", "upload", 3, "refused"),
    ]);
    letter_ctl(&place, &["discard", "CCCC"]).run().is(0, "discarded CCCC3333\n", "");
    let ids = |args: &[&str]| {
        let all: Vec<&str> = ["list", "--format=ids"].iter().chain(args).copied().collect();
        letter_ctl(&place, &all).run().out().split_whitespace().map(|id| id[..1].to_owned()).collect::<String>()
    };
    assert_eq!(ids(&[]), "AB");
    assert_eq!(ids(&["--job=upload"]), "B");
    assert_eq!(ids(&["--exit=70-80"]), "A");
    assert_eq!(ids(&["--ending=permanent"]), "");
    assert_eq!(ids(&["--grep=disk|nothing"]), "A");
    assert_eq!(ids(&["--state=discarded,dead"]), "ABC");
    assert_eq!(ids(&["--since=1d"]), "");
    assert_eq!(ids(&["--until=1d"]), "AB");
    assert_eq!(ids(&["-n1"]), "B");
}

#[test]
fn an_id_may_be_shortened_at_either_end_to_four_characters() {
    let place = with(&[letter("01KAAAAXYZW", "a", 1, ""), letter("01KBBBBXYZV", "b", 1, "")]);
    let shown = |typed: &str| {
        let ended = letter_ctl(&place, &["show", "--json", typed]).run();
        let id = serde_json::from_str::<Value>(&ended.out()).ok().map(|record| id(&record).to_owned());
        (ended.code(), id, ended.err())
    };
    assert_eq!(shown("xyzw").1.as_deref(), Some("01KAAAAXYZW"));
    assert_eq!(shown("01kb").1.as_deref(), Some("01KBBBBXYZV"));
    assert_eq!(shown("ZW").2, "retryctl: \"ZW\" is too short for an id: expected 4 characters or more\n");
    assert_eq!(shown("NONE"), (66, None, "retryctl: no letter NONE\n".into()));
    let place = with(&[letter("01KAAAAXYZW", "a", 1, ""), letter("01KAAABXYZW", "b", 1, "")]);
    let both = letter_ctl(&place, &["show", "01KA"]).run();
    both.is(64, "", "retryctl: 01KA is not unique: 01KAAAAXYZW, 01KAAABXYZW\n");
}

#[test]
fn a_discarded_letter_is_closed_until_it_is_restored() {
    let place = with(&[letter("AAAA1111", "a", 1, ""), letter("BBBB2222", "b", 1, "")]);
    let before = place.read(FILE);
    letter_ctl(&place, &["discard", "AAAA1111", "--reason=known fault"]).run().is(0, "discarded AAAA1111\n", "");
    assert!(place.read(FILE).starts_with(&before), "nothing is edited");
    letter_ctl(&place, &["discard", "AAAA1111"]).run().is(66, "", "retryctl: letter AAAA1111 is discarded\n");
    letter_ctl(&place, &["restore", "BBBB2222"]).run().is(66, "", "retryctl: letter BBBB2222 is dead\n");
    let shown = letter_ctl(&place, &["show", "AAAA1111"]).run().out();
    assert!(shown.contains("discarded: known fault, by ") && !shown.contains("To run it again"), "{shown}");
    letter_ctl(&place, &["restore", "AAAA1111"]).run().is(0, "restored AAAA1111\n", "");
    assert_eq!(letter_ctl(&place, &["list", "--format=ids"]).run().out(), "AAAA1111\nBBBB2222\n");
    let refused = letter_ctl(&place, &["discard", "--all"]).run();
    refused.is(64, "", "retryctl: to discard 2 letters needs --yes where nobody can be asked\n");
    letter_ctl(&place, &["discard", "--all", "--yes"]).run().is(0, "discarded 2 letters\n", "");
}

#[test]
fn check_speaks_as_monitoring_plugins_do() {
    let place = with(&[letter("AAAA1111", "a", 1, ""), letter("BBBB2222", "b", 1, "")]);
    let check = |args: &[&str]| {
        let all: Vec<&str> = ["check"].iter().chain(args).copied().collect();
        let ended = letter_ctl(&place, &all).run();
        (ended.code(), ended.out())
    };
    let (code, line) = check(&[]);
    assert_eq!(code, 1);
    assert!(line.starts_with("DEAD LETTERS WARNING: 2 open, oldest "), "{line}");
    assert!(line.contains(" | open=2;1;10;0 oldest=") && line.ends_with("in_doubt=0;;;0 poison=0;;;0\n"), "{line}");
    assert_eq!(check(&["--crit=2"]).0, 2);
    assert_eq!(check(&["--warn=3"]).0, 0);
    assert_eq!(check(&["--warn=3", "--max-age=1h"]).0, 2);
    assert!(check(&["--warn=x"]).1.starts_with("DEAD LETTERS UNKNOWN: invalid value 'x' for --warn"));
    assert_eq!(check(&["--no-such"]).0, 3);
    let missing = place.retryctl(["dl", "check", "--file", "no-such"]).run();
    assert_eq!((missing.code(), missing.out().starts_with("DEAD LETTERS UNKNOWN: ")), (3, true));
    let default = place.retryctl(["dl", "check"]).env("XDG_STATE_HOME", place.file("x")).run();
    default.is(0, "DEAD LETTERS OK: 0 open | open=0;1;10;0 oldest=0s;;;0 in_doubt=0;;;0 poison=0;;;0\n", "");
}

#[test]
fn stats_count_by_job_ending_or_exit() {
    let place = with(&[letter("AAAA1111", "a", 1, ""), letter("BBBB2222", "b", 2, ""), letter("CCCC3333", "b", 2, "")]);
    letter_ctl(&place, &["discard", "CCCC3333"]).run();
    let table = letter_ctl(&place, &["stats"]).run().out();
    assert_eq!(without_ages(&table), "JOB OPEN DISCARDED OLDEST NEWEST\na 1\nb 1 1\nall 2 1\n");
    let whole: Value =
        serde_json::from_str(&letter_ctl(&place, &["stats", "--by=exit", "--format=json"]).run().out()).unwrap();
    assert_eq!((&whole["open"], &whole["discarded"]), (&json!(2), &json!(1)));
    assert_eq!((&whole["groups"][1]["name"], &whole["groups"][1]["dead"]), (&json!("exit 2"), &json!(1)));
}

#[test]
fn several_files_are_one_list() {
    let place = with(&[letter("AAAA1111", "a", 1, "")]);
    place.write("other", letter("BBBB2222", "b", 1, ""));
    let both = letter_ctl(&place, &["list", "--format=ids", "--file", "other"]).run();
    both.is(0, "AAAA1111\nBBBB2222\n", "");
    let before = ["--file", FILE, "dl", "--file=other", "list", "--format=ids"];
    place.retryctl(before).run().is(0, "AAAA1111\nBBBB2222\n", "");
    let none = "retryctl: invalid value '' for --file: expected the path of a file\n";
    letter_ctl(&place, &["list", "--file="]).run().is(64, "", none);
}

#[test]
fn the_line_that_verifies_names_the_files_that_have_faults() {
    let place = with(&[letter("AAAA1111", "a", 1, "")]);
    place.write("it's other", letter("BBBB2222", "b", 1, "") + "nonsense\n");
    let listed = letter_ctl(&place, &["list", "--format=ids", "--file", "it's other"]).run();
    assert_eq!(listed.out(), "AAAA1111\nBBBB2222\n");
    let said = listed.err();
    let at = said.find("retryctl dead-letter verify").unwrap_or_else(|| panic!("{said}"));
    let verified = place.bash(&said[at..]).run();
    assert_eq!(verified.code(), 65);
    assert!(verified.out().contains("it's other:2: not JSON\n"), "{}", verified.out());
    assert_eq!(verified.out().lines().count(), 2, "{}", verified.out());
}

#[test]
fn nothing_that_a_letter_says_moves_the_cursor_of_who_reads_it() {
    let place = with(&[letter("AAAA1111", "a\u{1b}[2Jb\u{9b}\u{7f}", 1, "x\u{7}\u{9b}1my\u{202e}z")]);
    let verbs = [
        &["list"][..],
        &["list", "--format=jsonl", "--reveal"],
        &["show", "AAAA1111"],
        &["show", "--json", "--reveal", "AAAA1111"],
        &["show", "--shell", "--reveal", "AAAA1111"],
        &["stats"],
        &["stats", "--format=json"],
        &["replay", "--all", "--dry-run"],
    ];
    for verb in verbs {
        let out = letter_ctl(&place, verb).run().out();
        assert!(!out.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{verb:?}: {out:?}");
    }
    assert!(letter_ctl(&place, &["list"]).run().out().contains("a\\x1b[2Jb"));
}

#[test]
fn a_report_on_a_letter_reads_from_what_ran_to_how_to_run_it_again() {
    let place = Place::new();
    let args =
        ["-qq", "-n2", "--delays=10ms", "--job=nightly", "--dead-letter", FILE, "sh", "-c", "echo oh no >&2; exit 75"];
    place.retry(args).run();
    let letter = super::lines(&place, FILE).pop().unwrap();
    let shown = letter_ctl(&place, &["show", id(&letter)]).run().out();
    let parts = [
        "Dead letter ",
        "  job        nightly\n",
        "  state      dead\n",
        "  command    sh -c 'echo oh no >&2; exit 75'\n",
        "  ended      exhausted after 2 of 2 attempts in ",
        "  outcome    exit 75\n",
        "  error      oh no\n",
        "Attempts\n",
        "exit 75",
        "+ 10 ms",
        "░",
        "Standard error\n  | oh no\n",
        "To run it again\n  retryctl dead-letter replay --file ",
    ];
    let mut rest = shown.as_str();
    for part in parts {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("{part:?} is not where it should be in\n{shown}")).1;
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80 || line.contains("replay --file")), "{shown}");
}

#[test]
fn a_reader_that_has_read_enough_hears_nothing_of_it() {
    let place = with(&(0..2000).map(|i| letter(&format!("LETTER{i}"), "a", 1, "")).collect::<Vec<_>>());
    let line = "retryctl dl list --format jsonl --file letters | head -1 | wc -l";
    place.bash(line).run().is(0, "1\n", "");
}

#[test]
fn listing_jsonl_adds_the_state() {
    let place = Place::new();
    letter_of(&place, &[], &["false"]);
    let line = letter_ctl(&place, &["list", "--format=jsonl"]).run().out();
    let record: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&record["state"], &record["redacted"], &record["replays"]), (&json!("dead"), &json!(true), &json!(0)));
}

#[test]
fn a_file_that_has_grown_large_is_told_of_once_however_many_letters_are_changed() {
    let ids = ["AAAA1111", "BBBB2222", "CCCC3333"];
    let place = with(&ids.map(|id| letter(id, id, 1, "")));
    let mut text = std::fs::read(place.file(FILE)).unwrap();
    text.resize(65 << 20, b'\n');
    place.write(FILE, text);
    let discarded = letter_ctl(&place, &["discard", "--all", "--yes"]).run();
    assert_eq!((discarded.code(), discarded.out().as_str()), (0, "discarded 3 letters\n"));
    let file = place.file(FILE).display().to_string();
    let line = format!("retryctl: {file} has 65 MiB: retryctl dead-letter purge --file {file} --older-than 30d\n");
    assert_eq!(discarded.err(), line);
}
