//! Identifiers of runs: ULIDs, 48 bits of time and 80 random bits, in 26 characters that sort by time.

use std::time::SystemTime;

use crate::timestamp;

/// Crockford's base 32: no I, L, O, U.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Makes an identifier for something that began at this instant, with random bits of the operating system.
///
/// Where the system has none to give, the process id and the nanoseconds of the clock stand in: a run without an
/// identifier would be worse than one whose identifier could be guessed.
pub fn new(at: SystemTime) -> String {
    let mut random = [0u8; 10];
    if !crate::entropy::fill(&mut random) {
        random = unique(at, std::process::id());
    }
    encode(timestamp::millis(at), random)
}

/// Bits that only this process has at this instant: its id, and the lowest 48 bits of the nanoseconds.
fn unique(at: SystemTime, process: u32) -> [u8; 10] {
    let nanos = at.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    let mut bits = [0; 10];
    bits[..4].copy_from_slice(&process.to_le_bytes());
    bits[4..].copy_from_slice(&nanos.to_le_bytes()[..6]);
    bits
}

fn encode(millis: u64, random: [u8; 10]) -> String {
    let mut bits = u128::from(millis & 0xffff_ffff_ffff) << 80;
    for byte in random.iter().enumerate().map(|(i, byte)| u128::from(*byte) << (8 * (9 - i))) {
        bits |= byte;
    }
    (0..26).rev().map(|i| char::from(ALPHABET[(bits >> (5 * i)) as usize & 31])).collect()
}

/// Whether a text can be the identifier of a letter: 4 to 64 letters, digits, `-` and `_`.
///
/// Ours are ULIDs, but a letter may come from anywhere (`replay -`), and its identifier reaches messages, lines to
/// paste and the environment of the command.
pub fn is_id(text: &str) -> bool {
    (4..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && !text.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn the_example_of_the_specification_is_met() {
        assert_eq!(encode(1_469_918_176_385, [0; 10]), "01ARYZ6S410000000000000000");
        assert_eq!(encode(0xffff_ffff_ffff, [255; 10]), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
    }

    #[test]
    fn two_of_the_same_instant_differ() {
        let at = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        assert_ne!(new(at), new(at));
        assert!(is_id(&new(at)));
    }

    #[test]
    fn an_id_is_a_word_that_no_shell_and_no_option_parser_takes_for_something_else() {
        for id in ["1234", "A-b_", "_abc", &"x".repeat(64), "01ARYZ6S410000000000000000"] {
            assert!(is_id(id), "{id}");
        }
        for text in ["", "123", &"x".repeat(65), "-abc", "a b c", "a/bc", "../x", "abc\n", "$(x)", "abcä", "a.b.c"] {
            assert!(!is_id(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn without_random_bits_two_differ_by_process_or_by_instant(a: (u32, u32), b: (u32, u32)) {
            let of = |(nanos, process): (u32, u32)| unique(UNIX_EPOCH + Duration::from_nanos(nanos.into()), process);
            prop_assert_eq!(of(a) == of(b), a == b);
            prop_assert_ne!(of(a), of((a.0.wrapping_add(1), a.1)));
            prop_assert_ne!(of(a), of((a.0, a.1.wrapping_add(1))));
        }

        #[test]
        fn a_later_one_sorts_after(a in 0u64..1 << 48, b in 0u64..1 << 48, ra: [u8; 10], rb: [u8; 10]) {
            prop_assume!(a < b);
            prop_assert!(encode(a, ra) < encode(b, rb));
        }
    }
}
