//! Log-probabilities and access to the layout, shared by both kernels.

use cubecl::prelude::*;

/// A finite substitute for the logarithm of 0.
pub(super) const NEVER: f32 = -1e30;
/// Values below this also count as the logarithm of 0.
pub(super) const LEAST: f32 = -1e29;

/// The log-sum-exp of three values.
#[cube]
pub(super) fn log_sum(first: f32, second: f32, third: f32) -> f32 {
    let top = max(first, max(second, third));
    let mut sum = comptime!(NEVER).runtime();
    if top > comptime!(LEAST) {
        let shares = f32::exp(first - top) + f32::exp(second - top) + f32::exp(third - top);
        sum = top + f32::ln(shares);
    }
    sum
}

/// Reads a number of the layout.
#[cube]
pub(super) fn number(layout: &Array<i32>, index: usize) -> usize {
    u32::cast_from(layout[index]) as usize
}
