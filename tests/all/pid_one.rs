//! As PID 1 of a container: signals arrive, orphans are reaped, the status is right. Contract C27.

use crate::harness::{Cli, Place, until};
use crate::needs::skipped;
use crate::processes::{Lines, children, kill, status_field};

/// `retry` as PID 1 of a new namespace, in which /proc is its own; `None` where that is not allowed.
fn first(place: &Place, args: &[&str]) -> Option<Cli> {
    let ways: [&[&str]; 2] =
        [&["--pid", "--fork", "--mount-proc"], &["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]];
    let allowed = |way: &&[&str]| place.program("unshare", way.iter().chain(&["true"])).run().code() == 0;
    let Some(way) = ways.into_iter().find(allowed) else {
        skipped("no process namespace can be made here");
        return None;
    };
    Some(place.program("unshare", way.iter().chain(&[crate::harness::RETRY, "-qq", "--no-dead-letter"]).chain(args)))
}

#[test]
fn its_status_is_the_commands() {
    let place = Place::new();
    let Some(run) = first(&place, &["-n", "1", "--", "sh", "-c", "exit 5"]) else { return };
    run.run().is(5, "", "");
}

#[test]
fn a_signal_is_passed_on_and_ends_it_with_128_and_its_number() {
    let place = Place::new();
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
        let Some(run) = first(&place, &["--", "sh", "-c", "echo up; exec sleep 1000"]) else { return };
        let mut run = run.start();
        assert_eq!(Lines::of(&mut run).next(), "up");
        kill(children(run.pid())[0], signal);
        assert_eq!(run.wait().code(), 128 + signal);
    }
}

#[test]
fn orphans_are_reaped_while_the_command_runs_and_during_a_delay() {
    let place = Place::new();
    // Each orphan ends when its file is there.
    let script = "(until [ -e one ]; do sleep 0.01; done & until [ -e two ]; do sleep 0.01; done & :) 2>&-; echo up
        until [ -e end ]; do sleep 0.01; done; exit 1";
    let Some(run) = first(&place, &["--base", "1h", "--cap", "1h", "--jitter", "none", "--", "sh", "-c", script])
    else {
        return;
    };
    let mut run = run.start();
    assert_eq!(Lines::of(&mut run).next(), "up");
    let one = children(run.pid())[0];
    until("two orphans and the command", || children(one).len() == 3);
    place.write("one", "");
    until("an orphan reaped during the attempt", || children(one).len() == 2);
    place.write("end", "");
    until("the end of the attempt", || children(one).len() == 1);
    place.write("two", "");
    until("an orphan reaped during the delay", || children(one).is_empty());
    assert!(status_field(one, "State").starts_with('S'));
    kill(one, libc::SIGTERM);
    assert_eq!(run.wait().code(), 128 + libc::SIGTERM);
}

/// `retry` in a new namespace, while /proc still shows the old one; `None` where that is not allowed.
fn without_proc(place: &Place, limits: &[&str], script: &str) -> Option<Cli> {
    let ways: [&[&str]; 2] = [&["--pid", "--fork"], &["--user", "--map-root-user", "--pid", "--fork"]];
    let allowed = |way: &&[&str]| place.program("unshare", way.iter().chain(&["true"])).run().code() == 0;
    let Some(way) = ways.into_iter().find(allowed) else {
        skipped("no process namespace can be made here");
        return None;
    };
    let retry = [crate::harness::RETRY, "-qq", "--no-dead-letter", "-n", "2", "--base", "0"];
    Some(place.program("unshare", way.iter().chain(&retry).chain(limits).chain(&["--", "sh", "-c", script])))
}

#[test]
fn where_proc_shows_another_namespace_a_time_limit_ends_the_group_and_nobody_else() {
    let place = Place::new();
    let script = "sleep 1000 & echo up; sleep 1000";
    let Some(run) = without_proc(&place, &["-t", "3s", "-k", "50ms"], script) else { return };
    run.run().is(124, "up\nup\n", "");
}

#[test]
fn where_proc_shows_another_namespace_nobody_in_the_group_survives_by_ignoring_the_signal() {
    let place = Place::new();
    let script = "if [ $RETRY_ATTEMPT = 2 ]; then kill -0 $(cat pid) 2>&- && exit 7; exit 0; fi
        trap '' TERM; sleep 1000 & echo $! >pid; trap - TERM; sleep 1000";
    let Some(run) = without_proc(&place, &["-t", "3s", "-k", "50ms"], script) else { return };
    run.run().is(0, "", "");
}

#[test]
fn where_proc_shows_another_namespace_the_group_has_its_grace_also_when_the_command_is_gone() {
    let place = Place::new();
    let script = "if [ $RETRY_ATTEMPT = 2 ]; then [ ! -e up ] || [ -e tidied ]; exit $?; fi
        sh -c 'trap \"sleep 0.2; : >tidied; exit\" TERM; : >up; while :; do sleep 0.01; done' & exec sleep 1000";
    let Some(run) = without_proc(&place, &["-t", "3s", "-k", "50s"], script) else { return };
    run.run().gives(0, "");
}
