//! Standard output and error of the attempts: passed on, held back, or kept for a report. Contract S10-S17.
//!
//! What passes through us passes through pipes of ours; what need not, does not. No write waits: a reader that stalls fills
//! our pipe and so stalls the child alone.

pub mod channel;
pub mod held;
pub mod kept;
pub mod plan;
pub mod sink;
pub mod tail;

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};

use self::channel::Channel;
use self::held::Held;
pub use self::held::OutputLost;
use self::kept::KeptOutputs;
pub use self::plan::Observed;
use self::plan::{Goal, Plan};
use self::sink::Sink;
use self::tail::Tail;
use crate::job::OutputMode;
use crate::sys::pipe::{self, Taken};
use crate::sys::poll::{self, PollFd};

/// Which of the child's streams bytes came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// One of the two, which share a pipe.
    Both,
}

/// Whoever looks at the bytes that pass: decisions by output, hints, presets.
pub trait Observer {
    /// Is given every byte once, in the order of its stream.
    fn observe(&mut self, stream: Stream, bytes: &[u8]);
}

/// An observer that looks at nothing.
impl Observer for () {
    fn observe(&mut self, _stream: Stream, _bytes: &[u8]) {}
}

/// How much is read at once.
const CHUNK: usize = 64 * 1024;
/// How often, before signals and timer get their turn.
const TURNS: usize = 16;

/// What an entry of `wants` was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// Bytes from the channel of this index.
    Bytes(usize),
    /// Room on our stdout, or that its reader goes.
    Out,
    /// The same of stderr.
    Err,
}

/// Standard output and error of a run.
#[derive(Debug)]
pub struct Output {
    plan: Plan,
    channels: Vec<Channel>,
    out: Sink,
    err: Sink,
    /// The end of what passed to stderr in this attempt.
    tail: Tail,
    held: Held,
    kept: KeptOutputs,
    /// Where reads put what they find.
    incoming: Box<[MaybeUninit<u8>]>,
    /// Where held output passes on its way to be released.
    outgoing: Vec<u8>,
    awaited: Vec<Awaited>,
}

impl Output {
    /// Decides what passes where; nothing is made yet. `closed` tells which of 0, 1 and 2 were closed on entry.
    pub fn open(mode: OutputMode, observed: Observed, closed: [bool; 3]) -> Output {
        Output::over([rustix::stdio::stdout(), rustix::stdio::stderr()], mode, observed, [closed[1], closed[2]])
    }

