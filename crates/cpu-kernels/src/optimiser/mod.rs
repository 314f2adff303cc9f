//! Gradient clipping, Adam and ADADELTA over flat slices, in place.
//!
//! Each optimiser implements one rule for a vector of parameters. The pass over memory is shared.

mod adadelta;
mod adam;
mod clip;
mod rule;
mod task_size;

use rayon::prelude::*;

pub use adadelta::AdadeltaStep;
pub use adam::AdamStep;
pub use clip::{EPSILON as CLIP_EPSILON, global_norm};
use rule::Rule;
use task_size::ELEMENTS_PER_TASK;

use crate::simd::{Arch, Lanes, Real, Simd, WithSimd};

/// One step of an optimiser.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UpdateRule {
    /// Adam. The running averages are of gradients and of squared gradients.
    Adam(AdamStep),
    /// ADADELTA. The running averages are of squared gradients and of squared steps.
    Adadelta(AdadeltaStep),
}

/// Takes one step in place. Initialise both running averages with zeros.
///
/// # Panics
/// If the slices differ in length.
pub fn update<E: Real>(
    rule: UpdateRule,
    parameters: &mut [E],
    gradient: &[E],
    first: &mut [E],
    second: &mut [E],
) {
    match rule {
        UpdateRule::Adam(step) => follow(step, parameters, gradient, first, second),
        UpdateRule::Adadelta(step) => follow(step, parameters, gradient, first, second),
    }
}

fn follow<E: Real, R: Rule<N>, const N: usize>(
    rule: R,
    parameters: &mut [E],
    gradient: &[E],
    first: &mut [E],
    second: &mut [E],
) {
    let others = [gradient.len(), first.len(), second.len()];
    assert_eq!(others, [parameters.len(); 3], "lengths");
    let arch = Arch::new();
    parameters
        .par_chunks_mut(ELEMENTS_PER_TASK)
        .zip(gradient.par_chunks(ELEMENTS_PER_TASK))
        .zip(first.par_chunks_mut(ELEMENTS_PER_TASK))
        .zip(second.par_chunks_mut(ELEMENTS_PER_TASK))
        .for_each(|(((parameters, gradient), first), second)| {
            arch.dispatch(Pass {
                rule,
                parameters,
                gradient,
                first,
                second,
            });
        });
}

struct Pass<'a, E, R, const N: usize> {
    rule: R,
    parameters: &'a mut [E],
    gradient: &'a [E],
    first: &'a mut [E],
    second: &'a mut [E],
}

impl<E: Real, R: Rule<N>, const N: usize> WithSimd for Pass<'_, E, R, N> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let factors = self.rule.factors().map(E::from_f64);
        let factors = factors.map(|factor| Lanes::<E, S>::splat(simd, factor));
        let lanes = E::lanes::<S>();
        let parts = self
            .parameters
            .chunks_mut(lanes)
            .zip(self.gradient.chunks(lanes))
            .zip(self.first.chunks_mut(lanes))
            .zip(self.second.chunks_mut(lanes));
        for (((parameters, gradient), first), second) in parts {
            let values = [&*parameters, first, second].map(|values| Lanes::load(simd, values));
            let moved = R::moved(factors, Lanes::load(simd, gradient), values);
            for (value, place) in moved.into_iter().zip([parameters, first, second]) {
                value.store(place);
            }
        }
    }
}
