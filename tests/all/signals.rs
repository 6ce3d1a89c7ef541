//! Signals: passed on, ended by, and never lost. Contract C20 to C28, R31.

use std::os::unix::process::CommandExt;

use crate::harness::{Ended, Place, until};
use crate::processes::{Lines, gone, idle, is_alive, kill};

const DIES: i32 = 1000;

/// What every run here does without: nothing on stderr but what a test asks for, no letter.
const QUIET: [&str; 4] = ["-qq", "--no-dead-letter", "--base", "0"];

fn quiet<'a>(options: &[&'a str], command: &[&'a str]) -> Vec<&'a str> {
    QUIET.iter().chain(options).chain(&["--"]).chain(command).copied().collect()
}

/// A delay that never ends.
const LONG: [&str; 6] = ["--base", "1h", "--cap", "1h", "--jitter", "none"];

#[test]
fn every_exit_status_is_passed_on() {
    let place = Place::new();
    for status in 0..=255 {
        let script = format!("exit {status}");
        place.retry(quiet(&["-n", "1"], &["sh", "-c", &script])).run().is(status, "", "");
    }
}

/// Signals that no process survives, as far as they may be sent here; those that stop are C12's.
fn catchable() -> impl Iterator<Item = i32> {
    let stops = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
    (1..=libc::SIGRTMAX()).filter(move |signal| !stops.contains(signal)).filter(|signal| !(32..=34).contains(signal))
}

/// What a program survives by default.
fn is_harmless(signal: i32) -> bool {
    [libc::SIGCHLD, libc::SIGCONT, libc::SIGURG, libc::SIGWINCH].contains(&signal)
}

#[test]
fn a_death_by_any_signal_has_the_status_that_a_shell_shows_and_ctrl_c_ends_us_too() {
    let place = Place::new();
    for signal in catchable() {
        let script = format!("ulimit -c 0; kill -{signal} $$; exit 7");
        let expected = match signal {
            _ if is_harmless(signal) => 7,
            libc::SIGINT | libc::SIGQUIT => DIES + signal,
            _ => 128 + signal,
        };
        let ended = place.retry(quiet(&["-n", "1"], &["sh", "-c", &script])).run();
        assert_eq!(ended.code(), expected, "signal {signal}: {ended:?}");
    }
}

#[test]
fn any_signal_to_us_ends_as_it_would_end_the_command_and_leaves_nothing_running() {
    let place = Place::new();
    // XFSZ is held back, so that a letter beyond the limit of file sizes is an error of the write and not our end (D3).
    for signal in catchable().filter(|signal| ![libc::SIGKILL, libc::SIGXFSZ].contains(signal)) {
        let mut run = place.retry(quiet(&["-n", "1"], &["sh", "-c", "ulimit -c 0; echo $$; exec sleep 1000"])).start();
        let child = Lines::of(&mut run).pid();
        run.kill(signal);
        let expected = match signal {
            _ if is_harmless(signal) => {
                assert!(is_alive(child), "signal {signal}");
                run.kill(libc::SIGTERM);
                DIES + libc::SIGTERM
            }
            // Passed on to the child alone, which dies of it; that is an outcome like any other.
            libc::SIGUSR1 | libc::SIGUSR2 | libc::SIGALRM => 128 + signal,
            _ if signal >= libc::SIGRTMIN() => 128 + signal,
            // Passed on, or, where we do not act on it, the end of both.
            _ => DIES + signal,
        };
        let ended = run.wait();
        assert_eq!(ended.code(), expected, "signal {signal}: {ended:?}");
        gone(child);
    }
}

#[test]
fn a_signal_reaches_the_whole_group_and_no_further_attempt_is_made() {
    let place = Place::new();
    let script = "sleep 1000 & echo $!; echo $$; wait";
    let mut run = place.retry(quiet(&[], &["sh", "-c", script])).start();
    let mut lines = Lines::of(&mut run);
    let (descendant, child) = (lines.pid(), lines.pid());
    run.kill(libc::SIGTERM);
    assert_eq!(lines.next(), "", "a second attempt was made");
    assert_eq!(run.wait().code(), DIES + libc::SIGTERM);
    gone(child);
    gone(descendant);
}

/// Runs a command that prints a line when it is ready, sends the signals one after the other, each when `next` lines came.
fn signalled(options: &[&str], script: &str, signals: &[i32]) -> Ended {
    let place = Place::new();
    let mut run = place.retry(quiet(options, &["perl", "-e", script])).start();
    let mut lines = Lines::of(&mut run);
    for signal in signals {
        assert_ne!(lines.next(), "");
        run.kill(*signal);
    }
    run.wait()
}

#[test]
fn the_status_of_a_command_that_handles_the_signal_is_passed_on() {
    for status in [0, 1, 5, 143] {
        let script = format!("$|=1; $SIG{{TERM}}=sub{{exit {status}}}; print qq(ready\\n); sleep 1 while 1");
        assert_eq!(signalled(&[], &script, &[libc::SIGTERM]).code(), status);
    }
}

#[test]
fn we_die_of_the_first_signal_also_if_the_command_dies_of_another() {
    let script = "$|=1; $SIG{INT}=sub{print qq(again\\n)}; print qq(ready\\n); sleep 1 while 1";
    assert_eq!(signalled(&[], script, &[libc::SIGINT, libc::SIGTERM]).code(), DIES + libc::SIGINT);
    let stubborn = "$|=1; $SIG{TERM}='IGNORE'; print qq(ready\\n); sleep 1 while 1";
    assert_eq!(signalled(&["-k", "10ms"], stubborn, &[libc::SIGTERM]).code(), DIES + libc::SIGTERM);
}

#[test]
fn a_stopped_command_can_act_on_the_signal() {
    let place = Place::new();
    let mut run = place.retry(quiet(&[], &["sh", "-c", "echo $$; kill -STOP $$; sleep 1000"])).start();
    let child = Lines::of(&mut run).pid();
    until("a stopped child", || crate::processes::status_field(child, "State").starts_with('T'));
    run.kill(libc::SIGTERM);
    assert_eq!(run.wait().code(), DIES + libc::SIGTERM);
    gone(child);
}

#[test]
fn kill_follows_a_forwarded_signal_only_if_a_grace_was_given() {
    let place = Place::new();
    let script = "$|=1; $SIG{TERM}=sub{print qq(got it\\n)}; print qq(up\\n); select undef, undef, undef, 0.01 until -e 'go'; exit 6";
    let mut run = place.retry(quiet(&[], &["perl", "-e", script])).start();
    let mut lines = Lines::of(&mut run);
    assert_eq!(lines.next(), "up");
    run.kill(libc::SIGTERM);
    assert_eq!(lines.next(), "got it");
    place.write("go", "");
    assert_eq!(run.wait().code(), 6);
    let ended =
        signalled(&["-k", "10ms"], "$|=1; $SIG{TERM}='IGNORE'; print qq(r\\n); sleep 1 while 1", &[libc::SIGTERM]);
    assert_eq!(ended.code(), DIES + libc::SIGTERM);
}

#[test]
fn a_hang_up_that_the_command_takes_for_a_reload_changes_nothing() {
    // The command outlives HUP by more than the 10 s of contract C20, fails, and is retried.
    let script = "$|=1; if ($ENV{RETRY_ATTEMPT} == 2) { exit 0 }
        $SIG{HUP} = sub { $end = time + 12 }; print qq(ready\\n); select undef, undef, undef, 0.05 until $end and time >= $end; exit 3";
    // With a grace as well: KILL is not for a reload.
    assert_eq!(signalled(&["-k", "1s"], script, &[libc::SIGHUP]).code(), 0);
}

#[test]
fn a_hang_up_that_ends_the_command_ends_the_run() {
    let script = "$|=1; print qq(ready\\n); sleep 1 while 1";
    assert_eq!(signalled(&[], script, &[libc::SIGHUP]).code(), DIES + libc::SIGHUP);
}

#[test]
fn news_for_the_command_reaches_it_alone_and_the_run_goes_on() {
    let place = Place::new();
    let script = r#"
        my ($real) = grep { /^NUM36$/ } keys %SIG;
        $SIG{$_} = sub { print "$$ $_[0]\n" } for qw(USR1 USR2 ALRM WINCH CONT), grep defined, $real;
        $| = 1; my $child = fork // die; if ($child == 0) { $SIG{TERM} = sub { exit 0 }; print "up\n"; sleep 1 while 1 }
        sleep 1 until -e "go"; kill TERM => $child; waitpid $child, 0; exit 4;"#;
    let mut run = place.retry(quiet(&["-n", "1"], &["perl", "-e", script])).start();
    let mut lines = Lines::of(&mut run);
    assert_eq!(lines.next(), "up");
    let child = crate::processes::children(run.pid())[0];
    let signals = [
        (libc::SIGUSR1, "USR1"),
        (libc::SIGUSR2, "USR2"),
        (libc::SIGALRM, "ALRM"),
        (libc::SIGWINCH, "WINCH"),
        (libc::SIGCONT, "CONT"),
        (36, "NUM36"),
    ];
    for (signal, name) in signals {
        run.kill(signal);
        assert_eq!(lines.next(), format!("{child} {name}"));
    }
    place.write("go", "");
    assert_eq!(lines.next(), "", "a descendant got one as well");
    assert_eq!(run.wait().code(), 4);
}

#[test]
fn a_delay_ends_with_a_signal_and_is_not_disturbed_by_news() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
        let place = Place::new();
        let mut run = place.retry(quiet(&LONG, &["sh", "-c", "echo $$; exit 1"])).start();
        let mut lines = Lines::of(&mut run);
        let child = lines.pid();
        gone(child);
        idle(run.pid());
        for news in [libc::SIGUSR1, libc::SIGUSR2, libc::SIGALRM, libc::SIGWINCH, libc::SIGCONT, libc::SIGRTMIN()] {
            run.kill(news);
        }
        run.kill(signal);
        assert_eq!(lines.next(), "", "another attempt was made");
        assert_eq!(run.wait().code(), DIES + signal);
    }
}

