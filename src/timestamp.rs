//! Instants as records write them: RFC 3339, UTC, milliseconds.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Writes an instant as `2026-01-31T23:59:59.999Z` (D10). Instants beyond the year 9999 are written as its last.
pub fn format(at: SystemTime) -> String {
    const LAST: Duration = Duration::from_millis(253_402_300_799_999);
    let at = at.clamp(UNIX_EPOCH, UNIX_EPOCH + LAST);
    humantime::format_rfc3339_millis(at).to_string()
}

/// RFC 3339 in UTC with every digit that the system has: for comparing, not for reading.
pub fn exact(at: SystemTime) -> String {
    humantime::format_rfc3339_nanos(at).to_string()
}

/// Reads what `format` writes, and RFC 3339 with an offset of `Z` and any number of decimals; `None` for anything else.
pub fn parse(text: &str) -> Option<SystemTime> {
    humantime::parse_rfc3339(text).ok()
}

/// Milliseconds since 1970, for sorting and for ages; 0 before.
pub fn millis(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_instant_is_written_in_utc_with_milliseconds() {
        let at = UNIX_EPOCH + Duration::from_millis(1_700_000_000_123);
        assert_eq!(format(at), "2023-11-14T22:13:20.123Z");
        assert_eq!(format(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn an_exact_instant_has_every_digit() {
        let at = UNIX_EPOCH + Duration::from_nanos(1_700_000_000_123_456_789);
        assert_eq!(exact(at), "2023-11-14T22:13:20.123456789Z");
        assert_eq!(parse(&exact(at)), Some(at));
    }

    proptest! {
        #[test]
        fn an_instant_is_read_back_from_what_is_written(ms in 0u64..253_402_300_799_999) {
            let at = UNIX_EPOCH + Duration::from_millis(ms);
            prop_assert_eq!(parse(&format(at)), Some(at));
            prop_assert_eq!(millis(at), ms);
        }
    }
}
