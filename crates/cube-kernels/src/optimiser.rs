//! Gradient clipping, Adam and ADADELTA over flat buffers, for any CubeCL device.
//!
//! The formulas are PyTorch's, operation by operation. Clipping is by global norm, like `clip_grad_norm_`: a
//! sum in a fixed order ([`crate::reduce`]), then a factor for every gradient. The update applies it; alone, clipping is a pass
//! over the gradients that returns early if the norm is below the limit. The host does not wait for the norm.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; the position is compared with the length.

use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use burn_tensor::DType;
use cubecl::{calculate_cube_count_elemwise, prelude::*};

use padwise_cpu_kernels::{CLIP_EPSILON, UpdateRule};

use crate::buffers::{array, into_own_buffer};
use crate::{launches, reduce};

/// The factor that clips gradients with this sum of squares, 1 if they are within the limit. NaN if the sum is NaN, so all
/// gradients become NaN.
#[cube]
fn clip_factor(squares: f32, most: f32, epsilon: f32) -> f32 {
    let scale = most / (f32::sqrt(squares) + epsilon);
    let within_limit = scale >= 1.0f32;
    select(within_limit, 1.0f32, scale)
}

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn adam_kernel(
    sum_of_squares: &Array<f32>,
    gradients: &Array<f32>,
    parameters: &mut Array<f32>,
    means: &mut Array<f32>,
    squares: &mut Array<f32>,
    length: usize,
    step_size: f32,
    one_minus_beta_1: f32,
    beta_2: f32,
    one_minus_beta_2: f32,
    root_correction: f32,
    epsilon: f32,
    most: f32,
    clip_epsilon: f32,
    #[comptime] clips: bool,
) {
    let position = ABSOLUTE_POS;
    if position < length {
        let mut gradient = gradients[position];
        if comptime!(clips) {
            gradient *= clip_factor(sum_of_squares[0], most, clip_epsilon);
        }
        let mean = means[position] + (gradient - means[position]) * one_minus_beta_1;
        let square = squares[position] * beta_2 + gradient * gradient * one_minus_beta_2;
        let denominator = f32::sqrt(square) * root_correction + epsilon;
        parameters[position] -= step_size * (mean / denominator);
        means[position] = mean;
        squares[position] = square;
    }
}

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn adadelta_kernel(
    sum_of_squares: &Array<f32>,
    gradients: &Array<f32>,
    parameters: &mut Array<f32>,
    squares: &mut Array<f32>,
    updates: &mut Array<f32>,
    length: usize,
    learning_rate: f32,
    rho: f32,
    one_minus_rho: f32,
    epsilon: f32,
    most: f32,
    clip_epsilon: f32,
    #[comptime] clips: bool,
) {
    let position = ABSOLUTE_POS;
    if position < length {
        let mut gradient = gradients[position];
        if comptime!(clips) {
            gradient *= clip_factor(sum_of_squares[0], most, clip_epsilon);
        }
        let square = squares[position] * rho + gradient * gradient * one_minus_rho;
        let change =
            f32::sqrt(updates[position] + epsilon) / f32::sqrt(square + epsilon) * gradient;
        updates[position] = updates[position] * rho + change * change * one_minus_rho;
        parameters[position] -= learning_rate * change;
        squares[position] = square;
    }
}

/// Takes one optimiser step, with the gradients clipped to a global norm of at most `clip` if there is a limit. Overwrites the
/// parameters and both running averages if their buffers are not shared.
///
/// # Panics
/// If the tensors differ in size.
pub fn update<R: CubeRuntime>(
    rule: UpdateRule,
    clip: Option<f64>,
    gradients: CubeTensor<R>,
    state: [CubeTensor<R>; 3],
) -> [CubeTensor<R>; 3] {
    let length = gradients.meta.shape().num_elements();
    for tensor in state.iter().chain([&gradients]) {
        let count = tensor.meta.shape().num_elements();
        assert_eq!(count, length, "number of values in the optimiser tensors");
        assert_eq!(
            tensor.dtype,
            DType::F32,
            "element type of the optimiser tensors"
        );
    }
    let gradients = into_contiguous(gradients);
    let squares = clip.map(|_| reduce::sum_of_squares(&gradients));
    launches::add(1);
    let (clips, most) = (clip.is_some(), clip.unwrap_or(0.0) as f32);
    let [parameters, first, second] = state.map(into_own_buffer);
    let client = &gradients.client;
    let units = CubeDim::new_1d(256);
    let cubes = calculate_cube_count_elemwise(client, length, units);
    let [from, to, one, two] = [&gradients, &parameters, &first, &second].map(array);
    // Not read without a limit.
    let squares = array(squares.as_ref().unwrap_or(&gradients));
    match rule {
        // SAFETY: all four buffers are contiguous f32 of `length` values, as checked above, and no other tensor shares
        // the three that are overwritten. A unit compares its position with the length and accesses this position only. With a
        // limit, it also reads the sum of squares, which has one value.
        UpdateRule::Adam(step) => unsafe {
            adam_kernel::launch_unchecked::<R>(
                client,
                cubes,
                units,
                squares,
                from,
                to,
                one,
                two,
                length,
                step.step_size as f32,
                (1.0 - step.beta1) as f32,
                step.beta2 as f32,
                (1.0 - step.beta2) as f32,
                step.root_correction as f32,
                step.epsilon as f32,
                most,
                CLIP_EPSILON as f32,
                clips,
            );
        },
        // SAFETY: as for Adam.
        UpdateRule::Adadelta(step) => unsafe {
            adadelta_kernel::launch_unchecked::<R>(
                client,
                cubes,
                units,
                squares,
                from,
                to,
                one,
                two,
                length,
                step.learning_rate as f32,
                step.rho as f32,
                (1.0 - step.rho) as f32,
                step.epsilon as f32,
                most,
                CLIP_EPSILON as f32,
                clips,
            );
        },
    }
    [parameters, first, second]
}

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
    let scale = clip_factor(squares[0], most, epsilon);
    // Also if it is NaN, which is not equal to anything.
    let is_unchanged = scale == 1.0f32;
    if !is_unchanged {
        let apart = CUBE_COUNT_X as usize * CUBE_DIM as usize;
        let mut position = ABSOLUTE_POS;
        while position < length {
            gradients[position] *= scale;
            position += apart;
        }
    }
}

/// Clips the gradients to a global norm of at most `most`. Works in place if their buffer is not shared.
pub fn clip_global_norm<R: CubeRuntime>(gradients: CubeTensor<R>, most: f64) -> CubeTensor<R> {
    let squares = reduce::sum_of_squares(&gradients);
    let gradients = into_own_buffer(gradients);
    let length = gradients.meta.shape().num_elements();
    let cubes = length.div_ceil(UNITS).clamp(1, MOST_CUBES);
    launches::add(1);
    // SAFETY: the gradients are contiguous, no other tensor shares their buffer, and `sum_of_squares` checked that they
    // are f32. Every position is compared with their number, and the sum has one value.
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
