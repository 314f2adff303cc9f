//! The public entry points: generic kernels compiled in this crate for f32.
//!
//! Compiling them here means that they are optimised even if the calling crate is not.

use crate::optimiser::UpdateRule;
use crate::recurrence::{self, RecurrenceBackward, RecurrenceForward};
use crate::{bias, cross_entropy, optimiser};

/// Declares the entry points, each with its generic implementation. An entry point panics before writing
/// anything if a slice has the wrong length.
macro_rules! kernels {
    (
        $(
            $(#[$about:meta])*
            fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? = $function:path;
        )*
    ) => {
        $(
            $(#[$about])*
            #[allow(clippy::too_many_arguments)]
            pub fn $name($($argument: $kind),*) $(-> $result)? { $function($($argument),*) }
        )*
    };
}

kernels! {
    /// Runs both directions of an LSTM layer over a padded batch.
    ///
    /// # Panics
    /// If a slice's length does not match the shape.
    fn recurrence_forward(pass: RecurrenceForward<'_, f32>) = recurrence::forward;

    /// Backpropagates the gradient of a layer's output through time.
    ///
    /// # Panics
    /// If a slice's length does not match the shape.
    fn recurrence_backward(pass: RecurrenceBackward<'_, f32>) = recurrence::backward;

    /// Computes the loss of each row of `logits` `[N,C]`, its log-sum-exp, and whether the prediction is
    /// wrong (1) or right (0). The prediction is the first of the largest logits. If the target is negative,
    /// the row is not read and all three results are 0.
    ///
    /// # Panics
    /// If a slice's length does not match `targets` and `classes`, or a target is not below `classes`.
    fn cross_entropy_forward(
        classes: usize,
        logits: &[f32],
        targets: &[i32],
        loss: &mut [f32],
        log_sum_exp: &mut [f32],
        wrong: &mut [f32],
    ) = cross_entropy::forward;

    /// Overwrites `logits` with the gradient of `scale` times the sum of the losses. Rows with a negative
    /// target become exactly 0, even if they contained NaN.
    ///
    /// # Panics
    /// If a slice's length does not match `targets` and `classes`, or a target is not below `classes`.
    fn cross_entropy_backward(
        classes: usize,
        logits: &mut [f32],
        log_sum_exp: &[f32],
        targets: &[i32],
        scale: f32,
    ) = cross_entropy::backward;

    /// Adds `bias` `[C]` to every row of `matrix` `[N,C]`.
    ///
    /// # Panics
    /// If the length of `matrix` is not a multiple of the length of `bias`.
    fn add_to_rows(matrix: &mut [f32], bias: &[f32]) = bias::add_to_rows;

    /// Returns the sum of each column of `matrix` `[N,C]`.
    ///
    /// # Panics
    /// If `columns` is zero.
    fn column_sums(columns: usize, matrix: &[f32]) -> Vec<f32> = crate::column_sums::column_sums;

    /// Clips the gradients in place: scales them down if their global norm exceeds `most`.
    fn clip_global_norm(gradients: &mut [f32], most: f64) = optimiser::global_norm;

    /// Takes one optimiser step in place. Initialise both running averages with zeros.
    ///
    /// # Panics
    /// If the slices differ in length.
    fn update(
        rule: UpdateRule,
        parameters: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
    ) = optimiser::update;
}
