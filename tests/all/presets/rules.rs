//! What a preset does in a run, with scripts under the names of the tools. Contract P1, P2, P5, R22.

use crate::harness::{Ended, Place};

/// Runs a script that is called `tool`, under options; how it ended, and how many attempts were made.
fn tried_in(language: &str, options: &[&str], tool: &str, args: &[&str], script: &str) -> (Ended, usize) {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let path = place.write(tool, format!("#!/bin/sh\necho >>n\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let fixed = ["-n", "3", "--base", "0", "--no-dead-letter"];
    let command = format!("./{tool}");
    let ended = place.retry([&fixed[..], options, &["--", &command], args].concat()).env("LC_ALL", language).run();
    let attempts = place.read("n").lines().count();
    (ended, attempts)
}

fn tried(options: &[&str], tool: &str, args: &[&str], script: &str) -> (Ended, usize) {
    tried_in("C", options, tool, args, script)
}

#[track_caller]
fn comes_to(options: &[&str], tool: &str, script: &str, code: i32, attempts: usize) {
    let (ended, made) = tried(options, tool, &["-f"], script);
    assert_eq!((ended.code(), made), (code, attempts), "{options:?} {script}: {}", ended.err());
}

#[test]
fn a_status_of_the_preset_is_tried_again_and_all_else_is_permanent() {
    comes_to(&["--preset", "curl"], "curl", "exit 7", 7, 3);
    comes_to(&["--preset", "curl"], "curl", "exit 60", 60, 1);
    comes_to(&["--preset", "curl"], "curl", "exit 127", 127, 1);
    comes_to(&["--preset", "curl"], "curl", "kill -KILL $$", 137, 1);
    comes_to(&["--preset", "sysexits"], "job", "exit 75", 75, 3);
}

#[test]
fn a_status_that_the_preset_calls_success_ends_the_run_well() {
    comes_to(&["--preset", "qmail"], "job", "exit 99", 0, 1);
    comes_to(&["--preset", "rsync"], "rsync", "exit 24", 0, 1);
}

#[test]
fn a_text_on_stderr_decides_and_the_same_text_on_stdout_does_not() {
    comes_to(&["--preset", "git"], "git", "echo fatal: early EOF >&2; exit 128", 128, 3);
    comes_to(&["--preset", "git"], "git", "echo fatal: early EOF; exit 128", 128, 1);
    comes_to(&["--preset", "git"], "git", "echo fatal: bad object >&2; exit 128", 128, 1);
    comes_to(&["--preset", "ssh"], "ssh", "echo 'x: Permission denied (publickey).' >&2; exit 255", 255, 1);
    comes_to(&["--preset", "ansible"], "ansible", "echo 'h | UNREACHABLE! => {'; exit 4", 4, 3);
}

#[test]
fn a_text_is_heard_in_every_mode_of_output_but_inherit() {
    for mode in ["live", "final", "on-failure"] {
        comes_to(&["--preset", "git", "--output", mode], "git", "echo early EOF >&2; exit 128", 128, 3);
    }
    for (preset, status) in [("git", 128), ("curl", 22), ("wget", 8)] {
        let inherit = ["--preset", preset, "--output", "inherit"];
        let (ended, made) = tried(&inherit, preset, &["-f"], &format!("echo ERROR 404: >&2; exit {status}"));
        let warning = format!(
            "retry: preset {preset}: its messages were not seen, so exit status {status} counts as retryable; leave out \
             --output inherit\n"
        );
        assert_eq!((made, ended.err().matches(&warning).count()), (3, 1), "{}", ended.err());
    }
}

#[test]
fn explicit_options_are_looked_at_before_the_preset() {
    comes_to(&["--preset", "curl", "--fail-on-exit", "7"], "curl", "exit 7", 7, 1);
    comes_to(&["--preset", "curl", "--retry-on-exit", "60"], "curl", "exit 60", 60, 3);
    comes_to(&["--preset", "curl", "--succeed-on-exit", "7"], "curl", "exit 7", 0, 1);
    comes_to(&["--preset", "git", "--fail-on-output", "EOF"], "git", "echo early EOF >&2; exit 128", 128, 1);
}

#[test]
fn without_the_deciding_text_a_status_is_retryable_with_one_warning_that_names_the_cure() {
    let (ended, made) = tried(&["--preset", "curl"], "curl", &["-fs"], "exit 22");
    let warning = "retry: preset curl: no HTTP status of a failure was seen, so exit status 22 counts as retryable; add -S, -v or -D \
                   /dev/stderr\n";
    assert_eq!((made, ended.err().matches(warning).count()), (3, 1), "{}", ended.err());
    let german = "echo 'fatal: Konnte nicht auf Remote-Repository zugreifen' >&2; exit 128";
    let (ended, made) = tried_in("de_DE.UTF-8", &["--preset", "git"], "git", &[], german);
    let warning =
        "retry: preset git: its messages are not in English, so exit status 128 counts as retryable; set LC_ALL=C\n";
    assert_eq!((made, ended.err().matches(warning).count()), (3, 1), "{}", ended.err());
}

#[test]
fn the_status_of_the_failure_decides_and_not_that_of_another_response() {
    // wget -S of two addresses, the first of which fails.
    let two = "echo '  HTTP/1.1 503 No' >&2; echo '2026-11-30 12:00:00 ERROR 503: No.' >&2; echo '  HTTP/1.1 200 OK' >&2; exit 8";
    comes_to(&["--preset", "wget"], "wget", two, 8, 3);
    // The same with -q, which leaves the error out.
    comes_to(&["--preset", "wget"], "wget", &two.replace("ERROR", ""), 8, 3);
    // A body beside the error where both streams are one.
    let body = "echo 'HTTP/1.1 503 said somebody behind us' >&2; echo 'curl: (22) The requested URL returned error: 404' >&2; exit 22";
    comes_to(&["--preset", "curl"], "curl", body, 22, 1);
}

#[test]
fn what_decides_against_the_preset_silences_its_warning() {
    for options in [&["--fail-on-exit", "22"][..], &["--succeed-on-exit", "22"], &["--retry-on-exit", "22"]] {
        let (ended, _) = tried(&[&["--preset", "curl"], options].concat(), "curl", &["-fs"], "exit 22");
        assert!(!ended.err().contains("preset curl"), "{options:?}: {}", ended.err());
    }
}

#[test]
fn a_mistake_that_makes_a_preset_worthless_is_warned_of_once() {
    let advice = "retry: preset curl: without --fail a 503 exits 0 and is not retried\n";
    for (args, times) in [(&["-sS", "u"][..], 1), (&["-fsS", "u"], 0), (&["--fail-with-body", "u"], 0)] {
        let (ended, _) = tried(&["--preset", "curl"], "curl", args, "exit 7");
        assert_eq!(ended.err().matches(advice).count(), times, "{args:?}: {}", ended.err());
    }
    let (ended, _) = tried(&["--preset", "curl", "-qq"], "curl", &["u"], "exit 7");
    assert_eq!(ended.err(), "");
}

#[test]
fn a_preset_beside_another_command_is_told_of_with_v_only() {
    let told = "retry: preset curl reads the statuses of job as if it were curl\n";
    let (ended, _) = tried(&["--preset", "curl", "-v"], "job", &[], "exit 7");
    assert_eq!(ended.err().matches(told).count(), 1, "{}", ended.err());
    let (ended, _) = tried(&["--preset", "curl"], "job", &[], "exit 7");
    assert!(!ended.err().contains("as if it were"), "{}", ended.err());
    assert!(!ended.err().contains("--fail"), "a script is not told what curl lacks: {}", ended.err());
}

#[test]
fn a_preset_is_not_taken_from_two_places_at_once() {
    let place = Place::new();
    let ended = place.retry(["--preset", "curl", "--preset", "wget", "--", "true"]).run();
    ended.is(125, "", "retry: --preset given twice: expected one\n");
    let run = place.retry(["-qq", "-n", "2", "--base", "0", "--no-dead-letter", "--", "sh", "-c", "echo x; exit 75"]);
    run.env("RETRY_DEFAULT_PRESET", "qmail").run().is(75, "x\n", "");
}
