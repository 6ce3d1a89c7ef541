//! Clients of services.

use std::io::{Read, Write};
use std::net::TcpStream;

use super::trial::Other::{Answers200, Answers404, Answers503, Closes, KeepsSilent, Refuses};
use super::trial::Verdict::{Permanent, Retryable, Success};
use super::trial::{OF_HTTP, Trial, Verdict, words};
use crate::loopback::{Answer, Refusing, Server, give, http};

/// A message of PostgreSQL's protocol: its letter, its length, what it holds.
fn message(letter: u8, holds: &[u8]) -> Vec<u8> {
    let length = u32::try_from(holds.len() + 4).expect("a short message").to_be_bytes();
    [&[letter][..], &length, holds].concat()
}

fn error(severity: &str, code: &str, text: &str) -> Vec<u8> {
    message(b'E', format!("S{severity}\0V{severity}\0C{code}\0M{text}\0\0").as_bytes())
}

/// A server that speaks just enough of PostgreSQL's protocol to turn somebody away, or to fail one query.
fn postgres(greeting: Option<(&'static str, &'static str)>, query: (&'static str, &'static str)) -> Server {
    Server::serving(move |mut stream: TcpStream, _| {
        let mut buffer = [0; 4096];
        let _ = stream.read(&mut buffer);
        if let Some((code, text)) = greeting {
            give(stream, &Answer::Raw(error("FATAL", code, text)), false);
            return;
        }
        let ready = message(b'Z', b"I");
        let _ = stream.write_all(&[message(b'R', &[0; 4]), ready.clone()].concat());
        while stream.read(&mut buffer).is_ok_and(|n| n > 0 && buffer[0] == b'Q') {
            let _ = stream.write_all(&[error("ERROR", query.0, query.1), ready.clone()].concat());
        }
    })
}

const STARTING: (&str, &str) = ("57P03", "the database system is starting up");
const CROWDED: (&str, &str) = ("53300", "sorry, too many clients already");
const WRONG: (&str, &str) = ("28P01", "password authentication failed for user \"bob\"");
const DEADLOCK: (&str, &str) = ("40P01", "deadlock detected");
const SERIAL: (&str, &str) = ("40001", "could not serialize access due to concurrent update");
const SYNTAX: (&str, &str) = ("42601", "syntax error at or near \"x\"");

/// A client of PostgreSQL on trial: turned away, refused, cut off, and answered with these.
fn client(name: &'static str, command: &str, answers: &[(&str, Verdict, (&'static str, &'static str))]) {
    let Some(mut trial) = Trial::of(name, name, &["--version"]) else { return };
    for (name, value) in
        [("PGSSLMODE", "disable"), ("PGGSSENCMODE", "disable"), ("PGUSER", "bob"), ("PGCONNECT_TIMEOUT", "2")]
    {
        trial.env(name, value);
    }
    let see = |trial: &mut Trial, situation: &str, verdict, port: u16| {
        trial.see(situation, verdict, &words(&command.replace("PORT", &port.to_string())));
    };
    see(&mut trial, "refuses the connection", Retryable, Refusing::new().port);
    for (situation, verdict, (code, text)) in [
        ("is starting up", Retryable, STARTING),
        ("has too many clients", Retryable, CROWDED),
        ("says that the password is wrong", Permanent, WRONG),
    ] {
        see(&mut trial, situation, verdict, postgres(Some((code, text)), SYNTAX).port);
    }
    for (situation, verdict, answer) in answers {
        see(&mut trial, situation, *verdict, postgres(None, *answer).port);
    }
    let server = Server::serving(|stream, _| give(stream, &Answer::Closed, false));
    see(&mut trial, "closes without an answer", Retryable, server.port);
    let server = Server::serving(|stream, _| give(stream, &Answer::Silent, false));
    see(&mut trial, "keeps silent", Retryable, server.port);
    trial.finish();
}

#[test]
fn psql() {
    let answers = [
        ("answers with a deadlock", Retryable, DEADLOCK),
        ("cannot serialize", Retryable, SERIAL),
        ("answers with a syntax error", Permanent, SYNTAX),
    ];
    client("psql", "psql -X -h 127.0.0.1 -p PORT -c x db", &answers);
}

#[test]
fn pg_dump() {
    client("pg_dump", "pg_dump -h 127.0.0.1 -p PORT db", &[("answers with a syntax error", Permanent, SYNTAX)]);
}

