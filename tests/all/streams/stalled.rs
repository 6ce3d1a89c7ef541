//! A reader that stalls stalls the command, never `retry`. Contract S17.

use std::io::Read;

use crate::harness::{Place, until};
use crate::needs::have;

/// A command that fills its stderr for ever.
const FLOOD: [&str; 3] = ["sh", "-c", "yes >&2"];

#[test]
fn a_time_limit_ends_a_command_whose_reader_has_stalled() {
    let place = Place::new();
    let args = ["-qq", "--no-dead-letter", "-n", "1", "-t", "3s", "--", "sh", "-c", "echo $$ >pid; exec yes >&2"];
    let mut running = place.retry(args).start();
    until("the command has started", || place.file("pid").exists() && !place.read("pid").is_empty());
    let pid = place.read("pid").trim().to_owned();
    // Nobody has read anything of its stderr yet.
    until("the limit has ended it", || !std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert!(running.child.try_wait().expect("a child").is_none(), "what it printed is still to be delivered");
    let ended = running.wait();
    assert_eq!(ended.code(), 124);
    // What was in two pipes of 64 KiB and on the way between them.
    assert!(ended.stderr.len() > 65_536 && ended.stderr.chunks(2).all(|line| line == b"y\n"), "{}", ended.stderr.len());
}

#[test]
fn a_signal_ends_the_wait_for_a_reader_that_has_stalled() {
    let place = Place::new();
    let script = "head -c 100000 /dev/zero >&2; echo >over; exit 3";
    let running = place.retry(["-qq", "--no-dead-letter", "-n", "1", "--", "sh", "-c", script]).start();
    until("the command has ended", || place.file("over").exists());
    until("retry waits with its end", || {
        let children = format!("/proc/{0}/task/{0}/children", running.pid());
        std::fs::read_to_string(children).is_ok_and(|list| list.is_empty())
    });
    running.kill(libc::SIGTERM);
    let mut child = running.child;
    let status = crate::harness::fenced(&mut child);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(libc::SIGTERM));
}

#[test]
fn one_signal_is_enough_to_end_the_report_of_a_run_whose_reader_has_stalled() {
    let place = Place::new();
    let args = ["--no-dead-letter", "-n", "1", "--output", "on-failure", "--"];
    let mut running = place.retry(args.into_iter().chain(["sh", "-c", "seq 100000; exit 3"])).start();
    let mut err = running.child.stderr.take().expect("a pipe");
    let mut byte = [0];
    err.read_exact(&mut byte).expect("the report has begun");
    running.kill(libc::SIGTERM);
    let status = crate::harness::fenced(&mut running.child);
    assert_eq!(status.code(), Some(3));
}

#[test]
fn a_signal_reaches_a_command_whose_reader_has_stalled() {
    let place = Place::new();
    let mut running = place.retry(["-qq", "--no-dead-letter", "--"].into_iter().chain(FLOOD)).start();
    let mut err = running.child.stderr.take().expect("a pipe");
    let mut byte = [0];
    err.read_exact(&mut byte).expect("the command has begun");
    // Nothing more is read: one signal is enough all the same.
    running.kill(libc::SIGTERM);
    let status = crate::harness::fenced(&mut running.child);
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(libc::SIGTERM));
}

#[test]
fn the_flags_of_shared_descriptions_stay_as_they_were() {
    if !have("python3") {
        return;
    }
    let place = Place::new();
    let script = "import fcntl, os, subprocess, sys\n\
        pipes = [os.pipe() for _ in range(3)]\n\
        os.write(pipes[0][1], b'x' * 5000); os.close(pipes[0][1])\n\
        ends = [pipes[0][0], pipes[1][1], pipes[2][1]]\n\
        for blocking in (True, False):\n\
        \x20   for fd in ends: os.set_blocking(fd, blocking)\n\
        \x20   before = [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in ends]\n\
        \x20   subprocess.run(['retry', '-n', '1', '--output', 'final', '--', 'sh', '-c', 'cat; echo x >&2'], stdin=ends[0], stdout=ends[1], stderr=ends[2])\n\
        \x20   print(before == [fcntl.fcntl(fd, fcntl.F_GETFL) for fd in ends])\n";
    place.write("flags.py", script);
    place.bash("python3 flags.py").run().is(0, "True\nTrue\n", "");
}
