//! The entry points: generic functions compiled here for f32, so that they are optimised whoever calls.

use crate::optimiser::UpdateRule;
use crate::recurrence::{self, RecurrenceBackward, RecurrenceForward};
use crate::{bias, cross_entropy, optimiser};

/// Declares the entry points, each with the generic function behind it. Slices must be as long as the shape says; each panics
/// otherwise, before it writes anything.
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
    /// Runs both directions of a layer over a padded batch.
    fn recurrence_forward(pass: RecurrenceForward<'_, f32>) = recurrence::forward;

    /// Carries the gradient of a layer's output back through time.
    fn recurrence_backward(pass: RecurrenceBackward<'_, f32>) = recurrence::backward;

    /// Loss of each row of `logits` `[N,C]`, its log-sum-exp, and 1 where the first of the largest logits is not the target. All
    /// three are 0 where the target is negative; such rows are not read.
    fn cross_entropy_forward(
        classes: usize,
        logits: &[f32],
        targets: &[i32],
        loss: &mut [f32],
        log_sum_exp: &mut [f32],
        wrong: &mut [f32],
    ) = cross_entropy::forward;

    /// Overwrites `logits` with the gradient of `scale` times the sum of the rows' losses, exactly 0 on rows with a negative
    /// target, whatever they held.
    fn cross_entropy_backward(
        classes: usize,
        logits: &mut [f32],
        log_sum_exp: &[f32],
        targets: &[i32],
        scale: f32,
    ) = cross_entropy::backward;

    /// Adds `bias` `[C]` to every row of `matrix` `[N,C]`.
    fn add_to_rows(matrix: &mut [f32], bias: &[f32]) = bias::add_to_rows;

    /// The sum of each column of `matrix` `[N,C]`.
    fn column_sums(columns: usize, matrix: &[f32]) -> Vec<f32> = crate::column_sums::column_sums;

    /// Scales gradients down to a norm of all of them together of at most `most`, in place.
    fn clip_global_norm(gradients: &mut [f32], most: f64) = optimiser::global_norm;

    /// One step of an optimiser, in place; both running averages start at zero.
    fn update(
        rule: UpdateRule,
        parameters: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
    ) = optimiser::update;
}
