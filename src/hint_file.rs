//! Reads what a command wrote into its hint file. Contract S31.

use std::time::{Duration, SystemTime};

use crate::http_headers::{HttpHeaders, Response};
use crate::retry_after::{self, Ignored};

/// How much of a hint file is read, in bytes.
pub const LONGEST: usize = 64 * 1024;

/// How much of an error text is kept, in characters: as much as a record's error message may have.
const LONGEST_ERROR: usize = 1000;

/// What a hint file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// `retry=yes` or `retry=no`.
    pub retry: Option<bool>,
    /// The wait asked for by a bare value, a `retry-after=` or a Retry-After line; else that of [`Told::response`].
    pub retry_after: Option<String>,
    /// `error=text`, at most 1000 characters.
    pub error: Option<String>,
    /// The last response of the header blocks.
    pub response: Option<Response>,
    /// A `retry=` that says neither yes nor no.
    pub unclear: Option<String>,
}

impl Told {
    /// Reads the bytes of a hint file, of which the first 64 KiB count.
    ///
    /// A file holds a bare value (`120`, or a date), header blocks as curl writes them, or lines of `key=value`; they may
    /// be mixed, the last of a kind counts, and what is nothing of the kind is passed over.
    pub fn read(bytes: &[u8]) -> Told {
        let mut told = Told::default();
        let mut headers = HttpHeaders::new();
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
        let is_single = text.lines().filter(|line| !line.trim().is_empty()).count() == 1;
        for line in text.lines() {
            headers.line(line.as_bytes());
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            let is_bare = retry_after::parse(line, None, SystemTime::UNIX_EPOCH).is_ok();
            if is_bare {
                told.retry_after = Some(line.to_string());
            } else if let Some((key, value)) = line.split_once('=') {
                told.key(key.trim(), value.trim());
            } else if let Some((name, value)) = line.split_once(':') {
                // One of a response is the response's; one that stands alone is meant all the same.
                if headers.last().is_none() && name.eq_ignore_ascii_case("retry-after") {
                    told.retry_after = Some(value.trim().to_string());
                }
            } else if is_single {
                told.retry_after = Some(line.to_string());
            }
        }
        told.response = headers.into_last();
        told
    }

    fn key(&mut self, key: &str, value: &str) {
        if key.eq_ignore_ascii_case("retry-after") {
            self.retry_after = Some(value.to_string());
        } else if key.eq_ignore_ascii_case("error") {
            self.error = Some(value.chars().take(LONGEST_ERROR).collect()).filter(|text: &String| !text.is_empty());
        } else if key.eq_ignore_ascii_case("retry") {
            self.retry = match value {
                _ if value.eq_ignore_ascii_case("yes") => Some(true),
                _ if value.eq_ignore_ascii_case("no") => Some(false),
                _ => {
                    self.unclear = Some(value.chars().take(64).collect());
                    self.retry
                }
            };
        }
    }

    /// The value of what was asked for, as it was written.
    pub fn retry_after_text(&self) -> Option<&str> {
        self.retry_after.as_deref().or(self.response.as_ref().and_then(|response| response.retry_after.as_deref()))
    }

