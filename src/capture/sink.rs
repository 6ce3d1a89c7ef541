//! Our own stdout or stderr, with what could not be written to it yet.

use std::os::fd::{BorrowedFd, RawFd};

use crate::sys::outlet::{Outlet, Put};
use crate::sys::poll;

/// A way out and its queue, which is short: whoever fills it stops reading while it is not empty.
#[derive(Debug)]
pub struct Sink {
    outlet: Outlet,
    pending: Vec<u8>,
    /// How much of `pending` is out already.
    done: usize,
    /// The first error other than that of a reader who is gone.
    error: Option<i32>,
    is_gone: bool,
    has_reader: Option<bool>,
    last: u8,
    /// How many bytes are out.
    written: u64,
}

impl Sink {
    /// One over this descriptor.
    pub fn new(fd: BorrowedFd<'static>) -> Sink {
        let outlet = Outlet::new(fd);
        Sink {
            outlet,
            pending: Vec::new(),
            done: 0,
            error: None,
            is_gone: false,
            has_reader: None,
            last: b'\n',
            written: 0,
        }
    }

    /// The descriptor.
    pub fn fd(&self) -> BorrowedFd<'static> {
        self.outlet.fd()
    }

    /// The descriptor's number.
    pub fn raw(&self) -> RawFd {
        self.outlet.raw()
    }

    /// Finds out whether its reader can be watched; asked once.
    pub fn look(&mut self) {
        let outlet = &self.outlet;
        self.has_reader.get_or_insert_with(|| outlet.has_reader());
    }

    /// Whether poll(2) tells when its reader goes, and it has not.
    pub fn has_reader(&self) -> bool {
        self.has_reader == Some(true) && !self.is_gone
    }

    /// Whether bytes wait for room.
    pub fn has_pending(&self) -> bool {
        self.done < self.pending.len()
    }

    /// How many bytes were written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Whether its reader is gone.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// The first error of a write other than EPIPE.
    pub fn error(&self) -> Option<i32> {
        self.error
    }

    /// Whether the last byte was a newline, or there was none.
    pub fn is_at_line_start(&self) -> bool {
        self.last == b'\n'
    }

    /// Writes what there is room for and queues the rest. After an error the bytes are lost, and the next are tried again.
    pub fn put(&mut self, bytes: &[u8]) {
        self.last = bytes.last().copied().unwrap_or(self.last);
        let done = if self.has_pending() { 0 } else { self.write(bytes) };
        if done < bytes.len() && !self.is_gone {
            if !self.has_pending() {
                self.pending.clear();
                self.done = 0;
            }
            self.pending.extend_from_slice(&bytes[done..]);
        }
    }

    /// Writes what is queued, as far as there is room.
    pub fn flush(&mut self) {
        if self.has_pending() {
            let pending = std::mem::take(&mut self.pending);
            self.done += self.write(&pending[self.done..]);
            // The last of it may be long; what is empty gives its memory back.
            if self.done < pending.len() {
                self.pending = pending;
            } else {
                self.done = 0;
            }
        }
    }

    /// poll(2) said something of it.
    pub fn serve(&mut self, events: i16) {
        if self.has_pending() {
            self.flush();
        } else if events & poll::TROUBLE != 0 {
            self.is_gone = true;
        }
    }

    /// Writes until there is no room; how many bytes are dealt with, the lost ones included.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let mut done = 0;
        while done < bytes.len() && !self.is_gone {
            match self.outlet.write(&bytes[done..]) {
                Ok(Put::Bytes(n)) => {
                    done += n;
                    self.written += n as u64;
                }
                Ok(Put::Full) => return done,
                Err(e) if e.raw_os_error() == Some(libc::EPIPE) => self.is_gone = true,
                Err(e) => {
                    self.error.get_or_insert(e.raw_os_error().unwrap_or(libc::EIO));
                    return bytes.len();
                }
            }
        }
        bytes.len()
    }
}
