//! Numbers of bytes as people write them.

use std::fmt;

/// Text that is no number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadSize;

impl fmt::Display for BadSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected bytes or a whole number with K, M, G, T")
    }
}

/// Reads `4096`, `64K`, `1G`: powers of 1024, in either case, with or without `B` or `iB`; saturating.
///
/// # Errors
/// Anything else, a fraction or a sign included.
pub fn parse(text: &str) -> Result<u64, BadSize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(BadSize);
    }
    let power = match unit.to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(BadSize),
    };
    let number = number.bytes().fold(0u64, |n, b| n.saturating_mul(10).saturating_add(u64::from(b - b'0')));
    Ok(number.saturating_mul(1 << power))
}

/// Writes a number of bytes so that [`parse`] reads the very same back: `64K`, `1000`.
pub fn exact(bytes: u64) -> String {
    for (power, unit) in [(40, "T"), (30, "G"), (20, "M"), (10, "K")] {
        if bytes > 0 && bytes.is_multiple_of(1 << power) {
            return format!("{}{unit}", bytes >> power);
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_read_in_powers_of_1024() {
        for (text, bytes) in [("0", 0), ("10", 10), ("64K", 65_536), ("1g", 1 << 30), ("2MiB", 2 << 20)] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "K", "-1", "1.5M", "1X", " 1", "1 K"] {
            assert_eq!(parse(text), Err(BadSize), "{text:?}");
        }
        assert_eq!(parse("99999999999999999999T"), Ok(u64::MAX));
    }

    #[test]
    fn a_size_is_written_in_the_largest_unit_that_leaves_it_whole() {
        for text in ["0", "1", "1000", "1K", "1025", "1023K", "1M", "1G", "3T", "1025T"] {
            assert_eq!(exact(parse(text).unwrap()), text);
        }
    }

    proptest! {
        #[test]
        fn a_size_is_read_back_from_what_it_prints(bytes: u64) {
            prop_assert_eq!(parse(&exact(bytes)), Ok(bytes));
        }
    }
}
