//! A signal: its number, its name, and how people write it.

use std::fmt;
use std::str::FromStr;

/// A signal number that this system knows: 1 to the last real-time signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(i32);

/// The names of the standard signals, without `SIG`, in the order of their numbers on Linux.
const NAMES: &[(&str, i32)] = &[
    ("HUP", libc::SIGHUP),
    ("INT", libc::SIGINT),
    ("QUIT", libc::SIGQUIT),
    ("ILL", libc::SIGILL),
    ("TRAP", libc::SIGTRAP),
    ("ABRT", libc::SIGABRT),
    ("BUS", libc::SIGBUS),
    ("FPE", libc::SIGFPE),
    ("KILL", libc::SIGKILL),
    ("USR1", libc::SIGUSR1),
    ("SEGV", libc::SIGSEGV),
    ("USR2", libc::SIGUSR2),
    ("PIPE", libc::SIGPIPE),
    ("ALRM", libc::SIGALRM),
    ("TERM", libc::SIGTERM),
    #[cfg(target_os = "linux")]
    ("STKFLT", libc::SIGSTKFLT),
    ("CHLD", libc::SIGCHLD),
    ("CONT", libc::SIGCONT),
    ("STOP", libc::SIGSTOP),
    ("TSTP", libc::SIGTSTP),
    ("TTIN", libc::SIGTTIN),
    ("TTOU", libc::SIGTTOU),
    ("URG", libc::SIGURG),
    ("XCPU", libc::SIGXCPU),
    ("XFSZ", libc::SIGXFSZ),
    ("VTALRM", libc::SIGVTALRM),
    ("PROF", libc::SIGPROF),
    ("WINCH", libc::SIGWINCH),
    ("IO", libc::SIGIO),
    #[cfg(target_os = "linux")]
    ("PWR", libc::SIGPWR),
    ("SYS", libc::SIGSYS),
    // Other names for the same numbers; printing takes the first that fits.
    ("IOT", libc::SIGABRT),
    ("CLD", libc::SIGCHLD),
    #[cfg(target_os = "linux")]
    ("POLL", libc::SIGIO),
];

impl Signal {
    /// Hang-up of the terminal, or a request to reload.
    pub const HUP: Signal = Signal(libc::SIGHUP);
    /// Ctrl-C.
    pub const INT: Signal = Signal(libc::SIGINT);
    /// Ctrl-\.
    pub const QUIT: Signal = Signal(libc::SIGQUIT);
    /// The signal that cannot be caught.
    pub const KILL: Signal = Signal(libc::SIGKILL);
    /// A write that nobody will read.
    pub const PIPE: Signal = Signal(libc::SIGPIPE);
    /// The polite request to end.
    pub const TERM: Signal = Signal(libc::SIGTERM);
    /// Go on after a stop.
    pub const CONT: Signal = Signal(libc::SIGCONT);
    /// A child changed its state.
    pub const CHLD: Signal = Signal(libc::SIGCHLD);
    /// A write beyond the limit of a file's size.
    pub const XFSZ: Signal = Signal(libc::SIGXFSZ);
    /// The terminal's window has another size.
    pub const WINCH: Signal = Signal(libc::SIGWINCH);
    /// Ctrl-Z.
    pub const TSTP: Signal = Signal(libc::SIGTSTP);

    /// Takes a number as the kernel gives it; `None` outside 1 to the last real-time signal.
    pub fn from_number(number: i32) -> Option<Signal> {
        (1..=last()).contains(&number).then_some(Signal(number))
    }

    /// The number, as kill(2) wants it.
    pub fn number(self) -> i32 {
        self.0
    }

    /// What a shell shows as the status of a command that died of this signal: 128 + number.
    pub fn shell_status(self) -> u8 {
        u8::try_from(128 + self.0).unwrap_or(u8::MAX)
    }
}

/// The highest signal number of this system.
#[cfg(target_os = "linux")]
fn last() -> i32 {
    libc::SIGRTMAX()
}

#[cfg(not(target_os = "linux"))]
fn last() -> i32 {
    31
}

