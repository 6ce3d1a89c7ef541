//! Many letters at once. Contract D34.

use super::{mend, replay, state, until_ok};
use crate::harness::{Place, until};
use crate::letters::{FILE, id, letter_ctl, letter_of};

/// A letter of a job that succeeds once a file of the job's name is there.
fn job(place: &Place, name: &str) -> String {
    let line = format!("echo {name} >>order; test -e {name}");
    let record = letter_of(place, &["--job", name], &["sh", "-c", &line]);
    std::fs::remove_file(place.file("order")).unwrap();
    id(&record).to_owned()
}

/// The last line of messages, which sums a batch up, without its time.
fn summary(err: &str) -> String {
    let line = err.lines().last().unwrap_or_default();
    let (before, after) = line.split_once(" in ").unwrap_or_else(|| panic!("no summary: {err}"));
    let reason = after.split_once(": ").map(|(_, why)| format!(": {why}")).unwrap_or_default();
    format!("{before}{reason}")
}

#[test]
fn a_batch_runs_the_oldest_first_and_empties_the_list() {
    let place = Place::new();
    let names = ["a", "b", "c", "d"];
    names.iter().for_each(|name| drop(job(&place, name)));
    names.iter().for_each(|name| drop(place.write(name, "")));
    let ended = replay(&place, &["--all", "--yes"]).run();
    assert_eq!((ended.code(), summary(&ended.err()).as_str()), (0, "retryctl: 4 replayed, 0 failed"));
    assert_eq!(place.read("order"), "a\nb\nc\nd\n");
    letter_ctl(&place, &["list", "--format=ids"]).run().is(0, "", "");
}

#[test]
fn the_first_letter_is_a_probe() {
    let place = Place::new();
    ["a", "b", "c"].iter().for_each(|name| drop(job(&place, name)));
    let ended = replay(&place, &["--all", "--yes"]).run();
    let words = "retryctl: 0 replayed, 1 failed, 2 not begun: the first replay failed";
    assert_eq!((ended.code(), summary(&ended.err()).as_str()), (1, words));
    assert_eq!(place.read("order"), "a\n");
}

#[test]
fn a_row_of_failures_stops_a_batch() {
    let place = Place::new();
    ["a", "b", "c", "d", "e", "f"].iter().for_each(|name| drop(job(&place, name)));
    ["a", "c"].iter().for_each(|name| drop(place.write(name, "")));
    let ended = replay(&place, &["--all", "--yes", "--stop-after=2"]).run();
    let words = "retryctl: 2 replayed, 3 failed, 1 not begun: 2 replays failed in a row";
    assert_eq!((ended.code(), summary(&ended.err()).as_str()), (1, words));
    assert_eq!(place.read("order"), "a\nb\nc\nd\ne\n");
}

#[test]
fn of_each_group_the_newest_stands_for_the_rest() {
    let place = Place::new();
    let mut minutely: Vec<String> = (0..5).map(|_| until_ok(&place, &[], "echo run >>runs")).collect();
    let other = until_ok(&place, &[], "echo other >>runs");
    mend(&place);
    let ended = replay(&place, &["--all", "--newest", "--yes"]).run();
    assert_eq!(ended.code(), 0, "{}", ended.err());
    assert_eq!(place.read("runs"), "run\nother\n");
    let newest = minutely.pop().unwrap();
    assert_eq!((state(&place, &newest).as_str(), state(&place, &other).as_str()), ("replayed", "replayed"));
    assert!(minutely.iter().all(|id| state(&place, id) == "discarded"));
    let shown = letter_ctl(&place, &["show", &minutely[0]]).run().out();
    assert!(shown.contains(&format!("discarded: superseded by {newest}")), "{shown}");
}

#[test]
fn the_rest_of_a_group_stays_open_while_its_newest_fails() {
    let place = Place::new();
    let ids: Vec<String> = (0..3).map(|_| until_ok(&place, &[], "true")).collect();
    assert_eq!(replay(&place, &["--all", "--newest", "--yes"]).run().code(), 1);
    assert!(ids.iter().all(|id| state(&place, id) == "dead"));
}

