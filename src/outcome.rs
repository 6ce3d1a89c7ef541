//! What an attempt came to, and why a run ended: facts, before anybody has judged them.

use std::fmt;

use crate::signal::Signal;

/// An error number of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

impl Errno {
    /// What the system said; EIO where the error is not the system's.
    pub fn of(error: &std::io::Error) -> Errno {
        Errno(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

impl fmt::Display for Errno {
    /// The system's own words, in lower case and without the number: `permission denied`. An abbreviation stays as it
    /// is: `RFS specific error`, and `I/O error` with musl.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = std::io::Error::from_raw_os_error(self.0).to_string();
        let text = text.split(" (os error").next().unwrap_or_default();
        match text.as_bytes() {
            [first, second, ..] if first.is_ascii_uppercase() && second.is_ascii_lowercase() => {
                write!(f, "{}{}", char::from(first.to_ascii_lowercase()), &text[1..])
            }
            _ => f.write_str(text),
        }
    }
}

/// Which step of starting a command failed. Contract C1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartStep {
    /// No process could be had: fork(2), pipe(2).
    Fork,
    /// There was a process, but it could not become the command: execve(2).
    Exec,
}

/// What one attempt came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It ended by itself with this status.
    Exited(u8),
    /// It died of a signal that was not the time limit's.
    Signaled(Signal),
    /// The time limit ended it.
    TimedOut {
        /// Whether the command took KILL to end.
        killed: bool,
    },
    /// It never ran.
    NotStarted {
        /// The step that failed.
        step: StartStep,
        /// Why.
        errno: Errno,
    },
}

impl Outcome {
    /// The status as a shell would show it; also what `retry` exits with when it passes the outcome on.
    /// Contract "Exit status", C1: 124 or 137 for a time limit, 125, 126 or 127 for what was not started.
    pub fn shell_status(self) -> u8 {
        match self {
            Outcome::Exited(status) => status,
            Outcome::Signaled(signal) => signal.shell_status(),
            Outcome::TimedOut { killed: false } => 124,
            Outcome::TimedOut { killed: true } => 137,
            Outcome::NotStarted { step: StartStep::Fork, .. } => 125,
            Outcome::NotStarted { step: StartStep::Exec, errno } => match errno.0 {
                libc::ENOENT | libc::ENOTDIR => 127,
                _ => 126,
            },
        }
    }

    /// The exit status, of what exited by itself.
    pub fn exit_code(self) -> Option<u8> {
        match self {
            Outcome::Exited(status) => Some(status),
            Outcome::Signaled(_) | Outcome::TimedOut { .. } | Outcome::NotStarted { .. } => None,
        }
    }

    /// The signal that it died of by itself.
    pub fn signal(self) -> Option<Signal> {
        match self {
            Outcome::Signaled(signal) => Some(signal),
            Outcome::Exited(_) | Outcome::TimedOut { .. } | Outcome::NotStarted { .. } => None,
        }
    }

    /// What kind of failure it is in records and logs (D10, `error.type`). `by_output` says that a rule about the output
    /// made it one.
    pub fn error_type(self, by_output: bool) -> &'static str {
        match self {
            _ if by_output => "output",
            Outcome::Exited(_) => "exit_code",
            Outcome::Signaled(_) => "signal",
            Outcome::TimedOut { .. } => "timeout",
            Outcome::NotStarted { .. } => "spawn",
        }
    }

    /// Whether the command was not started for want of something that may be there later (R23).
    pub fn wants_a_resource(self) -> bool {
        matches!(self, Outcome::NotStarted { errno, .. } if matches!(
            errno.0,
            libc::EAGAIN | libc::ENOMEM | libc::ETXTBSY | libc::EMFILE | libc::ENFILE | libc::ESTALE | libc::EIO
        ))
    }
}

/// `exit status 75`, `killed by SIGKILL`, `timed out`, `not started: no such file or directory`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Exited(status) => write!(f, "exit status {status}"),
            Outcome::Signaled(signal) => write!(f, "killed by {signal}"),
            Outcome::TimedOut { killed: false } => f.write_str("timed out"),
            Outcome::TimedOut { killed: true } => f.write_str("timed out and had to be killed"),
            Outcome::NotStarted { errno, .. } => write!(f, "not started: {errno}"),
        }
    }
}

/// Why the run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The command succeeded.
    Succeeded,
    /// It failed in a way that another attempt cannot help.
    Permanent,
    /// Every attempt was used.
    Exhausted,
    /// The next attempt would begin after max-elapsed.
    Deadline,
    /// The other side asked for a longer wait than is allowed.
    RetryAfterTooLong,
    /// A signal ended the run.
    Interrupted {
        /// The first signal that came.
        signal: Signal,
        /// Whether it came while an attempt ran, whose outcome is then the last one.
        during_attempt: bool,
    },
}

impl Ending {
    /// The word that messages, records and metrics use.
    pub fn word(self) -> &'static str {
        match self {
            Ending::Succeeded => "succeeded",
            Ending::Permanent => "permanent",
            Ending::Exhausted => "exhausted",
            Ending::Deadline => "deadline",
            Ending::RetryAfterTooLong => "retry_after_too_long",
            Ending::Interrupted { .. } => "interrupted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_started(step: StartStep, errno: i32) -> Outcome {
        Outcome::NotStarted { step, errno: Errno(errno) }
    }

    #[test]
    fn what_was_not_started_has_the_status_that_shells_give() {
        assert_eq!(not_started(StartStep::Exec, libc::ENOENT).shell_status(), 127);
        assert_eq!(not_started(StartStep::Exec, libc::EACCES).shell_status(), 126);
        assert_eq!(not_started(StartStep::Exec, libc::EAGAIN).shell_status(), 126);
        assert_eq!(not_started(StartStep::Fork, libc::EAGAIN).shell_status(), 125);
    }

    #[test]
    fn an_error_number_reads_in_lower_case_without_its_number() {
        assert_eq!(Errno(libc::EACCES).to_string(), "permission denied");
    }

    #[test]
    fn an_abbreviation_at_the_head_of_an_error_stays_in_capitals() {
        let io = Errno(libc::EIO).to_string();
        assert!(["input/output error", "I/O error"].contains(&io.as_str()), "{io}");
        for number in 1..=200 {
            let text = Errno(number).to_string();
            let is_torn = matches!(text.as_bytes(), [b'a'..=b'z', second, ..] if !second.is_ascii_lowercase());
            assert!(!is_torn, "{number}: {text}");
        }
    }
}
