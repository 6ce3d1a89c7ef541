//! Processes as tests see them: whether they live, who is below them, and how a command is started with other signals.

use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};

use crate::harness::{Cli, Running, fenced, until};

/// Whether a process runs: a zombie does not.
pub fn is_alive(pid: i32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat[stat.rfind(')').unwrap_or(0)..].starts_with(") Z"))
}

/// Waits until a process runs no longer.
#[track_caller]
pub fn gone(pid: i32) {
    until(&format!("the end of {pid}"), || !is_alive(pid));
}

/// Sends a signal.
pub fn kill(pid: i32, signal: i32) {
    // SAFETY: kill(2) touches no memory.
    unsafe { libc::kill(pid, signal) };
}

/// The children of a process, zombies too.
pub fn children(pid: i32) -> Vec<i32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Waits until a process waits between two attempts: it has no child and sleeps.
#[track_caller]
pub fn idle(pid: i32) {
    until("a delay", || children(pid).is_empty());
}

/// Waits for the end of a command whose streams somebody else still holds. Returns its code as `Ended::code` does.
pub fn code_of(mut running: Running) -> i32 {
    let status = fenced(&mut running.child);
    status.code().unwrap_or_else(|| 1000 + status.signal().expect("no status, so a signal"))
}

/// A field of /proc/PID/status.
pub fn status_field(pid: i32, name: &str) -> String {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
    let line = status.lines().find(|line| line.split(':').next() == Some(name)).expect("a field of proc(5)");
    line[name.len() + 1..].trim().to_string()
}

/// The lines that a running command prints, one at a time.
pub struct Lines(BufReader<std::process::ChildStdout>);

impl Lines {
    /// Takes the stdout of a command, which its end then does not report.
    pub fn of(running: &mut Running) -> Lines {
        Lines(BufReader::new(running.child.stdout.take().expect("stdout is a pipe")))
    }

    /// Waits for the next line.
    pub fn next(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a pipe can be read");
        line.trim_end().to_string()
    }

    /// Waits for the next line, a process id.
    #[track_caller]
    pub fn pid(&mut self) -> i32 {
        let line = self.next();
        line.parse().unwrap_or_else(|_| panic!("no process id: {line:?}"))
    }
}

/// What a command finds ignored or blocked when it starts.
impl Cli {
    /// Starts it with these signals ignored.
    pub fn ignoring(mut self, signals: &'static [i32]) -> Cli {
        // SAFETY: signal(2) is async-signal-safe.
        unsafe {
            self.command().pre_exec(move || {
                signals.iter().for_each(|signal| {
                    libc::signal(*signal, libc::SIG_IGN);
                });
                Ok(())
            });
        }
        self
    }

    /// Starts it with these signals blocked.
    pub fn blocking(mut self, signals: &'static [i32]) -> Cli {
        // SAFETY: sigprocmask(2) is async-signal-safe, and an all-zero set is initialised before use.
        unsafe {
            self.command().pre_exec(move || {
                let mut set: libc::sigset_t = std::mem::zeroed();
                libc::sigemptyset(&raw mut set);
                signals.iter().for_each(|signal| {
                    libc::sigaddset(&raw mut set, *signal);
                });
                libc::sigprocmask(libc::SIG_SETMASK, &raw const set, std::ptr::null_mut());
                Ok(())
            });
        }
        self
    }
}
