//! `--output on-failure`: nothing of a run that ends well, one report of one that does not. Contract S12.

use crate::harness::{Place, RETRY};
use crate::needs::{is_root, skipped};

#[test]
fn a_run_that_ends_well_prints_nothing_however_many_attempts_it_took() {
    let place = Place::new();
    for both in ["", "2>&1"] {
        let script = "echo out; echo err >&2; test $RETRY_ATTEMPT = 3";
        let run = format!("retry -n 3 --base 0 --output on-failure -- sh -c '{script}' {both}");
        place.bash(&run).run().is(0, "", "");
    }
}

#[test]
fn a_run_that_fails_prints_one_report_on_stderr() {
    let place = Place::new();
    let script = "echo out$RETRY_ATTEMPT; echo err$RETRY_ATTEMPT >&2; printf 'no \\033[31mnewline'; exit 4";
    let args = ["-n", "2", "--base", "0", "--output", "on-failure", "--dead-letter", "d", "--", "sh", "-c", script];
    let ended = place.retry(args).run();
    assert_eq!((ended.code(), ended.out().as_str()), (4, ""));
    let err = ended.err();
    let lines: Vec<&str> = err.lines().collect();
    assert!(lines[0].starts_with("retry: sh: gave up after 2 attempts in "), "{err}");
    assert!(lines[0].ends_with(": exit status 4 (exhausted)"), "{err}");
    assert!(lines[1].starts_with("command: sh -c 'echo out$RETRY_ATTEMPT"), "{err}");
    for (attempt, block) in lines[2..10].chunks(4).enumerate() {
        let n = attempt + 1;
        assert!(block[0].starts_with(&format!("attempt {n} of 2 at 2")), "{err}");
        assert!(block[0].ends_with(": exit status 4 (retryable)"), "{err}");
        assert_eq!(block[1..3], [format!("  | out{n}"), format!("  | err{n}")]);
        // What would paint a terminal is shown as text.
        assert_eq!(block[3], "  | no \\x1b[31mnewline");
    }
    assert!(
        lines[10].starts_with("dead letter ") && lines[10].contains("retryctl dead-letter replay --file "),
        "{err}"
    );
    assert_eq!(lines.len(), 11, "{err}");
}

#[test]
fn of_an_attempt_that_floods_head_and_tail_stand_in_the_report() {
    let place = Place::new();
    let args = ["-n", "1", "--no-dead-letter", "--output", "on-failure", "--", "sh", "-c", "seq 400000; exit 4"];
    let err = place.retry(args).run().err();
    let all: String = (1..=400_000).map(|i| format!("{i}\n")).collect();
    let missing = all.len() - (1 << 20);
    assert!(err.contains(&format!(" {missing} bytes more, not kept ")), "{}", &err[..300]);
    assert!(err.contains("\n  | 1\n  | 2\n") && err.contains("\n  | 399999\n  | 400000\n"));
    assert!(!err.contains("\n  | 200000\n"));
}

#[test]
fn what_no_disk_can_keep_of_an_attempt_is_counted_in_the_report() {
    let place = Place::new();
    for disk in ["export TMPDIR=/nowhere", "ulimit -f 512"] {
        let script = format!(
            "{disk}; retry -n 3 --base 0 --no-dead-letter --output on-failure -- \
             sh -c 'head -c 900000 /dev/zero | tr \"\\0\" a; exit 4'"
        );
        let ended = place.bash(&script).run();
        let text = ended.err();
        // One attempt stays in memory.
        assert_eq!((ended.code(), ended.out().as_str(), text.matches("\n  | aaa").count()), (4, "", 2), "{disk}");
        assert_eq!(text.matches(" 900000 bytes more, not kept ").count(), 2, "{disk}: {}", &text[text.len() - 300..]);
    }
}

#[test]
fn a_long_run_shows_its_first_and_its_last_attempts() {
    let place = Place::new();
    let script = "echo said$RETRY_ATTEMPT; exit 4";
    let args = ["-n", "40", "--base", "0", "--no-dead-letter", "--output", "on-failure", "--", "sh", "-c", script];
    let err = place.retry(args).run().err();
    let said = |n: u32| err.contains(&format!("\n  | said{n}\n"));
    let shown: Vec<u32> = (1..=40).filter(|n| said(*n)).collect();
    assert_eq!(shown, (1..=5).chain(26..=40).collect::<Vec<u32>>());
    assert!(err.contains("… 20 more attempts, not kept …"), "{err}");
}

/// The programs of this test that are not everywhere: it runs cron(8) itself in a namespace of its own.
fn can_run_cron() -> bool {
    let has = |path: &str| std::path::Path::new(path).exists();
    let can_unshare = || {
        let unshare = std::process::Command::new("unshare").args(["-m", "-p", "-f", "--mount-proc", "true"]).output();
        unshare.is_ok_and(|done| done.status.success())
    };
    is_root() && has("/usr/sbin/cron") && has("/etc/cron.d") && has("/var/spool/cron") && can_unshare()
}

#[test]
fn cron_mails_nothing_of_a_run_that_ends_well_and_one_report_of_one_that_does_not() {
    if !can_run_cron() {
        skipped("needs root, unshare(1) and Debian's cron");
        return;
    }
    let place = Place::new();
    let here = place.path().display();
    let setup = "mkdir etc sbin mail; cp /usr/sbin/cron crond; printf '#!/bin/sh\\nexec cat >\"%s/mail/$$\"\\n' \"$PWD\" >sbin/sendmail; chmod +x sbin/sendmail";
    place.bash(setup).run().is(0, "", "");
    let retry = format!("{RETRY} -n 3 --base 0 --output on-failure --dead-letter {here}/d");
    let jobs = format!(
        "MAILTO=root\n\
         @reboot root {retry} -- sh -c 'echo good$RETRY_ATTEMPT; echo e >&2; test $RETRY_ATTEMPT = 3'; echo $? >{here}/good\n\
         @reboot root {retry} -- sh -c 'echo bad$RETRY_ATTEMPT; echo e >&2; exit 7'; echo $? >{here}/bad\n"
    );
    place.write("etc/jobs", jobs);
    // cron runs what stands under @reboot at once where it has not run since; it mails when a job and all that it left
    // have closed their output, and then ends its child.
    let script = "mount -t tmpfs t /run && mount -t tmpfs t /var/spool/cron && mkdir -p /var/spool/cron/crontabs && \
        mount --bind etc /etc/cron.d && mount --bind sbin /usr/sbin || exit 1; ./crond -f & p=$!; \
        until test -s good && test -s bad && test -n \"$(ls mail)\" && test -z \"$(pgrep -P $p)\"; do sleep .02; done; kill $p";
    place.write("script", script);
    place.program("unshare", ["-m", "-p", "-f", "--mount-proc", "--kill-child", "bash", "script"]).run().gives(0, "");
    assert_eq!((place.read("good").as_str(), place.read("bad").as_str()), ("0\n", "7\n"));
    let mails: Vec<_> = std::fs::read_dir(place.file("mail")).expect("a directory").flatten().collect();
    assert_eq!(mails.len(), 1);
    let mail = std::fs::read_to_string(mails[0].path()).expect("a mail");
    assert!(mail.contains("  | bad1\n  | e\nattempt 2 of 3") && mail.contains("  | bad3\n"), "{mail}");
    assert!(mail.contains("retryctl dead-letter replay --file "), "{mail}");
}
