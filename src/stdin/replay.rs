//! A pipe or socket on standard input, offered to attempt after attempt, and never a byte taken that no attempt has read.
//!
//! Contract S2. The child reads from a pipe of ours. What standard input holds is put into that pipe without being taken:
//! tee(2) from a pipe, MSG_PEEK from a socket. What the child has drained is what was offered less what still stands in the
//! pipe, and that much is then taken from standard input, and kept. We hold a reading end of the child's pipe too: so what it
//! left can be taken back in one step, which tells exactly what it read, however the two race.
//!
//! poll(2) says whether a pipe is full, not whether it is empty, and the front of standard input stays readable while it is
//! only offered. So the child's pipe is made **full or empty at each wait**, and no timer is needed: full, the next event is a
//! page that the child drained; empty, it is new input. Bulk flows through eight pages, half of what the pipe on standard input
//! usually holds, so that its writer and the child work at the same time; where eight pages cannot be filled, the pipe shrinks
//! to one page, which one byte fills.
//!
//! An attempt first gets what was kept, then the rest: positions count the bytes of the whole input, kept or not.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use super::kept::{Kept, Unkept};
use crate::sys::pipe::{self, Got, Pipe};
use crate::sys::poll::{self, PollFd};

/// Pages of the child's pipe while input is plenty.
const WIDE: usize = 8;
/// Pages of the child's pipe while it is not: full with a single byte in it.
const NARROW: usize = 1;

/// What standard input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// A pipe or FIFO.
    Pipe,
    /// A stream socket.
    Socket,
}

/// What the offer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    /// The pipe is full: that the child drains a page.
    Drain,
    /// The pipe is empty: that there is more input.
    Input,
    /// Nothing any more: everything was offered, the end included.
    Nothing,
}

/// One attempt's input.
#[derive(Debug)]
pub struct Offer {
    source: BorrowedFd<'static>,
    live: Live,
    /// The child's pipe: our way in, closed once the end was offered.
    write: Option<OwnedFd>,
    /// Its other end, which the child has too, to measure and to take back.
    read: OwnedFd,
    null: OwnedFd,
    awaited: Awaited,
    pages: usize,
    /// The position up to which the child has drained.
    drained: u64,
    /// The position up to which bytes were put into the pipe: what stands in it lies between the two.
    offered: u64,
    buffer: Vec<u8>,
    /// Why the input broke off before its end, if it did.
    broken: Option<Unkept>,
}

impl Offer {
    /// Prepares the pipe for one attempt, with the first bytes in it.
    ///
    /// # Errors
    /// No descriptor is left, or standard input is nothing that can be offered, which is then to be inherited.
    pub fn new(source: BorrowedFd<'static>, live: Live, kept: &mut Kept) -> io::Result<Offer> {
        let Pipe { read, write } = pipe::pipe()?;
        pipe::set_nonblocking(write.as_fd())?;
        pipe::set_pages(write.as_fd(), NARROW);
        let mut offer = Offer {
            source,
            live,
            write: Some(write),
            read,
            null: pipe::null()?,
            awaited: Awaited::Input,
            pages: NARROW,
            drained: 0,
            offered: 0,
            buffer: Vec::new(),
            broken: None,
        };
        offer.step(kept)?;
        Ok(offer)
    }

    /// What the child gets as its descriptor 0.
    pub fn child_end(&self) -> RawFd {
        self.read.as_raw_fd()
    }

    /// The descriptor that is awaited now.
    pub fn wants(&self) -> Option<PollFd> {
        match (self.awaited, &self.write) {
            (Awaited::Drain, Some(write)) => Some(poll::poll_fd(write.as_raw_fd(), poll::WRITE)),
            (Awaited::Input, _) => Some(poll::poll_fd(self.source.as_raw_fd(), poll::READ)),
            (Awaited::Nothing | Awaited::Drain, _) => None,
        }
    }

    /// What was awaited has come: takes what was read, offers what is next.
    pub fn go_on(&mut self, kept: &mut Kept) {
        if let Err(e) = self.step(kept) {
            // Whatever it was, the child gets its end of input rather than waiting for ever; it cannot be told that this is not
            // the real one.
            let why = Unkept::by(&e);
            kept.lose(why);
            self.broken = Some(why);
            self.close();
        }
    }

    /// The attempt is over: nobody is to read more of this pipe. Takes from standard input exactly what was read. Returns why
    /// the input broke off, where the child read as far as that.
    pub fn finish(mut self, kept: &mut Kept) -> Option<Unkept> {
        let is_read_up = pipe::unread(self.read.as_fd()) == 0;
        if let Err(e) = self.settle(kept) {
            kept.lose(Unkept::by(&e));
        }
        self.broken.filter(|_| is_read_up)
    }

    fn close(&mut self) {
        self.write = None;
        self.awaited = Awaited::Nothing;
    }

