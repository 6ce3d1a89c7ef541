//! A hook: a command of the user's that is called at a turn of the run. Contract D40.
//!
//! It is started and limited as an attempt is, in a group of its own; whatever it does, the run goes on as it would have.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

use crate::child::{self, Attempted, Limits};
use crate::notice::texts::HookTrouble;
use crate::outcome::Outcome;
use crate::signal::Signal;
use crate::sys::poll::{PollFd, Pump};
use crate::sys::spawn::{Group, Start, c_strings};
use crate::sys::standard;
use crate::sys::wait::Wait;

/// What remains of a hook's time from its limit's signal to KILL.
const GRACE: Duration = Duration::from_secs(1);
/// How long a hook may take after a signal asked the run to end.
pub const TIME_AFTER_TERM: Duration = Duration::from_secs(2);

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The command, for `sh -c`.
    pub command: &'a OsStr,
    /// What it finds as standard input: the record, one line.
    pub record: &'a [u8],
    /// Its environment; see [`environment`].
    pub env: &'a [CString],
    /// How long it may take.
    pub limit: Duration,
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    /// What is to be warned of; `None` if it went well.
    pub trouble: Option<HookTrouble>,
    /// The signal that asked the run to end while the hook ran.
    pub interrupted: Option<Signal>,
}

/// Gives the hook its input, and our stderr as its stdout: nothing but the command itself writes on ours.
struct Streams {
    record: Option<File>,
    /// Where its stdout goes if our stderr is closed: what it prints must not make it fail.
    nowhere: Option<File>,
}

impl Streams {
    fn open(record: &[u8]) -> Streams {
        let null = || File::options().read(true).write(true).open("/dev/null").ok();
        // Where there is no memory for it the hook still runs, with nothing to read.
        let record = file_of(record).ok().or_else(null);
        Streams { record, nowhere: if standard::is_closed(libc::STDERR_FILENO) { null() } else { None } }
    }
}

impl Pump for Streams {
    fn wants(&mut self, _polls: &mut Vec<PollFd>) {}

    fn ready(&mut self, _polls: &[PollFd]) {}

    fn child_fds(&self) -> [Option<RawFd>; 3] {
        let out = self.nowhere.as_ref().map_or(libc::STDERR_FILENO, AsRawFd::as_raw_fd);
        [self.record.as_ref().map(AsRawFd::as_raw_fd), Some(out), None]
    }

    fn close_child_ends(&mut self) {
        self.record = None;
        self.nowhere = None;
    }
}

/// The record as a file without a name: however long it is, nobody waits for a hook that does not read it.
fn file_of(record: &[u8]) -> std::io::Result<File> {
    #[cfg(target_os = "linux")]
    let mut file = File::from(rustix::fs::memfd_create("record", rustix::fs::MemfdFlags::CLOEXEC)?);
    #[cfg(not(target_os = "linux"))]
    let mut file = tempfile::tempfile()?;
    file.write_all(record)?;
    file.rewind()?;
    Ok(file)
}

/// Calls a hook and waits for its end, its limit at most. A process that it leaves running on purpose is left alone.
pub fn call(wait: &mut Wait, call: &Call) -> Called {
    let argv = c_strings([OsStr::new("sh"), OsStr::new("-c"), call.command]);
    let mut streams = Streams::open(call.record);
    // A group of its own also at a terminal: the limit must reach what the shell has started.
    let start = Start { argv: &argv, env: call.env, group: Group::Own };
    let limits = Limits {
        timeout: Some(call.limit),
        signal: Signal::TERM,
        grace: GRACE,
        grace_when_interrupted: Some(TIME_AFTER_TERM),
        sweep: false,
    };
    match child::attempt(wait, &start, &limits, &mut streams) {
        Attempted::Interrupted(signal) => {
            Called { trouble: Some(HookTrouble::CutShort(signal)), interrupted: Some(signal) }
        }
        Attempted::Ended(report) => {
            let trouble = match (report.outcome, report.interrupted) {
                (Outcome::Exited(0), _) => None,
                (Outcome::TimedOut { .. }, None) => Some(HookTrouble::TookTooLong(call.limit)),
                (_, Some(signal)) => Some(HookTrouble::CutShort(signal)),
                (outcome, None) => Some(HookTrouble::Failed(outcome)),
            };
            Called { trouble, interrupted: report.interrupted }
        }
    }
}

/// The environment of a hook: that of the run's command (R40) without `RETRY_DEFAULT_*`, so that a hook which calls
/// `retry` does not call itself, and with `more` instead of what was there under the same names.
pub fn environment(of_command: &[CString], more: &[(&str, String)]) -> Vec<CString> {
    let name = |entry: &CString| {
        let bytes = entry.as_bytes();
        bytes[..bytes.iter().position(|b| *b == b'=').unwrap_or(bytes.len())].to_vec()
    };
    let is_kept = |entry: &&CString| {
        let name = name(entry);
        !name.starts_with(b"RETRY_DEFAULT_") && !OURS.iter().any(|ours| ours.as_bytes() == name)
    };
    let mut env: Vec<CString> = of_command.iter().filter(is_kept).cloned().collect();
    env.extend(c_strings(more.iter().map(|(name, value)| format!("{name}={value}"))));
    env
}

/// What only hooks are told: never passed on from a hook of an outer run.
const OURS: [&str; 5] = ["RETRY_ENDING", "RETRY_EXIT", "RETRY_ATTEMPTS", "RETRY_DELAY_MS", "RETRY_DEAD_LETTER_ID"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_told_of_the_run_and_of_no_defaults() {
        let of_command = c_strings(["PATH=/bin", "RETRY_ID=1", "RETRY_DEFAULT_ON_FAILURE=x", "RETRY_EXIT=9"]);
        let env = environment(&of_command, &[("RETRY_EXIT", "75".into())]);
        assert_eq!(env, c_strings(["PATH=/bin", "RETRY_ID=1", "RETRY_EXIT=75"]));
    }
}