/// The real-time range, where there is one.
#[cfg(target_os = "linux")]
fn real_time() -> Option<(i32, i32)> {
    Some((libc::SIGRTMIN(), libc::SIGRTMAX()))
}

#[cfg(not(target_os = "linux"))]
fn real_time() -> Option<(i32, i32)> {
    None
}

/// `SIGTERM`, `SIGRTMIN+3`.
impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMES.iter().find(|(_, number)| *number == self.0) {
            return write!(f, "SIG{name}");
        }
        match real_time() {
            Some((first, _)) if self.0 == first => write!(f, "SIGRTMIN"),
            Some((first, _)) if self.0 > first => write!(f, "SIGRTMIN+{}", self.0 - first),
            _ => write!(f, "SIG{}", self.0),
        }
    }
}

/// Text that names no signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSignal;

impl fmt::Display for UnknownSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected a signal such as TERM, SIGTERM or 15")
    }
}

impl FromStr for Signal {
    type Err = UnknownSignal;

    /// Reads `TERM`, `SIGTERM`, `term`, `15`, `RTMIN+3` or `RTMAX-1`.
    fn from_str(text: &str) -> Result<Signal, UnknownSignal> {
        if text.bytes().all(|b| b.is_ascii_digit()) {
            let number = text.parse().map_err(|_| UnknownSignal)?;
            return Signal::from_number(number).ok_or(UnknownSignal);
        }
        let upper = text.to_ascii_uppercase();
        let name = upper.strip_prefix("SIG").unwrap_or(&upper);
        // `SIG33` is how a signal without a name is printed: 32 and 33 are the C library's own.
        if name.bytes().all(|b| b.is_ascii_digit()) {
            return name.parse().ok().and_then(Signal::from_number).ok_or(UnknownSignal);
        }
        if let Some((_, number)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Ok(Signal(*number));
        }
        let (first, last) = real_time().ok_or(UnknownSignal)?;
        let offset = |rest: &str, sign: char| -> Option<i32> {
            if rest.is_empty() {
                return Some(0);
            }
            let digits = rest.strip_prefix(sign)?;
            digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
        };
        let number = if let Some(rest) = name.strip_prefix("RTMIN") {
            offset(rest, '+').and_then(|n| first.checked_add(n))
        } else if let Some(rest) = name.strip_prefix("RTMAX") {
            offset(rest, '-').and_then(|n| last.checked_sub(n))
        } else {
            None
        };
        match number {
            Some(number) if (first..=last).contains(&number) => Ok(Signal(number)),
            _ => Err(UnknownSignal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_read_by_name_in_any_case_and_by_number() {
        for text in ["TERM", "SIGTERM", "term", "sigterm", "15"] {
            assert_eq!(text.parse(), Ok(Signal::TERM), "{text}");
        }
    }

    #[test]
    fn what_names_no_signal_is_refused() {
        for text in [
            "",
            "0",
            "-1",
            "SIG",
            "TERMINATE",
            "999",
            "RTMIN+99",
            "RTMAX+1",
            "+15",
            " 15",
            "SIG0",
            "SIG999",
            "RTMIN+",
            "RTMIN++3",
            "RTMAX--3",
            "RTMIN-1",
            "RTMAX-99",
            "RTMINX",
        ] {
            assert!(text.parse::<Signal>().is_err(), "{text:?}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_real_time_signal_is_counted_from_either_end() {
        let (first, last) = (libc::SIGRTMIN(), libc::SIGRTMAX());
        for (text, number) in [("RTMIN", first), ("SIGRTMIN+3", first + 3), ("rtmax-1", last - 1), ("RTMAX", last)] {
            assert_eq!(text.parse(), Ok(Signal(number)), "{text}");
        }
        assert_eq!(Signal(first).to_string(), "SIGRTMIN");
        assert_eq!(Signal(first + 3).to_string(), "SIGRTMIN+3");
    }

    #[test]
    fn every_signal_is_read_back_from_what_it_prints() {
        for number in 1..=last() {
            let signal = Signal(number);
            assert_eq!(signal.to_string().parse(), Ok(signal));
        }
    }
}
