//! Which streams pass through us, by which pipes, and where to. Contract S10-S12, S20, S21.

use std::os::fd::BorrowedFd;

use rustix::fs::{FileType, OFlags};

use super::Stream;
use crate::job::OutputMode;
use crate::sys::pipe;

/// What somebody looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Observed {
    /// Nothing.
    #[default]
    Nothing,
    /// Stderr: presets.
    Stderr,
    /// Both streams: decisions by output, `--hints http` (S21).
    Both,
}

/// Where the bytes of a pipe go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// On to our own stdout or stderr, at once.
    Pass(Stream),
    /// Into a spool, until the attempt has succeeded.
    Hold,
    /// Into the report of a run that fails.
    Keep,
}

/// The pipes of each attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    out: Option<Goal>,
    err: Option<Goal>,
    shared: bool,
    tail: bool,
    observed: Observed,
}

impl Plan {
    /// Whether somebody looks at what comes from this stream: what nobody looks at must not cost a look.
    pub fn is_observed(self, stream: Stream) -> bool {
        match self.observed {
            Observed::Nothing => false,
            Observed::Stderr => stream != Stream::Stdout,
            Observed::Both => true,
        }
    }

    /// Each pipe: what the child has it as, and where its bytes go.
    pub fn pipes(self) -> impl Iterator<Item = (Stream, Goal)> {
        let pipes = match (self.out, self.err) {
            (Some(goal), Some(_)) if self.shared => [Some((Stream::Both, goal)), None],
            (out, err) => [out.map(|goal| (Stream::Stdout, goal)), err.map(|goal| (Stream::Stderr, goal))],
        };
        pipes.into_iter().flatten()
    }

    /// By which way out words of ours stay in order with what the child writes to stderr.
    pub fn voice(self) -> Stream {
        match self.out {
            Some(Goal::Pass(to)) if self.shared => to,
            Some(Goal::Pass(_) | Goal::Hold | Goal::Keep) | None => Stream::Stderr,
        }
    }

    /// Whether the end of stderr is kept for a dead letter.
    pub fn keeps_tail(self) -> bool {
        self.tail
    }
}

/// What stdout and stderr of ours are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    closed: [bool; 2],
    err_is_terminal: bool,
    out_is_null: bool,
    /// They are one file, so that the order of what is written to the two can be seen.
    same: bool,
}

/// Decides for a run. `closed` tells of stdout and stderr.
pub fn plan(
    mode: OutputMode,
    observed: Observed,
    closed: [bool; 2],
    out: BorrowedFd<'static>,
    err: BorrowedFd<'static>,
) -> Plan {
    if mode == OutputMode::Inherit && observed == Observed::Nothing {
        return Plan { out: None, err: None, shared: false, tail: false, observed };
    }
    let found = Found {
        closed,
        err_is_terminal: !closed[1] && rustix::termios::isatty(err),
        out_is_null: is_null(out),
        same: closed == [false; 2] && is_same(out, err),
    };
    decide(mode, observed, found)
}

fn decide(mode: OutputMode, observed: Observed, found: Found) -> Plan {
    let [out_open, err_open] = found.closed.map(|closed| !closed);
    let looked_at = observed != Observed::Nothing;
    let passes_err = err_open && (looked_at || !found.err_is_terminal);
    let out_to = |wanted: bool, goal| (out_open && wanted).then_some(goal);
    let err_to = |wanted: bool| wanted.then_some(Goal::Pass(Stream::Stderr));
    let (out, err, tail) = match mode {
        OutputMode::Inherit => {
            (out_to(observed == Observed::Both, Goal::Pass(Stream::Stdout)), err_to(err_open && looked_at), false)
        }
        OutputMode::Live => {
            // Of /dev/null nobody sees an order, and at a terminal the child's own stdout is worth more than a preset's look.
            let for_order = found.same && passes_err && !found.err_is_terminal && !found.out_is_null;
            let out = out_to(observed == Observed::Both || for_order, Goal::Pass(Stream::Stdout));
            (out, err_to(passes_err), true)
        }
        OutputMode::Final => (out_to(true, Goal::Hold), err_to(passes_err), true),
        OutputMode::OnFailure => (out_to(true, Goal::Keep), err_open.then_some(Goal::Keep), true),
    };
    let shared = out.is_some()
        && err.is_some()
        && match mode {
            OutputMode::Inherit | OutputMode::Live => found.same,
            OutputMode::Final => false,
            // One pipe keeps the order; two where somebody has to know which is which.
            OutputMode::OnFailure => !looked_at,
        };
    Plan { out, err, shared, tail, observed }
}

