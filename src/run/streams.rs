//! The three streams of a run's attempts: prepared, pumped while an attempt runs, delivered when it has ended.

use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use crate::capture::kept::KeptOutput;
use crate::capture::{Observed, Observer, Output, OutputLost};
use crate::child::{self, Attempted, Limits, Report};
use crate::job::{Job, StdinMode};
use crate::notice::Sink;
use crate::outcome::{Errno, Outcome, StartStep};
use crate::record::{Base64, Input, Tail, text_and_twin};
use crate::relay;
use crate::signal::Signal;
use crate::size;
use crate::stdin::letter::StdinFound;
use crate::stdin::{Stdin, StdinLimits, kept::Unkept};
use crate::sys::poll::{PollFd, Pump};
use crate::sys::spawn::Start;
use crate::sys::standard;
use crate::sys::wait::Wait;
use crate::timestamp;

/// How long a reader that has stalled is waited for, while it takes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// For ever: it stalls us as it would stall the command.
    Endless,
    /// Shortly: a signal has ended the run already, and is not to be sent twice.
    Short,
}

impl Patience {
    const SHORT: Duration = Duration::from_secs(1);

    fn until(self, now: Duration) -> Option<Duration> {
        match self {
            Patience::Endless => None,
            Patience::Short => Some(now.saturating_add(Patience::SHORT)),
        }
    }
}

/// What is wrong with an input of which others take what was only offered, and the cure.
const SHARED: &str = "another process reads it too; --stdin inherit lets them share it";

/// Standard input, output and error of a run.
#[derive(Debug)]
pub(super) struct Streams {
    stdin: Stdin,
    output: Output,
    stdin_max: u64,
    /// A signal has ended a wait for a stalled reader: the next such wait is short, or every one would take a signal more.
    is_hurried: bool,
}

impl Streams {
    /// Looks at what the program was given as 0, 1 and 2; nothing is read.
    ///
    /// # Errors
    /// One line: why standard input cannot be what was asked for.
    pub(super) fn open(job: &Job, observed: Observed) -> Result<Streams, String> {
        let closed = [0, 1, 2].map(standard::is_closed);
        let streams = &job.streams;
        let limits = StdinLimits { attempts: streams.stdin_max, letter: streams.record_stdin };
        let stdin = Stdin::open(streams.stdin, limits, closed[0]).map_err(|error| match streams.stdin {
            StdinMode::Replay => {
                "standard input cannot be replayed: it is neither a pipe, a socket nor a file".to_owned()
            }
            StdinMode::Auto | StdinMode::Inherit | StdinMode::Null => {
                format!("cannot open /dev/null: {}", Errno::of(&error))
            }
        })?;
        let output = Output::open(streams.output, observed, closed);
        Ok(Streams { stdin, output, stdin_max: streams.stdin_max, is_hurried: false })
    }

    /// Runs one attempt with its input in place and its output flowing. When it has ended, what it left in its pipes is
    /// taken, and what it left of its input is taken back.
    pub(super) fn attempt(
        &mut self,
        wait: &mut Wait,
        start: &Start,
        limits: &Limits,
        is_last: bool,
        observer: &mut dyn Observer,
    ) -> Attempted {
        let attempted = match self.stdin.begin(is_last).and_then(|()| self.output.begin()) {
            Ok(()) => child::attempt(wait, start, limits, &mut Flow { streams: self, observer, stdin_entries: 0 }),
            // No descriptor for a pipe is like no process for the command (C1).
            Err(error) => {
                let errno = Errno::of(&error);
                Attempted::Ended(Report {
                    outcome: Outcome::NotStarted { step: StartStep::Fork, errno },
                    command: None,
                    interrupted: None,
                    unkillable: Vec::new(),
                    started: wait.now(),
                    took: Duration::ZERO,
                })
            }
        };
        self.stdin.end();
        self.output.end(observer);
        attempted
    }

    /// The verdict is known: sends what was held back to where it belongs, and waits until everything is out. Returns the
    /// signal that ended the wait. What descendants still write is left to a relay (S13).
    pub(super) fn settle(&mut self, is_success: bool, wait: &mut Wait, patience: Patience) -> Option<Signal> {
        self.output.settle(is_success);
        let signal = self.deliver(wait, patience);
        for (read, to) in self.output.take_left() {
            relay::stay(&read, to);
        }
        signal
    }

    /// Waits until all that was written is out, or a signal ends the run (S17).
    pub(super) fn deliver(&mut self, wait: &mut Wait, patience: Patience) -> Option<Signal> {
        let patience = if self.is_hurried { Patience::Short } else { patience };
        let mut moved = self.output.written();
        let mut until = patience.until(wait.now());
        while !self.output.deliver() {
            while let Some(caught) = wait.signals.take_next() {
                if caught.asks_to_end() {
                    self.is_hurried = true;
                    return Some(caught.signal);
                }
            }
            if self.output.written() != moved {
                moved = self.output.written();
                until = patience.until(wait.now());
            }
            if wait.until(until, &mut Delivery(&mut self.output)).timed_out {
                return None;
            }
        }
        None
    }

