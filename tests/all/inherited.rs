//! What a command inherits through us, and what it does not: a script cannot tell that we stand in between. Contract C1 to C4, R40.

use std::os::unix::process::CommandExt;

use crate::harness::{Cli, Place};
use crate::processes::{Lines, gone, kill};

const OPTIONS: [&str; 5] = ["-qq", "--no-dead-letter", "-n", "1", "--"];

/// The same program with and without us in between, by name and arguments.
fn both(place: &Place, command: &[&str]) -> [Cli; 2] {
    let wrapped = OPTIONS.iter().chain(command).copied();
    [place.program(command[0], &command[1..]), place.retry(wrapped)]
}

/// What `grep` itself, a plain program, has; `sh -c` clears the mask and would hide the fault.
const SIGNALS: [&str; 4] = ["grep", "-E", "^Sig(Ign|Blk|Cgt):", "/proc/self/status"];

#[test]
fn signals_ignored_on_entry_are_ignored_in_the_command() {
    let place = Place::new();
    let [plain, wrapped] = both(&place, &SIGNALS).map(|command| {
        let signals = &[libc::SIGHUP, libc::SIGINT, libc::SIGPIPE, libc::SIGCHLD, libc::SIGUSR1, libc::SIGTSTP, 40];
        command.ignoring(signals).run()
    });
    wrapped.is(0, &plain.out(), "");
}

#[test]
fn no_signal_is_ignored_or_blocked_that_was_not() {
    let place = Place::new();
    let [plain, wrapped] = both(&place, &SIGNALS).map(|command| command.ignoring(&[]).blocking(&[]).run());
    wrapped.is(0, &plain.out(), "");
}

#[test]
fn the_mask_is_the_one_we_got_real_time_signals_included() {
    let place = Place::new();
    let [plain, wrapped] = both(&place, &SIGNALS).map(|mut command| {
        // By the raw call: the C library would not block the first real-time signals.
        let mask: u64 = (1 << (libc::SIGTERM - 1))
            | (1 << (libc::SIGPIPE - 1))
            | (1 << (libc::SIGCHLD - 1))
            | (7 << 31)
            | (1 << 63);
        // SAFETY: one system call on a set of the size that is given.
        unsafe {
            command.command().pre_exec(move || {
                libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const mask, 0, size_of::<u64>());
                Ok(())
            });
        }
        command.run()
    });
    assert!(plain.out().contains("SigBlk:\t8000000380015000"), "{plain:?}");
    wrapped.is(0, &plain.out(), "");
}

#[test]
fn the_command_has_no_descriptor_of_ours() {
    let place = Place::new();
    let [plain, wrapped] = both(&place, &["ls", "/proc/self/fd"]).map(Cli::run);
    wrapped.is(0, &plain.out(), "");
}

#[test]
fn with_a_time_limit_and_a_letter_the_command_has_no_descriptor_of_ours_either() {
    let place = Place::new();
    let plain = place.program("ls", ["/proc/self/fd"]).run();
    let args = [
        "-qq",
        "-n",
        "2",
        "--base",
        "0",
        "-t",
        "1h",
        "--dead-letter",
        "d",
        "--retry-on-exit",
        "0",
        "--",
        "ls",
        "/proc/self/fd",
    ];
    place.retry(args).run().is(1, &plain.out().repeat(2), "");
}

#[test]
fn an_open_descriptor_is_inherited_in_every_attempt() {
    let place = Place::new();
    let script = "exec retry -qq --no-dead-letter -n 2 --base 0 -- sh -c 'test -e /proc/$$/fd/9 && echo has 9; exit 1' 9</dev/null";
    place.bash(script).run().is(1, "has 9\nhas 9\n", "");
}

#[test]
fn closed_standard_streams_stay_closed_and_none_of_our_files_lands_there() {
    let place = Place::new();
    let script = "retry -qq -n 2 --base 0 --dead-letter d -- sh -c 'ls /proc/$$/fd >>list; exit 3' <&- >&- 2>&-";
    place.bash(script).run().is(3, "", "");
    // What `sh` itself opens for the redirection of `ls` is not in its own list.
    let plain =
        "sh -c 'ls /proc/$$/fd >>plain; exit 3' <&- >&- 2>&-; sh -c 'ls /proc/$$/fd >>plain; exit 3' <&- >&- 2>&-";
    place.bash(plain).run().is(3, "", "");
    assert_eq!(place.read("list"), place.read("plain"));
}

#[test]
fn limits_umask_niceness_directory_and_environment_are_passed_on() {
    let place = Place::new();
    let script = r#"f='umask; ulimit -a; nice; pwd; env | grep -v -e ^_= -e ^RETRY_ -e ^SHLVL= | sort'
        umask 027; ulimit -n 99; export BAD=$'\xc3x\xff'
        sh -c "$f" >plain; retry -qq --no-dead-letter -n 1 -- sh -c "$f" >wrapped; cmp plain wrapped"#;
    place.bash(script).run().is(0, "", "");
}

#[test]
fn a_deleted_working_directory_is_no_hindrance() {
    let place = Place::new();
    let script = "mkdir d; cd d; rmdir ../d; exec retry -qq --no-dead-letter -n 2 --base 0 -- /bin/true";
    place.bash(script).run().is(0, "", "");
}

