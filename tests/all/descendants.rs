//! The process tree: nothing survives a time limit, and nothing else is touched. Contract C30 to C33.

use std::fs::File;
use std::os::fd::AsRawFd;

use crate::harness::{Place, Running, until};
use crate::needs::root;
use crate::processes::{Lines, children, code_of, gone, is_alive, kill};

const BASE: [&str; 4] = ["-qq", "--no-dead-letter", "--base", "0"];

/// A run of a perl script without output on stderr.
fn perl(place: &Place, options: &[&str], script: &str) -> Running {
    place.retry(BASE.iter().chain(options).chain(&["--", "perl", "-e", script])).start()
}

/// Starts a descendant that prints its pid and runs on; `$how` runs in it first.
const BRANCH: &str = r#"
    use POSIX (); $| = 1;
    sub branch { my ($how) = @_; my $p = fork // die; return $p if $p; $how->(); print "$$\n"; sleep 1 while 1 }
    sub leave { POSIX::setsid() } sub stubborn { $SIG{TERM} = 'IGNORE' } sub orphan { my $p = fork // die; POSIX::_exit(0) if $p }
"#;

#[test]
fn nothing_of_a_timed_out_attempt_survives_wherever_it_went() {
    let place = Place::new();
    let script = format!(
        "{BRANCH} branch(sub {{}}); branch(sub {{ leave() }}); branch(sub {{ orphan() }}); branch(sub {{ stubborn(); orphan() }});
         branch(sub {{ leave(); orphan() }}); branch(sub {{ stubborn(); leave(); orphan() }});
         branch(sub {{ branch(sub {{ leave(); branch(sub {{ stubborn(); leave() }}) }}) }}); sleep 1 while 1"
    );
    let mut run = perl(&place, &["-n", "1", "-t", "3s", "-k", "50ms"], &script);
    let mut lines = Lines::of(&mut run);
    let descendants: Vec<i32> = (0..9).map(|_| lines.pid()).collect();
    assert_eq!(run.wait().code(), 124);
    // Not `gone`: they must be gone before we are.
    assert_eq!(descendants.iter().filter(|pid| is_alive(**pid)).count(), 0, "{descendants:?}");
}

#[test]
fn the_next_attempt_starts_when_everything_of_the_last_is_gone() {
    let place = Place::new();
    let script = format!(
        "{BRANCH} if ($ENV{{RETRY_ATTEMPT}} == 2) {{ open F, 'pid'; exit(kill(0 => <F>) ? 1 : 0) }}
         branch(sub {{ stubborn(); leave(); orphan(); open F, '>pid'; print F $$; close F }}); sleep 1 while 1"
    );
    let run = perl(&place, &["-n", "2", "-t", "3s", "-k", "50ms"], &script);
    assert_eq!(run.wait().code(), 0);
}

#[test]
fn a_chain_of_processes_that_fork_and_end_does_not_outrun_the_limit() {
    // Whoever of the chain lives holds the lock.
    let script = |leave: &str| {
        format!(
            "use POSIX (); use Fcntl ':flock'; open my $lock, '>', 'lock'; flock($lock, LOCK_EX);
             if (fork) {{ sleep 1 while 1 }} {leave} $SIG{{TERM}} = 'IGNORE'; my $last = time + 20;
             while (time < $last) {{ POSIX::_exit(0) if fork; select undef, undef, undef, 0.0005 }}"
        )
    };
    for leave in ["", "POSIX::setsid();"] {
        for _ in 0..10 {
            let place = Place::new();
            place.write("lock", "");
            let status = perl(&place, &["-n", "1", "-t", "100ms", "-k", "20ms"], &script(leave)).wait().code();
            // On a slow machine the limit may pass before perl has begun: whichever it took, nobody is left.
            assert!([124, 137].contains(&status), "{status}");
            let lock = File::open(place.file("lock")).expect("it stands there");
            // SAFETY: no pointers.
            assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) }, 0, "{leave}");
        }
    }
}

