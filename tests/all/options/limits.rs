//! The time limit and its signals.

use super::run;
use crate::harness::{Place, RETRY, until};

#[test]
pub fn timeout_ends_an_attempt() {
    let place = Place::new();
    run(&place, &["-n2", "--timeout", "1s"], "echo x; exec sleep 100").run().is(124, "x\nx\n", "");
    run(&place, &["-n1", "-t", "0"], "exit 4").run().is(4, "", "");
}

#[test]
pub fn signal_is_the_first_that_a_timeout_sends() {
    let place = Place::new();
    let script = "trap 'echo got INT; kill $p; exit 3' INT; sleep 100 & p=$!; wait";
    run(&place, &["-n1", "-t", "2s", "--signal", "INT"], script).run().is(124, "got INT\n", "");
}

#[test]
pub fn kill_after_follows_a_forwarded_signal() {
    // Without the option nothing would ever kill the command, and the fence of the harness would be met.
    let place = Place::new();
    let running =
        run(&place, &["-n1", "--kill-after", "50ms"], "trap '' TERM; : >ready; while :; do sleep 1; done").start();
    until("the command is ready", || place.file("ready").exists());
    running.kill(libc::SIGTERM);
    assert_eq!(running.wait().code(), 1000 + libc::SIGTERM);
}

#[test]
pub fn foreground_keeps_the_process_group() {
    // In a session of its own there is no terminal, so that each attempt has a group of its own otherwise.
    let place = Place::new();
    let groups = |option: &[&str]| {
        let script = "cut -d' ' -f5 /proc/$$/stat /proc/$PPID/stat";
        let retry = ["-w", RETRY, "-n1"].into_iter().chain(option.iter().copied()).chain(["sh", "-c", script]);
        let ended = place.program("setsid", retry).run();
        assert_eq!((ended.code(), ended.err().as_str()), (0, ""));
        let groups: Vec<String> = ended.out().lines().map(str::to_owned).collect();
        groups[0] == groups[1]
    };
    assert!(groups(&["--foreground"]));
    assert!(!groups(&[]));
}

#[test]
pub fn preserve_status_exits_as_the_command_did() {
    let place = Place::new();
    let script = "trap 'exit 3' TERM; sleep 100 & wait";
    run(&place, &["-n1", "-t", "2s", "--preserve-status"], script).run().is(3, "", "");
    run(&place, &["-n1", "-t", "2s"], script).run().is(124, "", "");
}
