//! One pipe of one attempt: from the child to where its bytes go.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use super::Stream;
use super::plan::Goal;
use crate::sys::pipe;

/// A pipe that the child writes into.
#[derive(Debug)]
pub struct Channel {
    /// What the child has it as.
    pub stream: Stream,
    /// Where its bytes go.
    pub goal: Goal,
    /// Where what a descendant writes after the attempt goes.
    pub left_to: Stream,
    read: Option<OwnedFd>,
    child_end: Option<OwnedFd>,
}

impl Channel {
    /// Makes the pipe.
    ///
    /// # Errors
    /// No descriptor is left.
    pub fn open(stream: Stream, goal: Goal) -> io::Result<Channel> {
        let pipe::Pipe { read, write } = pipe::pipe()?;
        pipe::set_nonblocking(read.as_fd())?;
        let left_to = match goal {
            Goal::Pass(to) => to,
            Goal::Hold | Goal::Keep => stream,
        };
        Ok(Channel { stream, goal, left_to, read: Some(read), child_end: Some(write) })
    }

    /// What the child gets.
    pub fn child_end(&self) -> Option<RawFd> {
        self.child_end.as_ref().map(AsRawFd::as_raw_fd)
    }

    /// Closes our copy of it.
    pub fn close_child_end(&mut self) {
        self.child_end = None;
    }

    /// Where its bytes are read, while it is open.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.read.as_ref().map(AsFd::as_fd)
    }

    /// The number of that descriptor.
    pub fn raw(&self) -> Option<RawFd> {
        self.read.as_ref().map(AsRawFd::as_raw_fd)
    }

    /// Nothing more is read of it.
    pub fn close(&mut self) {
        self.read = None;
    }

    /// Gives the end away that is read, if somebody still holds the other one.
    pub fn into_read(self) -> Option<OwnedFd> {
        self.read
    }
}