#[test]
fn a_stop_during_a_delay_stops_us_and_a_continue_lets_us_go_on() {
    let place = Place::new();
    // In a process group with a parent outside it: the kernel lets no TSTP stop a group that has none (POSIX: orphaned), and that of the
    // tests may be one where they run without a terminal.
    let mut command = place.retry(quiet(&LONG, &["sh", "-c", "echo $$; exit 1"]));
    command.command().process_group(0);
    let mut run = command.start();
    let child = Lines::of(&mut run).pid();
    gone(child);
    idle(run.pid());
    run.kill(libc::SIGTSTP);
    until("a stop", || crate::processes::status_field(run.pid(), "State").starts_with('T'));
    run.kill(libc::SIGCONT);
    until("a sleep", || crate::processes::status_field(run.pid(), "State").starts_with('S'));
    run.kill(libc::SIGTERM);
    assert_eq!(run.wait().code(), DIES + libc::SIGTERM);
}

#[test]
fn what_was_ignored_on_entry_stays_ignored() {
    let place = Place::new();
    let script = "echo ready; until [ -e go ]; do sleep 0.01; done; exit 3";
    let command = place.retry(quiet(&["-n", "1"], &["sh", "-c", script]));
    let mut run = command.ignoring(&[libc::SIGHUP, libc::SIGUSR1, libc::SIGTERM]).start();
    assert_eq!(Lines::of(&mut run).next(), "ready");
    run.kill(libc::SIGHUP);
    run.kill(libc::SIGUSR1);
    run.kill(libc::SIGTERM);
    place.write("go", "");
    assert_eq!(run.wait().code(), 3);
}

