//! Softmax cross-entropy over rows of logits, for any CubeCL device.
//!
//! Each cube processes one row; its units split the classes and reduce through shared memory. Logits are read
//! twice in the forward pass and once in the backward pass, and probabilities are never stored. A row with a
//! negative target is padding: it is not read, and its gradient is exactly zero.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; rows and classes are compared with the shape.

use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use burn_tensor::DType;
use cubecl::prelude::*;

use crate::buffers::{array, empty_like, into_own_buffer};
use crate::{launches, reduce};

/// Most cubes along the first dimension. Devices allow 65 535.
const CUBES_ACROSS: usize = 32_768;

/// Per-row results of the forward pass, all `[N]`.
#[derive(Clone, Debug)]
pub struct RowLosses<R: CubeRuntime> {
    /// Negative log-probability of the target; 0 on ignored rows.
    pub loss: CubeTensor<R>,
    /// Log-sum-exp of the logits, for the backward pass; 0 on ignored rows.
    pub log_sum: CubeTensor<R>,
    /// 1 if the predicted class (the first of the largest logits) is not the target, otherwise 0; 0 on
    /// ignored rows.
    pub wrong: CubeTensor<R>,
}

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn forward_kernel(
    logits: &Array<f32>,
    targets: &Array<i32>,
    loss: &mut Array<f32>,
    log_sum: &mut Array<f32>,
    wrong: &mut Array<f32>,
    rows: usize,
    classes: usize,
    #[comptime] units: usize,
) {
    let row = CUBE_POS_Y as usize * CUBE_COUNT_X as usize + CUBE_POS_X as usize;
    let unit = UNIT_POS as usize;
    let mut values = SharedMemory::<f32>::new(units);
    let mut indices = SharedMemory::<u32>::new(units);

    if row < rows {
        let target = targets[row];
        if target < 0 {
            if unit == 0 {
                loss[row] = 0.0f32;
                log_sum[row] = 0.0f32;
                wrong[row] = 0.0f32;
            }
        } else {
            let start = row * classes;
            // Units beyond the last class repeat it, which changes neither the maximum nor its first index.
            let mut best_index = min(unit, classes - 1);
            let mut best = logits[start + best_index];
            let mut class = unit + units;
            while class < classes {
                let value = logits[start + class];
                if value > best {
                    best = value;
                    best_index = class;
                }
                class += units;
            }
            values[unit] = best;
            indices[unit] = best_index as u32;
            sync_cube();
            let mut half = comptime!(units / 2).runtime();
            while half > 0 {
                if unit < half {
                    let (value, index) = (values[unit + half], indices[unit + half]);
                    if value > values[unit] || (value == values[unit] && index < indices[unit]) {
                        values[unit] = value;
                        indices[unit] = index;
                    }
                }
                half /= 2;
                sync_cube();
            }
            let maximum = values[0];
            let winner = indices[0];
            sync_cube();

            let mut sum = 0.0f32;
            let mut class = unit;
            while class < classes {
                sum += f32::exp(logits[start + class] - maximum);
                class += units;
            }
            let sum = reduce::sum_in_cube(&mut values, sum, units);
            if unit == 0 {
                let log_of_sum = maximum + f32::ln(sum);
                // A target beyond the last class is a caller's bug; it must not cause an out-of-bounds read.
                let target = min(u32::cast_from(target), classes as u32 - 1);
                loss[row] = log_of_sum - logits[start + target as usize];
                log_sum[row] = log_of_sum;
                wrong[row] = select(winner == target, 0.0f32, 1.0f32);
            }
        }
    }
}

#[cube(launch_unchecked)]
fn backward_kernel(
    targets: &Array<i32>,
    log_sum: &Array<f32>,
    scale: &Array<f32>,
    logits: &mut Array<f32>,
    rows: usize,
    classes: usize,
    #[comptime] units: usize,
) {
    let row = CUBE_POS_Y as usize * CUBE_COUNT_X as usize + CUBE_POS_X as usize;
    if row < rows {
        let target = targets[row];
        let start = row * classes;
        let mut class = UNIT_POS as usize;
        while class < classes {
            let mut gradient = 0.0f32;
            if target >= 0 {
                let probability = f32::exp(logits[start + class] - log_sum[row]);
                let hit = select(class as u32 == u32::cast_from(target), 1.0f32, 0.0f32);
                gradient = (probability - hit) * scale[0];
            }
            logits[start + class] = gradient;
            class += units;
        }
    }
}

