//! The Dockerfile's command line as PID 1 of a process namespace of its own. Contract C27, R31.

use super::{fails_until, stand_in, text, with_stand_ins};
use crate::harness::{Place, RETRY, Running, until};
use crate::needs::skipped;

/// What the container starts: ENTRYPOINT and CMD.
fn command() -> Vec<String> {
    let text = text("container/Dockerfile");
    let words = |name: &str| -> Vec<String> {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("it is there");
        serde_json::from_str(line.trim()).expect("the exec form is JSON")
    };
    let mut all = words("ENTRYPOINT");
    all.extend(words("CMD"));
    assert_eq!(all[0], "retry");
    all[0] = RETRY.to_owned();
    all
}

/// Starts it as PID 1, where this user may make namespaces.
fn start(place: &Place) -> Option<Running> {
    let mut args = vec!["--pid", "--fork", "--mount-proc", "--kill-child"];
    if place.program("unshare", args.iter().chain(&["true"])).run().code() != 0 {
        skipped("no process namespace can be made here");
        return None;
    }
    let command = command();
    args.extend(command.iter().map(String::as_str));
    Some(with_stand_ins(place, "unshare", &args).start())
}

/// The process id outside of what is PID 1 inside.
fn first(running: &Running) -> i32 {
    let file = format!("/proc/{0}/task/{0}/children", running.pid());
    std::fs::read_to_string(file).expect("unshare runs").trim().parse().expect("it has one child")
}

fn kill(pid: i32, signal: i32) {
    // SAFETY: kill(2) touches no memory; the process is a child of our child, which has not ended.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

#[test]
fn as_pid_1_it_retries_reaps_orphans_and_gives_the_status() {
    let place = Place::new();
    // Each attempt leaves an orphan; the last one waits until each of them is reaped, which only PID 1 can do.
    let reaped =
        "for orphan in $(cat orphans); do while [ -e /proc/$orphan ]; do sleep 0.01; done; done\necho $PPID $*";
    stand_in(&place, "worker", &format!("( true & echo $! >>orphans )\n{}", fails_until(3, 9, reaped)));
    let Some(running) = start(&place) else { return };
    let ended = running.wait();
    ended.gives(0, "1 --queue orders\n");
    assert_eq!(place.read("orphans").lines().count(), 3);
    assert!(ended.err().contains("attempt 3"), "-v tells each start: {}", ended.err());
}

#[test]
fn a_container_that_is_stopped_lets_its_worker_finish() {
    let place = Place::new();
    stand_in(&place, "worker", "trap 'echo finished; exit 0' TERM; echo >started; while :; do sleep 0.01; done");
    let Some(running) = start(&place) else { return };
    until("the worker runs", || place.file("started").exists());
    kill(first(&running), libc::SIGTERM);
    running.wait().gives(0, "finished\n");
}

#[test]
fn a_worker_that_dies_of_the_stop_gives_143() {
    let place = Place::new();
    stand_in(&place, "worker", "echo >started; exec sleep 1000");
    let Some(running) = start(&place) else { return };
    until("the worker runs", || place.file("started").exists());
    kill(first(&running), libc::SIGTERM);
    assert_eq!(running.wait().code(), 143);
}
