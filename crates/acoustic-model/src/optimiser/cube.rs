//! Adam and ADADELTA over flat buffers, one launch a step, on any device that CubeCL compiles for.
//!
//! The formulas are PyTorch's, operation by operation.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; the position is compared with the length.

use burn::tensor::DType;
use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use cubecl::{calculate_cube_count_elemwise, prelude::*};

use crate::buffers::{array, into_own_buffer};
use crate::launches;
use crate::optimiser::{AdadeltaStep, AdamStep};

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn adam_kernel(
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
) {
    let position = ABSOLUTE_POS;
    if position < length {
        let gradient = gradients[position];
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
    gradients: &Array<f32>,
    parameters: &mut Array<f32>,
    squares: &mut Array<f32>,
    updates: &mut Array<f32>,
    length: usize,
    learning_rate: f32,
    rho: f32,
    one_minus_rho: f32,
    epsilon: f32,
) {
    let position = ABSOLUTE_POS;
    if position < length {
        let gradient = gradients[position];
        let square = squares[position] * rho + gradient * gradient * one_minus_rho;
        let change =
            f32::sqrt(updates[position] + epsilon) / f32::sqrt(square + epsilon) * gradient;
        updates[position] = updates[position] * rho + change * change * one_minus_rho;
        parameters[position] -= learning_rate * change;
        squares[position] = square;
    }
}

/// What a step reads and leaves behind, all `[N]`: gradients to read, and parameters and two running averages that are ours to
/// overwrite.
struct Buffers<R: CubeRuntime> {
    length: usize,
    gradients: CubeTensor<R>,
    parameters: CubeTensor<R>,
    first: CubeTensor<R>,
    second: CubeTensor<R>,
}

impl<R: CubeRuntime> Buffers<R> {
    fn new(gradients: CubeTensor<R>, [parameters, first, second]: [CubeTensor<R>; 3]) -> Self {
        let length = gradients.meta.shape().num_elements();
        for tensor in [&parameters, &first, &second, &gradients] {
            assert_eq!(
                tensor.meta.shape().num_elements(),
                length,
                "values in an optimiser's tensors"
            );
            assert_eq!(tensor.dtype, DType::F32, "type of an optimiser's tensors");
        }
        launches::add(1);
        Self {
            length,
            gradients: into_contiguous(gradients),
            parameters: into_own_buffer(parameters),
            first: into_own_buffer(first),
            second: into_own_buffer(second),
        }
    }

    fn cubes(&self) -> (CubeCount, CubeDim) {
        let cube_dim = CubeDim::new_1d(256);
        let count = calculate_cube_count_elemwise(&self.gradients.client, self.length, cube_dim);
        (count, cube_dim)
    }

    fn state(self) -> [CubeTensor<R>; 3] {
        [self.parameters, self.first, self.second]
    }
}

/// One step of Adam over parameters, means and mean squares, which are overwritten where nothing else holds them.
///
/// # Panics
/// If the tensors differ in size.
pub(crate) fn adam<R: CubeRuntime>(
    step: AdamStep,
    gradients: CubeTensor<R>,
    state: [CubeTensor<R>; 3],
) -> [CubeTensor<R>; 3] {
    let buffers = Buffers::new(gradients, state);
    let (count, cube_dim) = buffers.cubes();
    // Sound: the position is compared with the length, and all buffers have it.
    unsafe {
        adam_kernel::launch_unchecked::<R>(
            &buffers.gradients.client,
            count,
            cube_dim,
            array(&buffers.gradients),
            array(&buffers.parameters),
            array(&buffers.first),
            array(&buffers.second),
            buffers.length,
            step.step_size as f32,
            (1.0 - step.beta1) as f32,
            step.beta2 as f32,
            (1.0 - step.beta2) as f32,
            step.root_correction as f32,
            step.epsilon as f32,
        );
    }
    buffers.state()
}

/// One step of ADADELTA over parameters and both mean squares, which are overwritten where nothing else holds them.
///
/// # Panics
/// If the tensors differ in size.
pub(crate) fn adadelta<R: CubeRuntime>(
    step: AdadeltaStep,
    gradients: CubeTensor<R>,
    state: [CubeTensor<R>; 3],
) -> [CubeTensor<R>; 3] {
    let buffers = Buffers::new(gradients, state);
    let (count, cube_dim) = buffers.cubes();
    // Sound: the position is compared with the length, and all buffers have it.
    unsafe {
        adadelta_kernel::launch_unchecked::<R>(
            &buffers.gradients.client,
            count,
            cube_dim,
            array(&buffers.gradients),
            array(&buffers.parameters),
            array(&buffers.first),
            array(&buffers.second),
            buffers.length,
            step.learning_rate as f32,
            step.rho as f32,
            (1.0 - step.rho) as f32,
            step.epsilon as f32,
        );
    }
    buffers.state()
}