#[test]
fn a_dry_run_runs_nothing() {
    let place = Place::new();
    let id = job(&place, "a");
    let before = place.read(FILE);
    let out = format!("replay {id} a: sh -c 'echo a >>order; test -e a'\n");
    replay(&place, &["--all", "--dry-run"]).run().is(0, &out, "");
    assert!(!place.file("order").exists() && place.read(FILE) == before);
}

#[test]
fn several_letters_need_a_yes_where_nobody_can_be_asked() {
    let place = Place::new();
    let ids = [job(&place, "a"), job(&place, "b")];
    let words = "retryctl: to replay 2 letters needs --yes where nobody can be asked\n";
    replay(&place, &["--all"]).run().is(64, "", words);
    replay(&place, &[&ids[0], &ids[1]]).run().is(64, "", words);
    assert!(!place.file("order").exists());
}

#[test]
fn a_letter_that_is_not_to_be_run_yet_is_passed_over_by_a_batch() {
    let place = Place::new();
    let (early, now) = (job(&place, "a"), job(&place, "b"));
    ["a", "b"].iter().for_each(|name| drop(place.write(name, "")));
    let text =
        place.read(FILE).replacen("\"waited_ms\"", "\"not_before\":\"2990-01-01T00:00:00.000Z\",\"waited_ms\"", 1);
    place.write(FILE, text);
    // What is not begun does not count for the rate: the second starts at once.
    let ended = replay(&place, &["--all", "--yes", "--rate=1/h"]).run();
    assert_eq!((ended.code(), place.read("order").as_str()), (0, "b\n"));
    let line = format!("retryctl: passed over: letter {early} is not to be run before 2990-01-01T00:00:00.000Z\n");
    assert!(ended.err().starts_with(&line), "{}", ended.err());
    assert_eq!(state(&place, &now), "replayed");
    // Who names it wants it now.
    assert_eq!(replay(&place, &[&early]).run().code(), 0);
}

#[test]
fn the_first_ctrl_c_lets_the_running_replay_finish_and_begins_no_other() {
    let place = Place::new();
    let ids: Vec<String> = ["1", "2"]
        .iter()
        .map(|n| until_ok(&place, &[], &format!("echo {n} >>runs; while ! test -e go; do sleep 0.01; done")))
        .collect();
    mend(&place);
    let running = replay(&place, &["--all", "--yes"]).start();
    until("the first runs", || place.file("runs").exists());
    running.kill(libc::SIGINT);
    place.write("go", "");
    let ended = running.wait();
    assert_eq!(summary(&ended.err()), "retryctl: 1 replayed, 0 failed, 1 not begun: stopped by Ctrl-C");
    assert_eq!((ended.code(), place.read("runs").as_str()), (0, "1\n"));
    assert_eq!((state(&place, &ids[0]).as_str(), state(&place, &ids[1]).as_str()), ("replayed", "dead"));
}

#[test]
fn the_second_ctrl_c_ends_the_running_replay() {
    let place = Place::new();
    let ids: Vec<String> = (0..2).map(|n| until_ok(&place, &[], &format!("echo {n} >>runs; exec sleep 60"))).collect();
    mend(&place);
    let running = replay(&place, &["--all", "--yes"]).start();
    until("the first runs", || place.file("runs").exists());
    running.kill(libc::SIGINT);
    // Two of one signal that are pending at once are one: the second is sent until it has been heard.
    let mut running = running;
    until("it has ended", || {
        // SAFETY: no pointers; the process is not reaped before `try_wait` says so.
        unsafe { libc::kill(running.pid(), libc::SIGINT) };
        running.child.try_wait().unwrap().is_some()
    });
    assert_eq!(running.wait().code(), 1000 + libc::SIGINT);
    assert_eq!((state(&place, &ids[0]).as_str(), state(&place, &ids[1]).as_str()), ("dead", "dead"));
    assert_eq!(place.read("runs"), "0\n");
}
