//! What a Retry-After header asks for. Contract S32, RFC 9110 section 10.2.3.

use std::fmt;
use std::time::{Duration, SystemTime};

/// The longest wait a value can ask for, 2^32-1 seconds (136 years): a longer one is taken for this, so that sums of
/// waits and instants cannot overflow.
pub const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

/// Why a value was ignored; as text the words that follow `ignoring Retry-After: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    value: String,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Empty,
    Negative,
    Signed,
    Hexadecimal,
    Exponent,
    Neither,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.reason {
            Reason::Empty => return f.write_str("it is empty; expected seconds or an HTTP date"),
            Reason::Negative => "is negative",
            Reason::Signed => "has a sign",
            Reason::Hexadecimal => "is hexadecimal",
            Reason::Exponent => "has an exponent",
            Reason::Neither => "is neither a number nor an HTTP date",
        };
        write!(f, "{:?} {what}; expected seconds or an HTTP date", self.value)
    }
}

/// The wait that the value of a Retry-After header asks for, at most [`LONGEST`]; zero asks for nothing.
///
/// Digits are seconds, a decimal is rounded up to whole seconds. The three forms of an HTTP date are measured against
/// the response's own `Date` where it has one, because a client's clock may be wrong, else against `now`.
///
/// # Errors
/// A value that is empty, negative, signed, hexadecimal, has an exponent, or is nothing of the kind.
pub fn parse(value: &str, response_date: Option<SystemTime>, now: SystemTime) -> Result<Duration, Ignored> {
    let value = value.trim_matches([' ', '\t', '\r', '\n']);
    if let Some(asked) = seconds(value) {
        return Ok(asked);
    }
    if let Ok(until) = httpdate::parse_http_date(value) {
        let asked = until.duration_since(response_date.unwrap_or(now)).unwrap_or(Duration::ZERO);
        return Ok(round_up(asked));
    }
    let shown = value.chars().take(64).collect();
    Err(Ignored { value: shown, reason: reason(value) })
}

/// `digits` or `digits.digits`, rounded up.
fn seconds(value: &str) -> Option<Duration> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = value.split_once('.').unwrap_or((value, "0"));
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let up = u64::from(fraction.bytes().any(|b| b != b'0'));
    // Digits alone fail to parse only by being too many, which is more than the longest.
    let whole = whole.parse::<u64>().unwrap_or(u64::MAX);
    Some(Duration::from_secs(whole.saturating_add(up)).min(LONGEST))
}

fn round_up(asked: Duration) -> Duration {
    let up = u64::from(asked.subsec_nanos() > 0);
    Duration::from_secs(asked.as_secs().saturating_add(up)).min(LONGEST)
}

