//! Pipes: made, measured, sized, looked into without taking, and emptied; nothing here blocks.
//!
//! On systems without tee(2) and splice(2) the calls that need them say so with ENOSYS, and standard input is then
//! inherited instead of replayed (contract S2).

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec};
#[cfg(target_os = "linux")]
use rustix::pipe::SpliceFlags;

/// The two ends of a pipe of our own, both closed at exec.
#[derive(Debug)]
pub struct Pipe {
    /// Where bytes come out.
    pub read: OwnedFd,
    /// Where bytes go in.
    pub write: OwnedFd,
}

/// What a read came to that does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Got {
    /// This many bytes, at least one.
    Bytes(usize),
    /// There is nothing, and nobody who could still write.
    End,
    /// There is nothing now.
    Nothing,
}

/// Makes a pipe.
///
/// # Errors
/// Those of pipe2(2): no descriptor left.
pub fn pipe() -> io::Result<Pipe> {
    #[cfg(not(target_vendor = "apple"))]
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    #[cfg(target_vendor = "apple")]
    let (read, write) = {
        // One thread: no other can start a program in between.
        let (read, write) = rustix::pipe::pipe()?;
        rustix::io::fcntl_setfd(&read, rustix::io::FdFlags::CLOEXEC)?;
        rustix::io::fcntl_setfd(&write, rustix::io::FdFlags::CLOEXEC)?;
        (read, write)
    };
    Ok(Pipe { read, write })
}

/// Puts a description that is ours alone into non-blocking mode. Never to be used on one that we inherited (contract C4).
///
/// # Errors
/// Those of fcntl(2).
pub fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(fd)?;
    Ok(rustix::fs::fcntl_setfl(fd, flags | rustix::fs::OFlags::NONBLOCK)?)
}

/// How many bytes stand in a pipe or socket, unread.
pub fn unread(fd: BorrowedFd<'_>) -> u64 {
    rustix::io::ioctl_fionread(fd).unwrap_or(0)
}

/// Reads what is there from a description in non-blocking mode.
///
/// # Errors
/// Those of read(2), without EAGAIN and EINTR.
pub fn read_now(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Got> {
    loop {
        return match rustix::io::read(fd, &mut *buffer) {
            Ok(0) => Ok(Got::End),
            Ok(n) => Ok(Got::Bytes(n)),
            Err(rustix::io::Errno::AGAIN) => Ok(Got::Nothing),
            Err(rustix::io::Errno::INTR) => continue,
            Err(e) => Err(e.into()),
        };
    }
}

/// What [`take_now`] found.
#[derive(Debug)]
pub enum Taken<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// Nothing now.
    Nothing,
    /// Nothing, and nobody who could still write.
    End,
}

/// The same as [`read_now`] into memory that nothing was written to: clearing a large buffer touches each of its pages, which
/// costs more than the read.
///
/// # Errors
/// Those of read(2), without EAGAIN and EINTR.
pub fn take_now<'a>(fd: BorrowedFd<'_>, buffer: &'a mut [MaybeUninit<u8>]) -> io::Result<Taken<'a>> {
    match rustix::io::read(fd, buffer) {
        Ok(([], _)) => Ok(Taken::End),
        Ok((bytes, _)) => Ok(Taken::Bytes(bytes)),
        // What was interrupted is asked again when poll(2) says that there is something.
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(Taken::Nothing),
        Err(e) => Err(e.into()),
    }
}

/// Asks poll(2) about one descriptor, without waiting.
fn state(fd: BorrowedFd<'_>, events: PollFlags) -> PollFlags {
    let mut polls = [PollFd::from_borrowed_fd(fd, events)];
    match rustix::event::poll(&mut polls, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        Ok(_) => polls[0].revents(),
        Err(_) => PollFlags::empty(),
    }
}

/// Whether a write to this pipe would have to wait.
pub fn is_full(write: BorrowedFd<'_>) -> bool {
    !state(write, PollFlags::OUT).intersects(PollFlags::OUT)
}

/// Whether nobody is left who could read what is written here: a pipe without readers, a shut socket. Contract R23, S14.
pub fn is_reader_gone(fd: BorrowedFd<'_>) -> bool {
    state(fd, PollFlags::OUT).contains(PollFlags::ERR)
}

/// Whether nobody is left who could write into what is read here; there may still be unread bytes.
pub fn is_writer_gone(fd: BorrowedFd<'_>) -> bool {
    #[cfg(target_os = "linux")]
    let gone = PollFlags::RDHUP;
    #[cfg(not(target_os = "linux"))]
    let gone = PollFlags::empty();
    state(fd, PollFlags::IN | gone).intersects(PollFlags::HUP | gone)
}

/// Sets how many pages a pipe holds; the system may have another opinion, which is no error here.
pub fn set_pages(pipe: BorrowedFd<'_>, pages: usize) {
    #[cfg(target_os = "linux")]
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, pages * rustix::param::page_size());
    #[cfg(not(target_os = "linux"))]
    let _ = (pipe, pages);
}

/// Copies up to `most` bytes from the front of one pipe into another and leaves them where they are: tee(2).
///
/// # Errors
/// EINVAL where `from` is no pipe; EBADF where it cannot be read.
#[cfg(target_os = "linux")]
pub fn tee(from: BorrowedFd<'_>, to: BorrowedFd<'_>, most: usize) -> io::Result<Got> {
    got(rustix::pipe::tee(from, to, most, SpliceFlags::NONBLOCK))
}

