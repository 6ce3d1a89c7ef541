//! `--stdin`, `--stdin-max`: the same input for every attempt, and not a byte more than was read. Contract S1 to S4.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use crate::harness::Place;

/// Bytes without a pattern that a page or a pipe could hide.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 7u64;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// Two attempts that stop at odd places, and a third that reads all; each tells what it saw.
const THREE: &str = "case $RETRY_ATTEMPT in 1) head -c 12345678;; 2) head -c 40000001;; 3) cat;; esac | sha256sum >sum$RETRY_ATTEMPT; \
    test $RETRY_ATTEMPT = 3 && grep VmHWM /proc/$PPID/status >peak";

fn sums(place: &Place, input: &[u8]) {
    for (attempt, len) in [(1, 12_345_678), (2, 40_000_001), (3, input.len())] {
        place.write("part", &input[..len]);
        place.bash(&format!("sha256sum <part | cmp - sum{attempt}")).run().is(0, "", "");
    }
}

#[test]
fn three_attempts_find_the_same_sixty_four_mebibytes_in_a_pipe_in_bounded_memory() {
    let place = Place::new();
    let input = noise(64 << 20);
    let ended = place.retry(["-q", "-n", "3", "--base", "0", "--", "sh", "-c", THREE]).input(input.clone()).run();
    ended.is(0, "", "");
    sums(&place, &input);
    assert!(super::bounds::peak_kib(&place) < 16 * 1024);
}

#[test]
fn three_attempts_find_the_same_in_a_socket() {
    let place = Place::new();
    let input = noise(41_000_000);
    let (ours, mut theirs) = UnixStream::pair().expect("a pair");
    let bytes = input.clone();
    std::thread::spawn(move || theirs.write_all(&bytes));
    let retry = place.retry(["-q", "-n", "3", "--base", "0", "--", "sh", "-c", THREE]);
    retry.stdin(OwnedFd::from(ours)).run().is(0, "", "");
    sums(&place, &input);
}

#[test]
fn a_file_is_put_back_to_where_it_stood() {
    let place = Place::new();
    place.write("list", "one\ntwo\nthree\n");
    let script = "{ read first; retry -q -n 2 --base 0 -- sh -c 'cat; exit 1'; echo $first $?; cat; } <list";
    place.bash(script).run().gives(0, "two\nthree\ntwo\nthree\none 1\n");
}

#[test]
fn a_loop_that_reads_lines_loses_none_to_commands_that_read_nothing() {
    let place = Place::new();
    let script = "printf '1\\n2\\n3\\n4\\n' | while read x; do retry -- echo \"$x\"; done";
    place.bash(script).run().is(0, "1\n2\n3\n4\n", "");
    // The same where the command fails first, and where it reads one line of the loop's input.
    let script = "printf '1\\n2\\n3\\n4\\n' | while read x; do retry -q -n 2 --base 0 -- sh -c 'test $RETRY_ATTEMPT = 2 && echo '$x; done";
    place.bash(script).run().is(0, "1\n2\n3\n4\n", "");
    let script = "seq 6 | while read x; do retry -q -n 2 --base 0 -- sh -c 'read y; echo '$x' $y; test $RETRY_ATTEMPT = 2'; done";
    place.bash(script).run().is(0, "1 2\n1 2\n3 4\n3 4\n5 6\n5 6\n", "");
}

#[test]
fn a_script_that_the_shell_reads_from_its_input_goes_on_after_retry() {
    let place = Place::new();
    let script =
        "retry -- true\necho still here\nretry -q -n 2 --base 0 -- sh -c 'test $RETRY_ATTEMPT = 2'\necho here too\n";
    for shell in ["bash", "sh"] {
        place.program(shell, [""; 0]).input(script).run().is(0, "still here\nhere too\n", "");
    }
}

#[test]
fn an_input_without_end_does_not_keep_retry_from_ending() {
    let place = Place::new();
    place.bash("yes | { retry -n 1 -- head -n 2; echo $?; }").run().is(0, "y\ny\n0\n", "");
    place.bash("yes | { retry -qq -n 2 --base 0 -- sh -c 'exit 3'; echo $?; }").run().is(0, "3\n", "");
    // A writer that never writes: the fifo stays open on descriptor 9.
    place.bash("mkfifo p; exec 9<>p; retry -n 1 -- true <p; echo $?").run().is(0, "0\n", "");
}