fn reason(value: &str) -> Reason {
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let has_exponent = |text: &str| {
        text.split_once(['e', 'E']).is_some_and(|(mantissa, exponent)| {
            seconds(mantissa).is_some() && seconds(exponent.trim_start_matches(['+', '-'])).is_some()
        })
    };
    match value.as_bytes() {
        [] => Reason::Empty,
        [b'-', ..] if number(&value[1..]) => Reason::Negative,
        [b'+', ..] if number(&value[1..]) => Reason::Signed,
        [b'0', b'x' | b'X', ..] => Reason::Hexadecimal,
        _ if has_exponent(value) => Reason::Exponent,
        _ => Reason::Neither,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::UNIX_EPOCH;

    /// Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110's examples.
    const THEN: Duration = Duration::from_secs(784_111_777);

    fn asked(value: &str) -> Option<u64> {
        parse(value, None, UNIX_EPOCH + THEN).ok().map(|asked| asked.as_secs())
    }

    #[test]
    fn digits_are_seconds() {
        assert_eq!(asked("120"), Some(120));
        assert_eq!(asked(" 120\t"), Some(120));
        assert_eq!(asked("007"), Some(7));
        assert_eq!(asked("0"), Some(0));
    }

    #[test]
    fn a_decimal_is_rounded_up() {
        assert_eq!(asked("1.5"), Some(2));
        assert_eq!(asked("0.001"), Some(1));
        assert_eq!(asked("3.000"), Some(3));
    }

    #[test]
    fn a_huge_number_asks_for_the_longest() {
        for value in ["4294967296", "18446744073709551615", "99999999999999999999999", "99999999999999999999999.5"] {
            assert_eq!(parse(value, None, UNIX_EPOCH), Ok(LONGEST), "{value}");
        }
    }

    #[test]
    fn the_three_forms_of_an_http_date_are_read() {
        for value in ["Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994"] {
            assert_eq!(asked(value), Some(60), "{value}");
        }
    }

    #[test]
    fn a_past_date_asks_for_nothing() {
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:36 GMT"), Some(0));
    }

    #[test]
    fn what_is_left_of_a_second_before_a_date_is_waited_for_whole() {
        let now = UNIX_EPOCH + THEN - Duration::from_millis(1);
        assert_eq!(parse("Sun, 06 Nov 1994 08:49:37 GMT", None, now), Ok(Duration::from_secs(1)));
    }

    #[test]
    fn a_date_is_measured_against_the_date_of_the_response() {
        let date = UNIX_EPOCH + THEN - Duration::from_secs(3600);
        let asked = parse("Sun, 06 Nov 1994 08:49:37 GMT", Some(date), UNIX_EPOCH + THEN);
        assert_eq!(asked, Ok(Duration::from_secs(3600)));
    }

    #[test]
    fn what_is_ignored_says_why() {
        let now = UNIX_EPOCH + THEN;
        for (value, why) in [
            ("", "it is empty"),
            ("  ", "it is empty"),
            ("-5", "\"-5\" is negative"),
            ("-.5", "\"-.5\" is negative"),
            ("-soon", "\"-soon\" is neither a number nor an HTTP date"),
            ("+5", "\"+5\" has a sign"),
            ("+soon", "\"+soon\" is neither a number nor an HTTP date"),
            ("0x10", "\"0x10\" is hexadecimal"),
            ("1e3", "\"1e3\" has an exponent"),
            ("2E-1", "\"2E-1\" has an exponent"),
            ("1e", "\"1e\" is neither a number nor an HTTP date"),
            ("e3", "\"e3\" is neither a number nor an HTTP date"),
            ("5s", "\"5s\" is neither a number nor an HTTP date"),
            ("1.", "\"1.\" is neither a number nor an HTTP date"),
            ("soon", "\"soon\" is neither a number nor an HTTP date"),
            ("Sun, 06 Nov 1994 08:49:37 CET", "\"Sun, 06 Nov 1994 08:49:37 CET\" is neither a number nor an HTTP date"),
        ] {
            let ignored = parse(value, None, now).unwrap_err();
            assert_eq!(ignored.to_string(), format!("{why}; expected seconds or an HTTP date"));
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_or_asks_for_more_than_the_longest(value in "\\PC{0,60}", now in 0u64..4_000_000_000) {
            if let Ok(asked) = parse(&value, None, UNIX_EPOCH + Duration::from_secs(now)) {
                prop_assert!(asked <= LONGEST);
                prop_assert_eq!(asked.subsec_nanos(), 0);
            }
        }

        #[test]
        fn a_number_is_never_rounded_down(whole in 0u32..1_000_000, fraction in "[0-9]{1,30}") {
            let text = format!("{whole}.{fraction}");
            let asked = parse(&text, None, UNIX_EPOCH).unwrap().as_secs_f64();
            let exact: f64 = text.parse().unwrap();
            prop_assert!(asked >= exact && asked - exact <= 1.0);
        }

        #[test]
        fn a_date_is_read_back(now in 0u64..4_000_000_000, ahead in 0u64..1_000_000_000) {
            let now = UNIX_EPOCH + Duration::from_secs(now);
            let text = httpdate::fmt_http_date(now + Duration::from_secs(ahead));
            prop_assert_eq!(parse(&text, None, now), Ok(Duration::from_secs(ahead)));
        }
    }
}
