//! The command's input and output, and its hints.

use super::run;
use crate::harness::Place;

#[test]
pub fn stdin_says_what_each_attempt_reads() {
    let place = Place::new();
    let read = |how: &[&str], out: &str| {
        run(&place, &[&["-n2"], how].concat(), "cat; exit 3").input("abc\n").run().is(3, out, "")
    };
    read(&[], "abc\nabc\n");
    read(&["--stdin", "replay"], "abc\nabc\n");
    read(&["--stdin", "inherit"], "abc\n");
    read(&["--stdin", "null"], "");
}

#[test]
pub fn stdin_max_limits_what_is_kept() {
    let place = Place::new();
    let script = "wc -c; exit 3";
    run(&place, &["-n2", "--stdin-max", "100"], script).input([b'x'; 1000]).run().gives(3, "1000\n");
    run(&place, &["-n2", "--stdin-max", "1K"], script).input([b'x'; 1000]).run().gives(3, "1000\n1000\n");
}

#[test]
pub fn output_says_what_gets_through() {
    let place = Place::new();
    let script = "echo out $RETRY_ATTEMPT; test $RETRY_ATTEMPT = 2";
    run(&place, &[], script).run().is(0, "out 1\nout 2\n", "");
    run(&place, &["--output", "inherit"], script).run().is(0, "out 1\nout 2\n", "");
    run(&place, &["--output", "final"], script).run().is(0, "out 2\n", "out 1\n");
    run(&place, &["--output", "on-failure"], script).run().is(0, "", "");
    let failed = place.retry(["-n1", "--output=on-failure", "--no-dead-letter", "sh", "-c", "echo out; exit 3"]).run();
    assert_eq!((failed.code(), failed.out().as_str()), (3, ""));
    assert!(failed.err().contains("| out\n"), "{}", failed.err());
}

#[test]
pub fn hints_are_taken_from_a_file_or_from_headers() {
    let place = Place::new();
    let file = "echo x; echo retry=no >$RETRY_HINT_FILE; exit 3";
    run(&place, &["-n2", "--hints", "file"], file).run().is(3, "x\n", "");
    run(&place, &["-n2", "--hints", "http,file"], file).run().is(3, "x\n", "");
    // Two hours are more than may be asked for, so that the run ends at once, if it understands.
    let headers = r"printf 'HTTP/1.1 503 Unavailable\r\nRetry-After: 7200\r\n\r\n'; exit 3";
    let once = "HTTP/1.1 503 Unavailable\r\nRetry-After: 7200\r\n\r\n";
    run(&place, &["-n2", "--hints", "http"], headers).run().is(3, once, "");
    run(&place, &["-n2"], headers).run().is(3, &once.repeat(2), "");
}

#[test]
pub fn retry_after_max_ends_a_run_that_is_told_to_wait_longer() {
    let place = Place::new();
    let script = "echo x; echo 0.01 >$RETRY_HINT_FILE; exit 3";
    run(&place, &["-n2", "--hints=file", "--retry-after-max", "500ms"], script).run().is(3, "x\n", "");
    run(&place, &["-n2", "--hints=file"], script).run().is(3, "x\nx\n", "");
}

#[test]
pub fn ignore_retry_after_waits_as_without_it() {
    let place = Place::new();
    let script = "echo x; echo 7200 >$RETRY_HINT_FILE; exit 3";
    run(&place, &["-n2", "--hints=file", "--ignore-retry-after"], script).run().is(3, "x\nx\n", "");
    run(&place, &["-n2", "--hints=file"], script).run().is(3, "x\n", "");
}
