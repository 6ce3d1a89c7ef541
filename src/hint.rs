//! What a child says about its own failure. Contract S30 to S34.

use std::time::Duration;

/// What was heard from one attempt; the default is that it said nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hint {
    /// `retry=yes` or `retry=no`.
    pub retry: Option<bool>,
    /// How long the other side asked to be left alone (Retry-After), from the attempt's end.
    pub asked: Option<Duration>,
    /// The value it was asked with, as it stood there, for the record.
    pub retry_after_text: Option<String>,
    /// The status of the last HTTP response that was seen.
    pub http_status: Option<u16>,
    /// `error=TEXT`.
    pub error: Option<String>,
}
