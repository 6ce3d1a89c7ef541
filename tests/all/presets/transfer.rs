//! Tools that move files and sources.

use super::trial::Verdict::{Permanent, Retryable, Success};
use super::trial::{OF_TRANSFER, Trial, words};
use crate::loopback::{Answer, Refusing, Server, give, http};
use crate::needs::skipped;

#[test]
fn curl() {
    let Some(mut trial) = Trial::of("curl", "curl", &["--version"]) else { return };
    trial.see_all(
        &|_: &str| http(200, &[]),
        &|port| words(&format!("curl -fsS -m 1 -o out http://127.0.0.1:{port}/")),
        &OF_TRANSFER,
    );
    trial.see("has no address", Retryable, &["curl", "-fsS", "http://nosuch.invalid/"]);
    let server = Server::new(|_, _| http(501, &[]));
    trial.see("answers 501", Permanent, &["curl", "-fsS", &server.url()]);
    trial.see("(an option that is none)", Permanent, &["curl", "-f", "--nosuch"]);
    trial.finish();
}

#[test]
fn wget() {
    let Some(mut trial) = Trial::of("wget", "wget", &["--version"]) else { return };
    trial.see_all(
        &|_: &str| http(200, &[]),
        &|port| words(&format!("wget -t 1 -T 1 -O out http://127.0.0.1:{port}/")),
        &OF_TRANSFER,
    );
    trial.see("has no address", Retryable, &["wget", "-t", "1", "http://nosuch.invalid/"]);
    trial.see("(an option that is none)", Permanent, &["wget", "--nosuch"]);
    trial.finish();
}

#[test]
fn rsync() {
    let Some(mut trial) = Trial::of("rsync", "rsync", &["--version"]) else { return };
    std::fs::create_dir_all(trial.place.file("from")).unwrap();
    trial.place.write("from/a", "a");
    trial.see("(a copy on one machine)", Success, &["rsync", "-a", "from/", "to/"]);
    trial.see("(a source that is missing)", Permanent, &["rsync", "-a", "nosuch", "to/"]);
    let module = |port: u16| format!("rsync://127.0.0.1:{port}/module/x");
    let refusing = Refusing::new();
    trial.see("refuses the connection", Retryable, &["rsync", &module(refusing.port), "to/"]);
    let daemon = |text: &'static str| {
        Server::serving(move |stream, _| {
            if text.is_empty() {
                give(stream, &Answer::Silent, false);
            } else {
                use std::io::{BufRead, BufReader, Write};
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let _ = (&stream).write_all(b"@RSYNCD: 31.0 sha512 sha256 sha1 md5 md4\n");
                let mut line = String::new();
                let _ = reader.read_line(&mut line).and_then(|_| reader.read_line(&mut line));
                give(stream, &Answer::Raw(text.into()), false);
            }
        })
    };
    for (situation, text, verdict) in [
        ("has too many connections", "@ERROR: max connections (1) reached -- try again later\n", Retryable),
        ("does not know the module", "@ERROR: Unknown module 'module'\n", Permanent),
        ("closes in the middle", "@RSYNCD: OK\n", Retryable),
    ] {
        let server = daemon(text);
        trial.see(situation, verdict, &["rsync", &module(server.port), "to/"]);
    }
    let server = daemon("");
    trial.see("keeps silent", Retryable, &["rsync", "--timeout=1", "--contimeout=1", &module(server.port), "to/"]);
    let ssh = format!("ssh -F none -o BatchMode=yes -p {}", refusing.port);
    trial.see("refuses ssh", Retryable, &["rsync", "-e", &ssh, "127.0.0.1:x", "to/"]);
    trial.or("12 or 255");
    trial.see("(an option that is none)", Permanent, &["rsync", "--nosuch"]);
    trial.finish();
}