    fn over(fds: [BorrowedFd<'static>; 2], mode: OutputMode, observed: Observed, closed: [bool; 2]) -> Output {
        Output {
            plan: plan::plan(mode, observed, closed, fds[0], fds[1]),
            channels: Vec::new(),
            out: Sink::new(fds[0]),
            err: Sink::new(fds[1]),
            tail: Tail::new(),
            held: Held::new(),
            kept: KeptOutputs::new(),
            incoming: Box::default(),
            outgoing: Vec::new(),
            awaited: Vec::new(),
        }
    }

    /// Makes the pipes of one attempt.
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn begin(&mut self) -> io::Result<()> {
        self.tail = Tail::new();
        self.held = Held::new();
        self.channels.clear();
        for (stream, goal) in self.plan.pipes() {
            self.channels.push(Channel::open(stream, goal)?);
            match goal {
                Goal::Pass(to) => self.sink(to).look(),
                Goal::Hold => self.out.look(),
                Goal::Keep => {}
            }
        }
        Ok(())
    }

    /// What the child gets as its descriptors 1 and 2; `None` for what we have there.
    pub fn child_fds(&self) -> [Option<RawFd>; 2] {
        [Stream::Stdout, Stream::Stderr].map(|one| {
            let mut channels = self.channels.iter();
            channels.find(|c| c.stream == one || c.stream == Stream::Both).and_then(Channel::child_end)
        })
    }

    /// The child has its ends: ours of them are closed, so that the end of the stream can be seen.
    pub fn close_child_ends(&mut self) {
        self.channels.iter_mut().for_each(Channel::close_child_end);
    }

    fn sink(&mut self, to: Stream) -> &mut Sink {
        match to {
            Stream::Stderr => &mut self.err,
            Stream::Stdout | Stream::Both => &mut self.out,
        }
    }

    /// Adds the descriptors that are awaited now.
    pub fn wants(&mut self, polls: &mut Vec<PollFd>) {
        self.awaited.clear();
        let channels = &self.channels;
        let goes_to = |channel: &Channel, one: Stream| channel.goal == Goal::Pass(one);
        // What is held is for the reader of our stdout too.
        let is_for = |channel: &Channel, one: Stream| {
            goes_to(channel, one) || channel.goal == Goal::Hold && one == Stream::Stdout
        };
        for (sink, one, awaited) in
            [(&self.out, Stream::Stdout, Awaited::Out), (&self.err, Stream::Stderr, Awaited::Err)]
        {
            if sink.has_pending() {
                polls.push(poll::poll_fd(sink.raw(), poll::WRITE));
                self.awaited.push(awaited);
            } else if sink.has_reader() && channels.iter().any(|c| is_for(c, one) && c.raw().is_some()) {
                // A reader that goes while the child is silent is noticed too, so that the child's next write finds nobody.
                polls.push(poll::poll_fd(sink.raw(), 0));
                self.awaited.push(awaited);
            }
        }
        for (index, channel) in channels.iter().enumerate() {
            let is_stalled = goes_to(channel, Stream::Stdout) && self.out.has_pending()
                || goes_to(channel, Stream::Stderr) && self.err.has_pending();
            if let Some(read) = channel.raw().filter(|_| !is_stalled) {
                polls.push(poll::poll_fd(read, poll::READ));
                self.awaited.push(Awaited::Bytes(index));
            }
        }
    }

    /// Serves what `wants` named.
    pub fn ready(&mut self, polls: &[PollFd], observer: &mut dyn Observer) {
        for (index, entry) in polls.iter().enumerate() {
            match self.awaited.get(index) {
                _ if entry.revents == 0 => {}
                Some(Awaited::Bytes(channel)) => self.pump(*channel, observer),
                Some(Awaited::Out) => self.out.serve(entry.revents),
                Some(Awaited::Err) => self.err.serve(entry.revents),
                None => {}
            }
        }
        self.close_unread();
    }

    /// Closes what nobody reads any more: the child then dies of SIGPIPE at its next write, as it would without us (S14).
    /// So it does where our stdout takes nothing more, a full disk: a flood must not go on into nowhere. What cannot be
    /// written to stderr alone is no reason to stop.
    fn close_unread(&mut self) {
        for channel in &mut self.channels {
            let is_over = match channel.goal {
                Goal::Pass(Stream::Stderr) => self.err.is_gone(),
                Goal::Pass(Stream::Stdout | Stream::Both) => self.out.is_gone() || self.out.error().is_some(),
                Goal::Hold => {
                    if self.out.is_gone() && channel.raw().is_some() {
                        self.held.fail(OutputLost::Written(libc::EPIPE));
                    }
                    self.held.error().is_some()
                }
                Goal::Keep => false,
            };
            if is_over {
                channel.close();
            }
        }
    }

    fn pump(&mut self, index: usize, observer: &mut dyn Observer) {
        for _ in 0..TURNS {
            let is_read = self.read(index, CHUNK, observer).is_some();
            let is_stalled = match self.channels[index].goal {
                Goal::Pass(to) => self.sink(to).has_pending() || self.sink(to).is_gone(),
                Goal::Hold => self.held.error().is_some(),
                Goal::Keep => false,
            };
            if !is_read || is_stalled {
                return;
            }
        }
    }

    /// Reads once and puts the bytes where they belong; how many, or `None` where there are none, now or for ever.
    fn read(&mut self, index: usize, most: usize, observer: &mut dyn Observer) -> Option<usize> {
        if self.incoming.is_empty() {
            self.incoming = Box::new_uninit_slice(CHUNK);
        }
        let channel = &mut self.channels[index];
        let bytes = match pipe::take_now(channel.fd()?, &mut self.incoming[..most.min(CHUNK)]) {
            Ok(Taken::Bytes(bytes)) => bytes,
            Ok(Taken::Nothing) => return None,
            Ok(Taken::End) | Err(_) => {
                channel.close();
                return None;
            }
        };
        if self.plan.is_observed(channel.stream) {
            observer.observe(channel.stream, bytes);
        }
        if channel.stream != Stream::Stdout && self.plan.keeps_tail() {
            self.tail.push(bytes);
        }
        match channel.goal {
            Goal::Pass(Stream::Stderr) => self.err.put(bytes),
            Goal::Pass(Stream::Stdout | Stream::Both) => self.out.put(bytes),
            Goal::Hold => self.held.push(bytes),
            Goal::Keep => self.kept.push(bytes),
        }
        Some(bytes.len())
    }

    /// The child has ended: takes what it left in the pipes, and no more, however busily its descendants write on.
    pub fn end(&mut self, observer: &mut dyn Observer) {
        self.close_child_ends();
        for index in 0..self.channels.len() {
            let mut there = self.channels[index].fd().map_or(0, pipe::unread);
            while there > 0 {
                let Some(n) = self.read(index, usize::try_from(there).unwrap_or(CHUNK), observer) else { break };
                there = there.saturating_sub(n as u64);
            }
            // Tells the end of the stream from a descendant that holds it.
            self.read(index, 1, observer);
        }
        self.close_unread();
        self.kept.finish();
    }

    /// Whether something of the attempt that ended is held back.
    pub fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// The verdict on the attempt is known: what was held back goes to stdout if it is a success, else to stderr (S11).
    pub fn settle(&mut self, is_success: bool) {
        let to = if is_success { Stream::Stdout } else { Stream::Stderr };
        self.held.release(to);
        self.channels.iter_mut().filter(|channel| channel.goal == Goal::Hold).for_each(|channel| channel.left_to = to);
    }

    /// Writes what is left to write, as far as there is room and not too long at a time; whether all of it is out.
    pub fn deliver(&mut self) -> bool {
        for _ in 0..TURNS {
            self.out.flush();
            self.err.flush();
            if self.out.has_pending() || self.err.has_pending() {
                return false;
            }
            let Some(to) = self.held.released_to() else { return true };
            let sink = if to == Stream::Stderr { &mut self.err } else { &mut self.out };
            if let Some(error) = sink.is_gone().then_some(libc::EPIPE).or(sink.error()) {
                self.held.give_up(error);
                continue;
            }
            self.outgoing.resize(CHUNK, 0);
            let n = self.held.next(&mut self.outgoing);
            sink.put(&self.outgoing[..n]);
        }
        // The last turn may have been the last that was needed.
        !self.out.has_pending() && !self.err.has_pending() && self.held.released_to().is_none()
    }

    /// How many bytes were written to our own stdout and stderr.
    pub fn written(&self) -> u64 {
        self.out.written() + self.err.written()
    }

    /// Adds what `deliver` waits for.
    pub fn wants_room(&self, polls: &mut Vec<PollFd>) {
        for (sink, one) in [(&self.out, Stream::Stdout), (&self.err, Stream::Stderr)] {
            if sink.has_pending() || self.held.released_to() == Some(one) {
                polls.push(poll::poll_fd(sink.raw(), poll::WRITE));
            }
        }
    }

    /// The pipes that descendants of the attempt still hold, each with where its bytes would have gone; `None`: nowhere.
    pub fn take_left(&mut self) -> Vec<(OwnedFd, Option<BorrowedFd<'static>>)> {
        let (out, err) = (self.out.fd(), self.err.fd());
        let left = self.channels.drain(..).filter_map(|channel| {
            let to = match (channel.goal, channel.left_to) {
                (Goal::Keep, _) => None,
                (Goal::Pass(_) | Goal::Hold, Stream::Stderr) => Some(err),
                (Goal::Pass(_) | Goal::Hold, Stream::Stdout | Stream::Both) => Some(out),
            };
            channel.into_read().map(|read| (read, to))
        });
        left.collect()
    }

    /// Says something of ours on stderr after what has passed there; `deliver` writes what there is no room for now.
    pub fn say(&mut self, bytes: &[u8]) {
        self.sink(self.plan.voice()).put(bytes);
    }

    /// Whether the last byte that passed to stderr was a newline, or none passed (W1).
    pub fn is_at_line_start(&self) -> bool {
        match self.plan.voice() {
            Stream::Stderr => self.err.is_at_line_start(),
            Stream::Stdout | Stream::Both => self.out.is_at_line_start(),
        }
    }

    /// The end of what the last attempt wrote to stderr, as far as it passed through us.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// What `--output on-failure` kept of the attempts.
    pub fn kept(&self) -> &KeptOutputs {
        &self.kept
    }

    /// The error on our own stdout, or with holding it back, that makes the run fail (S14). EPIPE: the reader of what
    /// `--output final` was releasing is gone; a reader of what passes is the child's own concern.
    pub fn error(&self) -> Option<OutputLost> {
        self.held.error().or(self.out.error().map(OutputLost::Written))
    }

    /// Whether nobody reads our stdout or stderr any more (R23).
    pub fn is_reader_gone(&self) -> bool {
        [&self.out, &self.err].into_iter().any(|sink| sink.is_gone() || pipe::is_reader_gone(sink.fd()))
    }
}

#[cfg(test)]
mod tests;
