//! Clipping by the norm of all gradients together, as PyTorch's `clip_grad_norm_` does, on any device that CubeCL compiles for: a sum in
//! a fixed order ([`crate::sums`]), and a pass over the gradients that ends at once where their norm is below the limit. Nobody waits
//! for the device to tell the norm.

#![allow(unsafe_code)] // The kernel is launched without bounds checks; positions are compared with the length.

use burn_cubecl::{CubeRuntime, tensor::CubeTensor};
use cubecl::prelude::*;
use padwise_cpu_kernels::CLIP_EPSILON;

use crate::buffers::{array, into_own_buffer};
use crate::{launches, sums};

const UNITS: usize = 256;
const MOST_CUBES: usize = 1024;

#[cube(launch_unchecked)]
fn scale_kernel(
    squares: &Array<f32>,
    gradients: &mut Array<f32>,
    length: usize,
    most: f32,
    epsilon: f32,
) {
    let scale = most / (f32::sqrt(squares[0]) + epsilon);
    // What is not spared is scaled, so that a norm that is no number reaches all gradients.
    let spared = scale >= 1.0f32;
    if !spared {
        let apart = CUBE_COUNT_X as usize * CUBE_DIM as usize;
        let mut position = ABSOLUTE_POS;
        while position < length {
            gradients[position] *= scale;
            position += apart;
        }
    }
}

/// The gradients, in their own buffer where nothing else holds it.
pub(crate) fn clip_global_norm<R: CubeRuntime>(
    gradients: CubeTensor<R>,
    most: f64,
) -> CubeTensor<R> {
    let squares = sums::sum_of_squares(&gradients);
    let gradients = into_own_buffer(gradients);
    let length = gradients.meta.shape().num_elements();
    let cubes = length.div_ceil(UNITS).clamp(1, MOST_CUBES);
    launches::add(1);
    // Sound: every position is compared with the length, and the sum has one value.
    unsafe {
        scale_kernel::launch_unchecked::<R>(
            &gradients.client,
            CubeCount::Static(cubes as u32, 1, 1),
            CubeDim::new_1d(UNITS as u32),
            array(&squares),
            array(&gradients),
            length,
            most as f32,
            CLIP_EPSILON as f32,
        );
    }
    gradients
}