fn is_null(fd: BorrowedFd<'_>) -> bool {
    let null = rustix::fs::stat(c"/dev/null");
    let ours = rustix::fs::fstat(fd);
    matches!((null, ours), (Ok(null), Ok(ours))
        if FileType::from_raw_mode(ours.st_mode) == FileType::CharacterDevice && null.st_rdev == ours.st_rdev)
}

/// Whether two descriptors are one file in the sense of `2>&1`. Two openings of one regular file write over each other,
/// each at its own place, unless both append; that must stay as it is.
fn is_same(out: BorrowedFd<'_>, err: BorrowedFd<'_>) -> bool {
    let (Ok(a), Ok(b)) = (rustix::fs::fstat(out), rustix::fs::fstat(err)) else { return false };
    if (a.st_dev, a.st_ino, a.st_mode) != (b.st_dev, b.st_ino, b.st_mode) {
        return false;
    }
    let appends = |fd| rustix::fs::fcntl_getfl(fd).is_ok_and(|flags| flags.contains(OFlags::APPEND));
    FileType::from_raw_mode(a.st_mode) != FileType::RegularFile
        || appends(out) && appends(err)
        // Where the kernel does not say: they then have the same offset, and nothing more is known.
        || pipe::is_one_description(out, err).unwrap_or_else(|| rustix::fs::tell(out) == rustix::fs::tell(err))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: Found = Found { closed: [false; 2], err_is_terminal: false, out_is_null: false, same: false };
    const MODES: [OutputMode; 4] = [OutputMode::Live, OutputMode::Inherit, OutputMode::Final, OutputMode::OnFailure];

    fn pipes(mode: OutputMode, observed: Observed, found: Found) -> Vec<(Stream, Goal)> {
        decide(mode, observed, found).pipes().collect()
    }

    #[test]
    fn live_passes_only_stderr_and_at_a_terminal_nothing() {
        let err = (Stream::Stderr, Goal::Pass(Stream::Stderr));
        assert_eq!(pipes(OutputMode::Live, Observed::Nothing, FILES), [err]);
        let terminal = Found { err_is_terminal: true, same: true, ..FILES };
        assert_eq!(pipes(OutputMode::Live, Observed::Nothing, terminal), []);
        assert_eq!(pipes(OutputMode::Live, Observed::Stderr, terminal), [err]);
        let both = [(Stream::Both, Goal::Pass(Stream::Stdout))];
        assert_eq!(pipes(OutputMode::Live, Observed::Both, terminal), both);
    }

    #[test]
    fn two_streams_into_one_file_go_through_one_pipe_unless_it_is_the_null_device() {
        let same = Found { same: true, ..FILES };
        let both = [(Stream::Both, Goal::Pass(Stream::Stdout))];
        assert_eq!(pipes(OutputMode::Live, Observed::Nothing, same), both);
        let null = Found { out_is_null: true, ..same };
        assert_eq!(pipes(OutputMode::Live, Observed::Nothing, null).len(), 1);
        assert_eq!(decide(OutputMode::Live, Observed::Nothing, null).voice(), Stream::Stderr);
        assert_eq!(decide(OutputMode::Live, Observed::Nothing, same).voice(), Stream::Stdout);
    }

    #[test]
    fn what_is_looked_at_passes_in_every_mode() {
        for mode in MODES {
            assert_eq!(pipes(mode, Observed::Both, FILES).len(), 2, "{mode:?}");
            assert!(pipes(mode, Observed::Stderr, FILES).iter().any(|(s, _)| *s == Stream::Stderr), "{mode:?}");
        }
        assert_eq!(pipes(OutputMode::Inherit, Observed::Nothing, FILES), []);
    }

    #[test]
    fn final_holds_stdout_and_on_failure_keeps_both() {
        let err = (Stream::Stderr, Goal::Pass(Stream::Stderr));
        let same = Found { same: true, ..FILES };
        assert_eq!(pipes(OutputMode::Final, Observed::Nothing, same), [(Stream::Stdout, Goal::Hold), err]);
        assert_eq!(pipes(OutputMode::OnFailure, Observed::Nothing, FILES), [(Stream::Both, Goal::Keep)]);
    }

    #[test]
    fn a_closed_stream_stays_closed() {
        for mode in MODES {
            assert_eq!(pipes(mode, Observed::Both, Found { closed: [true; 2], ..FILES }), []);
        }
    }
}
