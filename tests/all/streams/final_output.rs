//! `--output final`: the reader gets the output of one attempt, whole, or nothing. Contract S11.

use crate::harness::Place;

#[test]
fn only_the_successful_attempt_reaches_stdout() {
    let place = Place::new();
    let script = "echo try$RETRY_ATTEMPT; test $RETRY_ATTEMPT = 3";
    let ended = place.retry(["-q", "-n", "5", "--base", "0", "--output", "final", "--", "sh", "-c", script]).run();
    ended.is(0, "try3\n", "try1\ntry2\n");
}

#[test]
fn a_run_that_fails_gives_its_reader_nothing() {
    let place = Place::new();
    let args = [
        "-q",
        "--no-dead-letter",
        "-n",
        "2",
        "--base",
        "0",
        "--output",
        "final",
        "--",
        "sh",
        "-c",
        "echo half; exit 4",
    ];
    let ended = place.retry(args).run();
    assert_eq!((ended.code(), ended.out().as_str()), (4, ""));
    assert!(ended.err().starts_with("half\nhalf\nretry: gave up"), "{}", ended.err());
}

#[test]
fn bulk_beyond_memory_comes_whole_from_the_one_attempt() {
    let place = Place::new();
    // The failed attempt prints as much, of another kind.
    let script = "if [ $RETRY_ATTEMPT = 1 ]; then head -c 5000000 /dev/zero; exit 1; else seq 1000000; fi";
    let run = format!(
        "retry -q -n 2 --base 0 --output final -- sh -c '{script}' 2>err | cksum; seq 1000000 | cksum; tr -d '\\0' <err; wc -c <err"
    );
    let ended = place.bash(&run).run();
    let lines: Vec<String> = ended.out().lines().map(str::to_owned).collect();
    assert_eq!((lines.len(), &lines[0], lines[2].as_str()), (3, &lines[1], "5000000"));
}

#[test]
fn stderr_passes_at_once_while_stdout_is_held() {
    let place = Place::new();
    // The command ends only when somebody has seen its stderr: it is not held back.
    let script = "mkfifo go err; (read x <err; echo $x >seen; echo >go) & \
        retry -n 1 --output final -- sh -c 'echo held; echo now >&2; read x <go' 2>err; cat seen";
    place.bash(script).run().is(0, "held\nnow\n", "");
}

#[test]
fn what_cannot_be_held_fails_the_run_rather_than_come_in_half() {
    let place = Place::new();
    for (disk, directory, why) in [
        ("export TMPDIR=/nowhere", "/nowhere", "no such file or directory"),
        // A disk that fills up: what is held begins to be written and goes on no further.
        ("ulimit -f 2048", "$TMPDIR", "file too large"),
    ] {
        for (command, status) in [("exec cat /dev/zero", 141), ("head -c 3000000 /dev/zero; exit 0", 1)] {
            // The command dies of SIGPIPE, as it would of a reader that goes: its output has nowhere to go. One that goes
            // on has not succeeded either.
            let script = format!(
                "{disk}; retry --no-dead-letter -n 3 --base 0 --output final -- sh -c '{command}' \
                 | wc -c; echo ${{PIPESTATUS[0]}}"
            );
            let ended = place.bash(&script).run();
            assert_eq!(ended.out(), format!("0\n{status}\n"));
            let directory = directory.replace("$TMPDIR", &place.path().to_string_lossy());
            let said = format!("retry: cannot hold standard output back in {directory}: {why}\n");
            assert!(ended.err().starts_with(&said), "{}", ended.err());
        }
    }
}

#[test]
fn a_reader_that_has_gone_is_no_success() {
    let place = Place::new();
    let script = "{ retry -qq --no-dead-letter -n 3 --base 0 --output final -- sh -c 'echo n >>n; seq 100000'; echo $? >status; } | head -n 1; \
        until test -s status; do :; done; cat status; wc -l <n";
    place.bash(script).run().is(0, "1\n1\n1\n", "");
}

#[test]
fn a_reader_that_goes_while_its_output_is_held_ends_the_command() {
    let place = Place::new();
    let script = "{ retry -qq --no-dead-letter -n 3 --base 0 --output final -- sh -c 'echo n >>n; exec yes'; echo $? >status; } | :; \
        until test -s status; do :; done; cat status; wc -l <n";
    place.bash(script).run().is(0, "141\n1\n", "");
}
