//! The file mode creation mask of this process.

use rustix::fs::Mode;

/// The mask as it is. The only way to ask is to set it and set it back; nothing else runs in between, as there is one thread.
pub fn current() -> u32 {
    let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
    rustix::process::umask(mask);
    number(mask)
}

/// Sets the mask. Returns what it was.
pub fn set(mask: u32) -> u32 {
    // A mode has 16 bits on some systems, and a mask of nine fits.
    #[allow(clippy::useless_conversion)]
    let mask = (mask & 0o777).try_into().unwrap_or(0o077);
    number(rustix::process::umask(Mode::from_raw_mode(mask)))
}

fn number(mask: Mode) -> u32 {
    #[allow(clippy::useless_conversion)]
    mask.as_raw_mode().into()
}
