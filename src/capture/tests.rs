//! Standard output and error with real children behind them.

use std::io::Read;
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Command, Stdio};

use super::*;
use crate::relay;
use crate::sys::pipe::Got;

/// A pipe for our own stdout or stderr: its write end lives as long as the test program unless it is closed by hand.
struct Ours {
    read: OwnedFd,
    write: &'static OwnedFd,
}

impl Ours {
    fn new() -> Ours {
        let pipe::Pipe { read, write } = pipe::pipe().expect("a pipe");
        Ours { read, write: Box::leak(Box::new(write)) }
    }

    /// What stands in it, without waiting.
    fn taken(&self) -> String {
        pipe::set_nonblocking(self.read.as_fd()).expect("a pipe of ours");
        let mut bytes = vec![0; 1 << 20];
        match pipe::read_now(self.read.as_fd(), &mut bytes).expect("readable") {
            Got::Bytes(n) => String::from_utf8_lossy(&bytes[..n]).into_owned(),
            Got::Nothing | Got::End => String::new(),
        }
    }
}

fn output(mode: OutputMode, observed: Observed, ours: [&Ours; 2]) -> Output {
    Output::over([ours[0].write.as_fd(), ours[1].write.as_fd()], mode, observed, [false; 2])
}

/// Everything that an observer was given.
#[derive(Default)]
struct Seen(Vec<(Stream, u8)>);

impl Observer for Seen {
    fn observe(&mut self, stream: Stream, bytes: &[u8]) {
        self.0.extend(bytes.iter().map(|b| (stream, *b)));
    }
}

impl Seen {
    fn text(&self, stream: Stream) -> String {
        self.0.iter().filter(|(s, _)| *s == stream).map(|(_, b)| char::from(*b)).collect()
    }
}

/// One attempt of a shell script, with whatever it left in the pipes; nothing is delivered after its end.
fn attempt(output: &mut Output, ours: [&Ours; 2], script: &str, observer: &mut dyn Observer) {
    output.begin().expect("an attempt can begin");
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::null());
    let [out, err] = output.child_fds();
    let end = |fd: Option<RawFd>, own: &'static OwnedFd| match fd {
        // SAFETY: the descriptor belongs to `output` and is only duplicated.
        Some(fd) => Stdio::from(pipe::duplicate(unsafe { BorrowedFd::borrow_raw(fd) }).expect("a descriptor")),
        None => Stdio::from(pipe::duplicate(own).expect("a descriptor")),
    };
    command.stdout(end(out, ours[0].write)).stderr(end(err, ours[1].write));
    let mut child = command.spawn().expect("sh can be started");
    drop(command);
    output.close_child_ends();
    let pid = rustix::process::Pid::from_child(&child);
    let pidfd = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).expect("a pidfd");
    loop {
        let mut polls = vec![poll::poll_fd(pidfd.as_raw_fd(), poll::READ)];
        output.wants(&mut polls);
        // SAFETY: the array is valid for its length.
        let n = unsafe { libc::poll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, 30_000) };
        assert!(n > 0, "the attempt hangs");
        output.ready(&polls[1..], observer);
        if polls[0].revents != 0 {
            break;
        }
    }
    child.wait().expect("it has ended");
    output.end(observer);
}

#[test]
fn live_leaves_stdout_alone_and_passes_stderr_with_its_end_kept() {
    let ours = [&Ours::new(), &Ours::new()];
    let mut output = output(OutputMode::Live, Observed::Nothing, ours);
    attempt(&mut output, ours, "echo out; printf 'one\\ntwo' >&2", &mut ());
    assert_eq!((ours[0].taken(), ours[1].taken()), ("out\n".into(), "one\ntwo".into()));
    assert_eq!((output.tail().bytes(), output.tail().total()), (&b"one\ntwo"[..], 7));
    assert!(!output.is_at_line_start() && output.deliver());
    // Other tests fork beside this one: their children hold our pipe for an instant, as a descendant would.
    drop(output.take_left());
    attempt(&mut output, ours, "echo three >&2", &mut ());
    assert_eq!(output.tail().bytes(), b"three\n");
    assert!(output.is_at_line_start());
}

