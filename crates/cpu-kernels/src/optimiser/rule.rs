//! The arithmetic that differs between optimisers.

use crate::simd::{Lanes, Real, Simd};

/// The update of one vector of parameters, with `N` constants shared by all parameters.
pub trait Rule<const N: usize>: Copy + Send + Sync {
    /// The constants.
    fn factors(self) -> [f64; N];

    /// Returns the new parameters and both new running averages, given the gradient and the old ones.
    fn moved<E: Real, S: Simd>(
        factors: [Lanes<E, S>; N],
        gradient: Lanes<E, S>,
        values: [Lanes<E, S>; 3],
    ) -> [Lanes<E, S>; 3];
}
