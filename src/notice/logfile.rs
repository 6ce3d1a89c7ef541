//! The file of `--log-file`: lines are appended, and nothing that happens to it changes the run. Contract W5.

use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// Appends one text in one write, so that lines of many processes stay whole. The file is opened each time: it may be
/// rotated during a long wait, and no descriptor is held for a child to find. A FIFO that nobody reads is an error, not
/// a wait.
///
/// # Errors
/// Those of open(2) and write(2); a part that was written stays.
pub fn append(file: &Path, text: &str) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let out = rustix::fs::open(file, flags, Mode::from_raw_mode(0o666))?;
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match rustix::io::write(&out, rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => rest = &rest[n..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Why, in the system's words.
pub fn cause(error: &io::Error) -> String {
    error.raw_os_error().map_or_else(|| error.to_string(), |number| crate::outcome::Errno(number).to_string())
}