#[test]
fn what_is_written_to_both_through_one_pipe_keeps_its_order() {
    let both = &Ours::new();
    let mut output = output(OutputMode::Live, Observed::Stderr, [both, both]);
    let mut seen = Seen::default();
    attempt(&mut output, [both, both], "echo a; echo b >&2; echo c; echo d >&2", &mut seen);
    assert_eq!(both.taken(), "a\nb\nc\nd\n");
    assert_eq!(seen.text(Stream::Both), "a\nb\nc\nd\n");
}

#[test]
fn observers_see_each_stream_and_it_goes_on_all_the_same() {
    let ours = [&Ours::new(), &Ours::new()];
    let mut output = output(OutputMode::Live, Observed::Both, ours);
    let mut seen = Seen::default();
    attempt(&mut output, ours, "echo out; echo err >&2", &mut seen);
    assert_eq!((seen.text(Stream::Stdout), seen.text(Stream::Stderr)), ("out\n".into(), "err\n".into()));
    assert_eq!((ours[0].taken(), ours[1].taken()), ("out\n".into(), "err\n".into()));
}

#[test]
fn what_nobody_asked_for_is_not_looked_at() {
    for (observed, out, err) in [(Observed::Nothing, "", ""), (Observed::Stderr, "", "err\n")] {
        let ours = [&Ours::new(), &Ours::new()];
        let mut output = output(OutputMode::Final, observed, ours);
        let mut seen = Seen::default();
        attempt(&mut output, ours, "echo out; echo err >&2", &mut seen);
        assert_eq!((seen.text(Stream::Stdout).as_str(), seen.text(Stream::Stderr).as_str()), (out, err));
    }
}

#[test]
fn final_releases_to_stdout_what_the_success_printed_and_the_rest_to_stderr() {
    let ours = [&Ours::new(), &Ours::new()];
    let mut output = output(OutputMode::Final, Observed::Nothing, ours);
    attempt(&mut output, ours, "echo first", &mut ());
    assert_eq!((ours[0].taken(), ours[1].taken()), (String::new(), String::new()));
    output.settle(false);
    assert!(output.deliver());
    assert_eq!((ours[0].taken(), ours[1].taken()), (String::new(), "first\n".into()));
    attempt(&mut output, ours, "echo second", &mut ());
    output.settle(true);
    assert!(output.deliver());
    assert_eq!((ours[0].taken(), ours[1].taken(), output.error()), ("second\n".into(), String::new(), None));
}

#[test]
fn what_final_cannot_release_because_nobody_reads_is_an_error() {
    let ours = [&Ours::new(), &Ours::new()];
    let pipe::Pipe { read, write } = pipe::pipe().expect("a pipe");
    drop(read);
    let unread: &'static OwnedFd = Box::leak(Box::new(write));
    let fds = [unread.as_fd(), ours[1].write.as_fd()];
    let mut output = Output::over(fds, OutputMode::Final, Observed::Nothing, [false; 2]);
    attempt(&mut output, ours, "echo x", &mut ());
    output.settle(true);
    assert!(output.deliver());
    assert_eq!(output.error(), Some(OutputLost::Written(libc::EPIPE)));
    assert!(output.is_reader_gone());
}

#[test]
fn a_reader_that_stalls_stalls_the_child_and_gets_the_rest_later() {
    let ours = [&Ours::new(), &Ours::new()];
    let mut output = output(OutputMode::Live, Observed::Nothing, ours);
    // More than our stderr holds, less than that and the pipe between: the child ends while its reader sleeps.
    attempt(&mut output, ours, "head -c 100000 /dev/zero >&2", &mut ());
    assert!(!output.deliver());
    let mut got = ours[1].taken().len();
    while !output.deliver() {
        got += ours[1].taken().len();
    }
    assert_eq!(got + ours[1].taken().len(), 100_000);
    assert_eq!(output.tail().total(), 100_000);
}