#[test]
fn docker() {
    let Some(mut trial) = Trial::of("docker", "docker", &["--version"]) else { return };
    let list = |request: &str| {
        let body = if request.contains("_ping") { "OK" } else { "[]" };
        Answer::Http(200, vec!["Api-Version: 1.44".into(), "Content-Type: application/json".into()], body.into())
    };
    let ps = |port: u16| words(&format!("docker -H tcp://127.0.0.1:{port} ps -q"));
    trial.see_all(&list, &ps, &[(Answers200, Success), (Refuses, Retryable), (Closes, Retryable)]);
    let run = |port: u16| words(&format!("docker -H tcp://127.0.0.1:{port} run x"));
    let refusing = Refusing::new();
    let command = run(refusing.port);
    trial.see("refuses `docker run`", Retryable, &command);
    let failing = |text: &'static str| {
        Server::new(move |request, _| {
            let status = if request.contains("_ping") { 200 } else { 500 };
            let body = format!("{{\"message\":\"{text}\"}}");
            Answer::Http(status, vec!["Api-Version: 1.44".into(), "Content-Type: application/json".into()], body.into())
        })
    };
    for (situation, verdict, text) in [
        ("says that the registry limits", Retryable, "toomanyrequests: You have reached your pull rate limit"),
        ("says that the registry is not there", Retryable, "received unexpected HTTP status: 503 Service Unavailable"),
        ("says that the registry timed out", Retryable, "Get https://r/v2/: net/http: TLS handshake timeout"),
        ("says that there is no such image", Permanent, "manifest for x:latest not found: manifest unknown"),
    ] {
        let server = failing(text);
        let command = words(&format!("docker -H tcp://127.0.0.1:{} pull x", server.port));
        trial.see(situation, verdict, &command);
    }
    trial.see("(an option that is none)", Permanent, &["docker", "run", "--nosuch"]);
    trial.finish();
}

#[test]
fn kubectl() {
    let Some(mut trial) = Trial::of("kubectl", "kubectl", &["version", "--client"]) else { return };
    let get = |port: u16| words(&format!("kubectl --server http://127.0.0.1:{port} --request-timeout 1s get --raw /x"));
    trial.see_all(
        &|_: &str| http(200, &[]),
        &get,
        &[
            (Answers200, Success),
            (Answers404, Permanent),
            (Answers503, Retryable),
            (Refuses, Retryable),
            (Closes, Retryable),
            (KeepsSilent, Retryable),
        ],
    );
    // It obeys Retry-After by itself, so this 429 has none.
    let server = Server::new(|_, _| http(429, &[]));
    let command = get(server.port);
    trial.see("answers 429", Retryable, &command);
    trial.see("(a command that is none)", Permanent, &["kubectl", "nosuch"]);
    trial.finish();
}

#[test]
fn aws() {
    let Some(mut trial) = Trial::of("aws", "aws", &["--version"]) else { return };
    for (name, value) in [
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", "b"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
        ("AWS_MAX_ATTEMPTS", "1"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ] {
        trial.env(name, value);
    }
    let list = |_: &str| {
        let xml = "<?xml version=\"1.0\"?><ListAllMyBucketsResult><Buckets></Buckets></ListAllMyBucketsResult>";
        Answer::Http(200, vec!["Content-Type: application/xml".into()], xml.into())
    };
    trial.see_all(
        &list,
        &|port| words(&format!("aws --cli-read-timeout 1 --endpoint-url http://127.0.0.1:{port} s3 ls")),
        &OF_HTTP,
    );
    trial.see("(an option that is none)", Permanent, &["aws", "s3", "ls", "--nosuch"]);
    trial.finish();
}

#[test]
fn ansible() {
    let Some(mut trial) = Trial::of("ansible", "ansible", &["--version"]) else { return };
    // It does not run in the C locale.
    trial.env("LC_ALL", "C.UTF-8");
    trial.env("ANSIBLE_SSH_RETRIES", "0");
    let refusing = Refusing::new();
    let port = format!("ansible_port={}", refusing.port);
    let ping = ["ansible", "-i", "127.0.0.1,", "all", "-m", "ping", "-e", &port];
    trial.see("refuses the connection", Retryable, &ping);
    let local = ["ansible", "-i", "127.0.0.1,", "all", "-c", "local", "-m", "raw", "-a"];
    trial.see("(a task that succeeds)", Success, &[&local[..], &["true"]].concat());
    trial.see("(a task that fails)", Permanent, &[&local[..], &["false"]].concat());
    trial.finish();
}
