//! Which file, and which files will not do. Contract D1 to D4.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{FILE, letter_ctl, letter_of};
use crate::harness::Place;
use crate::needs::{is_root, root};

#[test]
fn the_file_is_the_first_that_is_named_or_found() {
    let place = Place::new();
    let path = |env: &[(&str, &str)], args: &[&str]| {
        let mut command = place.retryctl(["dl", "path"].iter().chain(args)).env_remove("XDG_STATE_HOME");
        for (name, value) in env {
            command = command.env(name, value);
        }
        let ended = command.run();
        assert_eq!(ended.code(), 0, "{}", ended.err());
        ended.out().trim_end().to_owned()
    };
    let all = [("RETRY_DEFAULT_DEAD_LETTER", "/v"), ("STATE_DIRECTORY", "/s:/t"), ("XDG_STATE_HOME", "/x")];
    assert_eq!(path(&all, &["--file", "/o"]), "/o");
    assert_eq!(path(&all, &[]), "/v");
    assert_eq!(path(&all[1..], &[]), "/s/dead-letter.jsonl");
    assert_eq!(path(&all[2..], &[]), "/x/retry/dead-letter.jsonl");
    let own = if is_root() {
        "/var/lib/retry/dead-letter.jsonl".into()
    } else {
        place.file(".local/state/retry/dead-letter.jsonl").display().to_string()
    };
    assert_eq!(path(&[], &[]), own);
}

#[test]
fn a_named_file_that_cannot_be_appended_to_is_an_error_before_anything_runs() {
    let place = Place::new();
    fs::create_dir(place.file("directory")).unwrap();
    symlink(place.file("target"), place.file("link")).unwrap();
    let why = |file: &str| place.retry(["--dead-letter", file, "touch", "ran"]).run();
    why("directory").is(125, "", "retry: cannot use directory: it is not a regular file\n");
    why("link").is(125, "", "retry: cannot use link: it is a symbolic link\n");
    why("no/such").is(125, "", "retry: cannot create no/such: no such file or directory\n");
    why("/dev/null").is(125, "", "retry: cannot use /dev/null: it is not a regular file\n");
    place.retry(["touch", "ran"]).env("RETRY_DEFAULT_DEAD_LETTER", "link").run().gives(125, "");
    assert!(!place.file("ran").exists() && !place.file("target").exists());
}

#[test]
fn a_default_file_that_cannot_be_opened_is_one_warning_and_the_letter_goes_to_stderr() {
    let place = Place::new();
    place.write("state", "a file where a directory should be");
    let fail = ["-n3", "--base=0", "sh", "-c", "exit 7"];
    let ended = place.retry(fail).env("XDG_STATE_HOME", place.file("state")).run();
    assert_eq!(ended.code(), 7);
    let err = ended.err();
    assert_eq!(err.matches("no dead letter can be kept").count(), 1, "{err}");
    assert_eq!(err.matches("retry: dead letter not saved: {").count(), 1, "{err}");
}

#[test]
fn a_default_file_is_made_when_an_attempt_has_failed_and_not_before() {
    let place = Place::new();
    let run = |command: &str| place.retry(["-qq", "-n1", command]).env("XDG_STATE_HOME", place.file("x")).run();
    run("true").is(0, "", "");
    assert!(!place.file("x").exists());
    run("false").is(1, "", "");
    let mode = |path: &str| fs::metadata(place.file(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("x"), mode("x/retry")), (0o700, 0o700));
    assert_eq!(mode("x/retry/dead-letter.jsonl"), 0o600);
}

#[test]
fn a_file_of_letters_is_for_its_owner_alone_whatever_the_umask() {
    let place = Place::new();
    place.bash("umask 0; retry -qq -n1 --dead-letter letters -- false; true").run().is(0, "", "");
    assert_eq!(fs::metadata(place.file(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_file_that_others_may_write_is_appended_to_with_a_warning_and_never_run_from() {
    let place = Place::new();
    let id = super::id(&letter_of(&place, &[], &["sh", "-c", "touch ran; exit 1"])).to_owned();
    fs::remove_file(place.file("ran")).unwrap();
    fs::set_permissions(place.file(FILE), Permissions::from_mode(0o620)).unwrap();
    let warned = place.retry(["-q", "-n1", "--dead-letter", FILE, "false"]).run();
    assert_eq!(warned.err().matches("may be written by group or others (mode 0620)").count(), 1, "{}", warned.err());
    for verb in [&["replay", &id][..], &["discard", &id], &["restore", &id], &["purge", "--older-than=0", "--yes"]] {
        let refused = letter_ctl(&place, verb).run();
        assert_eq!((refused.code(), refused.out().as_str()), (74, ""), "{verb:?}");
        assert!(refused.err().contains("group or others may write it"), "{}", refused.err());
    }
    assert_eq!(letter_ctl(&place, &["list", "--format=ids"]).run().out().lines().count(), 2);
    assert!(!place.file("ran").exists());
}

#[test]
fn a_link_is_refused_by_every_verb() {
    let place = Place::new();
    letter_of(&place, &[], &["false"]);
    fs::rename(place.file(FILE), place.file("real")).unwrap();
    symlink(place.file("real"), place.file(FILE)).unwrap();
    for verb in ["list", "stats", "verify", "replay --all --yes", "discard --all --yes", "purge --older-than 0 --yes"] {
        let refused = letter_ctl(&place, &verb.split(' ').collect::<Vec<_>>()).run();
        assert_eq!(refused.code(), 74, "{verb}: {}", refused.err());
        assert!(refused.err().contains("it is a symbolic link"), "{}", refused.err());
    }
}

#[test]
fn root_looks_at_the_letters_of_others_and_is_told_who_may_replay_them() {
    if !root("give a file away") {
        return;
    }
    let place = Place::new();
    let id = super::id(&letter_of(&place, &[], &["false"])).to_owned();
    std::os::unix::fs::chown(place.file(FILE), Some(12345), None).unwrap();
    assert_eq!(letter_ctl(&place, &["list", "--format=ids"]).run().out().trim_end(), id);
    let shown = letter_ctl(&place, &["show", &id]).run().out();
    let file = place.file(FILE).display().to_string();
    let line = format!("\n  sudo -u '#12345' retryctl dead-letter replay --file {file} {id}\n");
    assert!(shown.ends_with(&line), "{shown}");
    let refused = letter_ctl(&place, &["replay", &id]).run();
    assert_eq!(refused.code(), 74);
    let line = format!("sudo -u '#12345' retryctl dead-letter replay --file letters {id}\n");
    assert!(refused.err().ends_with(&line), "{}", refused.err());
    let appended = place.retry(["-n1", "--dead-letter", FILE, "touch", "ran"]).run();
    assert_eq!((appended.code(), place.file("ran").exists()), (125, false), "{}", appended.err());
}
