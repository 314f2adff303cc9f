//! What tells one optimiser from another.

use crate::simd::{Lanes, Real, Simd};

/// The arithmetic of an optimiser on one vector of parameters, with `N` factors that are the same for all of them.
pub trait Rule<const N: usize>: Copy + Send + Sync {
    /// The factors.
    fn factors(self) -> [f64; N];

    /// A gradient's step from parameters and both running averages to the next ones.
    fn moved<E: Real, S: Simd>(
        factors: [Lanes<E, S>; N],
        gradient: Lanes<E, S>,
        values: [Lanes<E, S>; 3],
    ) -> [Lanes<E, S>; 3];
}