#[test]
fn what_was_blocked_on_entry_is_acted_on() {
    let place = Place::new();
    let command = place.retry(quiet(&LONG, &["sh", "-c", "echo $$; exit 1"]));
    let mut run = command.blocking(&[libc::SIGTERM, libc::SIGCHLD]).start();
    let child = Lines::of(&mut run).pid();
    gone(child);
    run.kill(libc::SIGTERM);
    assert_eq!(run.wait().code(), DIES + libc::SIGTERM);
}

#[test]
fn a_supervisor_that_reaches_the_command_first_is_waited_for() {
    for signal in [libc::SIGTERM, libc::SIGHUP] {
        let place = Place::new();
        let mut run = place.retry(quiet(&[], &["sh", "-c", "echo $$; exec sleep 1000"])).start();
        let mut lines = Lines::of(&mut run);
        let child = lines.pid();
        kill(child, signal);
        run.kill(signal);
        assert_eq!(lines.next(), "", "another attempt was made");
        assert_eq!(run.wait().code(), DIES + signal);
    }
}

#[test]
fn a_write_without_a_reader_and_a_pipe_signal_from_somebody_else_are_told_apart() {
    let place = Place::new();
    let mut run = place.retry(quiet(&[], &["sh", "-c", "echo $$; exec sleep 1000"])).start();
    let child = Lines::of(&mut run).pid();
    run.kill(libc::SIGPIPE);
    assert_eq!(run.wait().code(), DIES + libc::SIGPIPE);
    gone(child);
}

#[test]
fn a_kill_of_us_takes_the_command_along() {
    let place = Place::new();
    let mut run = place.retry(quiet(&[], &["sh", "-c", "echo $$; exec sleep 1000"])).start();
    let child = Lines::of(&mut run).pid();
    run.kill(libc::SIGKILL);
    assert_eq!(run.wait().code(), DIES + libc::SIGKILL);
    gone(child);
}

#[test]
fn death_by_quit_leaves_no_core() {
    let place = Place::new();
    let mut run =
        place.bash("ulimit -c unlimited; exec retry -qq --no-dead-letter -- sh -c 'echo $$; exec sleep 1000'").start();
    Lines::of(&mut run).pid();
    run.kill(libc::SIGQUIT);
    let ended = run.wait();
    assert_eq!(ended.code(), DIES + libc::SIGQUIT);
    assert!(!std::os::unix::process::ExitStatusExt::core_dumped(&ended.status));
}
