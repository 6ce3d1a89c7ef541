//! How `retry` ends: one total match over why the run stopped and what its last attempt came to. Contract "Exit status", R30, R31.

use crate::outcome::{Ending, Outcome};
use crate::signal::Signal;

/// How a process ends itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// With this status.
    Code(u8),
    /// By this signal, so that shells stop their loops and systemd sees a clean stop; as PID 1 with 128 + its number.
    Die(Signal),
}

impl ExitStatus {
    /// The status as a shell shows it.
    pub fn shell_status(self) -> u8 {
        match self {
            ExitStatus::Code(code) => code,
            ExitStatus::Die(signal) => signal.shell_status(),
        }
    }

    /// How a run ends that stopped for `ending`, its last attempt having come to `last` (`None`: there was none).
    pub fn of(ending: Ending, last: Option<Outcome>) -> ExitStatus {
        match (ending, last) {
            (Ending::Succeeded, _) => ExitStatus::Code(0),
            // The command handled the signal and ended by itself: its status is passed on.
            (Ending::Interrupted { during_attempt: true, .. }, Some(Outcome::Exited(status))) => failure(status),
            (Ending::Interrupted { signal, .. }, _) => ExitStatus::Die(signal),
            (_, Some(Outcome::Signaled(signal @ (Signal::INT | Signal::QUIT)))) => ExitStatus::Die(signal),
            (Ending::Permanent | Ending::Exhausted | Ending::Deadline | Ending::RetryAfterTooLong, Some(outcome)) => {
                failure(outcome.shell_status())
            }
            // No attempt, and yet a failure: `retry` itself could not do its work.
            (Ending::Permanent | Ending::Exhausted | Ending::Deadline | Ending::RetryAfterTooLong, None) => {
                ExitStatus::Code(125)
            }
        }
    }

    /// The same where the last attempt timed out and `own` is what its command came to (`--preserve-status`).
    ///
    /// As from timeout(1), death by the time limit's own signal is 128 + its number: nobody typed a Ctrl-C.
    pub fn of_timeout(ending: Ending, own: Outcome) -> ExitStatus {
        match ending {
            Ending::Interrupted { .. } => ExitStatus::of(ending, Some(own)),
            Ending::Succeeded
            | Ending::Permanent
            | Ending::Exhausted
            | Ending::Deadline
            | Ending::RetryAfterTooLong => failure(own.shell_status()),
        }
    }
}

/// R30: a run that did not succeed never exits 0.
fn failure(status: u8) -> ExitStatus {
    ExitStatus::Code(if status == 0 { 1 } else { status })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Errno, StartStep};
    use proptest::prelude::*;

    const STOPPED: Ending = Ending::Interrupted { signal: Signal::TERM, during_attempt: true };

    #[test]
    fn the_table_of_the_manual() {
        let not_started = |step, errno| Outcome::NotStarted { step, errno: Errno(errno) };
        let code = ExitStatus::Code;
        let cases = [
            (Ending::Succeeded, Outcome::Exited(3), code(0)),
            (Ending::Exhausted, Outcome::Exited(75), code(75)),
            (Ending::Exhausted, Outcome::Exited(0), code(1)),
            (Ending::Permanent, Outcome::Signaled(Signal::KILL), code(137)),
            (Ending::Permanent, Outcome::Signaled(Signal::INT), ExitStatus::Die(Signal::INT)),
            (Ending::Deadline, Outcome::TimedOut { killed: false }, code(124)),
            (Ending::Deadline, Outcome::TimedOut { killed: true }, code(137)),
            (Ending::Permanent, not_started(StartStep::Exec, libc::ENOENT), code(127)),
            (Ending::Permanent, not_started(StartStep::Exec, libc::EACCES), code(126)),
            (Ending::Exhausted, not_started(StartStep::Fork, libc::EAGAIN), code(125)),
            (STOPPED, Outcome::Exited(5), code(5)),
            (STOPPED, Outcome::Exited(0), code(1)),
            (STOPPED, Outcome::Signaled(Signal::KILL), ExitStatus::Die(Signal::TERM)),
            (STOPPED, Outcome::Signaled(Signal::INT), ExitStatus::Die(Signal::TERM)),
        ];
        for (ending, last, status) in cases {
            assert_eq!(ExitStatus::of(ending, Some(last)), status, "{ending:?} {last:?}");
        }
    }

    #[test]
    fn a_signal_between_attempts_is_what_ends_the_run_whatever_failed_before() {
        let ending = Ending::Interrupted { signal: Signal::HUP, during_attempt: false };
        assert_eq!(ExitStatus::of(ending, Some(Outcome::Exited(75))), ExitStatus::Die(Signal::HUP));
        assert_eq!(ExitStatus::of(ending, None), ExitStatus::Die(Signal::HUP));
    }

    #[test]
    fn a_status_reads_as_a_shell_shows_it() {
        assert_eq!(ExitStatus::Code(75).shell_status(), 75);
        assert_eq!(ExitStatus::Die(Signal::TERM).shell_status(), 143);
    }

    proptest! {
        #[test]
        fn zero_is_success_and_nothing_else(status: u8, killed: bool, which in 0usize..3, ending in 0usize..5) {
            let last = [Outcome::Exited(status), Outcome::TimedOut { killed }, Outcome::Signaled(Signal::TERM)][which];
            let endings = [Ending::Permanent, Ending::Exhausted, Ending::Deadline, Ending::RetryAfterTooLong, STOPPED];
            prop_assert_ne!(ExitStatus::of(endings[ending], Some(last)), ExitStatus::Code(0));
        }
    }
}
