//! Where descendants cannot be seen: a time limit reaches the process group.

use crate::signal::Signal;

/// A process that was seen; here none ever is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// The process id.
    pub pid: i32,
}

impl Process {
    /// Sends KILL to this process.
    pub fn kill(&self) {
        self.send(Signal::KILL);
    }

    /// Sends a signal to this process.
    pub fn send(&self, signal: Signal) {
        crate::sys::send::send(self.pid, signal);
    }
}

/// Whether a signal could be handled by a process; that cannot be told here, so it could.
pub fn could_handle(_: i32, _: Signal) -> bool {
    true
}

/// There are no subreapers here.
pub fn become_subreaper() {}

/// Whether orphans fall to this process: it is PID 1.
pub fn is_reaper() -> bool {
    std::process::id() == 1
}

/// What tells the descendants of one attempt from others; here nothing does.
#[derive(Debug)]
pub struct Family;

impl Family {
    /// Looks at what is there before an attempt.
    pub fn expect(_: Vec<Vec<u8>>) -> Family {
        Family
    }

    /// The attempt has started.
    pub fn born(&mut self, _: i32, _: bool) {}

    /// Whether descendants can be seen at all.
    pub fn can_see(&self) -> bool {
        false
    }

    /// The living descendants that are seen: none.
    pub fn living(&mut self) -> Vec<Process> {
        Vec::new()
    }
}
