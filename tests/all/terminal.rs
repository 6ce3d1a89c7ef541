//! At a terminal: Ctrl-C, Ctrl-Z, fg, bg, reading and hanging up work as without us. Contract C10 to C12.

use std::ffi::CStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Child;

use crate::harness::{Cli, Place, fenced, until};
use crate::letters::letter_ctl;
use crate::processes::{children, gone, is_alive, status_field};
use crate::replays::{mend, replay, state as state_of, until_ok};

/// A command in a session of its own at a terminal of its own.
struct Session {
    /// The process that leads the session.
    child: Child,
    keyboard: Option<File>,
    /// What the terminal has shown so far.
    screen: String,
    /// Up to where `sees` has looked.
    seen: usize,
}

impl Session {
    fn of(mut cli: Cli) -> Session {
        // SAFETY: plain calls; the name is copied before another call can change it.
        let (master, slave) = unsafe {
            let master = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
            assert!(master >= 0 && libc::grantpt(master) == 0 && libc::unlockpt(master) == 0, "a terminal");
            let name = CStr::from_ptr(libc::ptsname(master)).to_owned();
            let slave = libc::open(name.as_ptr(), libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
            let mut modes: libc::termios = std::mem::zeroed();
            libc::tcgetattr(slave, &raw mut modes);
            modes.c_lflag &= !libc::ECHO;
            libc::tcsetattr(slave, libc::TCSANOW, &raw const modes);
            (File::from_raw_fd(master), OwnedFd::from_raw_fd(slave))
        };
        let stream = || slave.try_clone().expect("a descriptor");
        let command = cli.command();
        command.stdin(stream()).stdout(stream()).stderr(stream()).env("PS1", "$ ").env("TERM", "dumb");
        // SAFETY: both calls are async-signal-safe.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let child = command.spawn().expect("the program can be started");
        // SAFETY: no pointers; reads of the master return what there is.
        unsafe { libc::fcntl(master.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
        Session { child, keyboard: Some(master), screen: String::new(), seen: 0 }
    }

    /// Waits until the screen shows a text behind what was seen before; returns what follows it so far.
    #[track_caller]
    fn sees(&mut self, text: &str) {
        until(&format!("{text:?} on the screen"), || {
            self.look();
            if let Some(at) = self.screen[self.seen..].find(text) {
                self.seen += at + text.len();
                return true;
            }
            false
        });
    }

    fn look(&mut self) {
        let mut buffer = [0; 4096];
        while let Some(Ok(count @ 1..)) = self.keyboard.as_mut().map(|keyboard| keyboard.read(&mut buffer)) {
            self.screen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
    }

    /// Waits for a number on the screen after a text.
    #[track_caller]
    fn number_after(&mut self, text: &str) -> i32 {
        self.sees(text);
        let from = self.seen;
        self.sees("\n");
        self.screen[from..self.seen].trim().parse().expect("a number")
    }

    fn types(&mut self, keys: &str) {
        self.keyboard.as_mut().expect("the terminal is there").write_all(keys.as_bytes()).expect("a key can be typed");
    }

    fn hangs_up(&mut self) {
        self.look();
        self.keyboard = None;
    }

    /// Waits for the end of the session's leader; 1000 + N for a death by signal.
    fn ends(mut self) -> i32 {
        until("the end", || {
            self.look();
            self.child.try_wait().expect("a child can be waited for").is_some()
        });
        let status = fenced(&mut self.child);
        status
            .code()
            .unwrap_or_else(|| 1000 + std::os::unix::process::ExitStatusExt::signal(&status).expect("a signal"))
    }
}

fn state(pid: i32, letter: char) -> bool {
    is_alive(pid) && status_field(pid, "State").starts_with(letter)
}

/// An interactive shell, with the job control that people have.
fn shell(place: &Place) -> Session {
    let mut shell = Session::of(place.program("bash", ["--norc", "--noprofile", "-i"]));
    shell.sees("$ ");
    shell
}

const RETRY: &str = "retry -qq --no-dead-letter --base 0 -n 1";
/// Counts its INTs and ends with a line that is `quit`.
const COUNTER: &str = r#"perl -e '$|=1; $SIG{INT}=sub{print "INT ", ++$n, "\n"}; print "pid $$\n"; while (1) { $l = <STDIN>; exit 4 if $l =~ /quit/ }'"#;

#[test]
fn ctrl_c_reaches_the_command_once_and_a_handled_one_passes_its_status_on() {
    let place = Place::new();
    let counter = r#"$|=1; $SIG{INT}=sub{print "INT ", ++$n, "\n"}; print "pid $$\n"; while (1) { $l = <STDIN>; exit 4 if $l =~ /quit/ }"#;
    let mut session = Session::of(place.retry(["-qq", "--no-dead-letter", "--base", "0", "--", "perl", "-e", counter]));
    session.number_after("pid ");
    session.types("\x03");
    session.sees("INT 1\r\n");
    session.types("\x03");
    session.sees("INT 2\r\n");
    session.types("quit\n");
    assert!(!session.screen.contains("INT 3"));
    // No further attempt, although 4 is retryable.
    assert_eq!(session.ends(), 4);
}

#[test]
fn ctrl_c_ends_both_and_the_loop_of_the_shell_around_us() {
    let place = Place::new();
    let mut shell = shell(&place);
    shell.types(&format!("for i in 1 2 3; do echo round $i; {RETRY} -- sh -c 'echo pid $$; exec sleep 1000'; done\n"));
    let child = shell.number_after("pid ");
    shell.types("\x03");
    shell.sees("$ ");
    gone(child);
    shell.types("echo status $?; exit\n");
    assert_eq!(shell.number_after("status "), 130);
    assert!(!shell.screen.contains("round 2"), "{}", shell.screen);
    shell.ends();
}

#[test]
fn ctrl_z_stops_both_and_fg_continues_both() {
    let place = Place::new();
    let mut shell = shell(&place);
    shell.types(&format!("{RETRY} -- {COUNTER}\n"));
    let child = shell.number_after("pid ");
    let retry = children(i32::try_from(shell.child.id()).expect("a process id fits"))[0];
    shell.types("\x1a");
    shell.sees("Stopped");
    until("both stopped", || state(child, 'T') && state(retry, 'T'));
    shell.types("fg\n");
    until("both go on", || state(child, 'S') && state(retry, 'S'));
    shell.types("\x03");
    shell.sees("INT 1\r\n");
    shell.types("quit\n");
    shell.sees("$ ");
    shell.types("echo status $?; exit\n");
    assert_eq!(shell.number_after("status "), 4);
    shell.ends();
}

#[test]
fn a_background_job_that_reads_the_terminal_is_stopped_and_reads_in_the_foreground() {
    let place = Place::new();
    let mut shell = shell(&place);
    shell.types(&format!("{RETRY} -- sh -c 'echo pid $$; read x; echo got $x; exit 4' &\n"));
    let child = shell.number_after("pid ");
    let retry = children(i32::try_from(shell.child.id()).expect("a process id fits"))[0];
    until("both stopped", || state(child, 'T') && state(retry, 'T'));
    shell.types("fg\n");
    until("a child that goes on", || state(child, 'S'));
    shell.types("hello\n");
    shell.sees("got hello");
    shell.types("echo status $?; exit\n");
    assert_eq!(shell.number_after("status "), 4);
    shell.ends();
}

#[test]
fn in_a_pipeline_of_an_interactive_shell_it_reads_the_terminal_and_writes_to_the_pipe() {
    let place = Place::new();
    let mut shell = shell(&place);
    shell.types(&format!("{RETRY} -- sh -c 'echo up; read x; echo got $x' | sed 's/^/piped /'; exit\n"));
    shell.types("hello\n");
    shell.sees("piped got hello");
    shell.ends();
}

#[test]
fn the_time_limit_at_a_terminal_ends_what_the_command_started_and_nothing_else_of_the_group() {
    let place = Place::new();
    // In a script the whole is one group.
    let script = "sleep 1000 & echo other $!
        retry -qq --no-dead-letter -n 1 -t 3s -k 50ms -- sh -c 'trap \"\" TERM; sleep 1000 & echo mine $!; sleep 1000'
        echo status $?; read x; kill $!";
    let mut session = Session::of(place.bash(script));
    let other = session.number_after("other ");
    let mine = session.number_after("mine ");
    assert_eq!(session.number_after("status "), 137);
    assert!(!is_alive(mine));
    assert!(is_alive(other));
    session.types("\n");
    session.ends();
    gone(other);
}

#[test]
fn a_term_at_a_terminal_goes_to_the_command_and_not_to_the_group() {
    let place = Place::new();
    let script = "retry -qq --no-dead-letter -- sh -c 'echo pid $$; exec sleep 1000' & r=$!; read x; kill $r; wait $r; echo status $?";
    let mut session = Session::of(place.bash(script));
    let child = session.number_after("pid ");
    session.types("\n");
    assert_eq!(session.number_after("status "), 143);
    gone(child);
    assert_eq!(session.ends(), 0);
}

#[test]
fn in_the_background_a_failure_is_told_at_once() {
    let place = Place::new();
    let script = "set -m; stty cols 80
        TERM=xterm retry -n 2 --delays 1h --no-dead-letter -- false & read x; kill $!; wait $!; echo over";
    let mut session = Session::of(place.bash(script));
    session.sees("retry: attempt 1 of 2 failed: exit status 1 (retryable); next attempt in 1 h\r\n");
    session.types("\n");
    session.sees("over");
    assert_eq!(session.ends(), 0);
}

#[test]
fn a_hang_up_that_is_told_to_us_alone_as_leader_of_the_session_is_passed_on() {
    let place = Place::new();
    let mut session =
        Session::of(place.retry(["-qq", "--no-dead-letter", "--", "sh", "-c", "echo pid $$; exec sleep 1000"]));
    let child = session.number_after("pid ");
    session.hangs_up();
    gone(child);
    assert_eq!(session.ends(), 1000 + libc::SIGHUP);
}

#[test]
fn what_was_replayed_while_a_question_stood_is_neither_discarded_nor_restored() {
    let place = Place::new();
    let ids = [(); 3].map(|()| until_ok(&place, &[], "echo run >>runs"));
    mend(&place);
    let asks = |verb: &str, args: &[&str]| {
        let mut session = Session::of(letter_ctl(&place, &[&[verb], args].concat()));
        session.sees("[y/N] ");
        session
    };
    let mut discard = asks("discard", &["--all"]);
    replay(&place, &[&ids[0]]).run().is(0, "", "");
    discard.types("y\n");
    discard.sees(&format!("passed over: letter {} is replayed by now", ids[0]));
    discard.sees("discarded 2 letters");
    assert_eq!(discard.ends(), 0);

    let mut restore = asks("restore", &[&ids[1], &ids[2]]);
    letter_ctl(&place, &["restore", &ids[1]]).run().gives(0, &format!("restored {}\n", ids[1]));
    replay(&place, &[&ids[1]]).run().is(0, "", "");
    restore.types("y\n");
    restore.sees(&format!("passed over: letter {} is replayed by now", ids[1]));
    restore.sees("restored 1 letter");
    assert_eq!(restore.ends(), 0);
    assert_eq!(ids.map(|id| state_of(&place, &id)), ["replayed", "replayed", "dead"]);
    assert_eq!(place.read("runs"), "run\nrun\n");
}

#[test]
fn the_commands_streams_are_the_terminal() {
    let place = Place::new();
    let mut session = Session::of(place.retry([
        "-n",
        "1",
        "--",
        "sh",
        "-c",
        "test -t 0 && test -t 1 && test -t 2 && echo all three",
    ]));
    session.sees("all three");
    assert_eq!(session.ends(), 0);
}
