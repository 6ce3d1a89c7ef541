//! The environment of a command: ours, byte for byte, but for what it is told about the run. Contract R40.

use std::ffi::CString;

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

/// The environment of one attempt; `last` is what the attempt before it came to.
pub(super) fn of_attempt(
    environment: &[CString],
    job: &Job,
    identity: &Identity,
    attempt: u32,
    last: Option<Outcome>,
) -> Vec<CString> {
    let mut entries: Vec<CString> = untold(environment).cloned().collect();
    let mut tell = |name: &str, value: &str| {
        // A NUL cannot come from the command line, and what stands in a letter is checked when it is read.
        entries.extend(CString::new(format!("{name}={value}")));
    };
    tell("RETRY_ID", &identity.id);
    tell("RETRY_JOB", &job.name);
    tell("RETRY_ATTEMPT", &attempt.to_string());
    tell("RETRY_IDEMPOTENCY_KEY", &identity.key);
    if let Some(last) = last {
        tell("RETRY_LAST_EXIT", &last.shell_status().to_string());
    }
    if let Some(number) = identity.replay {
        tell("RETRY_REPLAY", &number.to_string());
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