    fn step(&mut self, kept: &mut Kept) -> io::Result<()> {
        if self.write.is_none() {
            return Ok(());
        }
        self.settle(kept)?;
        let plenty = (WIDE * rustix::param::page_size()) as u64;
        if self.pages == NARROW && kept.taken() - self.drained + pipe::unread(self.source) >= plenty {
            self.resize(WIDE);
        }
        loop {
            let ended = self.fill(kept)?;
            let Some(write) = &self.write else { return Ok(()) };
            if ended {
                self.close();
            } else if self.offered == self.drained {
                self.awaited = Awaited::Input;
            } else if self.pages == NARROW || pipe::is_full(write.as_fd()) {
                self.awaited = Awaited::Drain;
            } else {
                self.settle(kept)?;
                self.resize(NARROW);
                continue;
            }
            return Ok(());
        }
    }

    fn resize(&mut self, pages: usize) {
        if let Some(write) = &self.write {
            pipe::set_pages(write.as_fd(), pages);
            self.pages = pages;
        }
    }

    /// Empties the child's pipe and takes from standard input what was drained from it.
    fn settle(&mut self, kept: &mut Kept) -> io::Result<()> {
        self.take_back()?;
        while kept.taken() < self.drained {
            self.take(self.drained - kept.taken(), kept)?;
        }
        Ok(())
    }

    fn take_back(&mut self) -> io::Result<()> {
        let mut back = 0;
        while self.offered - self.drained > back && pipe::unread(self.read.as_fd()) > 0 {
            match pipe::splice(self.read.as_fd(), self.null.as_fd(), 1 << 20)? {
                Got::Bytes(n) => back += n as u64,
                Got::End | Got::Nothing => break,
            }
        }
        self.drained = self.offered - back;
        self.offered = self.drained;
        Ok(())
    }

    /// Takes up to `most` bytes, which the child has read, from standard input.
    fn take(&mut self, most: u64, kept: &mut Kept) -> io::Result<()> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        if !kept.wants_more() && self.live == Live::Pipe {
            return match pipe::splice(self.source, self.null.as_fd(), most)? {
                Got::Bytes(n) => {
                    kept.skip(n as u64);
                    Ok(())
                }
                Got::End | Got::Nothing => Err(taken_by_another()),
            };
        }
        self.buffer.resize(WIDE * rustix::param::page_size(), 0);
        let n = most.min(self.buffer.len());
        let got = match self.live {
            Live::Pipe => pipe::read_shared(self.source, &mut self.buffer[..n])?,
            Live::Socket => pipe::read_socket(self.source, &mut self.buffer[..n])?,
        };
        match got {
            Got::Bytes(n) => {
                kept.push(&self.buffer[..n]);
                Ok(())
            }
            Got::End | Got::Nothing => Err(taken_by_another()),
        }
    }

    /// Puts into the empty pipe what comes next; whether that was all there will ever be.
    fn fill(&mut self, kept: &Kept) -> io::Result<bool> {
        while self.offered < kept.taken() {
            self.buffer.resize(WIDE * rustix::param::page_size(), 0);
            let most = usize::try_from(kept.taken() - self.offered).unwrap_or(usize::MAX);
            let room = (self.pages * rustix::param::page_size()).min(self.buffer.len()).min(most);
            let n = kept.read_at(self.offered, &mut self.buffer[..room])?;
            if n == 0 {
                return Err(io::Error::from_raw_os_error(libc::EIO));
            }
            let Some(write) = &self.write else { return Ok(false) };
            match rustix::io::write(write, &self.buffer[..n]) {
                Ok(0) | Err(rustix::io::Errno::AGAIN) => return Ok(false),
                Ok(n) => self.offered += n as u64,
                Err(e) => return Err(e.into()),
            }
        }
        match self.fill_from_source()? {
            Got::Bytes(_) | Got::Nothing => Ok(false),
            Got::End => Ok(true),
        }
    }

    fn fill_from_source(&mut self) -> io::Result<Got> {
        let Some(write) = &self.write else { return Ok(Got::Nothing) };
        let most = WIDE * rustix::param::page_size();
        let got = match self.live {
            Live::Pipe => pipe::tee(self.source, write.as_fd(), most)?,
            Live::Socket => {
                self.buffer.resize(most, 0);
                let peeked = pipe::peek_socket(self.source, &mut self.buffer[..most])?;
                match peeked {
                    Got::Bytes(n) => match rustix::io::write(write, &self.buffer[..n]) {
                        Ok(n) => Got::Bytes(n),
                        Err(rustix::io::Errno::AGAIN) => Got::Nothing,
                        Err(e) => return Err(e.into()),
                    },
                    Got::End | Got::Nothing => peeked,
                }
            }
        };
        if let Got::Bytes(n) = got {
            self.offered += n as u64;
        }
        Ok(got)
    }
}

/// Somebody else took what we had only offered.
fn taken_by_another() -> io::Error {
    io::Error::other("another process reads it too")
}
