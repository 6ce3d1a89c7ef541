//! Standard input with real children over it.

use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Command, Stdio};

use super::letter::StdinFound;
use super::*;
use crate::sys::poll;

const LIMITS: StdinLimits = StdinLimits { attempts: 1 << 30, letter: 64 * 1024 };

/// A descriptor that lives as long as the test program, as an inherited one does.
fn for_ever(fd: OwnedFd) -> BorrowedFd<'static> {
    let fd: &'static OwnedFd = Box::leak(Box::new(fd));
    fd.as_fd()
}

fn over(fd: OwnedFd, mode: StdinMode, limits: StdinLimits) -> Stdin {
    Stdin::over(for_ever(fd), mode, limits, false).expect("standard input can be looked at")
}

/// A pipe that a thread writes these bytes into, and then closes.
fn piped(bytes: Vec<u8>) -> OwnedFd {
    let pipe::Pipe { read, write } = pipe::pipe().expect("a pipe");
    std::thread::spawn(move || std::fs::File::from(write).write_all(&bytes));
    read
}

/// One attempt of a shell script: what it printed.
fn attempt(stdin: &mut Stdin, is_last: bool, script: &str) -> Vec<u8> {
    stdin.begin(is_last).expect("an attempt can begin");
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdout(Stdio::piped());
    command.stdin(match stdin.child_fd() {
        // SAFETY: the descriptor belongs to `stdin` and is only duplicated.
        Some(fd) => Stdio::from(pipe::duplicate(unsafe { BorrowedFd::borrow_raw(fd) }).expect("a descriptor")),
        None => Stdio::from(pipe::duplicate(stdin.as_fd()).expect("a descriptor")),
    });
    let mut child = command.spawn().expect("sh can be started");
    drop(command);
    let mut out = child.stdout.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes).map(|_| bytes)
    });
    let pid = rustix::process::Pid::from_child(&child);
    let pidfd = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).expect("a pidfd");
    loop {
        let mut polls = vec![poll::poll_fd(pidfd.as_raw_fd(), poll::READ)];
        polls.extend(stdin.wants());
        // SAFETY: the array is valid for its length.
        let n = unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, 30_000) };
        assert!(n > 0, "the attempt hangs");
        if polls.get(1).is_some_and(|p| p.revents != 0) {
            stdin.ready();
        }
        if polls[0].revents != 0 {
            break;
        }
    }
    child.wait().expect("it has ended");
    stdin.end();
    reader.join().expect("the reader ends").expect("a pipe can be read")
}

fn rest(stdin: &Stdin) -> Vec<u8> {
    let mut bytes = Vec::new();
    std::fs::File::from(pipe::duplicate(stdin.as_fd()).expect("a descriptor"))
        .read_to_end(&mut bytes)
        .expect("a pipe can be read");
    bytes
}

fn noise(len: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut bytes = Vec::with_capacity(len + 8);
    while bytes.len() < len {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(len);
    bytes
}

#[test]
fn every_attempt_finds_the_same_input_however_far_the_ones_before_it_read() {
    let input = noise(5_000_003);
    for source in 0..2 {
        let fd = match source {
            0 => piped(input.clone()),
            _ => {
                let (ours, mut theirs) = std::os::unix::net::UnixStream::pair().expect("a pair");
                let bytes = input.clone();
                std::thread::spawn(move || theirs.write_all(&bytes));
                OwnedFd::from(ours)
            }
        };
        let mut stdin = over(fd, StdinMode::Auto, LIMITS);
        for n in [0, 1, 70_000, 1_500_001, 900_000, 4_999_999] {
            let got = attempt(&mut stdin, false, &format!("head -c {n}"));
            assert!(got == input[..n], "attempt that reads {n} of source {source}");
        }
        assert!(attempt(&mut stdin, false, "cat") == input);
        assert!(attempt(&mut stdin, true, "dd bs=777 status=none") == input);
        assert_eq!(stdin.lost(), None);
    }
}

#[test]
fn what_no_attempt_has_read_stays_where_it_is() {
    for script in ["true", "sleep 0.05"] {
        let mut stdin = over(piped(b"one\ntwo\nthree\n".to_vec()), StdinMode::Auto, LIMITS);
        assert_eq!(attempt(&mut stdin, false, script), b"");
        assert_eq!(attempt(&mut stdin, false, "read x; echo $x"), b"one\n");
        assert_eq!(attempt(&mut stdin, true, "read x; read y; echo $x $y"), b"one two\n");
        assert_eq!(rest(&stdin), b"three\n");
    }
}

#[test]
fn a_file_is_put_back_to_where_it_stood() {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(b"0123456789").expect("room");
    rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(3)).expect("a file can be sought");
    let mut stdin = over(file.into(), StdinMode::Auto, LIMITS);
    assert_eq!(attempt(&mut stdin, false, "true"), b"");
    assert_eq!(stdin.found(), StdinFound::NotRead);
    assert_eq!(attempt(&mut stdin, false, "head -c 2"), b"34");
    assert_eq!(attempt(&mut stdin, true, "cat"), b"3456789");
    // It has no name any more, so its bytes are stored.
    assert_eq!(stdin.found(), StdinFound::Stored(b"3456789".to_vec()));
}