#[test]
fn a_command_that_exits_0_from_its_handler_has_timed_out_all_the_same() {
    let place = Place::new();
    let script = "$SIG{TERM} = sub { exit 0 }; sleep 1 while 1";
    assert_eq!(perl(&place, &["-n", "1", "-t", "100ms"], script).wait().code(), 124);
}

#[test]
fn a_command_that_takes_kill_to_end_has_its_status() {
    let place = Place::new();
    let script = "$SIG{TERM} = 'IGNORE'; sleep 1 while 1";
    assert_eq!(perl(&place, &["-n", "1", "-t", "3s", "-k", "50ms"], script).wait().code(), 137);
    assert_eq!(perl(&place, &["-n", "1", "-t", "50ms", "-s", "KILL"], script).wait().code(), 137);
}

#[test]
fn the_signal_of_the_limit_is_the_one_that_was_asked_for_and_reaches_a_stopped_command() {
    let place = Place::new();
    let script = "$| = 1; $SIG{USR1} = sub { print qq(usr1\\n); exit 3 }; kill STOP => $$; sleep 1 while 1";
    let mut run = perl(&place, &["-n", "1", "-t", "3s", "-s", "USR1"], script);
    assert_eq!(Lines::of(&mut run).next(), "usr1");
    assert_eq!(run.wait().code(), 124);
}

#[test]
fn what_a_job_left_on_purpose_is_left_alone_also_when_a_later_attempt_times_out() {
    let place = Place::new();
    // Attempt 1 leaves a daemon and fails, attempt 2 leaves one and hangs.
    let script = format!(
        "{BRANCH} my $p = branch(sub {{ leave(); orphan(); print qq($$\\n); open F, '>up'; sleep 1 while 1 }}); waitpid $p, 0;
         select undef, undef, undef, 0.01 until -e 'up'; exit 1 if $ENV{{RETRY_ATTEMPT}} == 1; sleep 1 while 1"
    );
    let mut run = perl(&place, &["-n", "2", "-t", "3s", "-k", "50ms"], &script);
    let mut lines = Lines::of(&mut run);
    let (meant, left_over) = (lines.pid(), lines.pid());
    assert_eq!(code_of(run), 124);
    assert!(is_alive(meant));
    assert!(!is_alive(left_over));
    kill(meant, libc::SIGKILL);
    gone(meant);
}

#[test]
fn an_orphan_of_an_earlier_attempts_daemon_is_spared() {
    let place = Place::new();
    // The daemon of attempt 1 forks while attempt 2 runs, and the fork is orphaned: its parent was not attempt 2.
    let script = format!(
        "{BRANCH} if ($ENV{{RETRY_ATTEMPT}} == 2) {{ open F, '>go'; sleep 1 while 1 }}
         my $p = branch(sub {{ leave(); orphan(); select undef, undef, undef, 0.01 until -e 'go'; orphan() }}); waitpid $p, 0; exit 1"
    );
    let mut run = perl(&place, &["-n", "2", "-t", "3s", "-k", "50ms"], &script);
    let late = Lines::of(&mut run).pid();
    assert_eq!(code_of(run), 124);
    assert!(is_alive(late));
    kill(late, libc::SIGKILL);
    gone(late);
}

#[test]
fn what_was_there_before_us_is_spared() {
    let place = Place::new();
    let script = "sleep 1000 & echo $!; exec retry -qq --no-dead-letter -n 1 -t 100ms -k 50ms -- sleep 1000";
    let mut run = place.bash(script).start();
    let before = Lines::of(&mut run).pid();
    assert_eq!(code_of(run), 124);
    assert!(is_alive(before));
    kill(before, libc::SIGKILL);
    gone(before);
}

