//! Backups and object stores.

use super::trial::Other::{Answers200, Answers404, Answers429, Answers503, Closes, Cuts, Refuses};
use super::trial::Verdict::{Permanent, Retryable, Success};
use super::trial::{OF_HTTP, Trial, words};
use crate::loopback::{Answer, Refusing, http};

#[test]
fn restic() {
    let Some(mut trial) = Trial::of("restic", "restic", &["version"]) else { return };
    trial.env("RESTIC_PASSWORD", "x");
    let init = trial.place.program("restic", ["-r", "repo", "init"]).env("RESTIC_PASSWORD", "x").run();
    assert_eq!(init.code(), 0, "{}", init.err());
    trial.see("(a repository on this machine)", Success, &["restic", "-r", "repo", "snapshots"]);
    trial.see("(a repository that is none)", Permanent, &["restic", "-r", "nosuch", "snapshots"]);
    // From 0.17 on it tries again by itself, for 15 minutes.
    trial.limit(Some("10s"));
    trial.see_all(
        &|_: &str| http(200, &[]),
        &|port| words(&format!("restic -r rest:http://127.0.0.1:{port}/ snapshots")),
        &[(Answers404, Permanent), (Answers429, Retryable), (Answers503, Retryable), (Refuses, Retryable)],
    );
    trial.limit(None);
    trial.env("RESTIC_PASSWORD", "wrong");
    trial.see("(a password that is wrong)", Permanent, &["restic", "-r", "repo", "snapshots"]);
    trial.finish();
}

#[test]
fn borg() {
    let Some(mut trial) = Trial::of("borg", "borg", &["--version"]) else { return };
    trial.env("BORG_EXIT_CODES", "modern");
    let init = trial.place.program("borg", ["init", "-e", "none", "repo"]).run();
    assert_eq!(init.code(), 0, "{}", init.err());
    trial.see("(a repository on this machine)", Success, &["borg", "list", "repo"]);
    trial.see("(a repository that is none)", Permanent, &["borg", "list", "nosuch"]);
    trial.env("BORG_RSH", "ssh -F none -o BatchMode=yes");
    let refusing = Refusing::new();
    let remote = format!("ssh://127.0.0.1:{}/x", refusing.port);
    trial.see("refuses the connection", Retryable, &["borg", "list", &remote]);
    std::fs::create_dir(trial.place.file("repo/lock.exclusive")).unwrap();
    trial.place.write("repo/lock.exclusive/elsewhere.1-0", "");
    trial.see("(another borg holds the lock)", Retryable, &["borg", "list", "--lock-wait", "0", "repo"]);
    trial.finish();
}

#[test]
fn rclone() {
    let Some(mut trial) = Trial::of("rclone", "rclone", &["version"]) else { return };
    trial.place.write("rclone.conf", "");
    let list = |_: &str| Answer::Http(200, vec!["Content-Type: text/html".into()], "<a href=\"x\">x</a>".into());
    trial.see_all(
        &list,
        &|port| {
            words(&format!(
                "rclone --config rclone.conf --retries 1 --low-level-retries 1 --timeout 1s --contimeout 1s lsf --http-url \
                 http://127.0.0.1:{port}/ :http:"
            ))
        },
        &OF_HTTP,
    );
    trial.see("(an option that is none)", Permanent, &["rclone", "--nosuch"]);
    trial.finish();
}

#[test]
fn s3cmd() {
    let Some(mut trial) = Trial::of("s3cmd", "s3cmd", &["--version"]) else { return };
    let list = |_: &str| {
        let xml = "<?xml version=\"1.0\"?><ListAllMyBucketsResult><Buckets></Buckets></ListAllMyBucketsResult>";
        Answer::Http(200, vec!["Content-Type: application/xml".into()], xml.into())
    };
    trial.see_all(
        &list,
        &|port| {
            words(&format!(
                "s3cmd --access_key=a --secret_key=b --no-ssl --host=127.0.0.1:{port} \
                 --host-bucket=127.0.0.1:{port} ls"
            ))
        },
        &[
            (Answers200, Success),
            (Answers404, Permanent),
            // A 429 or 503 it tries again by itself, for minutes.
            (Refuses, Retryable),
            (Closes, Retryable),
            (Cuts, Retryable),
        ],
    );
    trial.see("(an option that is none)", Permanent, &["s3cmd", "--nosuch"]);
    trial.finish();
}
