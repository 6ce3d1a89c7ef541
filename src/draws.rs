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
