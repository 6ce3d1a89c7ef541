//! Signals to others.

use crate::signal::Signal;

/// Sends a signal to one process. That it is gone already, or not ours to signal, changes nothing.
pub fn send(pid: i32, signal: Signal) {
    // SAFETY: no pointers.
    unsafe { libc::kill(pid, signal.number()) };
}

/// Sends a signal to a process group.
pub fn send_group(group: i32, signal: Signal) {
    // SAFETY: no pointers.
    unsafe { libc::kill(-group, signal.number()) };
}

/// The process group of a process, itself if it cannot be told.
pub fn group_of(pid: i32) -> i32 {
    // SAFETY: no pointers.
    let group = unsafe { libc::getpgid(pid) };
    if group < 0 { pid } else { group }
}
