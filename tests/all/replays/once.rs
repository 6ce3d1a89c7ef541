//! A letter runs once: two replays at a time, and replays that are killed. Contract D23, D32, D33.

use std::process::Command;

use super::{mend, record, replay, state, until_ok};
use crate::harness::{Place, until};
use crate::letters::{id, letter_ctl, letter_of};

/// A letter whose replay says that it runs and then waits for a line in a FIFO.
fn waiting(place: &Place) -> String {
    assert!(Command::new("mkfifo").arg(place.file("gate")).status().unwrap().success());
    let id = until_ok(place, &[], "echo run >>runs; read line <gate");
    mend(place);
    id
}

#[test]
fn of_two_replays_of_one_letter_at_a_time_one_runs_it() {
    let place = Place::new();
    let id = waiting(&place);
    let first = replay(&place, &[&id]).start();
    until("the first replay runs", || place.file("runs").exists());
    replay(&place, &[&id]).run().is(75, "", &format!("retryctl: letter {id} is being replayed\n"));
    assert_eq!(state(&place, &id), "replaying");
    let passed = replay(&place, &["--all"]).run();
    passed.is(0, "", "");
    place.write("gate", "go\n");
    first.wait().is(0, "", "");
    assert_eq!((state(&place, &id).as_str(), place.read("runs").as_str()), ("replayed", "run\n"));
    replay(&place, &[&id]).run().is(66, "", &format!("retryctl: letter {id} is replayed\n"));
}

#[test]
fn a_purge_in_the_middle_of_a_replay_takes_nothing_from_it() {
    let place = Place::new();
    let closed = id(&letter_of(&place, &[], &["false"])).to_owned();
    letter_ctl(&place, &["discard", &closed]).run();
    let id = waiting(&place);
    let running = replay(&place, &[&id]).start();
    until("the replay runs", || place.file("runs").exists());
    let purged = letter_ctl(&place, &["purge", "--older-than=0", "--state=all", "--yes"]).run();
    assert!(purged.out().contains("deleted 1 letter, "), "{}", purged.out());
    assert_eq!(state(&place, &id), "replaying");
    place.write("gate", "go\n");
    running.wait().is(0, "", "");
    assert_eq!(state(&place, &id), "replayed");
}

#[test]
fn twenty_replays_of_one_letter_at_once_run_it_once() {
    let place = Place::new();
    let id = until_ok(&place, &[], "echo run >>runs");
    mend(&place);
    let all: Vec<_> = (0..20).map(|_| replay(&place, &[&id]).start()).collect();
    let codes: Vec<i32> = all.into_iter().map(|one| one.wait().code()).collect();
    assert_eq!(place.read("runs"), "run\n");
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|code| [0, 66, 75].contains(code)), "{codes:?}");
}

#[test]
fn a_replay_that_is_killed_leaves_the_letter_in_doubt_until_somebody_says_so() {
    let place = Place::new();
    let id = waiting(&place);
    let running = replay(&place, &[&id]).start();
    until("the replay runs", || place.file("runs").exists());
    running.kill(libc::SIGKILL);
    assert_eq!(running.wait().code(), 1000 + libc::SIGKILL);
    until("nobody holds it any more", || state(&place, &id) == "in_doubt");
    let all = replay(&place, &["--all", "--yes"]).run();
    all.is(
        0,
        "",
        "retryctl: passed over 1 letter in doubt: nobody knows what the replay that was cut off did; --in-doubt runs them\n",
    );
    let named = replay(&place, &[&id]).run();
    assert_eq!(named.code(), 1);
    assert!(named.err().contains("it is in doubt"), "{}", named.err());
    assert_eq!(place.read("runs"), "run\n");
    let doubted = replay(&place, &["--all", "--in-doubt"]).start();
    until("it runs again", || place.read("runs") == "run\nrun\n");
    place.write("gate", "go\n");
    doubted.wait().is(0, "", "");
    assert_eq!((state(&place, &id).as_str(), record(&place, &id)["events"].as_array().unwrap().len()), ("replayed", 3));
}

