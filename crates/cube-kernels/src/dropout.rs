//! Dropout on any device that CubeCL compiles for: the same hash as on the host.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; the position is compared with the length.

use burn::tensor::DType;
use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use cubecl::{calculate_cube_count_elemwise, prelude::*};

use crate::buffers::{array, empty_like};
use crate::launches;

/// Which values to drop: those whose hash under the key is below the threshold. The rest is scaled up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mask {
    /// Both halves of the key, low and high.
    pub key: (u32, u32),
    /// A value is dropped when its hash is below this.
    pub threshold: u32,
    /// What survives is multiplied by this.
    pub scale: f32,
}

/// The permutation of the host's hash, on the device, where integers wrap.
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
    length: usize,
    threshold: u32,
    scale: f32,
    key_low: u32,
    key_high: u32,
) {
    let position = ABSOLUTE_POS;
    if position < length {
        let hash = permute_on_device(permute_on_device(position as u32 + key_low) ^ key_high);
        let mut value = 0.0f32;
        if hash >= threshold {
            value = input[position] * scale;
        }
        output[position] = value;
    }
}

/// Drops values; applied to a gradient with the same mask it is its own backward pass.
pub fn apply<R: CubeRuntime>(input: CubeTensor<R>, mask: Mask) -> CubeTensor<R> {
    assert_eq!(input.dtype, DType::F32, "type of a tensor to drop from");
    let input = into_contiguous(input);
    let length = input.meta.shape().num_elements();
    // Each unit reads and writes one position only, so the output may take the place of the input.
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
    // Sound: the position is compared with the length, and both buffers have it.
    unsafe {
        dropout_kernel::launch_unchecked::<R>(
            &input.client,
            calculate_cube_count_elemwise(&input.client, length, cube_dim),
            cube_dim,
            array(&input),
            destination,
            length,
            mask.threshold,
            mask.scale,
            mask.key.0,
            mask.key.1,
        );
    }
    output
}
