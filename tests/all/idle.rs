//! Cost: while nothing happens we do nothing. Contract C40, R15.

use crate::harness::{Place, Running, until};
use crate::processes::{Lines, gone, idle, status_field};

/// Context switches so far, of both kinds.
fn switches(pid: i32) -> u64 {
    let count = |name| status_field(pid, name).parse::<u64>().expect("a number");
    count("voluntary_ctxt_switches") + count("nonvoluntary_ctxt_switches")
}

/// Counts what a run does in a second in which nothing happens, and ends it.
#[track_caller]
fn does_nothing(mut run: Running, lines: &mut Lines) {
    let pid = run.pid();
    until("a sleep", || status_field(pid, "State").starts_with('S'));
    // What is still under way has its time to end.
    let mut before = switches(pid);
    until("a second without a wake-up", || {
        std::thread::sleep(std::time::Duration::from_secs(1));
        let now = switches(pid);
        std::mem::replace(&mut before, now) == now
    });
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(switches(pid), before, "it woke up");
    assert_eq!(status_field(pid, "Threads"), "1");
    run.kill(libc::SIGTERM);
    run.child.stderr.take();
    assert_eq!(lines.next(), "");
    assert_eq!(run.wait().code(), 1000 + libc::SIGTERM);
}

#[test]
fn while_the_command_runs_we_sleep() {
    let place = Place::new();
    let command = ["--", "sh", "-c", "echo $$; exec sleep 1000"];
    let cases: [&[&str]; 4] =
        [&[], &["-t", "1h"], &["--output", "final", "--hints", "http"], &["--max-elapsed", "1h", "-k", "1s"]];
    for options in cases {
        let all = ["-qq", "--no-dead-letter"].iter().chain(options).chain(&command);
        let mut run = place.retry(all).start();
        let mut lines = Lines::of(&mut run);
        if !options.contains(&"final") {
            lines.pid();
        }
        does_nothing(run, &mut lines);
    }
}

#[test]
fn during_a_delay_we_sleep() {
    let place = Place::new();
    let args = [
        "-qq",
        "--no-dead-letter",
        "--base",
        "1h",
        "--cap",
        "1h",
        "--jitter",
        "none",
        "--",
        "sh",
        "-c",
        "echo $$; exit 1",
    ];
    let mut run = place.retry(args).start();
    let mut lines = Lines::of(&mut run);
    let child = lines.pid();
    gone(child);
    idle(run.pid());
    does_nothing(run, &mut lines);
}
