//! As timeout(1) from GNU coreutils: the mapping of the manual's section AS TIMEOUT, and what timeout's users rely on.

use crate::harness::{Cli, Place};
use crate::processes::{Lines, gone};

/// Maps a command line of timeout(1), as the manual does, to one of `retry`.
fn timeout(place: &Place, args: &[&str]) -> Cli {
    let mut options = vec!["-qq", "-n", "1", "--no-dead-letter"];
    let mut rest = args;
    while let [option, tail @ ..] = rest {
        match *option {
            "-k" | "-s" => {
                options.extend(&rest[..2]);
                rest = &rest[2..];
            }
            _ if option.starts_with('-') => {
                options.push(option);
                rest = tail;
            }
            _ => break,
        }
    }
    let [limit, command @ ..] = rest else { panic!("a limit: {args:?}") };
    options.extend(["-t", limit, "--"]);
    options.extend(command);
    place.retry(options)
}

#[test]
fn the_exit_status_is_that_of_timeout() {
    let place = Place::new();
    let slow = "sleep 1000";
    let stubborn = "trap '' INT; echo up; sleep 1000; sleep 1000";
    let cases: &[(&[&str], i32)] = &[
        (&["10", "true"], 0),
        (&["1d", "true"], 0),
        (&["0", "true"], 0),
        (&["10.34", "true"], 0),
        (&["9.999999999", "true"], 0),
        (&["4294967296", "true"], 0),
        (&["9223372036854775808d", "true"], 0),
        (&["10", "sh", "-c", "exit 2"], 2),
        (&[".1", "sleep", "1000"], 124),
        (&["-s", "INT", ".1", "sh", "-c", slow], 124),
        (&["--signal=KILL", ".1", "sh", "-c", slow], 137),
        (&["-s", "INT", "-k", ".1", "1", "sh", "-c", stubborn], 137),
        (&["--foreground", "-s", "INT", "--kill-after=.1", "1", "sh", "-c", stubborn], 137),
        (&["--preserve-status", ".1", "sleep", "1000"], 143),
        (&["--preserve-status", "-s", "INT", ".1", "sleep", "1000"], 130),
        (&["--preserve-status", "-s", "KILL", ".1", "sleep", "1000"], 137),
        (&["--preserve-status", "1", "perl", "-e", "$SIG{TERM}=sub{exit 5}; sleep 1 while 1"], 5),
        (&["--foreground", ".1", "sleep", "1000"], 124),
        (&["invalid", "true"], 125),
        (&["--kill-after=invalid", "1", "true"], 125),
        (&["42D", "true"], 125),
        (&["--signal=invalid", "1", "true"], 125),
        (&["10", "."], 126),
        (&["10", "no_such"], 127),
    ];
    for (args, status) in cases {
        let ended = timeout(&place, args).run();
        assert_eq!(ended.code(), *status, "{args:?}: {ended:?}");
    }
}

#[test]
fn it_is_immune_to_the_signals_and_children_of_its_parent() {
    let place = Place::new();
    timeout(&place, &["10", "true"]).ignoring(&[libc::SIGCHLD]).run().is(0, "", "");
    timeout(&place, &[".1", "sleep", "1000"]).blocking(&[libc::SIGALRM]).run().is(124, "", "");
    let script = "sleep .1 & exec retry -qq -n 1 --no-dead-letter -t .5 -- sh -c 'sleep 2; echo late'";
    place.bash(script).run().is(124, "", "");
}

#[test]
fn one_in_another_ends_the_command_and_both_report_it() {
    let place = Place::new();
    let retry = crate::harness::RETRY;
    let inner = [retry, "-qq", "-n", "1", "--no-dead-letter", "-t", "1h", "--"];
    let command = ["sh", "-c", "echo $$; exec sleep 1000"];
    let args: Vec<&str> = ["-s", "INT", "1"].iter().chain(&inner).chain(&command).copied().collect();
    let mut run = timeout(&place, &args).start();
    let child = Lines::of(&mut run).pid();
    assert_eq!(run.wait().code(), 124);
    gone(child);
}