#[test]
fn ssh() {
    let Some(mut trial) = Trial::of("ssh", "ssh", &["-V"]) else { return };
    let ssh = |port: u16| {
        let port = port.to_string();
        ["ssh", "-F", "none", "-o", "BatchMode=yes", "-o", "ConnectTimeout=1", "-p", &port, "127.0.0.1", "true"]
            .map(str::to_owned)
            .to_vec()
    };
    let command = |port: u16| ssh(port);
    let refusing = Refusing::new();
    let see = |trial: &mut Trial, situation: &str, verdict, port| {
        let command = command(port);
        trial.see(situation, verdict, &command);
    };
    see(&mut trial, "refuses the connection", Retryable, refusing.port);
    let server = Server::serving(|stream, _| give(stream, &Answer::Closed, false));
    see(&mut trial, "closes without an answer", Retryable, server.port);
    let server = Server::serving(|stream, _| give(stream, &Answer::Raw(b"SSH-2.0-x\r\n".into()), false));
    see(&mut trial, "closes in the middle of the answer", Retryable, server.port);
    let server = Server::serving(|stream, _| give(stream, &Answer::Silent, false));
    see(&mut trial, "keeps silent", Retryable, server.port);
    trial.see("has no address", Retryable, &["ssh", "-F", "none", "nosuch.invalid", "true"]);
    with_sshd(&mut trial);
    trial.finish();
}

/// The same with a real sshd, on the two ends of a pipe: no port, no login.
fn with_sshd(trial: &mut Trial) {
    let sshd = std::path::Path::new("/usr/sbin/sshd");
    let keygen = |name: &str| {
        let file = trial.place.file(name);
        let made =
            trial.place.program("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file.to_str().unwrap()]).run();
        assert_eq!(made.code(), 0, "{}", made.err());
        file.display().to_string()
    };
    if !sshd.exists() || (!std::path::Path::new("/run/sshd").exists() && std::fs::create_dir("/run/sshd").is_err()) {
        skipped("there is no sshd on this machine that runs");
        return;
    }
    let (host, user, other) = (keygen("host"), keygen("user"), keygen("other"));
    std::fs::copy(format!("{user}.pub"), trial.place.file("authorized")).unwrap();
    let authorized = trial.place.file("authorized").display().to_string();
    let known = trial.place.file("known").display().to_string();
    let daemon = format!(
        "ProxyCommand={} -i -f none -h {host} -o AuthorizedKeysFile={authorized} -o StrictModes=no -o UsePAM=no \
         -o PermitRootLogin=yes",
        sshd.display()
    );
    let known_hosts = format!("UserKnownHostsFile={known}");
    let run = |key: &str, checking: &str, command: &str| -> Vec<String> {
        let checking = format!("StrictHostKeyChecking={checking}");
        let options = ["-F", "none", "-o", "BatchMode=yes", "-o", &daemon, "-o", &known_hosts, "-o", &checking];
        let rest = ["-o", "LogLevel=ERROR", "-i", key, "-o", "IdentitiesOnly=yes", "here", command];
        [&["ssh"][..], &options, &rest].concat().iter().map(ToString::to_string).collect()
    };
    for (situation, verdict, command) in [
        ("runs the command", Success, run(&user, "accept-new", "true")),
        ("runs a command that fails with 7", Permanent, run(&user, "accept-new", "exit 7")),
        ("denies permission", Permanent, run(&other, "accept-new", "true")),
    ] {
        trial.see(situation, verdict, &command);
    }
    std::fs::remove_file(&known).unwrap();
    let command = run(&user, "yes", "true");
    trial.see("is not known", Permanent, &command);
}

#[test]
fn git() {
    let Some(mut trial) = Trial::of("git", "git", &["--version"]) else { return };
    trial.env("GIT_CONFIG_NOSYSTEM", "1");
    trial.env("GIT_TERMINAL_PROMPT", "0");
    let refs = |_: &str| Answer::Http(200, vec![], format!("{}\trefs/heads/main\n", "a".repeat(40)).into());
    trial.see_all(
        &refs,
        &|port| {
            let slow = ["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=1"].map(str::to_owned);
            let url = format!("http://127.0.0.1:{port}/x");
            [&["git".to_owned()][..], &slow, &["ls-remote".to_owned(), url]].concat()
        },
        &OF_TRANSFER,
    );
    trial.see("has no address", Retryable, &["git", "ls-remote", "http://nosuch.invalid/x"]);
    trial.see("(a repository that is none)", Permanent, &["git", "ls-remote", "nosuch"]);
    assert_eq!(trial.place.program("git", ["init", "-q", "repo"]).run().code(), 0);
    trial.place.write("repo/.git/index.lock", "");
    trial.place.write("repo/a", "a");
    trial.see("(another git holds the index)", Retryable, &["git", "-C", "repo", "add", "a"]);
    trial.see("(an option that is none)", Permanent, &["git", "fetch", "--nosuch"]);
    trial.finish();
}
