//! What tests need of the machine. Where it is missing they are skipped, and say which and why past the runner, which
//! swallows what a test prints that passes.

use std::fmt::Display;
use std::io::Write;
use std::path::PathBuf;

/// Says that this test, or a part of it, is skipped.
pub fn skipped(why: impl Display) {
    let thread = std::thread::current();
    let line = format!("\nskipped: {}: {why}\n", thread.name().unwrap_or("a test"));
    // The print macros are caught by the runner; this is not. A stderr that is closed changes nothing.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Whether a program is on this machine; says so where it is not.
pub fn have(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]).any(|dir| dir.join(program).is_file());
    if !found {
        skipped(format_args!("{program} is not on this machine"));
    }
    found
}

/// Whether this is root; says so where it is not, and what only root may do.
pub fn root(what: &str) -> bool {
    let found = is_root();
    if !found {
        skipped(format_args!("only root may {what}"));
    }
    found
}

/// Whether this is root.
pub fn is_root() -> bool {
    // SAFETY: geteuid(2) cannot fail and touches no memory.
    unsafe { libc::geteuid() == 0 }
}