#[test]
fn replays_killed_at_any_instant_lose_no_letter() {
    let place = Place::new();
    let instants: usize = std::env::var("RETRY_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(25);
    let ids: Vec<String> = (0..3).map(|_| until_ok(&place, &[], "sleep 0.005")).collect();
    mend(&place);
    let mut state_of_dice = 7u64;
    for _ in 0..instants {
        let running = replay(&place, &["--all", "--in-doubt", "--poison", "--yes"]).start();
        state_of_dice = state_of_dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(std::time::Duration::from_micros((state_of_dice >> 33) % 40_000));
        // It may have ended by itself; it is not reaped, so nobody else is hit.
        // SAFETY: no pointers.
        unsafe { libc::kill(running.pid(), libc::SIGKILL) };
        running.wait();
        let all = letter_ctl(&place, &["list", "--format=ids", "--state=dead,in_doubt,replaying,replayed"]).run();
        assert_eq!(all.out().lines().count(), 3, "{}", all.err());
        for id in &ids {
            if state(&place, id) == "replayed" {
                // Events tell of a begin before each end.
                let events = record(&place, id)["events"].as_array().unwrap().len();
                assert!(events >= 2);
            }
        }
    }
    let last = replay(&place, &["--all", "--in-doubt", "--poison", "--yes"]).run();
    assert_eq!(last.code(), 0, "{}", last.err());
    assert!(ids.iter().all(|id| state(&place, id) == "replayed"));
}

#[test]
fn a_failed_replay_leaves_one_letter_and_the_third_makes_it_poison() {
    let place = Place::new();
    let id = until_ok(&place, &["-n2", "--base=0"], "true");
    for number in 1..=3 {
        assert_eq!(replay(&place, &[&id]).run().code(), 1);
        assert_eq!(letter_ctl(&place, &["list", "--format=ids"]).run().out(), format!("{id}\n"));
        assert_eq!(state(&place, &id), if number < 3 { "dead" } else { "poison" });
    }
    let refused = replay(&place, &[&id]).run();
    refused.is(1, "", &format!("retryctl: cannot replay {id}: 3 replays of it failed; --poison runs it again\n"));
    let all = replay(&place, &["--all"]).run();
    all.is(0, "", "retryctl: passed over 1 letter, of which 3 replays failed; --poison runs them\n");
    letter_ctl(&place, &["discard", "--all"]).run().is(0, "discarded 0 letters\n", "");
    mend(&place);
    replay(&place, &["--all", "--poison"]).run().is(0, "", "");
    assert_eq!(state(&place, &id), "replayed");
}

#[test]
fn a_replay_ended_by_a_signal_is_recorded_and_does_not_count_towards_poison() {
    let place = Place::new();
    let id = waiting(&place);
    for round in 1..=4 {
        let running = replay(&place, &[&id]).start();
        until("it runs", || place.read_or_empty("runs").lines().count() == round);
        running.kill(libc::SIGTERM);
        assert_eq!(running.wait().code(), 1000 + libc::SIGTERM);
        assert_eq!(state(&place, &id), "dead");
    }
    let events = record(&place, &id)["events"].clone();
    let last = events.as_array().unwrap().last().unwrap();
    assert_eq!((&last["event"]["action"], &last["replay"]["ending"]), (&"replay_failed".into(), &"interrupted".into()));
}

#[test]
fn a_receiver_that_looks_at_the_key_acts_once_over_attempts_and_replays() {
    let place = Place::new();
    // It acts on a key that is new to it, and fails to answer the first three times.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let receiver = std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Write};
        let (mut keys, mut acts) = (std::collections::HashSet::new(), 0);
        for asked in 1..=4 {
            let (stream, _) = listener.accept().unwrap();
            let mut key = String::new();
            BufReader::new(&stream).read_line(&mut key).unwrap();
            acts += usize::from(keys.insert(key));
            if asked == 4 {
                (&stream).write_all(b"done\n").unwrap();
            }
        }
        acts
    });
    let line = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}; echo $RETRY_IDEMPOTENCY_KEY >&3; read -r answer <&3; test \"$answer\" = done"
    );
    let letter = letter_of(&place, &["-n2", "--base=0"], &["bash", "-c", &line]);
    replay(&place, &[id(&letter)]).run().is(0, "", "");
    assert_eq!(receiver.join().unwrap(), 1);
}
