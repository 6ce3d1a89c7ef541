//! The file mode creation mask of this process.

use rustix::fs::Mode;

/// The mask as it is. The only way to ask is to set it and set it back; nothing else runs in between, as there is one thread.
pub fn current() -> u32 {
    let mask = rustix::process::umask(Mode::from_raw_mode(0o077));
    rustix::process::umask(mask);
    mask.as_raw_mode()
}