    /// The wait asked for, measured from `now` where no response says what time it is over there.
    pub fn asked(&self, now: SystemTime) -> Option<Result<Duration, Ignored>> {
        let date = match self.retry_after {
            Some(_) => None,
            None => self.response.as_ref().and_then(|response| response.date),
        };
        self.retry_after_text().map(|value| retry_after::parse(value, date, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asked(text: &str) -> Option<u64> {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        Told::read(text.as_bytes()).asked(now).and_then(Result::ok).map(|asked| asked.as_secs())
    }

    #[test]
    fn a_bare_value_is_seconds_or_a_date() {
        assert_eq!(asked("120"), Some(120));
        assert_eq!(asked("120\n"), Some(120));
        assert_eq!(asked("\n 1.5\r\n"), Some(2));
        assert_eq!(asked("Sun, 06 Nov 1994 08:50:37 GMT\n"), Some(60));
        assert_eq!(asked("Sunday, 06-Nov-94 08:50:37 GMT"), Some(60));
        assert_eq!(asked("Sun Nov  6 08:50:37 1994"), Some(60));
    }

    #[test]
    fn a_bare_value_that_is_none_is_reported_not_passed_over() {
        let ignored = Told::read(b"soon\n").asked(SystemTime::UNIX_EPOCH).unwrap().unwrap_err();
        assert_eq!(
            ignored.to_string(),
            "\"soon\" is neither a number nor an HTTP date; expected seconds or an HTTP date"
        );
        assert!(Told::read(b"-5").asked(SystemTime::UNIX_EPOCH).unwrap().is_err());
    }

    #[test]
    fn lines_of_keys_are_read_and_unknown_keys_passed_over() {
        let told = Told::read(b"retry-after=30\ncolour=blue\nretry = no\nerror=quota of the day is used up\n");
        assert_eq!(told.retry_after.as_deref(), Some("30"));
        assert_eq!(told.retry, Some(false));
        assert_eq!(told.error.as_deref(), Some("quota of the day is used up"));
        assert_eq!(Told::read(b"retry=yes").retry, Some(true));
    }

    #[test]
    fn the_last_of_a_kind_counts() {
        let told = Told::read(b"retry=no\nretry-after=1\nretry=yes\nretry-after=2\n");
        assert_eq!((told.retry, told.retry_after.as_deref()), (Some(true), Some("2")));
    }

    #[test]
    fn an_unclear_retry_says_nothing_and_is_kept_for_a_warning() {
        let told = Told::read(b"retry=maybe\n");
        assert_eq!((told.retry, told.unclear.as_deref()), (None, Some("maybe")));
    }

    #[test]
    fn header_blocks_of_curl_are_read_with_their_date() {
        let text = "HTTP/1.1 302 Found\r\nRetry-After: 9\r\n\r\nHTTP/1.1 503 No\r\n\
                    Date: Sun, 06 Nov 1994 08:00:00 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:01:00 GMT\r\n\r\n";
        let told = Told::read(text.as_bytes());
        assert_eq!(told.response.as_ref().map(|response| response.status), Some(503));
        assert_eq!(asked(text), Some(60));
        assert_eq!(told.retry_after_text(), Some("Sun, 06 Nov 1994 08:01:00 GMT"));
        assert_eq!(asked("HTTP/1.1 503 No\r\nX-A: a=b\r\nRetry-After: 7\r\n\r\n"), Some(7));
    }

    #[test]
    fn a_retry_after_line_needs_no_response() {
        assert_eq!(asked("Retry-After: 12\n"), Some(12));
    }

    #[test]
    fn a_key_beside_header_blocks_is_the_last_word() {
        assert_eq!(asked("HTTP/1.1 503 No\r\nRetry-After: 7\r\n\r\nretry-after=3\n"), Some(3));
    }

    #[test]
    fn an_empty_file_says_nothing() {
        for bytes in [&b""[..], b"\n", b" \n\n", b"\0", b"error=\n"] {
            let told = Told::read(bytes);
            assert_eq!((told.retry, told.error, told.response), (None, None, None), "{bytes:?}");
        }
        assert_eq!(Told::read(b"").asked(SystemTime::UNIX_EPOCH), None);
    }

    #[test]
    fn of_a_long_file_the_first_64_kib_count() {
        let mut text = "x".repeat(65_526);
        text.push_str("\nretry=yes\nretry=no\n");
        assert_eq!(Told::read(text.as_bytes()).retry, Some(true));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Told::read(&bytes).asked(SystemTime::UNIX_EPOCH);
        }

        #[test]
        fn text_in_the_shape_of_a_hint_file_does_not_panic(text in "((retry|error|retry-after|x)[=:][ -~]{0,20}\r?\n|HTTP/1.1 [0-9]{3} x\n){0,6}") {
            let told = Told::read(text.as_bytes());
            prop_assert!(told.error.is_none_or(|error| !error.is_empty()));
        }
    }
}