#[test]
fn inherited_input_is_never_rewound_and_null_is_empty() {
    let mut stdin = over(piped(b"a\nb\n".to_vec()), StdinMode::Inherit, LIMITS);
    assert_eq!(attempt(&mut stdin, false, "cat"), b"a\nb\n");
    assert_eq!(attempt(&mut stdin, true, "cat"), b"");
    let mut stdin = over(piped(b"a\nb\n".to_vec()), StdinMode::Null, LIMITS);
    assert_eq!(attempt(&mut stdin, true, "cat"), b"");
    assert_eq!(rest(&stdin), b"a\nb\n");
}

#[test]
fn input_beyond_the_limit_is_lost_and_the_running_attempt_goes_on() {
    let input = noise(300_000);
    let limits = StdinLimits { attempts: 100_000, ..LIMITS };
    let mut stdin = over(piped(input.clone()), StdinMode::Auto, limits);
    assert!(attempt(&mut stdin, false, "cat") == input);
    assert_eq!(stdin.lost(), Some(Unkept::TooLong { limit: 100_000 }));
    assert_eq!(stdin.found(), StdinFound::NotStored { total_bytes: Some(300_000) });
    // The last attempt needs nothing kept, so it loses nothing.
    let mut stdin = over(piped(input.clone()), StdinMode::Auto, limits);
    assert!(attempt(&mut stdin, true, "cat") == input);
    assert_eq!(stdin.lost(), None);
}

#[test]
fn a_letter_stores_what_was_read_and_the_rest_if_the_end_is_in_sight() {
    let pipe::Pipe { read, write } = pipe::pipe().expect("a pipe");
    rustix::io::write(&write, b"a\nb\nc\n").expect("room");
    let mut stdin = over(read, StdinMode::Auto, LIMITS);
    assert_eq!(attempt(&mut stdin, true, "true"), b"");
    assert_eq!(stdin.found(), StdinFound::NotRead);
    assert_eq!(attempt(&mut stdin, true, "read x; echo $x"), b"a\n");
    assert_eq!(stdin.found(), StdinFound::NotStored { total_bytes: Some(2) });
    drop(write);
    // Other tests fork beside this one: their children hold the pipe's end for an instant.
    let began = std::time::Instant::now();
    while stdin.found() != StdinFound::Stored(b"a\nb\nc\n".to_vec()) {
        assert!(began.elapsed().as_secs() < 30, "{:?}", stdin.found());
        std::thread::yield_now();
    }
    assert_eq!(rest(&stdin), b"b\nc\n");
}

#[test]
fn a_letter_stores_nothing_beyond_its_limit() {
    let limits = StdinLimits { letter: 5, ..LIMITS };
    for (input, stored) in [(&b"12345"[..], true), (b"123456", false)] {
        let mut stdin = over(piped(input.to_vec()), StdinMode::Auto, limits);
        attempt(&mut stdin, true, "cat");
        assert_eq!(matches!(stdin.found(), StdinFound::Stored(_)), stored);
    }
}

#[test]
fn only_what_can_be_replayed_is_replayed_when_that_is_asked_for() {
    let device = std::fs::File::open("/dev/zero").expect("/dev/zero");
    let error = Stdin::over(for_ever(device.into()), StdinMode::Replay, LIMITS, false).expect_err("a device");
    assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
    let null = pipe::null().expect("/dev/null");
    assert_eq!(over(null, StdinMode::Replay, LIMITS).found(), StdinFound::Null);
}
