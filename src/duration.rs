//! Durations as people write and read them. Contract R12.

use std::fmt;
use std::time::Duration;

/// The units that are read, with their length in nanoseconds.
const UNITS: &[(&str, u128)] = &[
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Text that is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadDuration;

impl fmt::Display for BadDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected seconds or a number with ms, s, m, h, d")
    }
}

/// Reads `500ms`, `2s`, `1.5m`, `1h30m`, `2d` or a bare number of seconds; fractions are allowed everywhere.
///
/// What is not zero never becomes zero: a part of a nanosecond counts as a whole one, since 0 means "none" to some options.
/// What is longer than a [`Duration`] can say becomes the longest one.
///
/// # Errors
/// Anything else, negative and empty included.
pub fn parse(text: &str) -> Result<Duration, BadDuration> {
    let mut rest = text;
    let mut nanos: u128 = 0;
    if rest.is_empty() {
        return Err(BadDuration);
    }
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (number, tail) = rest.split_at(digits);
        let letters = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, tail) = tail.split_at(letters);
        let scale = match UNITS.iter().find(|(name, _)| *name == unit) {
            Some((_, scale)) => *scale,
            // A bare number is seconds, but only where it stands alone: `1h30` may mean minutes.
            None if unit.is_empty() && number.len() == text.len() => 1_000_000_000,
            None => return Err(BadDuration),
        };
        nanos = nanos.saturating_add(scaled(number, scale).ok_or(BadDuration)?);
        rest = tail;
    }
    let seconds = u64::try_from(nanos / 1_000_000_000);
    Ok(seconds.map_or(Duration::MAX, |s| Duration::new(s, (nanos % 1_000_000_000) as u32)))
}

/// `number` (digits, perhaps with a fraction) times `scale`, rounded up.
fn scaled(number: &str, scale: u128) -> Option<u128> {
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() && !fraction.contains('.') => (whole, fraction),
        Some(_) => return None,
        None if number.is_empty() => return None,
        None => (number, ""),
    };
    let whole = whole.bytes().fold(0u128, |n, b| n.saturating_mul(10).saturating_add(u128::from(b - b'0')));
    // Nineteen digits are finer than a nanosecond of a day; what follows only decides the rounding.
    let (fine, finer) = fraction.split_at(fraction.len().min(19));
    let numerator = fine.bytes().fold(0u128, |n, b| n * 10 + u128::from(b - b'0'));
    let denominator = 10u128.pow(fine.len() as u32);
    let below = u128::from(finer.bytes().any(|b| b != b'0'));
    let part = (numerator * scale + below).div_ceil(denominator);
    Some(whole.saturating_mul(scale).saturating_add(part))
}

/// Writes a duration so that [`parse`] reads the very same back: `1h30m`, `500ms`, `1.5s`, `0s`.
pub fn exact(duration: Duration) -> String {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    if seconds == 0 && nanos > 0 && nanos % 1_000_000 == 0 {
        return format!("{}ms", nanos / 1_000_000);
    }
    let mut text = String::new();
    for (unit, value) in [("d", seconds / 86_400), ("h", seconds / 3_600 % 24), ("m", seconds / 60 % 60)] {
        if value > 0 {
            text += &format!("{value}{unit}");
        }
    }
    if nanos > 0 {
        text += format!("{}.{nanos:09}", seconds % 60).trim_end_matches('0');
        text.push('s');
    } else if seconds % 60 > 0 || text.is_empty() {
        text += &format!("{}s", seconds % 60);
    }
    text
}

