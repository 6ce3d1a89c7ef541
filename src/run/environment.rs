//! The environment of a command: ours, byte for byte, but for what it is told about the run. Contract R40.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::Identity;
use crate::job::Job;
use crate::outcome::Outcome;

/// What a run tells its command; what we found under these names ourselves is replaced or removed.
const TOLD: [&str; 7] = [
    "RETRY_ID",
    "RETRY_JOB",
    "RETRY_ATTEMPT",
    "RETRY_IDEMPOTENCY_KEY",
    "RETRY_LAST_EXIT",
    "RETRY_REPLAY",
    "RETRY_HINT_FILE",
];

/// The environment without what another run told.
pub(super) fn untold(environment: &[CString]) -> impl Iterator<Item = &CString> {
    environment.iter().filter(|entry| {
        let bytes = entry.to_bytes();
        // Almost no entry begins so: one comparison each.
        !(bytes.starts_with(b"RETRY_")
            && TOLD.iter().any(|name| bytes.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))))
    })
}

/// The value of a variable, if it is set.
pub(super) fn variable(environment: &[CString], name: &str) -> Option<OsString> {
    let is_it = |entry: &CString| {
        let value = entry.to_bytes().strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(OsString::from_vec(value.to_vec()))
    };
    environment.iter().find_map(is_it)
}

/// What an attempt is told that differs from one to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told<'a> {
    /// Its number, from 1.
    pub attempt: u32,
    /// What the attempt before it came to.
    pub last: Option<Outcome>,
    /// Where it may leave hints (S31).
    pub hint_file: Option<&'a Path>,
}

/// The environment of one attempt.
pub(super) fn of_attempt(environment: &[CString], job: &Job, identity: &Identity, told: Told<'_>) -> Vec<CString> {
    let mut entries: Vec<CString> = untold(environment).cloned().collect();
    let mut tell_bytes = |name: &str, value: &[u8]| {
        // A NUL cannot come from the command line, and what stands in a letter is checked when it is read.
        entries.extend(CString::new([name.as_bytes(), b"=", value].concat()));
    };
    let mut tell = |name: &str, value: &str| tell_bytes(name, value.as_bytes());
    tell("RETRY_ID", &identity.id);
    tell("RETRY_JOB", &job.name);
    tell("RETRY_ATTEMPT", &told.attempt.to_string());
    tell("RETRY_IDEMPOTENCY_KEY", &identity.key);
    if let Some(last) = told.last {
        tell("RETRY_LAST_EXIT", &last.shell_status().to_string());
    }
    if let Some(number) = identity.replay {
        tell("RETRY_REPLAY", &number.to_string());
    }
    if let Some(path) = told.hint_file {
        tell_bytes("RETRY_HINT_FILE", path.as_os_str().as_bytes());
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_another_run_told_is_removed() {
        let entry = |text: &str| CString::new(text).unwrap();
        let environment = ["RETRY_ID=x", "RETRY_IDENTITY=y", "RETRY_DEFAULT_BASE=1s", "PATH=/bin", "RETRY_ID", "=z"];
        let environment: Vec<CString> = environment.iter().map(|text| entry(text)).collect();
        let left: Vec<&str> = untold(&environment).map(|entry| entry.to_str().unwrap()).collect();
        assert_eq!(left, ["RETRY_IDENTITY=y", "RETRY_DEFAULT_BASE=1s", "PATH=/bin", "RETRY_ID", "=z"]);
    }
}
