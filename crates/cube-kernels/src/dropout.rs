//! Dropout for any CubeCL device, with the same hash as on the host.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; the position is compared with the length.

use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use burn_tensor::DType;
use cubecl::{calculate_cube_count_elemwise, prelude::*};

use crate::buffers::{array, empty_like};
use crate::launches;

/// A dropout mask: values whose hash under the key is below the threshold are dropped, the others are scaled
/// up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mask {
    /// The low and high half of the key.
    pub key: (u32, u32),
    /// A value is dropped if its hash is below this.
    pub threshold: u32,
    /// Factor on the values that are kept.
    pub scale: f32,
}

/// The host's hash permutation on the device, with wrapping integers.
#[cube]
fn permute_on_device(value: u32) -> u32 {
    let state = value * 747_796_405u32 + 2_891_336_453u32;
    let word = ((state >> ((state >> 28) + 4)) ^ state) * 277_803_737u32;
    (word >> 22) ^ word
}

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn dropout_kernel(
    input: &Array<f32>,
    output: &mut Array<f32>,
    places: &Array<i32>,
    length: usize,
    width: usize,
    threshold: u32,
    scale: f32,
    key_low: u32,
    key_high: u32,
    #[comptime] has_places: bool,
) {
    let position = ABSOLUTE_POS;
    if position < length {
        let mut index = position as u32;
        if comptime!(has_places) {
            index =
                u32::cast_from(places[position / width]) * width as u32 + (position % width) as u32;
        }
        let hash = permute_on_device(permute_on_device(index + key_low) ^ key_high);
        let mut value = 0.0f32;
        if hash >= threshold {
            value = input[position] * scale;
        }
        output[position] = value;
    }
}

/// Applies dropout to rows `[N, W]`. The backward pass is the same function on the gradient, with the same mask.
///
/// `places` are the rows whose mask each row uses, `[N]`; its own row if `None`.
pub fn apply<R: CubeRuntime>(
    input: CubeTensor<R>,
    places: Option<CubeTensor<R>>,
    mask: Mask,
) -> CubeTensor<R> {
    assert_eq!(input.dtype, DType::F32, "element type of the dropout input");
    let input = into_contiguous(input);
    let [rows, width] = input.meta.shape().dims::<2>();
    let length = rows * width;
    let has_places = places.is_some();
    let places = match places {
        Some(places) => {
            assert_eq!(places.meta.shape().dims::<1>(), [rows], "shape of places");
            assert_eq!(places.dtype, DType::I32, "element type of places");
            into_contiguous(places)
        }
        // Never read.
        None => empty_like(&input, [1], DType::I32),
    };
    // Each unit reads and writes one position only, so it can work in place.
    let (output, destination) = if input.can_mut() {
        (
            input.clone(),
            ArrayArg::Alias {
                input_pos: 0,
                length: [length],
            },
        )
    } else {
        let output = empty_like(&input, input.meta.shape().clone(), DType::F32);
        let destination = array(&output);
        (output, destination)
    };
    let cube_dim = CubeDim::new_1d(256);
    launches::add(1);
    // SAFETY: both buffers are contiguous f32 of `length` values, or one such buffer that no other tensor shares. A
    // unit compares its position with the length and accesses this position only, so units do not race. There is a
    // place for every row, and places are only hashed.
    unsafe {
        dropout_kernel::launch_unchecked::<R>(
            &input.client,
            calculate_cube_count_elemwise(&input.client, length, cube_dim),
            cube_dim,
            array(&input),
            destination,
            array(&places),
            length,
            width,
            mask.threshold,
            mask.scale,
            mask.key.0,
            mask.key.1,
            has_places,
        );
    }
    output
}
