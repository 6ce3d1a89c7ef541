//! Counters for Prometheus, counted through the program. Contract W8.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use retry::metrics::exposition;
use retry::metrics::figures::Figures;

use crate::harness::{Ended, Place, until};
use crate::needs::have;

/// A place with an empty metrics directory `m`.
fn counted() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.file("m")).expect("a directory can be made");
    place
}

fn run(place: &Place, options: &[&str], script: &str) -> Ended {
    let plain = ["-n", "3", "--base", "0", "-qq", "--no-dead-letter", "--metrics-dir", "m"];
    place.retry(plain.iter().chain(options).chain(&["--", "sh", "-c", script])).run()
}

fn figures(file: &Path) -> Figures {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    exposition::parse(&text).unwrap_or_else(|| panic!("{} cannot be read:\n{text}", file.display())).1
}

/// Whether promtool, if it is here, has something to say about a file.
pub fn promtool_is_silent(file: &Path) -> bool {
    if !have("promtool") {
        return true;
    }
    let input = std::fs::File::open(file).expect("the file is there");
    let output = Command::new("promtool").args(["check", "metrics"]).stdin(input).output().expect("promtool runs");
    output.status.success() && output.stdout.is_empty() && output.stderr.is_empty()
}

#[test]
fn two_hundred_processes_of_one_job_and_twenty_jobs_add_up() {
    let place = counted();
    let start = |job: &str| {
        let args =
            ["-n", "2", "--base", "0", "-q", "--no-dead-letter", "--metrics-dir", "m", "--job", job, "--", "sh", "-c"];
        place.retry(args.iter().chain(&["test $RETRY_ATTEMPT = 2"])).start()
    };
    let mut runs: Vec<_> = (0..200).map(|_| start("one")).collect();
    runs.extend((0..20).map(|n| start(&format!("job {n}"))));
    for run in runs {
        run.wait().is(0, "", "");
    }
    let all = figures(&place.file("m/retry_one.prom"));
    assert_eq!(all.runs, [0, 200, 0, 0, 0, 0, 0]);
    assert_eq!((all.attempts[0], all.attempts[1]), ([0, 200, 0], [200, 0, 0]));
    assert_eq!(all.durations.iter().sum::<u64>(), 400);
    let files: Vec<_> =
        std::fs::read_dir(place.file("m")).expect("a directory").map(|entry| entry.expect("an entry")).collect();
    let names = files.iter().map(|entry| entry.file_name().into_string().expect("text"));
    assert_eq!(names.filter(|name| name.ends_with(".prom")).count(), 21);
}

#[test]
fn a_kill_at_any_instant_never_makes_a_counter_go_back() {
    let place = counted();
    let file = place.file("m/retry_true.prom");
    let rounds = std::env::var("RETRY_TEST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let mut before = Figures::default();
    for round in 0..rounds {
        let mut cli = place.retry(["-q", "--metrics-dir", "m", "true"]);
        let mut child =
            cli.command().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        // Another instant each time: whichever it is, the law holds.
        std::thread::sleep(std::time::Duration::from_micros(round * 97 % 6_000));
        let _ = child.kill();
        child.wait().expect("it ends");
        if !file.exists() {
            continue;
        }
        let now = figures(&file);
        assert!(now.total_runs() >= before.total_runs() && now.attempts[0][0] >= before.attempts[0][0]);
        before = now;
    }
    // What a killed writer left is in nobody's way.
    let runs = before.total_runs();
    place.retry(["--metrics-dir", "m", "true"]).run().is(0, "", "");
    assert_eq!(figures(&file).total_runs(), runs + 1);
}

#[test]
fn each_ending_error_and_wait_is_counted_where_it_belongs() {
    let place = counted();
    run(&place, &[], "exit 0");
    run(&place, &[], "test $RETRY_ATTEMPT = 3");
    run(&place, &["-n", "1"], "kill -9 $$");
    run(&place, &["--fail-on-exit", "2"], "exit 2");
    run(&place, &["--max-elapsed", "1ms", "--base", "1s", "--jitter", "none"], "exit 5");
    run(&place, &["--hints", "file"], "echo retry-after=9999 >$RETRY_HINT_FILE; exit 6");
    run(&place, &["-n", "1", "--timeout", "20ms"], "exec sleep 60");
    run(&place, &["-n", "1", "--until-output", "never"], "exit 0");
    let file = place.file("m/retry_sh.prom");
    let all = figures(&file);
    assert_eq!(all.runs, [1, 1, 1, 3, 1, 1, 0]);
    assert_eq!(all.attempts[0], [1, 6, 1]);
    assert_eq!((all.attempts[1], all.attempts[2]), ([0, 1, 0], [1, 0, 0]));
    let failures: Vec<_> = all.failures.iter().map(|((class, last), n)| (class.as_str(), *last, *n)).collect();
    assert_eq!(
        failures,
        [
            ("exit_1", false, 2),
            ("exit_2", true, 1),
            ("exit_5", false, 1),
            ("exit_6", false, 1),
            ("output", false, 1),
            ("signal_SIGKILL", false, 1),
            ("timeout", false, 1)
        ]
    );
    assert!(promtool_is_silent(&file));
    let mode = std::fs::metadata(&file).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o7777, 0o644);
}

