//! How much a line matters to the journal: syslog's levels, as sd-daemon(3) has them before a line. Contract W6.

/// A level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// A dead letter was lost.
    Critical,
    /// A run ended badly.
    Error,
    /// A retry, and what went wrong without changing the run.
    Warning,
    /// A success that took retries.
    Notice,
    /// What `-v` adds.
    Info,
    /// What `-vv` adds.
    Debug,
}

impl Priority {
    /// `<4>`: the journal takes it off again and files the line under it.
    pub fn prefix(self) -> &'static str {
        match self {
            Priority::Critical => "<2>",
            Priority::Error => "<3>",
            Priority::Warning => "<4>",
            Priority::Notice => "<5>",
            Priority::Info => "<6>",
            Priority::Debug => "<7>",
        }
    }
}