#[test]
fn a_normal_end_leaves_what_runs_on() {
    let place = Place::new();
    for (status, options) in [(0, &[][..]), (3, &[][..]), (0, &["-t", "1h"][..]), (3, &["-t", "1h"][..])] {
        let script = format!("{BRANCH} branch(sub {{}}); select undef, undef, undef, 0.05; exit {status}");
        let mut run = perl(&place, &[&["-n", "1"], options].concat(), &script);
        let left = Lines::of(&mut run).pid();
        assert_eq!(code_of(run), status);
        assert!(is_alive(left));
        kill(left, libc::SIGKILL);
        gone(left);
    }
}

#[test]
fn with_a_time_limit_orphans_that_end_leave_no_zombie() {
    let place = Place::new();
    let script = format!(
        "{BRANCH} my $p = branch(sub {{ orphan() }}); waitpid $p, 0; select undef, undef, undef, 0.01 until -e 'go'; exit 0"
    );
    let mut run = perl(&place, &["-n", "1", "-t", "1h"], &script);
    let orphan = Lines::of(&mut run).pid();
    until("two children", || children(run.pid()).len() == 2);
    kill(orphan, libc::SIGKILL);
    until("the orphan to be reaped", || children(run.pid()).len() == 1);
    place.write("go", "");
    assert_eq!(run.wait().code(), 0);
}

#[test]
fn in_our_own_group_the_limit_ends_the_descendants_one_by_one_and_spares_the_group() {
    let place = Place::new();
    let script = "set -m
        (sleep 1000 & echo $!; retry -qq --no-dead-letter --foreground -n 1 -t 3s -k 50ms -- \
         sh -c 'trap \"\" TERM; sleep 1000 & echo $!; sleep 1000'; echo $?)";
    let mut run = place.bash(script).start();
    let mut lines = Lines::of(&mut run);
    let (others, descendant) = (lines.pid(), lines.pid());
    assert_eq!(lines.next(), "137");
    assert!(!is_alive(descendant));
    assert!(is_alive(others));
    kill(others, libc::SIGKILL);
    run.wait();
    gone(others);
}

#[test]
fn what_cannot_be_killed_ends_the_run_and_is_named() {
    // Needs root: the command, under another user than us, may not be signalled by us.
    if !root("run a command as another user") {
        return;
    }
    let place = Place::new();
    place
        .bash(&format!(
            "chmod 777 .; cp {} mine; chmod 755 mine; cp $(command -v setpriv) theirs; chmod 4755 theirs",
            crate::harness::RETRY
        ))
        .run()
        .is(0, "", "");
    let script = "exec setpriv --reuid 65534 --regid 65534 --clear-groups ./mine --no-dead-letter -n 3 --base 0 -t 3s -k 10ms -- \
        sh -c 'echo $$; exec ./theirs --reuid 0 sleep 1000 >&- 2>&-'";
    let mut run = place.bash(script).start();
    let mut lines = Lines::of(&mut run);
    let theirs = lines.pid();
    assert_eq!(lines.next(), "", "another attempt was made");
    let ended = run.wait();
    let alive = is_alive(theirs);
    kill(theirs, libc::SIGKILL);
    gone(theirs);
    assert!(alive, "it could be killed: nothing was tested");
    assert_eq!(ended.code(), 137);
    assert!(ended.err().contains(&theirs.to_string()), "{ended:?}");
}

#[test]
fn limits_of_nanoseconds_and_of_centuries_work() {
    let place = Place::new();
    assert_eq!(perl(&place, &["-n", "1", "-t", "0.000000001s"], "sleep 1 while 1").wait().code(), 124);
    for limit in ["99999999d", "0"] {
        assert_eq!(
            perl(&place, &["-n", "1", "-t", limit], "select undef, undef, undef, 0.05; exit 4").wait().code(),
            4
        );
    }
}

#[test]
fn no_timer_of_one_attempt_runs_in_the_next() {
    let place = Place::new();
    let script = "exit 1 if $ENV{RETRY_ATTEMPT} == 1; select undef, undef, undef, 1.5; exit 0";
    assert_eq!(perl(&place, &["-n", "2", "--base", "2s", "--jitter", "none", "-t", "3s"], script).wait().code(), 0);
}
