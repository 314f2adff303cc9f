//! What the units of a cube find together: each brings a number, and all get the result. Pairs are joined in the same order every time,
//! so a sum has the same bits every time.

use cubecl::prelude::*;

/// The largest. `values` has a place for each of `units`, and may be written again afterwards.
#[cube]
pub(crate) fn largest(values: &mut SharedMemory<f32>, own: f32, #[comptime] units: usize) -> f32 {
    let unit = UNIT_POS as usize;
    values[unit] = own;
    sync_cube();
    let mut half = comptime!(units / 2).runtime();
    while half > 0 {
        if unit < half {
            values[unit] = max(values[unit], values[unit + half]);
        }
        half /= 2;
        sync_cube();
    }
    let found = values[0];
    sync_cube();
    found
}

/// The sum; the same otherwise.
#[cube]
pub(crate) fn sum(values: &mut SharedMemory<f32>, own: f32, #[comptime] units: usize) -> f32 {
    let unit = UNIT_POS as usize;
    values[unit] = own;
    sync_cube();
    let mut half = comptime!(units / 2).runtime();
    while half > 0 {
        if unit < half {
            values[unit] += values[unit + half];
        }
        half /= 2;
        sync_cube();
    }
    let found = values[0];
    sync_cube();
    found
}