#[test]
fn inherited_input_is_not_put_back_and_none_is_empty() {
    let place = Place::new();
    let two = "cat; test $RETRY_ATTEMPT = 2";
    for (mode, out) in [("auto", "a\na\n"), ("replay", "a\na\n"), ("inherit", "a\n"), ("null", "")] {
        let run = |source: &str| {
            let script = format!("{source} retry -q -n 2 --base 0 --stdin {mode} -- sh -c '{two}'");
            place.bash(&script).run().is(0, out, "");
        };
        run("printf 'a\\n' |");
        place.write("file", "a\n");
        run("<file");
    }
    place
        .bash("printf '1\\n2\\n' | while read x; do retry --stdin null -- cat; echo $x; done")
        .run()
        .is(0, "1\n2\n", "");
}

#[test]
fn closed_input_stays_closed_and_the_null_device_is_inherited() {
    let place = Place::new();
    let script = "retry -n 1 -- sh -c 'test -e /proc/$$/fd/0 || echo closed' <&-; retry -n 1 -- readlink /proc/self/fd/0 </dev/null";
    place.bash(script).run().is(0, "closed\n/dev/null\n", "");
}

#[test]
fn what_cannot_be_replayed_is_an_error_where_that_was_asked_for() {
    let place = Place::new();
    let ended = place.bash("retry --stdin replay -- touch ran </dev/zero").run();
    let said = "retry: standard input cannot be replayed: it is neither a pipe, a socket nor a file\n";
    ended.is(125, "", said);
    assert!(!place.file("ran").exists());
}

#[test]
fn input_beyond_the_limit_ends_a_run_that_would_have_to_read_it_again() {
    let place = Place::new();
    // Twice what is allowed; the running attempt gets all of it.
    let script = "head -c 200000 /dev/zero | retry -n 3 --base 0 --stdin-max 100000 -- sh -c 'wc -c; exit 7'; echo $?";
    let ended = place.bash(script).run();
    assert_eq!(ended.out(), "200000\n7\n");
    let said = "retry: standard input could not be kept for another attempt: it is longer than --stdin-max (";
    assert!(ended.err().starts_with(said), "{}", ended.err());
    assert!(ended.err().contains("(permanent: the input could not be kept"), "{}", ended.err());
    // A success needs nothing again, and neither does the last attempt.
    let script = "head -c 200000 /dev/zero | retry -n 3 --stdin-max 100000 -- wc -c";
    place.bash(script).run().is(0, "200000\n", "");
    let script = "head -c 200000 /dev/zero | retry -n 1 --stdin-max 100000 -- sh -c 'wc -c; exit 7' 2>err; cat err";
    let ended = place.bash(script).run();
    assert!(ended.out().contains("(exhausted)"), "{}", ended.out());
}

#[test]
fn input_that_no_disk_can_hold_ends_the_run_and_leaves_the_attempt_undisturbed() {
    let place = Place::new();
    for (disk, why) in
        // A disk that is not there, and one that fills up while the attempt reads.
        [("export TMPDIR=/nowhere", "no such file or directory"), ("ulimit -f 2048", "file too large")]
    {
        let script = format!(
            "{disk}; head -c 3000000 /dev/zero | retry -n 3 --base 0 -- sh -c 'wc -c; exit 7'; echo $?; \
             head -c 3000000 /dev/zero | retry -n 3 --base 0 -- wc -c"
        );
        let ended = place.bash(&script).run();
        assert_eq!(ended.out(), "3000000\n7\n3000000\n");
        let said = format!("retry: standard input could not be kept for another attempt: {why}\n");
        assert!(ended.err().starts_with(&said) && ended.err().matches(&said).count() == 1, "{}", ended.err());
    }
}

#[test]
fn a_slow_writer_is_heard_line_by_line() {
    let place = Place::new();
    // Each line is written only when the one before it has been answered.
    let script = "mkfifo back; exec 9<>back; { for i in 1 2 3; do echo $i; read x <&9; done; } | \
        retry -n 1 -- sh -c 'while read x; do echo got $x; echo >&9; done'";
    place.bash(script).run().is(0, "got 1\ngot 2\ngot 3\n", "");
}