#[test]
fn delays_and_letters_are_counted() {
    let place = counted();
    let args = ["-qq", "-n", "2", "--base", "20ms", "--jitter", "none", "--metrics-dir", "m", "false"];
    place.retry(args).run().is(1, "", "");
    let all = figures(&place.file("m/retry_false.prom"));
    assert!(all.delays[0] >= 0.04, "{:?}", all.delays);
    assert_eq!((all.letters_written, all.letters_failed), (1, 0));
    let last = all.last.expect("a run ended");
    assert_eq!((last.attempts, last.exit_code, last.success_at), (2, 1, 0.0));
    place.retry(args).env("XDG_STATE_HOME", "/dev/null/no").run().gives(1, "");
    let all = figures(&place.file("m/retry_false.prom"));
    assert_eq!((all.letters_written, all.letters_failed), (1, 1));
}

#[test]
fn all_series_are_there_from_the_first_run_on() {
    let place = counted();
    run(&place, &[], "true").is(0, "", "");
    let text = place.read("m/retry_sh.prom");
    for end in ["after_retry", "permanent", "exhausted", "deadline", "retry_after_too_long", "interrupted"] {
        assert!(text.contains(&format!("retry_runs_total{{name=\"sh\",ending=\"{end}\"}} 0\n")), "{end}: {text}");
    }
    assert_eq!(text.matches("retry_attempts_total{").count(), 30);
}

#[test]
fn hostile_job_names_are_safe_in_labels_and_files() {
    let place = counted();
    for job in ["../../etc/x", "a\"b\\c\nd", "name=\"x\"} 1", "sm\u{f6}rg\u{e5}s", ".hidden"] {
        let args = ["--metrics-dir", "m", "--job", job, "true"];
        place.retry(args).run().is(0, "", "");
    }
    let mut count = 0;
    for entry in std::fs::read_dir(place.file("m")).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "prom") {
            figures(&path);
            assert!(promtool_is_silent(&path), "{}", path.display());
            count += 1;
        }
    }
    assert_eq!(count, 5);
    assert_eq!(
        std::fs::read_dir(place.path())
            .expect("a directory")
            .filter(|e| e.as_ref().is_ok_and(|e| e.file_name() == "etc"))
            .count(),
        0
    );
}

#[test]
fn a_directory_that_cannot_be_written_is_one_warning() {
    let place = Place::new();
    let ended = place.retry(["-n", "2", "--base", "0", "--no-dead-letter", "--metrics-dir", "none", "false"]).run();
    assert_eq!((ended.code(), ended.out().as_str()), (1, ""));
    let warning = "retry: cannot write metrics to none/.retry_false.lock: no such file or directory\n";
    assert_eq!(ended.err().matches(warning).count(), 1, "{}", ended.err());
    assert_eq!(ended.err().lines().count(), 3);
}

#[test]
fn a_lock_that_nobody_lets_go_is_a_warning_and_the_run_is_as_it_would_be() {
    let place = counted();
    run(&place, &[], "true").is(0, "", "");
    let script = "exec 9<m/.retry_sh.lock; flock 9; retry --metrics-dir m -- sh -c 'exit 0' 9<&-";
    let ended = place.bash(script).run();
    assert_eq!((ended.code(), ended.out().as_str()), (0, ""));
    assert_eq!(
        ended.err(),
        "retry: metrics of this run are not counted: m/retry_sh.prom is locked by another process\n"
    );
    assert_eq!(figures(&place.file("m/retry_sh.prom")).total_runs(), 1);
}

#[test]
fn a_run_without_end_is_counted_while_it_goes_on() {
    let place = counted();
    let script = "test $RETRY_ATTEMPT = 3 && cp m/retry_sh.prom seen";
    run(&place, &["-n", "unlimited"], script).is(0, "", "");
    let seen = figures(&place.file("seen"));
    assert_eq!((seen.attempts[0], seen.attempts[1], seen.total_runs()), ([0, 1, 0], [0, 1, 0], 0));
    assert_eq!(figures(&place.file("m/retry_sh.prom")).runs, [0, 1, 0, 0, 0, 0, 0]);
}

#[test]
fn a_run_that_a_signal_ends_is_counted() {
    let place = counted();
    let args = ["-qq", "--metrics-dir", "m", "--", "sh", "-c", "touch ready; exec sleep 60"];
    let running = place.retry(args).start();
    until("the attempt runs", || place.file("ready").exists());
    running.kill(libc::SIGTERM);
    running.wait();
    assert_eq!(figures(&place.file("m/retry_sh.prom")).runs, [0, 0, 0, 0, 0, 0, 1]);
}

#[test]
fn the_rules_and_alerts_for_prometheus_hold() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/prometheus");
    if !have("promtool") {
        return;
    }
    for args in [["check", "rules", "rules.yml", "alerts.yml"], ["test", "rules", "tests.yml", "tests-rates.yml"]] {
        let ended = Command::new("promtool").args(args).current_dir(&dir).output().expect("promtool runs");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
}
