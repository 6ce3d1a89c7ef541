//! A way out to somebody else's reader: writes to a descriptor that we inherited, never waits, never dies of it.
//!
//! The description is shared with whoever started us, so its flags stay as they were (contract C4), and a reader that stalls
//! must not stall us (contract S17). What a descriptor is decides how: a file or a device takes a plain write; a socket takes
//! MSG_DONTWAIT; a pipe takes RWF_NOWAIT, and where the kernel is too old for that (before 6.4), as for a terminal, the same
//! object is opened once more in non-blocking mode. Where that is forbidden, poll(2) has to promise room for one page.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::pipe;

/// How much one write may have where only poll(2) vouches for room: a pipe that is ready for writing has a page free.
const CAREFUL: usize = 4096;

/// What a write came to that does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// This many bytes were taken, at least one.
    Bytes(usize),
    /// There is no room now.
    Full,
}

/// How bytes get out.
#[derive(Debug)]
enum Way {
    Plain,
    Socket,
    NoWait,
    Reopened(OwnedFd),
    Careful,
}

/// A descriptor of ours that bytes are written to.
#[derive(Debug)]
pub struct Outlet {
    fd: BorrowedFd<'static>,
    way: Option<Way>,
}

impl Outlet {
    /// One for this descriptor; nothing is asked of the system before the first write.
    pub fn new(fd: BorrowedFd<'static>) -> Outlet {
        Outlet { fd, way: None }
    }

    /// The descriptor.
    pub fn fd(&self) -> BorrowedFd<'static> {
        self.fd
    }

    /// What to wait on for room.
    pub fn raw(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Whether its reader is watched for: only of a pipe or a socket does poll(2) say that nobody reads any more.
    pub fn has_reader(&self) -> bool {
        matches!(kind(self.fd), FileType::Fifo | FileType::Socket)
    }

    /// Writes what there is room for. SIGPIPE must be ignored or blocked.
    ///
    /// # Errors
    /// Those of write(2), without EAGAIN and EINTR: EPIPE where nobody reads any more.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<Put> {
        if bytes.is_empty() {
            return Ok(Put::Bytes(0));
        }
        loop {
            let fd = self.fd;
            let way = self.way.get_or_insert_with(|| first_way(fd));
            let done = match way {
                Way::Plain => rustix::io::write(fd, bytes),
                Way::Socket => rustix::net::send(fd, bytes, SendFlags::DONTWAIT),
                Way::NoWait => write_nowait(fd, bytes),
                Way::Reopened(own) => rustix::io::write(own, bytes),
                Way::Careful if pipe::is_full(fd) => Err(Errno::AGAIN),
                Way::Careful => rustix::io::write(fd, &bytes[..bytes.len().min(CAREFUL)]),
            };
            return match done {
                Ok(n) => Ok(Put::Bytes(n)),
                Err(Errno::AGAIN) => Ok(Put::Full),
                Err(Errno::INTR) => continue,
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) if matches!(way, Way::NoWait) => {
                    self.way = Some(reopened(fd));
                    continue;
                }
                Err(e) => Err(e.into()),
            };
        }
    }
}

fn kind(fd: BorrowedFd<'_>) -> FileType {
    rustix::fs::fstat(fd).map_or(FileType::Unknown, |s| FileType::from_raw_mode(s.st_mode))
}

fn first_way(fd: BorrowedFd<'_>) -> Way {
    match kind(fd) {
        FileType::Socket => Way::Socket,
        FileType::Fifo => Way::NoWait,
        FileType::CharacterDevice if rustix::termios::isatty(fd) => reopened(fd),
        _ => Way::Plain,
    }
}

#[cfg(target_os = "linux")]
fn write_nowait(fd: BorrowedFd<'_>, bytes: &[u8]) -> rustix::io::Result<usize> {
    // The offset -1 means the place where the descriptor stands, as for write(2).
    rustix::io::pwritev2(fd, &[IoSlice::new(bytes)], u64::MAX, rustix::io::ReadWriteFlags::NOWAIT)
}

#[cfg(not(target_os = "linux"))]
fn write_nowait(_fd: BorrowedFd<'_>, bytes: &[u8]) -> rustix::io::Result<usize> {
    let _ = IoSlice::new(bytes);
    Err(Errno::OPNOTSUPP)
}

/// A description of our own of the same object, in non-blocking mode.
fn reopened(fd: BorrowedFd<'_>) -> Way {
    let path = format!("/dev/fd/{}", fd.as_raw_fd());
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(own) => Way::Reopened(own),
        Err(_) => Way::Careful,
    }
}

impl AsFd for Outlet {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipe whose write end lives as long as the test program, as an inherited one does.
    fn pipe_for_ever() -> (OwnedFd, BorrowedFd<'static>) {
        let pipe::Pipe { read, write } = pipe::pipe().expect("a pipe");
        let write: &'static OwnedFd = Box::leak(Box::new(write));
        (read, write.as_fd())
    }

    fn fill(outlet: &mut Outlet) -> usize {
        let mut taken = 0;
        while let Put::Bytes(n) = outlet.write(&[b'x'; 10_000]).expect("somebody reads") {
            taken += n;
        }
        taken
    }

    #[test]
    fn a_full_pipe_is_full_and_its_flags_stay_as_they_were() {
        let ways: [fn(BorrowedFd<'static>) -> Option<Way>; 3] =
            [|_| None, |fd| Some(reopened(fd)), |_| Some(Way::Careful)];
        for way in ways {
            let (read, write) = pipe_for_ever();
            let before = rustix::fs::fcntl_getfl(write).expect("flags");
            let mut outlet = Outlet { fd: write, way: way(write) };
            assert!(fill(&mut outlet) >= 60_000, "{outlet:?}");
            assert_eq!(rustix::fs::fcntl_getfl(write).expect("flags"), before);
            let mut buffer = vec![0; 1 << 20];
            rustix::io::read(&read, &mut buffer[..]).expect("what was written");
            assert!(matches!(outlet.write(b"more").expect("somebody reads"), Put::Bytes(4)));
        }
    }

    #[test]
    fn a_socket_takes_what_it_has_room_for() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().expect("a pair");
        let ours: &'static _ = Box::leak(Box::new(OwnedFd::from(ours)));
        let mut outlet = Outlet::new(ours.as_fd());
        assert!(fill(&mut outlet) > 0);
        drop(theirs);
        assert_eq!(outlet.write(b"x").map_err(|e| e.raw_os_error()), Err(Some(libc::EPIPE)));
    }
}
