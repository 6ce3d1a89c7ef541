//! Secrets planted in every form that contract D13 names are found in the 0600 file and nowhere else.

use crate::harness::{Cli, Place};
use crate::letters::{FILE, id, letter_ctl, lines};

/// What no output may hold; each planting has its own number behind it.
const SECRET: &str = "S3CR3T";

/// A command by the name of curl whose arguments, input and environment are full of secrets, and which tells one of them.
fn run(place: &Place, options: &[&str]) -> Cli {
    place.write(
        "curl",
        "#!/bin/sh\ncat >/dev/null\necho \"login with S3CR3T01 refused, $MY_TOKEN\" >&2\n\
         echo '+ curl -u bob:S3CR3T25 --token S3CR3T26' >&2\nexit 22\n",
    );
    std::fs::set_permissions(place.file("curl"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let secrets = [
        "--password=S3CR3T01",
        "--api-key",
        "S3CR3T02",
        "-u",
        "user:S3CR3T03",
        "https://user:S3CR3T04@host.example/path",
        "-H",
        "Authorization: Bearer S3CR3T05",
        "-H",
        "Cookie: session=S3CR3T06",
        "-H",
        "X-Auth-Token: S3CR3T07",
        "https://host.example/?access_token=S3CR3T08&page=1",
        "-e",
        "DB_PASSWORD=S3CR3T09",
        "sh -c 'PGPASSWORD=S3CR3T10 psql --token S3CR3T11 postgres://u:S3CR3T12@db/x'",
        "--data={\"secret\": \"S3CR3T13\"}",
        "own-S3CR3T14",
        "curl -u u:'S3CR3T17 x' http://h; mysql -p'S3CR3T18' db; API_TOKEN=$A\"S3CR3T19\" run",
        "https://S3CR3T20@host.example/path",
        "https://host.example/?sig=S3CR3T21&X-Amz-Signature=S3CR3T22",
        "-H",
        "Authorization:",
        "Bearer",
        "S3CR3T23",
        "{\"password\":\"S3CR3T24\"}",
    ];
    let fixed = ["-n1", "--dead-letter", FILE, "--record-env=MY_TOKEN", "--redact=own-[A-Z0-9]+", "--report=report"];
    let args = fixed.iter().chain(options).chain(&["./curl"]).chain(&secrets);
    place.retry(args).env("MY_TOKEN", "S3CR3T15").input("the input: S3CR3T16\n")
}

#[track_caller]
fn is_clean(what: &str, text: &str) {
    assert!(!text.contains(SECRET), "{what}: {text}");
}

/// What we say ourselves; the command's own output passes as it is.
fn own_lines(text: &str) -> String {
    text.lines().filter(|line| line.starts_with("retry: ")).collect::<Vec<_>>().join("\n")
}

#[test]
fn messages_logs_reports_and_hooks_show_no_secret() {
    let place = Place::new();
    let hook = "--on-failure=cat >hook";
    let said = run(&place, &["-vv", hook, "--on-retry=cat >hook2", "--max-tries=2", "--base=0"]).run();
    assert_eq!(said.code(), 22);
    assert!(said.err().matches("retry: ").count() > 3);
    is_clean("messages", &own_lines(&said.err()));
    is_clean("the record of the hook at the end", &place.read("hook"));
    is_clean("the record of the hook before a delay", &place.read("hook2"));
    is_clean("the report", &place.read("report"));
    assert!(place.read("hook").contains("\"redacted\":true") && place.read("report").contains("\"redacted\":true"));
    run(&place, &["-vv", "--log-format=json", "--log-file=log"]).run();
    assert!(!place.read("log").is_empty());
    is_clean("the log", &place.read("log"));
    let report = run(&place, &["--output=on-failure"]).run();
    assert!(report.err().contains("login with ***"), "{}", report.err());
    is_clean("the report of --output on-failure", &report.err());
    run(&place, &["--ci=github", "--max-tries=2", "--base=0", "-q"])
        .env("GITHUB_STEP_SUMMARY", place.file("table"))
        .run();
    is_clean("the summary of a CI run", &place.read("table"));
}

#[test]
fn the_file_has_every_secret_that_a_replay_needs_and_what_is_shown_has_none() {
    let place = Place::new();
    run(&place, &["-qq"]).run();
    let text = place.read(FILE);
    for number in 1..=26 {
        assert!(text.contains(&format!("{SECRET}{number:02}")), "the letter lacks {number}");
    }
    let id = id(&lines(&place, FILE)[0]).to_owned();
    let shown: [&[&str]; 8] = [
        &["list"],
        &["list", "--format=jsonl"],
        &["show", &id],
        &["show", "--json", &id],
        &["show", "--shell", &id],
        &["stats"],
        &["check"],
        &["replay", "--dry-run", &id],
    ];
    for verb in shown {
        let ended = letter_ctl(&place, verb).env("COLUMNS", "2000").run();
        assert!(!ended.out().is_empty(), "{verb:?}: {}", ended.err());
        is_clean(&format!("{verb:?}"), &ended.out());
    }
    for verb in [&["show", "--json", "--reveal", &id][..], &["list", "--format=jsonl", "--reveal"]] {
        let out = letter_ctl(&place, verb).run().out();
        assert!((1..=26).all(|number| out.contains(&format!("{SECRET}{number:02}"))), "{out}");
    }
    let failed = letter_ctl(&place, &["replay", &id]).env("RETRY_DEFAULT_VERBOSE", "2").run();
    assert_eq!(failed.code(), 1);
    is_clean("a replay", &own_lines(&failed.err()));
    let reason = "--reason=S3CR3T01 is wrong, password: S3CR3T27";
    let ended = letter_ctl(&place, &["discard", &id, reason]).run();
    is_clean("the end of a discard", &(ended.out() + &ended.err()));
    assert!(place.read(FILE).contains("S3CR3T27"));
    for verb in [&["show", &id][..], &["show", "--json", &id], &["list", "--format=jsonl", "--state=discarded"]] {
        let out = letter_ctl(&place, verb).run().out();
        assert!(out.contains(&id), "{verb:?}");
        is_clean(&format!("{verb:?} with events"), &out);
    }
}

#[test]
fn a_letter_that_is_not_saved_shows_no_secret_on_stderr() {
    let place = Place::new();
    // The state directory is a file: there is no place for the letter.
    place.write("state", "");
    let args = ["-qq", "-n1", "sh", "-c", "exit 3", "sh", "--password=S3CR3T01", "-H", "Authorization: Basic S3CR3T02"];
    let ended = place.retry(args).env("XDG_STATE_HOME", place.file("state")).run();
    assert!(ended.err().starts_with("retry: dead letter not saved: {"), "{}", ended.err());
    is_clean("stderr", &ended.err());
}

#[test]
fn bytes_that_are_not_text_hide_no_secret() {
    let place = Place::new();
    let odd = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"--password=S3CR3T01\xff");
    let args = ["-qq", "-n1", "--dead-letter", FILE, "--report=report", "false"].map(std::ffi::OsStr::new);
    place.retry(args.into_iter().chain([odd])).run();
    assert!(place.read(FILE).contains("args_b64"));
    let json = letter_ctl(&place, &["list", "--format=jsonl"]).run().out();
    for text in [json, place.read("report")] {
        assert!(!text.contains("_b64"), "{text}");
        is_clean("what is shown", &text);
    }
}

#[test]
fn a_secret_that_was_taken_for_the_command_is_hidden_too() {
    let place = Place::new();
    for command in ["API_TOKEN=S3CR3T01", "curl -u bob:S3CR3T02 http://host.example"] {
        let options = ["-v", "-n1", "--log-format=json", "--log-file=log", "--metrics-dir=.", "--dead-letter", FILE];
        let said = place.retry(options.iter().chain(&["--ci=github", "--report=report", command])).run();
        assert_eq!(said.code(), 127);
        is_clean("messages", &said.err());
        let said = place.retry(["-v", "-n1", "--no-dead-letter", "--output=on-failure", command]).run();
        assert!(said.err().contains("***"), "{}", said.err());
        is_clean("messages", &said.err());
    }
    ["log", "report"].iter().for_each(|file| is_clean(file, &place.read(file)));
    for entry in std::fs::read_dir(place.path()).unwrap() {
        is_clean("the name of a file", &entry.unwrap().file_name().to_string_lossy());
    }
    for verb in [&["list"][..], &["list", "--format=jsonl"], &["stats"]] {
        is_clean(&format!("{verb:?}"), &letter_ctl(&place, verb).env("COLUMNS", "2000").run().out());
    }
}
