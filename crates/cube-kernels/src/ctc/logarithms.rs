//! Probabilities as logarithms, and the layout's numbers, as both kernels use them.

use cubecl::prelude::*;

/// The logarithm of 0, with which one can compute.
pub(super) const NEVER: f32 = -1e30;
/// Whatever is below stands for 0 too.
pub(super) const LEAST: f32 = -1e29;

/// The logarithm of the sum of what three logarithms stand for.
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

/// A number of the layout.
#[cube]
pub(super) fn number(layout: &Array<i32>, index: usize) -> usize {
    u32::cast_from(layout[index]) as usize
}
