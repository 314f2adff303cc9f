//! Sums and maxima in an order that depends on shapes alone, so they are reproducible to the bit.
//!
//! burn's sum of a whole tensor, without tuning and on a device with atomic float addition, adds the partial
//! sums of its cubes in the order in which they finish. Its last bits vary from run to run. With clipping,
//! this would make two runs with the same seed diverge. It is also compiled again for every few lengths, and
//! batches have hundreds of lengths.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; positions are compared with the length.

use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use burn_tensor::DType;
use cubecl::prelude::*;

use crate::buffers::{array, empty_like};
use crate::launches;

/// The sum of two numbers, or the larger one.
#[cube]
fn combine(one: f32, other: f32, #[comptime] largest: bool) -> f32 {
    if comptime!(largest) {
        max(one, other)
    } else {
        one + other
    }
}

/// Reduces one number per unit of a cube, in pairs, and returns the result to all units. `values` needs room
/// for `units` numbers and may be reused afterwards.
#[cube]
fn in_cube(
    values: &mut SharedMemory<f32>,
    own: f32,
    #[comptime] units: usize,
    #[comptime] largest: bool,
) -> f32 {
    let unit = UNIT_POS as usize;
    values[unit] = own;
    sync_cube();
    let mut half = comptime!(units / 2).runtime();
    while half > 0 {
        if unit < half {
            values[unit] = combine(values[unit], values[unit + half], largest);
        }
        half /= 2;
        sync_cube();
    }
    let found = values[0];
    sync_cube();
    found
}

/// The largest of the units' numbers.
#[cube]
pub(crate) fn largest_in_cube(
    values: &mut SharedMemory<f32>,
    own: f32,
    #[comptime] units: usize,
) -> f32 {
    in_cube(values, own, units, true)
}

/// The sum of the units' numbers.
#[cube]
pub(crate) fn sum_in_cube(
    values: &mut SharedMemory<f32>,
    own: f32,
    #[comptime] units: usize,
) -> f32 {
    in_cube(values, own, units, false)
}

const UNITS: usize = 256;
/// Independent results per unit, for enough loads in flight.
const SIDE_BY_SIDE: usize = 4;
/// Values per cube. The losses of most batches need only one cube, and so no second launch.
const VALUES_PER_CUBE: usize = UNITS * SIDE_BY_SIDE * 16;
/// More cubes would not be faster, and the second launch has to combine their results.
const MOST_CUBES: usize = 1024;

/// What the values are reduced to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reduction {
    Sum,
    SumOfSquares,
    LargestMagnitude,
}

/// Reduces each cube's share: every `cubes · units`-th value, starting at each unit's position.
#[cube(launch_unchecked)]
fn share_kernel(
    values: &Array<f32>,
    shares: &mut Array<f32>,
    length: usize,
    #[comptime] reduction: Reduction,
    #[comptime] units: usize,
) {
    let largest = comptime!(reduction == Reduction::LargestMagnitude);
    let mut meeting = SharedMemory::<f32>::new(units);
    let apart = CUBE_COUNT_X as usize * units;
    let mut results = Array::<f32>::new(comptime!(SIDE_BY_SIDE));
    #[unroll]
    for lane in 0..comptime!(SIDE_BY_SIDE) {
        results[lane] = 0.0f32;
    }
    let mut position = CUBE_POS_X as usize * units + UNIT_POS as usize;
    while position < length {
        #[unroll]
        for lane in 0..comptime!(SIDE_BY_SIDE) {
            let at = position + lane * apart;
            if at < length {
                let value = values[at];
                let own = match comptime!(reduction) {
                    Reduction::Sum => value,
                    Reduction::SumOfSquares => value * value,
                    Reduction::LargestMagnitude => value.abs(),
                };
                results[lane] = combine(results[lane], own, largest);
            }
        }
        position += comptime!(SIDE_BY_SIDE) * apart;
    }
    let mut own = 0.0f32;
    #[unroll]
    for lane in 0..comptime!(SIDE_BY_SIDE) {
        own = combine(own, results[lane], largest);
    }
    let share = in_cube(&mut meeting, own, units, largest);
    if UNIT_POS == 0 {
        shares[CUBE_POS_X as usize] = share;
    }
}

/// The sum of all values, `[1]`.
pub fn sum<R: CubeRuntime>(values: &CubeTensor<R>) -> CubeTensor<R> {
    in_order(values, Reduction::Sum)
}

/// The sum of all squares, `[1]`.
pub fn sum_of_squares<R: CubeRuntime>(values: &CubeTensor<R>) -> CubeTensor<R> {
    in_order(values, Reduction::SumOfSquares)
}

/// The largest magnitude, `[1]`; 0 if there are no values.
pub fn largest_magnitude<R: CubeRuntime>(values: &CubeTensor<R>) -> CubeTensor<R> {
    in_order(values, Reduction::LargestMagnitude)
}

/// First reduces the share of each cube, then the results of the cubes.
///
/// # Panics
///
/// If the values are not f32.
fn in_order<R: CubeRuntime>(values: &CubeTensor<R>, reduction: Reduction) -> CubeTensor<R> {
    assert_eq!(values.dtype, DType::F32, "element type of the values");
    let values = into_contiguous(values.clone());
    let length = values.meta.shape().num_elements();
    let cubes = length.div_ceil(VALUES_PER_CUBE).clamp(1, MOST_CUBES);
    let shares = empty_like(&values, [cubes], DType::F32);
    launches::add(1);
    // SAFETY: the values are contiguous f32, and every position is compared with their number before it is read.
    // Each cube writes one result, and `shares` has one place per cube. A cube has as many units as its shared
    // memory has places.
    unsafe {
        share_kernel::launch_unchecked::<R>(
            &values.client,
            CubeCount::Static(cubes as u32, 1, 1),
            CubeDim::new_1d(UNITS as u32),
            array(&values),
            array(&shares),
            length,
            reduction,
            UNITS,
        );
    }
    if cubes == 1 {
        shares
    } else {
        let of_shares = match reduction {
            Reduction::Sum | Reduction::SumOfSquares => Reduction::Sum,
            Reduction::LargestMagnitude => Reduction::LargestMagnitude,
        };
        in_order(&shares, of_shares)
    }
}
