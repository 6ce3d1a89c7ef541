//! The main job on real input: what can succeed later is tried again, what cannot fails at once, and a failure never looks like a success.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::FromRawFd;
use std::process::Stdio;

use crate::harness::{Place, fenced};
use crate::needs::have;

/// A loopback port that refuses connections until somebody listens on it: bound, so that nobody else takes it.
struct Refusing {
    fd: i32,
    port: u16,
}

impl Refusing {
    fn new() -> Refusing {
        // SAFETY: plain socket calls; the address is zeroed and valid for its length.
        unsafe {
            let fd = libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
            let mut address: libc::sockaddr_in = std::mem::zeroed();
            address.sin_family = libc::AF_INET as libc::sa_family_t;
            address.sin_addr.s_addr = u32::from(std::net::Ipv4Addr::LOCALHOST).to_be();
            let mut length = size_of::<libc::sockaddr_in>() as libc::socklen_t;
            assert_eq!(libc::bind(fd, (&raw const address).cast(), length), 0, "bind");
            assert_eq!(libc::getsockname(fd, (&raw mut address).cast(), &raw mut length), 0);
            Refusing { fd, port: u16::from_be(address.sin_port) }
        }
    }

    fn listen(self) -> TcpListener {
        // SAFETY: the descriptor is this value's own and goes into the listener.
        unsafe {
            assert_eq!(libc::listen(self.fd, 8), 0, "listen");
            TcpListener::from_raw_fd(self.fd)
        }
    }
}

fn answer(mut stream: TcpStream, body: &str) {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).expect("a request");
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
        .expect("an answer");
}

#[test]
fn curl_is_tried_again_until_a_server_that_refused_twice_answers() {
    if !have("curl") {
        return;
    }
    let place = Place::new();
    let server = Refusing::new();
    let url = format!("http://127.0.0.1:{}/", server.port);
    let mut cli = place.retry(["-n", "100", "--delays", "20ms", "--", "curl", "-fsS", &url]);
    let mut child = cli.command().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut refused = 0;
    while refused < 2 {
        let line = lines.next().expect("a line for each failed attempt");
        refused += u32::from(line.starts_with("retry: attempt") && line.contains("failed: exit status 7 (retryable)"));
    }
    let listener = server.listen();
    let (stream, _) = listener.accept().unwrap();
    answer(stream, "hello\n");
    let last = lines.last().unwrap();
    let mut body = String::new();
    child.stdout.take().unwrap().read_to_string(&mut body).unwrap();
    assert_eq!((fenced(&mut child).code(), body.as_str()), (Some(0), "hello\n"));
    assert!(last.starts_with("retry: succeeded on attempt "), "{last}");
}

#[test]
fn every_exit_status_is_passed_on_after_one_attempt() {
    let place = Place::new();
    let script =
        "for i in $(seq 0 255); do retry -qq -n 1 -- sh -c \"exit $i\"; r=$?; [ $r = $i ] || echo $i became $r; done";
    place.bash(script).run().gives(0, "");
}

#[test]
fn every_exit_status_listed_as_retryable_is_tried_again_and_never_becomes_success() {
    let place = Place::new();
    let script = "for i in $(seq 0 255); do : >n
        retry -qq --no-dead-letter -n 2 --base 0 --retry-on-exit $i -- sh -c \"echo >>n; exit $i\"; r=$?
        want=$i; [ $i = 0 ] && want=1
        [ $r = $want ] && [ $(wc -l <n) = 2 ] || echo $i became $r after $(wc -l <n); done";
    place.bash(script).run().gives(0, "");
}

#[test]
fn a_run_that_gives_up_says_how_it_went_and_how_to_go_on() {
    let place = Place::new();
    let ended = place.retry(["-n", "3", "--base", "0", "--dead-letter", "d", "--", "sh", "-c", "exit 75"]).run();
    assert_eq!(ended.code(), 75);
    let err = ended.err();
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines.len(), 3, "{err}");
    assert!(lines[0].starts_with("retry: attempt 1 of 3 failed: exit status 75 (retryable); next attempt "), "{err}");
    assert!(lines[2].starts_with("retry: gave up after 3 attempts in "), "{err}");
    let letter: serde_json::Value = serde_json::from_str(place.read("d").trim()).unwrap();
    let id = letter["id"].as_str().unwrap();
    let file = place.file("d").display().to_string();
    let end = format!(": exit status 75 (exhausted); dead letter {id}: retryctl dead-letter replay --file {file} {id}");
    assert!(lines[2].ends_with(&end), "{err}");
}

#[test]
fn a_first_success_says_nothing_and_leaves_nothing() {
    let place = Place::new();
    place.retry(["--dead-letter", "d", "--", "echo", "hi"]).run().is(0, "hi\n", "");
    assert_eq!(place.read("d"), "");
    place.retry(["--", "true"]).run().is(0, "", "");
    assert!(!place.file("state").exists());
}

#[test]
fn a_failed_run_is_found_in_the_default_file() {
    let place = Place::new();
    place.retry(["-qq", "-n", "1", "--", "false"]).run().is(1, "", "");
    assert_eq!(place.read("state/retry/dead-letter.jsonl").lines().count(), 1);
}

#[test]
fn the_command_is_told_about_its_run() {
    let place = Place::new();
    let show = "echo \"$RETRY_JOB $RETRY_ATTEMPT ${RETRY_LAST_EXIT-none} ${RETRY_REPLAY-none} ${#RETRY_ID}\"; exit 9";
    let ended = place
        .retry(["-qq", "-n", "2", "--base", "0", "--job", "nightly", "--no-dead-letter", "--", "sh", "-c", show])
        .env("RETRY_REPLAY", "7")
        .env("RETRY_LAST_EXIT", "3")
        .run();
    ended.is(9, "nightly 1 none none 26\nnightly 2 9 none 26\n", "");
}

#[test]
fn the_idempotency_key_stays_the_same_and_is_derived_inside_another_run() {
    let place = Place::new();
    let script = "retry -qq --no-dead-letter -n 2 --base 0 --idempotency-key K -- sh -c '
        echo \"$RETRY_IDEMPOTENCY_KEY\" >>outer
        retry -- sh -c \"echo \\$RETRY_IDEMPOTENCY_KEY >>one\"
        retry -- sh -c \"echo \\$RETRY_IDEMPOTENCY_KEY >>two\"; exit 1'";
    place.bash(script).run().gives(1, "");
    assert_eq!(place.read("outer"), "K\nK\n");
    let (one, two) = (place.read("one"), place.read("two"));
    let keys: Vec<&str> = one.lines().chain(two.lines()).collect();
    assert_eq!(keys.len(), 4);
    assert_eq!((keys[0], keys[2]), (keys[1], keys[3]), "the same in each outer attempt");
    assert_ne!(keys[0], keys[2], "different for different commands");
    assert_ne!(keys[0], "K");
}

#[test]
fn a_letter_has_the_last_line_of_stderr_as_its_error() {
    let place = Place::new();
    let script = "echo first >&2; printf 'at 50%%\\rat 100%%\\rcannot connect\\n\\n' >&2; exit 4";
    place.retry(["-qq", "-n", "1", "--dead-letter", "d", "--", "sh", "-c", script]).run().gives(4, "");
    let letter: serde_json::Value = serde_json::from_str(place.read("d").trim()).unwrap();
    assert_eq!(letter["error"], serde_json::json!({"type": "exit_code", "message": "cannot connect"}));
}
