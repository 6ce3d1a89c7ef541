//! Signals at the worst instants: never lost, never one attempt more, never anything left behind. Contract C23, C31.

use std::io::Read;
use std::os::fd::AsRawFd;
use std::time::Duration;

use crate::harness::{Place, until};
use crate::processes::kill;

const DIED_OF_TERM: i32 = 1000 + libc::SIGTERM;

/// Instants below `bound` microseconds, spread without a pattern (Weyl's sequence by the golden ratio).
fn instants(count: u32, bound: u64) -> impl Iterator<Item = Duration> {
    (0..count).map(move |n| {
        let part = f64::from(n) * 0.618_033_988_749_895 % 1.0;
        Duration::from_nanos((part * bound as f64 * 1000.0) as u64)
    })
}

#[test]
fn term_in_the_first_milliseconds_ends_us_and_leaves_no_orphan() {
    let place = Place::new();
    for instant in instants(200, 10_000) {
        let mut run = place.retry(["-qq", "--no-dead-letter", "--", "sleep", "1000"]).start();
        std::thread::sleep(instant);
        run.kill(libc::SIGTERM);
        let mut out = Vec::new();
        // The end of the stream comes when nobody holds it: not us, not the command.
        run.child.stdout.take().expect("stdout is a pipe").read_to_end(&mut out).expect("a pipe can be read");
        assert_eq!(run.wait().code(), DIED_OF_TERM, "after {instant:?}");
        assert!(out.is_empty());
    }
}

#[test]
fn term_around_the_end_of_an_attempt_ends_us_and_starts_no_other() {
    let place = Place::new();
    for instant in instants(200, 10_000) {
        let args =
            ["-qq", "--no-dead-letter", "-n", "unlimited", "--base", "0", "--", "sh", "-c", "echo attempt; exit 1"];
        let mut run = place.retry(args).start();
        let mut stdout = run.child.stdout.take().expect("stdout is a pipe");
        std::thread::sleep(instant);
        run.kill(libc::SIGTERM);
        // From here at most the attempt that runs may print its line.
        let mut pending: libc::c_int = 0;
        // SAFETY: FIONREAD writes one int.
        assert_eq!(unsafe { libc::ioctl(stdout.as_raw_fd(), libc::FIONREAD, &raw mut pending) }, 0);
        let mut out = String::new();
        stdout.read_to_string(&mut out).expect("a pipe can be read");
        assert_eq!(run.wait().code(), DIED_OF_TERM, "after {instant:?}");
        let later = out.len() - usize::try_from(pending).expect("not negative");
        assert!(later <= "attempt\n".len(), "{later} bytes after {instant:?}");
    }
}

#[test]
fn a_hundred_signals_at_once_end_one_run_once() {
    let place = Place::new();
    let mut run = place.retry(["-qq", "--no-dead-letter", "--", "sh", "-c", "echo up; exec sleep 1000"]).start();
    assert_eq!(crate::processes::Lines::of(&mut run).next(), "up");
    for n in 0..100 {
        kill(run.pid(), [libc::SIGTERM, libc::SIGWINCH, libc::SIGCONT, libc::SIGCHLD][n % 4]);
    }
    assert_eq!(run.wait().code(), DIED_OF_TERM);
}

#[test]
fn five_hundred_attempts_with_signals_and_time_limits_leave_no_process_and_no_zombie() {
    let place = Place::new();
    // Each kind of end in turn; every tenth attempt looks for zombies among our children.
    let script = r#"
        case $((RETRY_ATTEMPT % 10)) in
        0) exec sleep 1000 ;;
        1) sleep 1000 & exec sleep 1000 ;;
        2) trap '' TERM; sleep 1000 & sleep 1000 ;;
        3) setsid sleep 1000 & exec sleep 1000 ;;
        4) (sleep 1000 & :) ; exec sleep 1000 ;;
        5) kill -KILL $$ ;;
        6) kill -USR1 $$ ;;
        9) echo >>looked; for p in $(cat /proc/$PPID/task/$PPID/children); do grep '^State:.Z' /proc/$p/status >>zombies; done ;;
        esac
        exit 1"#;
    let args =
        ["-qq", "--no-dead-letter", "-n", "500", "--base", "0", "-t", "20ms", "-k", "5ms", "--", "sh", "-c", script];
    let mut run = place.retry(args).start();
    let pid = run.pid();
    let mut n = 0usize;
    until("the end of the run", || {
        n += 1;
        // What does not end the command: that would be an end of its own, after which what it left is left alone (C32).
        kill(pid, [libc::SIGWINCH, libc::SIGCONT, libc::SIGCHLD][n % 3]);
        run.child.try_wait().expect("a child can be waited for").is_some()
    });
    assert!(place.file("looked").exists());
    assert_eq!(place.read("zombies"), "");
    assert_eq!(marked(&place), Vec::<std::path::PathBuf>::new());
}

/// The processes that run with this place as their home.
fn marked(place: &Place) -> Vec<std::path::PathBuf> {
    let mut mark = b"HOME=".to_vec();
    mark.extend_from_slice(place.path().as_os_str().as_encoded_bytes());
    let processes = std::fs::read_dir("/proc").expect("/proc is there").flatten();
    let is_marked = |path: &std::path::PathBuf| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == mark)
    };
    processes.map(|entry| entry.path()).filter(is_marked).collect()
}
