//! Random bytes of the operating system.

/// Fills a buffer, of at most 256 bytes; `false` if the system has none to give, and then the buffer is of no use.
#[cfg(target_os = "linux")]
pub fn fill(bytes: &mut [u8]) -> bool {
    rustix::rand::getrandom(&mut *bytes, rustix::rand::GetRandomFlags::empty()) == Ok(bytes.len())
}

/// The same through the standard library's keys for hashing, which come from the system.
#[cfg(not(target_os = "linux"))]
pub fn fill(bytes: &mut [u8]) -> bool {
    use std::hash::{BuildHasher, Hasher, RandomState};
    for piece in bytes.chunks_mut(size_of::<u64>()) {
        let random = RandomState::new().build_hasher().finish().to_ne_bytes();
        piece.copy_from_slice(&random[..piece.len()]);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_draws_differ() {
        let (mut one, mut other) = ([0; 16], [0; 16]);
        assert!(fill(&mut one) && fill(&mut other));
        assert_ne!(one, other);
    }
}
