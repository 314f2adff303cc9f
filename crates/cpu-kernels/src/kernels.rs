//! The entry points, one compiled version for each element type.

use crate::simd::Real;
use crate::{
    AdadeltaStep, AdamStep, Shape, adadelta, adam, bias, clip, column_sums, cross_entropy,
    recurrence,
};

/// The kernels of an element type.
///
/// Slices must be as long as the shape says; each method panics otherwise, before it writes anything.
#[allow(clippy::too_many_arguments)]
pub trait Kernels: Real {
    /// Runs both directions of a layer over a padded batch.
    ///
    /// `projections` `[T,B,8H]` holds the inputs' products with the input weights, without bias, and receives the activated gates;
    /// `bias` `[8H]` is the sum of both biases; `weight_hh` `[2,4H,H]`; `output` `[T,B,2H]` and `cells` `[T,B,2H]` receive the hidden
    /// and cell states. At padding all three are set to zero, whatever they held.
    fn recurrence_forward(
        shape: Shape,
        projections: &mut [Self],
        bias: &[Self],
        weight_hh: &[Self],
        lengths: &[u32],
        output: &mut [Self],
        cells: &mut [Self],
    );

    /// Carries the gradient of a layer's output back through time.
    ///
    /// `gates` `[T,B,8H]` holds the activated gates and receives the gradients with respect to their arguments, zero at padding;
    /// `cells` and `grad_output` are `[T,B,2H]`.
    fn recurrence_backward(
        shape: Shape,
        gates: &mut [Self],
        cells: &[Self],
        grad_output: &[Self],
        weight_hh: &[Self],
        lengths: &[u32],
    );

    /// Loss of each row of `logits` `[N,C]`, its log-sum-exp, and 1 where the first of the largest logits is not the target. All
    /// three are 0 where the target is negative; such rows are not read.
    fn cross_entropy_forward(
        classes: usize,
        logits: &[Self],
        targets: &[i32],
        loss: &mut [Self],
        log_sum_exp: &mut [Self],
        wrong: &mut [Self],
    );

    /// Overwrites `logits` with the gradient of `scale` times the sum of the rows' losses, exactly 0 on rows with a negative
    /// target, whatever they held.
    fn cross_entropy_backward(
        classes: usize,
        logits: &mut [Self],
        log_sum_exp: &[Self],
        targets: &[i32],
        scale: Self,
    );

    /// Adds `bias` `[C]` to every row of `matrix` `[N,C]`.
    fn add_to_rows(matrix: &mut [Self], bias: &[Self]);

    /// The sum of each column of `matrix` `[N,C]`.
    fn column_sums(columns: usize, matrix: &[Self]) -> Vec<Self>;

    /// Scales gradients down to a norm of all of them together of at most `most`, in place.
    fn clip_global_norm(gradients: &mut [Self], most: f64);

    /// One step of Adam, in place; both running averages start at zero.
    fn adam(
        step: AdamStep,
        parameters: &mut [Self],
        gradient: &[Self],
        mean: &mut [Self],
        mean_square: &mut [Self],
    );

    /// One step of ADADELTA, in place; both running averages start at zero.
    fn adadelta(
        step: AdadeltaStep,
        parameters: &mut [Self],
        gradient: &[Self],
        mean_square: &mut [Self],
        mean_square_update: &mut [Self],
    );
}

macro_rules! kernels_of {
    ($real:ty) => {
        impl Kernels for $real {
            fn recurrence_forward(
                shape: Shape,
                projections: &mut [Self],
                bias: &[Self],
                weight_hh: &[Self],
                lengths: &[u32],
                output: &mut [Self],
                cells: &mut [Self],
            ) {
                recurrence::forward(shape, projections, bias, weight_hh, lengths, output, cells);
            }

            fn recurrence_backward(
                shape: Shape,
                gates: &mut [Self],
                cells: &[Self],
                grad_output: &[Self],
                weight_hh: &[Self],
                lengths: &[u32],
            ) {
                recurrence::backward(shape, gates, cells, grad_output, weight_hh, lengths);
            }

            fn cross_entropy_forward(
                classes: usize,
                logits: &[Self],
                targets: &[i32],
                loss: &mut [Self],
                log_sum_exp: &mut [Self],
                wrong: &mut [Self],
            ) {
                cross_entropy::forward(classes, logits, targets, loss, log_sum_exp, wrong);
            }

            fn cross_entropy_backward(
                classes: usize,
                logits: &mut [Self],
                log_sum_exp: &[Self],
                targets: &[i32],
                scale: Self,
            ) {
                cross_entropy::backward(classes, logits, log_sum_exp, targets, scale);
            }

            fn add_to_rows(matrix: &mut [Self], bias: &[Self]) {
                bias::add_to_rows(matrix, bias);
            }

            fn column_sums(columns: usize, matrix: &[Self]) -> Vec<Self> {
                column_sums::column_sums(columns, matrix)
            }

            fn clip_global_norm(gradients: &mut [Self], most: f64) {
                clip::global_norm(gradients, most);
            }

            fn adam(
                step: AdamStep,
                parameters: &mut [Self],
                gradient: &[Self],
                mean: &mut [Self],
                mean_square: &mut [Self],
            ) {
                adam::update(step, parameters, gradient, mean, mean_square);
            }

            fn adadelta(
                step: AdadeltaStep,
                parameters: &mut [Self],
                gradient: &[Self],
                mean_square: &mut [Self],
                mean_square_update: &mut [Self],
            ) {
                adadelta::update(step, parameters, gradient, mean_square, mean_square_update);
            }
        }
    };
}

kernels_of!(f32);
kernels_of!(f64);