/// Units per cube, and number of cubes, for a matrix.
pub fn grid(rows: usize, classes: usize) -> (usize, CubeCount) {
    let units = if classes <= 128 { 32 } else { 128 };
    let across = rows.clamp(1, CUBES_ACROSS);
    (
        units,
        CubeCount::Static(across as u32, rows.div_ceil(across).max(1) as u32, 1),
    )
}

fn dimensions<R: CubeRuntime>(logits: &CubeTensor<R>, targets: &CubeTensor<R>) -> (usize, usize) {
    let [rows, classes] = logits.meta.shape().dims::<2>();
    assert!(
        rows > 0 && classes > 0,
        "a loss needs at least one row and one class"
    );
    assert_eq!(
        targets.meta.shape().dims::<1>(),
        [rows],
        "one target per row"
    );
    assert_eq!(
        (logits.dtype, targets.dtype),
        (DType::F32, DType::I32),
        "element types of logits and targets"
    );
    (rows, classes)
}

/// Computes the loss of every row of logits `[N, C]`, for targets `[N]` (`i32`; negative targets are
/// ignored).
///
/// # Panics
///
/// If the shapes do not match.
#[must_use]
pub fn forward<R: CubeRuntime>(logits: CubeTensor<R>, targets: CubeTensor<R>) -> RowLosses<R> {
    let (rows, classes) = dimensions(&logits, &targets);
    let (logits, targets) = (into_contiguous(logits), into_contiguous(targets));
    let [loss, log_sum, wrong] = [(); 3].map(|()| empty_like(&logits, [rows], DType::F32));
    let (units, cubes) = grid(rows, classes);
    launches::add(1);
    // SAFETY: `dimensions` checked shapes and types: logits are `[rows, classes]`, and the targets and all three
    // outputs have one value per row. The kernel compares rows and classes with these sizes before each access. It
    // limits the target to the last class. There is at least one class.
    unsafe {
        forward_kernel::launch_unchecked::<R>(
            &logits.client,
            cubes,
            CubeDim::new_1d(units as u32),
            array(&logits),
            array(&targets),
            array(&loss),
            array(&log_sum),
            array(&wrong),
            rows,
            classes,
            units,
        );
    }
    RowLosses {
        loss,
        log_sum,
        wrong,
    }
}

/// Computes the gradient of `scale` times the sum of all row losses with respect to the logits. Overwrites
/// the logits if their buffer is not shared. `scale` is one value on the device.
///
/// # Panics
///
/// If the shapes or element types do not match.
#[must_use]
pub fn backward<R: CubeRuntime>(
    logits: CubeTensor<R>,
    log_sum: CubeTensor<R>,
    targets: CubeTensor<R>,
    scale: CubeTensor<R>,
) -> CubeTensor<R> {
    let (rows, classes) = dimensions(&logits, &targets);
    assert_eq!(
        log_sum.meta.shape().dims::<1>(),
        [rows],
        "one log-sum-exp per row"
    );
    assert_eq!(scale.meta.shape().num_elements(), 1, "one scale");
    assert_eq!(
        (log_sum.dtype, scale.dtype),
        (DType::F32, DType::F32),
        "element types of log-sum-exp and scale"
    );
    let (log_sum, targets) = (into_contiguous(log_sum), into_contiguous(targets));
    let logits = into_own_buffer(logits);
    let (units, cubes) = grid(rows, classes);
    launches::add(1);
    // SAFETY: shapes and types were checked above: logits are `[rows, classes]`, targets and log-sum-exp have one
    // value per row, and there is one scale. The kernel compares rows and classes with these sizes before each
    // access, and a target is only compared. No other tensor shares the overwritten buffer.
    unsafe {
        backward_kernel::launch_unchecked::<R>(
            &logits.client,
            cubes,
            CubeDim::new_1d(units as u32),
            array(&targets),
            array(&log_sum),
            array(&scale),
            array(&logits),
            rows,
            classes,
            units,
        );
    }
    logits
}