#[test]
fn the_pid_that_systemd_wrote_for_us_becomes_the_commands() {
    let place = Place::new();
    let script = "LISTEN_PID=$$ WATCHDOG_PID=$$ LISTEN_FDS=1 exec retry -qq --no-dead-letter -n 2 --base 0 -- \
        sh -c 'test $LISTEN_PID = $$ && test $WATCHDOG_PID = $$ && echo $LISTEN_FDS; exit 1'";
    place.bash(script).run().is(1, "1\n1\n", "");
    let other =
        "LISTEN_PID=1 WATCHDOG_PID=x exec retry -qq --no-dead-letter -n 1 -- sh -c 'echo $LISTEN_PID $WATCHDOG_PID'";
    place.bash(other).run().is(0, "1 x\n", "");
}

#[test]
fn children_that_were_there_before_and_an_ignored_sigchld_do_not_disturb() {
    let place = Place::new();
    place.bash("(sleep 0.05 & exec retry -qq --no-dead-letter -n 1 -- sh -c 'sleep 0.2; exit 6')").run().is(6, "", "");
    let wrapped = place.retry(OPTIONS.iter().chain(&["sh", "-c", "exit 3"]));
    wrapped.ignoring(&[libc::SIGCHLD]).run().is(3, "", "");
}

#[test]
fn a_job_without_a_terminal_leads_a_group_and_with_foreground_stays_in_ours() {
    let place = Place::new();
    for (options, own) in [(&[][..], true), (&["--foreground"][..], false)] {
        let mut args = vec!["-qq", "--no-dead-letter", "-n", "1"];
        args.extend(options);
        // Fields of proc(5) after the name: state, parent, group.
        args.extend(["--", "sh", "-c", "echo $$; until [ -e go ]; do sleep 0.01; done"]);
        let mut command = place.retry(args);
        // Away from the terminal that the tests may have.
        // SAFETY: setsid(2) is async-signal-safe.
        unsafe {
            command.command().pre_exec(|| {
                libc::setsid();
                Ok(())
            });
        }
        let mut run = command.start();
        let ours = run.pid();
        let child = Lines::of(&mut run).pid();
        // SAFETY: no pointers.
        let group = unsafe { libc::getpgid(child) };
        assert_eq!(group, if own { child } else { ours });
        place.write("go", "");
        run.wait();
        gone(child);
        std::fs::remove_file(place.file("go")).expect("it was written");
    }
}

#[test]
fn what_cannot_be_started_has_the_status_of_env() {
    let place = Place::new();
    place.write("plain", "echo never");
    place.write("bad", "#!/no/such\n");
    place.write("script", "echo \"$0 $1\"; exit 7");
    place.bash("chmod +x bad script; mkdir dir").run().is(0, "", "");
    let cases =
        [("/no/such", 127), ("nosuch", 127), ("./plain/x", 127), ("./bad", 127), ("./plain", 126), ("./dir", 126)];
    for (command, status) in cases {
        let env = place.program("env", [command]).run().code();
        // A file for a directory: env(1) of some versions says 126; contract C1 says not found.
        assert!(command == "./plain/x" || env == status, "env says {env} for {command:?}");
        place.retry(OPTIONS.iter().chain(&[command])).run().is(status, "", "");
    }
    // A file without `#!` is run by the shell, found by PATH or not.
    place.retry(OPTIONS.iter().chain(&["./script", "a b"])).run().is(7, "./script a b\n", "");
    let mut path = place.path().as_os_str().to_owned();
    path.push(":/bin:/usr/bin");
    let expected = format!("{} x\n", place.file("script").display());
    place.retry(OPTIONS.iter().chain(&["script", "x"])).env("PATH", &path).run().is(7, &expected, "");
}

#[test]
fn a_command_that_may_not_be_executed_anywhere_in_path_is_denied_rather_than_missing() {
    let place = Place::new();
    place.bash("mkdir a; touch a/cmd").run().is(0, "", "");
    let path = format!("{}:/bin", place.file("a").display());
    place.retry(OPTIONS.iter().chain(&["cmd"])).env("PATH", path).run().is(126, "", "");
}

#[test]
fn flags_of_shared_open_files_are_left_as_they_were() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let flags = |fd: &dyn std::os::fd::AsRawFd| {
        // SAFETY: no pointers.
        unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFL) }
    };
    // SAFETY: no pointers.
    unsafe { libc::fcntl(std::os::fd::AsRawFd::as_raw_fd(&writer), libc::F_SETFL, flags(&writer) | libc::O_NONBLOCK) };
    let before = (flags(&reader), flags(&writer));
    let mut command = place.retry(OPTIONS.iter().chain(&["echo", "x"]));
    command
        .command()
        .stdin(reader.try_clone().expect("a descriptor"))
        .stderr(writer.try_clone().expect("a descriptor"));
    assert!(command.command().stdout(std::process::Stdio::null()).status().expect("it runs").success());
    assert_eq!((flags(&reader), flags(&writer)), before);
}

#[test]
fn a_daemon_that_a_job_leaves_behind_keeps_nothing_of_ours_open() {
    let place = Place::new();
    let script = "sleep 1000 >/dev/null 2>&1 & echo $!; exit 1";
    let [plain, wrapped] = [
        place.program("sh", ["-c", script]),
        place.retry(["-qq", "-n", "1", "--dead-letter", "d", "--", "sh", "-c", script]),
    ]
    .map(|command| {
        let mut run = command.start();
        let daemon = Lines::of(&mut run).pid();
        assert_eq!(run.wait().code(), 1);
        let open = std::fs::read_dir(format!("/proc/{daemon}/fd")).expect("it runs");
        let mut open: Vec<_> = open.map(|entry| entry.expect("it runs").file_name()).collect();
        open.sort();
        kill(daemon, libc::SIGKILL);
        gone(daemon);
        open
    });
    assert_eq!(plain, wrapped);
}
