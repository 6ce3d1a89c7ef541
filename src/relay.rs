//! What stays behind for a descendant that outlives its attempt and still holds our pipe. Contract S13.
//!
//! Without us the descendant would hold the very file, and could write to it for as long as it lives. So that it neither dies
//! of SIGPIPE nor loses a line, a small process goes on passing its bytes to where they would have gone, and ends with it. It
//! holds the two descriptors and nothing else: no lock, no terminal, no other end of any pipe.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use crate::sys::{detach, pipe, poll};

/// Leaves a process behind that passes what comes out of `from` on to `to`, or nowhere, for as long as somebody can write.
pub fn stay(from: &OwnedFd, to: Option<BorrowedFd<'_>>) {
    match to {
        Some(to) => detach::detach(from.as_fd(), to, pass),
        None => {
            if let Ok(null) = pipe::null() {
                detach::detach(from.as_fd(), null.as_fd(), pass);
            }
        }
    }
}

/// Passes bytes from descriptor 0 to descriptor 1 until either has ended. SIGPIPE ends it too: then nobody reads what the
/// descendant writes, which meets its own SIGPIPE at its next write.
fn pass() {
    let mut buffer = [0; 16 * 1024];
    let (from, to) = (rustix::stdio::stdin(), rustix::stdio::stdout());
    loop {
        match pipe::read_now(from, &mut buffer) {
            Ok(pipe::Got::Bytes(n)) => {
                if !write_all(to, &buffer[..n]) {
                    return;
                }
            }
            Ok(pipe::Got::Nothing) => {
                // The reader of `to` going is an event too; a file or a terminal never says so.
                if poll::wait_for([(from, poll::READ), (to, 0)])[1] & poll::TROUBLE != 0 {
                    return;
                }
            }
            Ok(pipe::Got::End) | Err(_) => return,
        }
    }
}

/// Writes all of it, however long its reader stalls; false if nobody reads any more. What a full disk takes not is lost.
fn write_all(to: BorrowedFd<'_>, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match rustix::io::write(to, bytes) {
            Ok(n) => bytes = &bytes[n..],
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                poll::wait_for([(to, poll::WRITE), (to, 0)]);
            }
            Err(rustix::io::Errno::PIPE) => return false,
            Err(_) => return true,
        }
    }
    true
}
