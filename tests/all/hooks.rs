//! Hooks: when they are called, what they are told, and that nothing they do changes the run. Contract D40.

use crate::harness::{Cli, Ended, Place, until};
use crate::messages::masked;

fn job(place: &Place, options: &[&str], script: &str) -> Cli {
    let plain = ["-q", "--base", "10ms", "--jitter", "none", "--no-dead-letter"];
    place.retry(plain.iter().chain(options).chain(&["--", "sh", "-c", script]))
}

fn run(place: &Place, options: &[&str], script: &str) -> Ended {
    job(place, options, script).run()
}

const GAVE_UP: &str = "retry: gave up after 2 attempts in T: exit status 3 (exhausted)\n";

#[test]
fn each_hook_has_its_turn() {
    let place = Place::new();
    let hooks =
        ["-n", "3", "--on-retry", "echo r >>seen", "--on-failure", "echo f >>seen", "--on-success", "echo s >>seen"];
    run(&place, &hooks, "test $RETRY_ATTEMPT = 2").is(0, "", "");
    assert_eq!(place.read("seen"), "r\ns\n");
    run(&place, &hooks, "exit 3").gives(3, "");
    assert_eq!(place.read("seen"), "r\ns\nr\nr\nf\n");
}

#[test]
fn a_hook_is_told_of_the_run() {
    let place = Place::new();
    let hooks = ["-n", "2", "--job", "backup", "--on-retry", "env >retrying", "--on-failure", "env >failed"];
    job(&place, &hooks, "exit 3").env("RETRY_DEFAULT_SPLAY", "0").env("RETRY_ENDING", "outer").run().gives(3, "");
    let told = |file: &str| -> Vec<String> {
        let text = place.read(file);
        let mut lines: Vec<String> =
            text.lines().filter(|line| line.starts_with("RETRY_")).map(str::to_owned).collect();
        lines.retain(|line| !line.starts_with("RETRY_ID=") && !line.starts_with("RETRY_IDEMPOTENCY_KEY="));
        lines.sort();
        lines
    };
    assert_eq!(
        told("retrying"),
        [
            "RETRY_ATTEMPT=1",
            "RETRY_ATTEMPTS=1",
            "RETRY_DELAY_MS=20",
            "RETRY_EXIT=3",
            "RETRY_JOB=backup",
            "RETRY_LAST_EXIT=3"
        ]
    );
    assert_eq!(
        told("failed"),
        [
            "RETRY_ATTEMPT=2",
            "RETRY_ATTEMPTS=2",
            "RETRY_ENDING=exhausted",
            "RETRY_EXIT=3",
            "RETRY_JOB=backup",
            "RETRY_LAST_EXIT=3"
        ]
    );
}

#[test]
fn a_hook_finds_the_letter_and_the_metrics_written_already() {
    let place = Place::new();
    std::fs::create_dir(place.file("m")).expect("a directory can be made");
    let hook = "grep -c $RETRY_DEAD_LETTER_ID letters >seen; grep -c exhausted...1 m/retry_false.prom >>seen";
    let args = ["-qq", "-n", "1", "--dead-letter", "letters", "--metrics-dir", "m", "--on-failure", hook, "false"];
    place.retry(args).run().is(1, "", "");
    assert_eq!(place.read("seen"), "1\n1\n");
}

#[test]
fn the_record_comes_on_standard_input_without_secrets_unless_they_are_asked_for() {
    for (full, shows) in [(false, false), (true, true)] {
        let place = Place::new();
        let mut args = vec!["-qq", "-n", "1", "--no-dead-letter", "--on-failure", "cat >record"];
        if full {
            args.extend(["--hook-record", "full"]);
        }
        place.retry(args.iter().chain(&["--", "sh", "-c", "exit 3", "--password=hunter2"])).run().is(3, "", "");
        let text = place.read("record");
        assert!(text.ends_with('\n') && text.lines().count() == 1, "one line: {text}");
        let record: serde_json::Value = serde_json::from_str(&text).expect("a record");
        assert_eq!(record["retry"]["ending"], "exhausted");
        assert_eq!(text.contains("hunter2"), shows, "{text}");
    }
}

#[test]
fn what_a_hook_prints_goes_to_stderr() {
    let place = Place::new();
    run(&place, &["--on-success", "echo out; echo err >&2"], "echo mine").is(0, "mine\n", "out\nerr\n");
}

#[test]
fn a_hook_may_print_where_there_is_no_stderr() {
    let place = Place::new();
    place.bash("retry --on-success 'echo printed && touch went-on' -- echo mine 2>&-").run().is(0, "mine\n", "");
    assert!(place.file("went-on").exists());
}

