//! The end of a stream, kept in bounded memory. Contract S10.

/// How much is kept.
pub const LONGEST: usize = 8 * 1024;

/// The last 8 KiB of a stream, and how long it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    bytes: Vec<u8>,
    total: u64,
}

impl Tail {
    /// Of a stream that has not begun.
    pub fn new() -> Tail {
        Tail::default()
    }

    /// Bytes have passed.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        if bytes.len() >= LONGEST {
            self.bytes.clear();
        }
        self.bytes.extend_from_slice(&bytes[bytes.len().saturating_sub(LONGEST)..]);
        // Moved rarely, so that each byte is copied at most twice.
        if self.bytes.len() > 2 * LONGEST {
            self.bytes.drain(..self.bytes.len() - LONGEST);
        }
    }

    /// The last bytes, at most 8 KiB.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.bytes.len().saturating_sub(LONGEST)..]
    }

    /// How many bytes passed in all.
    pub fn total(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_the_end_of_what_passed_however_it_was_cut(lens in prop::collection::vec(0usize..12_000, 0..12)) {
            let (mut tail, mut all) = (Tail::new(), Vec::new());
            for (i, len) in lens.into_iter().enumerate() {
                let chunk: Vec<u8> = (0..len).map(|j| ((i * 31 + j) % 256) as u8).collect();
                tail.push(&chunk);
                all.extend(chunk);
                prop_assert_eq!(tail.bytes(), &all[all.len().saturating_sub(LONGEST)..]);
                prop_assert_eq!(tail.total(), all.len() as u64);
                prop_assert!(tail.bytes.len() <= 2 * LONGEST);
            }
        }
    }
}
