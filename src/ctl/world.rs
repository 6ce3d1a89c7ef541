//! What a verb works with: its two outputs, the clock, the terminal, the environment; and how it fails.

use std::ffi::OsString;
use std::io::{self, Write};
use std::time::SystemTime;

use crate::cli::settings::Lookup;
use crate::cli::usage_error::UsageError;
use crate::dead_letter::file::Warning;
use crate::notice::escape;
use crate::timestamp;

/// Wrong usage (D31).
pub const USAGE: u8 = 64;
/// `verify` found lines that it cannot read.
pub const UNREADABLE: u8 = 65;
/// There is no such open letter, or no such file.
pub const NONE_SUCH: u8 = 66;
/// Something cannot be made.
pub const CANNOT_CREATE: u8 = 73;
/// Something cannot be written or read.
pub const CANNOT_WRITE: u8 = 74;
/// Another replay holds the letter.
pub const HELD: u8 = 75;

/// What a verb works with.
pub struct World<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub err: &'a mut dyn Write,
    /// The environment.
    pub environment: Lookup<'a>,
    /// The arguments of the program, for a line that somebody else can paste.
    pub args: Vec<OsString>,
    /// Now.
    pub now: SystemTime,
    /// How many columns a line of the output may have.
    pub width: usize,
    /// Whether the output may have colours.
    pub has_colour: bool,
    /// Whether somebody can be asked: standard input and error are a terminal.
    pub can_ask: bool,
    /// The warnings of files that were said already.
    pub warned: Vec<Warning>,
}

/// Why a verb did not do what it was told to.
#[derive(Debug)]
pub struct Failed {
    /// The exit status (D31).
    pub status: u8,
    /// The line that says so; none where nobody reads it any more.
    pub message: Option<String>,
}

impl Failed {
    /// A failure with its status and its words.
    pub fn new(status: u8, message: impl Into<String>) -> Failed {
        Failed { status, message: Some(message.into()) }
    }
}

impl From<UsageError> for Failed {
    fn from(error: UsageError) -> Failed {
        Failed::new(USAGE, error.to_string())
    }
}

/// A fault of the output.
impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Failed {
        match error.kind() {
            // `retryctl … | head`: whoever read has read enough.
            io::ErrorKind::BrokenPipe => Failed { status: 0, message: None },
            _ => Failed::new(CANNOT_WRITE, format!("cannot write: {}", reason(&error))),
        }
    }
}

/// What the system says, in lower case and without its number.
pub fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(number) => crate::outcome::Errno(number).to_string(),
        None => error.to_string(),
    }
}

impl World<'_> {
    /// Says one line on standard error. That nobody may read it changes nothing.
    pub fn say(&mut self, message: &str) {
        let _ = writeln!(self.err, "retryctl: {}", escape::line(message));
    }

    /// Says what there is to warn of a file, each once however many letters are changed (D24).
    pub fn warn(&mut self, warnings: Vec<Warning>) {
        for warning in warnings {
            if !self.warned.iter().any(|said| said.is_like(&warning)) {
                self.say(&warning.to_string());
                self.warned.push(warning);
            }
        }
    }

    /// Says why a verb failed, and gives its exit status.
    pub fn report(&mut self, failed: Failed) -> u8 {
        if let Some(message) = failed.message {
            self.say(&message);
        }
        failed.status
    }

    /// Prints a text and gives the exit status.
    pub fn print(&mut self, text: &str) -> u8 {
        match self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            Ok(()) => 0,
            Err(error) => self.report(error.into()),
        }
    }

    /// Prints a value as one line of JSON that acts on no terminal (D36).
    ///
    /// # Errors
    /// It cannot be written.
    pub fn print_json(&mut self, value: &impl serde::Serialize) -> Result<(), Failed> {
        let json = serde_json::to_string(value).map_err(io::Error::from)?;
        Ok(writeln!(self.out, "{}", escape::json(json))?)
    }

    /// Now, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        timestamp::millis(self.now)
    }

    /// A variable of the environment that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        (self.environment)(name).filter(|value| !value.is_empty())
    }
}

/// The columns of the terminal that standard output is, else what COLUMNS says, else 80.
pub fn width(environment: Lookup<'_>) -> usize {
    let of_terminal = rustix::termios::tcgetwinsize(rustix::stdio::stdout()).ok().map(|size| usize::from(size.ws_col));
    let said = || environment("COLUMNS").and_then(|text| text.to_str().and_then(|text| text.parse().ok()));
    of_terminal.filter(|columns| *columns > 0).or_else(said).unwrap_or(80).max(40)
}

/// Whether standard output is a terminal that wants colours.
pub fn has_colour(environment: Lookup<'_>) -> bool {
    rustix::termios::isatty(rustix::stdio::stdout())
        && environment("NO_COLOR").is_none_or(|value| value.is_empty())
        && environment("TERM").is_none_or(|value| value != "dumb")
}

/// Whether somebody can be asked.
pub fn can_ask() -> bool {
    rustix::termios::isatty(rustix::stdio::stdin()) && rustix::termios::isatty(rustix::stdio::stderr())
}