#[test]
fn delivery_is_over_or_waits_for_room_whatever_the_size() {
    let ours = [&Ours::new(), &Ours::new()];
    // A file never stalls, so that every turn is taken.
    let file: &'static std::fs::File = Box::leak(Box::new(tempfile::tempfile().expect("a file")));
    let fds = [file.as_fd(), ours[1].write.as_fd()];
    let mut output = Output::over(fds, OutputMode::Final, Observed::Nothing, [false; 2]);
    let mut all = 0;
    for chunks in TURNS - 2..TURNS + 2 {
        let len = chunks * CHUNK;
        attempt(&mut output, ours, &format!("head -c {len} /dev/zero"), &mut ());
        output.settle(true);
        while !output.deliver() {
            let mut polls = Vec::new();
            output.wants_room(&mut polls);
            assert!(!polls.is_empty(), "it would wait for nothing: {chunks}");
        }
        all += len as u64;
        assert_eq!(file.metadata().expect("a file").len(), all);
    }
}

#[test]
fn on_failure_keeps_both_in_their_order_and_prints_nothing() {
    let ours = [&Ours::new(), &Ours::new()];
    let mut output = output(OutputMode::OnFailure, Observed::Nothing, ours);
    attempt(&mut output, ours, "echo a; echo b >&2; echo c", &mut ());
    attempt(&mut output, ours, "echo d >&2", &mut ());
    assert!(output.deliver());
    assert_eq!((ours[0].taken(), ours[1].taken()), (String::new(), String::new()));
    assert_eq!(output.kept().of(1).expect("kept").head, b"a\nb\nc\n");
    assert_eq!(output.kept().of(2).expect("kept").head, b"d\n");
}

#[test]
fn inherit_passes_nothing_and_keeps_no_end() {
    let ours = [&Ours::new(), &Ours::new()];
    let mut output = output(OutputMode::Inherit, Observed::Nothing, ours);
    attempt(&mut output, ours, "echo out; echo err >&2", &mut ());
    assert_eq!((ours[0].taken(), ours[1].taken()), ("out\n".into(), "err\n".into()));
    assert_eq!(output.tail().total(), 0);
}

#[test]
fn a_descendant_that_writes_after_the_attempt_is_heard_and_lives() {
    let ours = [&Ours::new(), &Ours::new()];
    let mut output = output(OutputMode::Live, Observed::Nothing, ours);
    // A fifo holds it until the relay has taken over.
    let dir = tempfile::tempdir().expect("a directory");
    let fifo = dir.path().join("go");
    let script = format!("mkfifo {0}; (read x <{0}; echo late >&2; echo later >&2) & echo now >&2", fifo.display());
    attempt(&mut output, ours, &script, &mut ());
    assert_eq!(ours[1].taken(), "now\n");
    let left = output.take_left();
    assert_eq!(left.len(), 1);
    left.iter().for_each(|(read, to)| relay::stay(read, *to));
    drop(left);
    std::fs::write(&fifo, "go\n").expect("the descendant waits for it");
    let mut heard = String::new();
    while heard != "late\nlater\n" {
        let mut polls = [poll::poll_fd(ours[1].read.as_raw_fd(), poll::READ)];
        // SAFETY: one valid entry.
        assert_eq!(unsafe { libc::poll(polls.as_mut_ptr(), 1, 30_000) }, 1, "heard {heard:?}");
        heard += &ours[1].taken();
    }
}

#[test]
fn a_reader_that_goes_ends_the_child_by_sigpipe() {
    let ours = [&Ours::new(), &Ours::new()];
    let Ours { read, write } = Ours::new();
    let fds = [ours[0].write.as_fd(), write.as_fd()];
    let mut output = Output::over(fds, OutputMode::Live, Observed::Nothing, [false; 2]);
    let reader = std::thread::spawn(move || {
        let mut bytes = [0; 1000];
        std::fs::File::from(read).read_exact(&mut bytes).expect("the child writes");
    });
    // Endless unless its reader goes.
    attempt(&mut output, ours, "yes >&2", &mut ());
    reader.join().expect("the reader ends");
    assert!(output.is_reader_gone());
}
