//! An input that breaks off before its end: the command cannot know, so the run must. Contract S1 to S3, R30.

use std::io::{PipeReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};

use crate::harness::{Place, until};

/// A connection to ourselves: what the command reads, and who writes it.
fn connection() -> (OwnedFd, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let writer = TcpStream::connect(listener.local_addr().expect("an address")).expect("somebody listens");
    let (reader, _) = listener.accept().expect("somebody has connected");
    (OwnedFd::from(reader), writer)
}

/// Closes a connection so that its reader meets ECONNRESET and not the end.
fn reset(stream: TcpStream) {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    let len = u32::try_from(size_of_val(&linger)).expect("it is small");
    // SAFETY: the option is read from a value of its type and length.
    let done = unsafe {
        libc::setsockopt(stream.as_raw_fd(), libc::SOL_SOCKET, libc::SO_LINGER, (&raw const linger).cast(), len)
    };
    assert_eq!(done, 0);
    drop(stream);
}

const GAVE_UP: &str = "(permanent: the input broke off before its end)\n";

#[test]
fn a_connection_that_is_reset_is_no_end_of_input_and_makes_no_success() {
    let place = Place::new();
    let (reader, mut writer) = connection();
    writer.write_all(b"half of it\n").expect("there is room");
    // What a reader downstream must not take for the whole is held back.
    let args =
        ["--no-dead-letter", "-n", "3", "--output", "final", "--", "sh", "-c", "echo $RETRY_ATTEMPT >>n; tee got"];
    let running = place.retry(args).stdin(reader).start();
    until("the command has read", || place.read_or_empty("got") == "half of it\n");
    reset(writer);
    let ended = running.wait();
    assert_eq!((ended.code(), ended.out(), place.read("n")), (1, String::new(), "1\n".into()), "{}", ended.err());
    let said =
        "half of it\nretry: standard input broke off: connection reset by peer\nretry: gave up after 1 attempt in ";
    assert!(ended.err().starts_with(said) && ended.err().ends_with(GAVE_UP), "{}", ended.err());
}

#[test]
fn a_connection_that_is_reset_behind_what_the_command_reads_is_none_of_its_concern() {
    let place = Place::new();
    let (reader, mut writer) = connection();
    writer.write_all(&[b'x'; 100]).expect("there is room");
    let script = "mkfifo go; head -c 10; echo >began; read x <go";
    let running = place.retry(["-n", "1", "--", "sh", "-c", script]).stdin(reader).start();
    until("the command has read", || place.read_or_empty("began") == "\n");
    reset(writer);
    place.write("go", "\n");
    running.wait().is(0, "xxxxxxxxxx", "");
}

/// Takes everything that stands in a pipe.
fn steal(pipe: &mut PipeReader, len: usize) {
    let mut bytes = vec![0; len];
    pipe.read_exact(&mut bytes).expect("it stands there");
}

#[test]
fn what_another_process_takes_of_the_same_pipe_is_told_and_makes_no_success() {
    let place = Place::new();
    let (mut reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(b"one\ntwo\n").expect("there is room");
    let script = "mkfifo go; head -c 4 >got; read x <go; cat >>got";
    let stdin = OwnedFd::from(reader.try_clone().expect("a descriptor"));
    let running = place.retry(["--no-dead-letter", "-n", "3", "--", "sh", "-c", script]).stdin(stdin).start();
    until("the command has read", || place.read_or_empty("got") == "one\n");
    steal(&mut reader, 8);
    place.write("go", "\n");
    let ended = running.wait();
    let said = "retry: standard input broke off: another process reads it too; --stdin inherit lets them share it\n";
    assert!(ended.err().starts_with(said) && ended.err().ends_with(GAVE_UP), "{}", ended.err());
    assert_eq!((ended.code(), place.read("got").as_str()), (1, "one\ntwo\n"));
}
