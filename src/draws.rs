//! The random draws of a run. Contract R11.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// A sequence of draws, two for each step of the machine.
#[derive(Debug)]
pub struct Draws(SmallRng);

impl Draws {
    /// The draws of a `--seed`: the same in the plan and in a run.
    pub fn seeded(seed: u64) -> Draws {
        Draws(SmallRng::seed_from_u64(seed))
    }

    /// Draws of their own for each process, seeded by the operating system.
    pub fn fresh(entropy: [u8; 32]) -> Draws {
        Draws(SmallRng::from_seed(entropy))
    }

    /// Two draws, uniform in [0, 1).
    #[allow(clippy::should_implement_trait, reason = "a sequence without an end is no iterator")]
    pub fn next(&mut self) -> [f64; 2] {
        [self.0.random(), self.0.random()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_draw_is_below_one_and_no_two_of_a_sequence_are_the_same(entropy: [u8; 32]) {
            let mut draws = Draws::fresh(entropy);
            let mut seen: Vec<f64> = (0..8).flat_map(|_| draws.next()).collect();
            prop_assert!(seen.iter().all(|draw| (0.0..1.0).contains(draw)));
            seen.sort_by(f64::total_cmp);
            seen.dedup();
            prop_assert_eq!(seen.len(), 16);
        }

        #[test]
        fn a_seed_has_draws_of_its_own(seed: u64, other: u64) {
            let draws = |seed| Draws::seeded(seed).next();
            prop_assert_eq!(draws(seed) == draws(other), seed == other);
        }
    }
}