/// Writes a duration for the eye, at about two figures: `812 ms`, `3.2 s`, `4 min 12 s`, `2 h 5 min`, `3 d 4 h`.
pub fn human(duration: Duration) -> String {
    let pair = |major: u64, unit: &str, minor: u64, small: &str| match minor {
        0 => format!("{major} {unit}"),
        _ => format!("{major} {unit} {minor} {small}"),
    };
    let millis = duration.as_millis();
    if millis < 1_000 {
        return format!("{millis} ms");
    }
    if millis < 59_950 {
        let tenths = (millis + 50) / 100;
        return if tenths.is_multiple_of(10) {
            format!("{} s", tenths / 10)
        } else {
            format!("{}.{} s", tenths / 10, tenths % 10)
        };
    }
    let seconds = duration.as_secs().saturating_add(u64::from(duration.subsec_millis() >= 500));
    match seconds {
        0..3_600 => pair(seconds / 60, "min", seconds % 60, "s"),
        3_600..86_400 => pair(seconds / 3_600, "h", seconds / 60 % 60, "min"),
        _ => pair(seconds / 86_400, "d", seconds / 3_600 % 24, "h"),
    }
}

/// A duration in milliseconds, as records and plans give it; saturating.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_forms_of_the_manual_are_read() {
        let cases = [
            ("500ms", 500),
            ("2s", 2_000),
            ("1.5m", 90_000),
            ("1h30m", 5_400_000),
            ("2d", 172_800_000),
            ("3", 3_000),
            ("0.25", 250),
            (".5s", 500),
            ("0", 0),
            ("1m1.5s", 61_500),
        ];
        for (text, millis) in cases {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "", "-1s", "+1s", "x", "5x", "1h30", "s", ".", "1.", "1..2", "NaN", "inf", "1e3", " 1s", "1s ", "1 s",
            "1S", "١s",
        ] {
            assert_eq!(parse(text), Err(BadDuration), "{text:?}");
        }
    }

    #[test]
    fn a_part_of_a_nanosecond_is_not_nothing_and_ages_saturate() {
        assert_eq!(parse("0.0000000001"), Ok(Duration::from_nanos(1)));
        assert_eq!(parse("0.00000000000000000000000000001s"), Ok(Duration::from_nanos(1)));
        assert_eq!(parse("99999999999999999999999999999999999999999999d"), Ok(Duration::MAX));
        assert_eq!(parse("99999999d"), Ok(Duration::from_secs(99_999_999 * 86_400)));
    }

    #[test]
    fn nothing_stays_nothing_however_finely_it_is_written() {
        assert_eq!(parse("0.0000000000000000000000000000"), Ok(Duration::ZERO));
        assert_eq!(parse("1.0000000000000000000000000000s"), Ok(Duration::from_secs(1)));
    }

    #[test]
    fn durations_read_well() {
        let cases = [
            (812, "812 ms"),
            (999, "999 ms"),
            (1_000, "1 s"),
            (3_200, "3.2 s"),
            (3_000, "3 s"),
            (59_949, "59.9 s"),
            (59_950, "1 min"),
            (252_000, "4 min 12 s"),
            (7_500_000, "2 h 5 min"),
            (273_600_000, "3 d 4 h"),
        ];
        for (ms, text) in cases {
            assert_eq!(human(Duration::from_millis(ms)), text);
        }
        assert!(human(Duration::MAX).ends_with("h"));
    }

    #[test]
    fn an_exact_duration_is_written_as_people_would() {
        for text in ["0s", "1ms", "999ms", "1s", "59s", "1m", "1m1s", "1.5s", "1h30m", "23h59m59s", "2d", "1d1h1m1.25s"]
        {
            assert_eq!(exact(parse(text).unwrap()), text);
        }
        assert_eq!(exact(Duration::from_nanos(1_500_000)), "0.0015s");
    }

    #[test]
    fn records_have_whole_milliseconds_and_ages_saturate() {
        assert_eq!(millis(Duration::new(7, 1_999_999)), 7_001);
        assert_eq!(millis(Duration::MAX), u64::MAX);
    }

    proptest! {
        #[test]
        fn a_duration_is_read_back_from_what_it_prints(
            seconds in prop_oneof![0u64..200_000, any::<u64>()],
            nanos in prop_oneof![Just(0), (0u32..1_000).prop_map(|ms| ms * 1_000_000), 0u32..1_000_000_000],
        ) {
            let duration = Duration::new(seconds, nanos);
            prop_assert_eq!(parse(&exact(duration)), Ok(duration));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9.a-z]{0,60}|\\PC{0,20}") {
            let _ = parse(&text);
        }
    }
}
