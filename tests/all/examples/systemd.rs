//! The service and its timer: checked by systemd-analyze, and its command run with what systemd gives it.

use serde_json::Value;

use super::{fails_until, stand_in, text, with_stand_ins};
use crate::harness::{Cli, Place, RETRY, until};
use crate::needs::have;

/// The service with the programs of this test in place of the installed ones.
fn service(place: &Place) -> String {
    let here = place.file("bin/send-report");
    text("systemd/report.service")
        .replace("/usr/local/bin/retry ", &format!("{RETRY} "))
        .replace("/usr/local/bin/send-report", here.to_str().expect("a path of ours"))
}

/// Its command line, which has no quotes, started as systemd starts it.
fn exec_start(place: &Place) -> Cli {
    let service = service(place);
    let line = service.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("it starts something");
    let words: Vec<_> = line.split_whitespace().collect();
    with_stand_ins(place, words[0], &words[1..])
        .env("STATE_DIRECTORY", place.file("state"))
        .env("INVOCATION_ID", "0123456789abcdef0123456789abcdef")
        .env_remove("HOME")
}

#[test]
fn systemd_finds_nothing_wrong_with_the_units() {
    if !have("systemd-analyze") {
        return;
    }
    let place = Place::new();
    stand_in(&place, "send-report", "true");
    let service = place.write("report.service", service(&place));
    let timer = place.write("report.timer", text("systemd/report.timer"));
    let ended = place
        .program("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no"])
        .env("SYSTEMD_LOG_LEVEL", "warning");
    let mut ended = ended;
    ended.command().arg(&service).arg(&timer);
    let ended = ended.run();
    let ours: Vec<_> = ended.err().lines().filter(|line| line.contains("report.")).map(str::to_owned).collect();
    assert_eq!((ended.code(), ours), (0, vec![]), "{}", ended.err());
}

#[test]
fn the_service_keeps_its_letters_in_its_state_directory() {
    let place = Place::new();
    std::fs::create_dir(place.file("state")).expect("systemd makes it");
    stand_in(&place, "send-report", "exit 4");
    assert_eq!(exec_start(&place).run().code(), 4);
    let letter: Value = serde_json::from_str(&place.read("state/dead-letter.jsonl")).expect("one letter");
    assert_eq!(letter["retry"]["attempts"], 10);
    assert_eq!(letter["origin"]["kind"], "systemd");
    assert_eq!(letter["origin"]["invocation_id"], "0123456789abcdef0123456789abcdef");
}

#[test]
fn the_service_is_quiet_about_the_letters_of_a_run_that_recovered() {
    let place = Place::new();
    std::fs::create_dir(place.file("state")).expect("systemd makes it");
    stand_in(&place, "send-report", &fails_until(3, 4, "echo sent"));
    exec_start(&place).run().gives(0, "sent\n");
    assert!(!place.file("state/dead-letter.jsonl").exists() || place.read("state/dead-letter.jsonl").is_empty());
}

#[test]
fn stopping_the_service_ends_the_job_and_looks_like_a_clean_stop() {
    let place = Place::new();
    std::fs::create_dir(place.file("state")).expect("systemd makes it");
    stand_in(&place, "send-report", "echo $$ >started; exec sleep 1000");
    let running = exec_start(&place).start();
    until("the job runs", || place.file("started").exists() && !place.read("started").is_empty());
    running.kill(libc::SIGTERM);
    assert_eq!(running.wait().code(), 1000 + libc::SIGTERM);
    // Of a oneshot systemd takes that for a failure otherwise, as packaging/check-systemd shows.
    assert!(text("systemd/report.service").contains("\nSuccessExitStatus=TERM\n"));
    let job: i32 = place.read("started").trim().parse().expect("a process id");
    // SAFETY: kill(2) with signal 0 touches no memory and sends nothing.
    until("the job is gone", || unsafe { libc::kill(job, 0) } != 0);
}