#[test]
fn a_hook_that_fails_is_one_warning() {
    let place = Place::new();
    let ended = run(&place, &["-n", "2", "--on-failure", "exit 7"], "exit 3");
    assert_eq!((ended.code(), ended.out().as_str()), (3, ""));
    let warning = "retry: the --on-failure hook failed: exit status 7; nothing else changes\n";
    assert_eq!(masked(&ended.err()), format!("{GAVE_UP}{warning}"));
    run(&place, &["--on-success", "exit 7"], "true").is(0, "", &warning.replace("failure", "success"));
}

#[test]
fn a_hook_that_hangs_is_ended_with_what_it_started() {
    let place = Place::new();
    let hook = "sleep 1000 & echo $! >pid; wait; touch too-late";
    let ended = run(&place, &["-n", "2", "--on-failure", hook, "--hook-timeout", "200ms"], "exit 3");
    assert_eq!((ended.code(), ended.out().as_str()), (3, ""));
    let warning = "retry: the --on-failure hook was ended after T (--hook-timeout); nothing else changes\n";
    assert_eq!(masked(&ended.err()), format!("{GAVE_UP}{warning}"));
    let pid: i32 = place.read("pid").trim().parse().expect("a process id");
    // SAFETY: signal 0 only asks whether there is such a process.
    until("what the hook started is gone", || unsafe { libc::kill(pid, 0) } != 0);
    assert!(!place.file("too-late").exists());
}

#[test]
fn a_hook_that_floods_neither_blocks_nor_reaches_stdout() {
    let place = Place::new();
    let ended = run(&place, &["--on-success", "head -c 3000000 /dev/zero"], "echo mine");
    ended.gives(0, "mine\n");
    assert_eq!(ended.stderr.len(), 3_000_000);
}

#[test]
fn a_hook_that_reads_nothing_of_a_big_record_makes_nobody_wait() {
    let place = Place::new();
    let big = "x".repeat(100_000);
    let args = ["-q", "-n", "1", "--no-dead-letter", "--on-failure", "true", "--", "sh", "-c", "exit 3", &big];
    place.retry(args).run().gives(3, "");
}

#[test]
fn a_daemon_that_a_hook_leaves_is_left_alone_and_not_waited_for() {
    let place = Place::new();
    let hook = "sleep 1000 >/dev/null 2>&1 & echo $! >pid";
    run(&place, &["--on-success", hook, "--hook-timeout", "50s"], "true").is(0, "", "");
    let pid: i32 = place.read("pid").trim().parse().expect("a process id");
    // SAFETY: the process is one that this test started.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGKILL) }, 0, "it lives on");
}

#[test]
fn a_hook_that_calls_a_failing_retry_does_not_call_itself() {
    let place = Place::new();
    let hook = "echo called >>seen; retry -n 1 --no-dead-letter false";
    let ended = place.retry(["-q", "-n", "1", "--no-dead-letter", "false"]).env("RETRY_DEFAULT_ON_FAILURE", hook).run();
    assert_eq!((ended.code(), ended.out().as_str()), (1, ""));
    assert_eq!(place.read("seen"), "called\n");
}

#[test]
fn a_run_ended_by_ctrl_c_calls_no_hook_and_one_ended_by_term_does() {
    for (signal, calls) in [(libc::SIGINT, false), (libc::SIGTERM, true)] {
        let place = Place::new();
        let hooks = ["--on-failure", "echo $RETRY_ENDING >called"];
        let running = job(&place, &hooks, "touch ready; exec sleep 60").start();
        until("the attempt runs", || place.file("ready").exists());
        running.kill(signal);
        assert_eq!(running.wait().code(), 1000 + signal);
        assert_eq!(place.file("called").exists(), calls);
        if calls {
            assert_eq!(place.read("called"), "interrupted\n");
        }
    }
}

#[test]
fn after_term_a_hook_has_little_time() {
    let place = Place::new();
    let running = job(&place, &["--on-failure", "sleep 1000"], "touch ready; exec sleep 60").start();
    until("the attempt runs", || place.file("ready").exists());
    running.kill(libc::SIGTERM);
    let ended = running.wait();
    assert_eq!(ended.code(), 1000 + libc::SIGTERM);
    assert!(ended.err().contains("the --on-failure hook was ended after 2 s"), "{}", ended.err());
}

#[test]
fn a_signal_during_a_hook_before_a_delay_ends_the_run() {
    let place = Place::new();
    let hooks = ["-n", "3", "--on-retry", "touch ready; sleep 1000"];
    let running = job(&place, &hooks, "echo x >>attempts; exit 3").start();
    until("the hook runs", || place.file("ready").exists());
    running.kill(libc::SIGTERM);
    assert_eq!(running.wait().code(), 1000 + libc::SIGTERM);
    assert_eq!(place.read("attempts"), "x\n");
}