    /// What goes on being written while the run waits for something else.
    pub(super) fn delivery(&mut self) -> Delivery<'_> {
        Delivery(&mut self.output)
    }

    /// Whether nobody reads our stdout or stderr any more (R23).
    pub(super) fn is_reader_gone(&self) -> bool {
        self.output.is_reader_gone()
    }

    /// Why another attempt would find less input than this one, as one line (S3).
    pub(super) fn lost_input(&self) -> Option<String> {
        Some(match self.stdin.lost()? {
            Unkept::TooLong { .. } => format!(
                "standard input could not be kept for another attempt: it is longer than --stdin-max ({})",
                size::exact(self.stdin_max)
            ),
            Unkept::Failed(errno) => format!("standard input could not be kept for another attempt: {}", Errno(errno)),
            Unkept::Shared => format!("standard input could not be kept for another attempt: {SHARED}"),
        })
    }

    /// Why the attempt that ended took for the end of its input what was none, as one line.
    pub(super) fn broken_input(&self) -> Option<String> {
        let why = match self.stdin.broken()? {
            Unkept::TooLong { .. } => return None,
            Unkept::Failed(errno) => Errno(errno).to_string(),
            Unkept::Shared => SHARED.to_owned(),
        };
        Some(format!("standard input broke off: {why}"))
    }

    /// Whether output was lost that makes the run fail (S14).
    pub(super) fn has_lost_output(&self) -> bool {
        self.output.error().is_some()
    }

    /// Why it was, as one line; `None` where nobody reads any more, which is no news to whoever stopped reading.
    pub(super) fn lost_output(&self) -> Option<String> {
        match self.output.error()? {
            OutputLost::Written(libc::EPIPE) => None,
            OutputLost::Written(errno) => Some(format!("cannot write to standard output: {}", Errno(errno))),
            OutputLost::Held(errno) => {
                let directory = std::env::temp_dir();
                Some(format!("cannot hold standard output back in {}: {}", directory.display(), Errno(errno)))
            }
        }
    }

    /// The end of what the last attempt wrote to stderr; `None` where nothing passed.
    pub(super) fn stderr(&self) -> Option<Tail> {
        let tail = self.output.tail();
        (tail.total() > 0).then(|| Tail::new(tail.bytes(), tail.total()))
    }

    /// Whether something of the attempt is held back until its verdict is known (S11).
    pub(super) fn holds_output(&self) -> bool {
        self.output.holds()
    }

    /// What `--output on-failure` kept of an attempt.
    pub(super) fn kept(&self, attempt: u32) -> Option<KeptOutput> {
        self.output.kept().of(attempt)
    }

    /// What a record says of standard input (D12).
    pub(super) fn input(&self) -> Input {
        match self.stdin.found() {
            StdinFound::Null => Input { kind: "null".into(), ..Input::default() },
            StdinFound::NotRead => Input { kind: "not_read".into(), ..Input::default() },
            StdinFound::NotStored { total_bytes } => {
                Input { kind: "not_stored".into(), total_bytes, ..Input::default() }
            }
            StdinFound::Stored(bytes) => {
                let total_bytes = Some(bytes.len() as u64);
                match String::from_utf8(bytes) {
                    Ok(text) => Input { kind: "stored".into(), text: Some(text), total_bytes, ..Input::default() },
                    Err(error) => {
                        let b64 = Some(Base64(error.into_bytes()));
                        Input { kind: "stored".into(), b64, total_bytes, ..Input::default() }
                    }
                }
            }
            StdinFound::File(file) => {
                let (path, path_b64) = text_and_twin(file.path.as_bytes());
                Input {
                    kind: "file".into(),
                    path: Some(path),
                    path_b64,
                    offset: Some(file.offset),
                    device: Some(file.device),
                    inode: Some(file.inode),
                    size_bytes: Some(file.size),
                    mtime: Some(timestamp::exact(file.mtime)),
                    ..Input::default()
                }
            }
        }
    }
}

/// Words of ours, in order with what passes to stderr.
impl Sink for Streams {
    fn send(&mut self, bytes: &[u8]) {
        self.output.say(bytes);
    }

    fn is_at_line_start(&self) -> bool {
        self.output.is_at_line_start()
    }
}

/// The streams of an attempt that runs.
pub(super) struct Flow<'a> {
    streams: &'a mut Streams,
    observer: &'a mut dyn Observer,
    /// How many of the entries of the last `wants` are for standard input: they come first.
    stdin_entries: usize,
}

impl Pump for Flow<'_> {
    fn wants(&mut self, polls: &mut Vec<PollFd>) {
        let stdin = self.streams.stdin.wants();
        self.stdin_entries = usize::from(stdin.is_some());
        polls.extend(stdin);
        self.streams.output.wants(polls);
    }

    fn ready(&mut self, polls: &[PollFd]) {
        let (stdin, output) = polls.split_at(self.stdin_entries.min(polls.len()));
        if stdin.iter().any(|entry| entry.revents != 0) {
            self.streams.stdin.ready();
        }
        self.streams.output.ready(output, self.observer);
    }

    fn child_fds(&self) -> [Option<RawFd>; 3] {
        let [out, err] = self.streams.output.child_fds();
        [self.streams.stdin.child_fd(), out, err]
    }

    fn close_child_ends(&mut self) {
        self.streams.output.close_child_ends();
    }
}

/// What is left to be written after an attempt, while the run waits.
pub(super) struct Delivery<'a>(&'a mut Output);

impl Pump for Delivery<'_> {
    fn wants(&mut self, polls: &mut Vec<PollFd>) {
        self.0.wants_room(polls);
    }

    fn ready(&mut self, _: &[PollFd]) {
        self.0.deliver();
    }
}
