//! `replay -`: letters may come from anywhere.

use super::{mend, record, replay, state, until_ok};
use crate::harness::Place;
use crate::letters::{FILE, id, letter_ctl, letter_of};

/// The line of a letter that was made at another place of this machine, whose directory is that place.
fn line(from: &Place, rest: &str) -> (String, String) {
    let id = until_ok(from, &[], rest);
    (id.clone(), from.read(FILE).lines().find(|line| line.contains(&id)).unwrap().to_owned() + "\n")
}

#[test]
fn a_letter_from_standard_input_is_kept_before_it_is_run() {
    let (from, here) = (Place::new(), Place::new());
    let (id, line) = line(&from, "grep -c dead_letter $KEPT");
    mend(&from);
    let replayed = replay(&here, &["-", "--yes"]).env("KEPT", here.file(FILE)).input(line).run();
    replayed.is(0, "1\n", "");
    assert_eq!(state(&here, &id), "replayed");
}

#[test]
fn a_letter_that_comes_twice_is_run_once() {
    let (from, here) = (Place::new(), Place::new());
    let (id, line) = line(&from, "echo run >>runs");
    mend(&from);
    replay(&here, &["-", "--yes"]).input(line.clone()).run().is(0, "", "");
    let again = replay(&here, &["-", "--yes"]).input(line.clone() + &line).run();
    again.is(0, "", &format!("retryctl: passed over: letter {id} is replayed\n"));
    assert_eq!(from.read("runs"), "run\n");
    assert_eq!(here.read(FILE).lines().filter(|line| line.contains("\"dead_letter\"")).count(), 1);
}

#[test]
fn a_dry_run_of_what_comes_in_keeps_nothing() {
    let (from, here) = (Place::new(), Place::new());
    let (id, line) = line(&from, "touch ran");
    mend(&from);
    let shown = format!("replay {id} sh: sh -c 'test -e ok || exit 1; touch ran'\n");
    let dry = |input: &str| replay(&here, &["-", "--yes", "--dry-run", "--newest"]).input(input).run();
    dry(&(line.clone() + &line)).is(0, &shown, "");
    assert!(!here.file(FILE).exists() && !from.file("ran").exists());
    replay(&here, &["-", "--yes"]).input(line.clone()).run().is(0, "", "");
    dry(&line).is(0, "", &format!("retryctl: passed over: letter {id} is replayed\n"));
}

#[test]
fn a_line_that_is_too_long_is_one_line() {
    let (from, here) = (Place::new(), Place::new());
    let (_, line) = line(&from, "echo done");
    mend(&from);
    let input = ["x".repeat((64 << 20) + 7), "x: \"y\"".into(), "\"v\": 1,".into(), line].join("\n");
    let replayed = replay(&here, &["-", "--yes"]).input(input).run();
    assert_eq!((replayed.code(), replayed.out().as_str()), (1, "done\n"));
    let said = replayed.err();
    let faults: Vec<&str> = said.lines().take(3).filter_map(|line| line.split(", ").nth(1)).collect();
    assert_eq!(faults, ["line 1: longer than 64 MiB", "line 2: not JSON", "line 3: not JSON"], "{said}");
}

#[test]
fn what_list_reveals_can_be_replayed_elsewhere() {
    let (from, here) = (Place::new(), Place::new());
    let (id, _) = line(&from, "echo run >>runs");
    mend(&from);
    let listed = letter_ctl(&from, &["list", "--format=jsonl", "--reveal"]).run();
    replay(&here, &["-", "--yes"]).input(listed.out()).run().is(0, "", "");
    assert_eq!((from.read("runs").as_str(), state(&here, &id).as_str()), ("run\n", "replayed"));
    assert!(!here.read(FILE).contains("\"state\""));
}

#[test]
fn what_cannot_be_run_here_is_refused_and_not_kept() {
    let (from, here) = (Place::new(), Place::new());
    let (id, line) = line(&from, "echo run >>runs");
    mend(&from);
    let host = record(&from, &id)["host"]["name"].to_string();
    let foreign = line.replace(&format!("\"host\":{{\"name\":{host}}}"), "\"host\":{\"name\":\"elsewhere\"}");
    let masked = letter_ctl(&from, &["list", "--format=jsonl"]).run().out();
    let ended = replay(&here, &["-", "--yes"]).input(format!("{foreign}{masked}nonsense\n\n")).run();
    assert_eq!(ended.code(), 1);
    let lines = [
        format!("line 1: letter {id} is of another host (elsewhere); --other-host runs it here"),
        format!("line 2: letter {id} was written without its secrets and cannot be run"),
        "line 3: not JSON".into(),
    ];
    for line in lines {
        assert!(ended.err().contains(&format!("retryctl: standard input, {line}\n")), "{}", ended.err());
    }
    assert!(!from.file("runs").exists() && here.read(FILE).is_empty());
    replay(&here, &["-", "--yes", "--other-host"]).input(foreign).run().is(0, "", "");
    assert_eq!(from.read("runs"), "run\n");
}

#[test]
fn what_comes_from_standard_input_is_run_only_with_a_yes() {
    let here = Place::new();
    let letter = letter_of(&here, &[], &["false"]);
    let refused = replay(&here, &["-"]).input(letter.to_string()).run();
    refused.is(64, "", "retryctl: replay - runs what it reads: it needs --yes\n");
    assert_eq!(state(&here, id(&letter)), "dead");
}