/// Moves up to `most` bytes out of a pipe into something that takes them without waiting: splice(2).
///
/// # Errors
/// Those of splice(2), without EAGAIN and EINTR.
#[cfg(target_os = "linux")]
pub fn splice(from: BorrowedFd<'_>, to: BorrowedFd<'_>, most: usize) -> io::Result<Got> {
    got(rustix::pipe::splice(from, None, to, None, most, SpliceFlags::NONBLOCK | SpliceFlags::MOVE))
}

#[cfg(target_os = "linux")]
fn got(moved: rustix::io::Result<usize>) -> io::Result<Got> {
    match moved {
        Ok(0) => Ok(Got::End),
        Ok(n) => Ok(Got::Bytes(n)),
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(Got::Nothing),
        Err(e) => Err(e.into()),
    }
}

/// See the Linux form.
///
/// # Errors
/// ENOSYS, always.
#[cfg(not(target_os = "linux"))]
pub fn tee(_from: BorrowedFd<'_>, _to: BorrowedFd<'_>, _most: usize) -> io::Result<Got> {
    Err(io::Error::from_raw_os_error(libc::ENOSYS))
}

/// See the Linux form.
///
/// # Errors
/// ENOSYS, always.
#[cfg(not(target_os = "linux"))]
pub fn splice(_from: BorrowedFd<'_>, _to: BorrowedFd<'_>, _most: usize) -> io::Result<Got> {
    Err(io::Error::from_raw_os_error(libc::ENOSYS))
}

/// Copies what stands at the front of a stream socket into `buffer` and leaves it there: MSG_PEEK.
///
/// # Errors
/// Those of recv(2), without EAGAIN and EINTR.
pub fn peek_socket(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Got> {
    receive(socket, buffer, rustix::net::RecvFlags::PEEK)
}

/// Takes what stands at the front of a stream socket, without waiting.
///
/// # Errors
/// Those of recv(2), without EAGAIN and EINTR.
pub fn read_socket(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Got> {
    receive(socket, buffer, rustix::net::RecvFlags::empty())
}

fn receive(socket: BorrowedFd<'_>, buffer: &mut [u8], flags: rustix::net::RecvFlags) -> io::Result<Got> {
    match rustix::net::recv(socket, &mut *buffer, flags | rustix::net::RecvFlags::DONTWAIT) {
        Ok((0, _)) => Ok(Got::End),
        Ok((n, _)) => Ok(Got::Bytes(n)),
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(Got::Nothing),
        Err(e) => Err(e.into()),
    }
}

/// Reads up to `buffer.len()` bytes of a pipe that we share with others, if they are there; its flags stay as they were.
///
/// # Errors
/// Those of read(2).
pub fn read_shared(pipe: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<Got> {
    let there = usize::try_from(unread(pipe)).unwrap_or(usize::MAX).min(buffer.len());
    if there == 0 {
        return Ok(Got::Nothing);
    }
    read_now(pipe, &mut buffer[..there])
}

/// The null device, for what is to be taken and thrown away.
///
/// # Errors
/// Those of open(2).
pub fn null() -> io::Result<OwnedFd> {
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC | rustix::fs::OFlags::NOCTTY;
    Ok(rustix::fs::open(c"/dev/null", flags, rustix::fs::Mode::empty())?)
}

/// A second name for one of our own descriptors, closed at exec, never on 0 to 2.
///
/// # Errors
/// Those of fcntl(2): no descriptor left.
pub fn duplicate(fd: impl AsFd) -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(fd, 3)?)
}

/// Whether two descriptors are one open file, with one offset and one set of flags; `None` where the system does not say.
pub fn is_one_description(a: BorrowedFd<'_>, b: BorrowedFd<'_>) -> Option<bool> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        const KCMP_FILE: libc::c_int = 0;
        let pid = libc::c_long::from(std::process::id().cast_signed());
        // SAFETY: kcmp(2) takes numbers alone.
        let order = unsafe { libc::syscall(libc::SYS_kcmp, pid, pid, KCMP_FILE, a.as_raw_fd(), b.as_raw_fd()) };
        (order >= 0).then_some(order == 0)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (a, b);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_of_one_page_is_full_with_one_byte_in_it() {
        let outer = pipe().expect("a pipe");
        let pipe = pipe().expect("a pipe");
        set_pages(pipe.write.as_fd(), 1);
        assert!(!is_full(pipe.write.as_fd()));
        rustix::io::write(&outer.write, b"x").expect("room for a byte");
        assert_eq!(tee(outer.read.as_fd(), pipe.write.as_fd(), 100).expect("tee"), Got::Bytes(1));
        assert!(is_full(pipe.write.as_fd()));
        assert_eq!((unread(pipe.read.as_fd()), unread(outer.read.as_fd())), (1, 1));
    }

    #[test]
    fn the_end_of_a_pipe_is_told_from_a_pause() {
        let Pipe { read, write } = pipe().expect("a pipe");
        let other = pipe().expect("a pipe");
        assert_eq!(tee(read.as_fd(), other.write.as_fd(), 100).expect("tee"), Got::Nothing);
        assert!(!is_writer_gone(read.as_fd()));
        drop(write);
        assert_eq!(tee(read.as_fd(), other.write.as_fd(), 100).expect("tee"), Got::End);
        assert!(is_writer_gone(read.as_fd()));
        assert!(!is_reader_gone(other.write.as_fd()));
        drop(other.read);
        assert!(is_reader_gone(other.write.as_fd()));
    }
}
