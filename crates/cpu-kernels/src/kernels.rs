//! The entry points, one compiled version for each element type.

use crate::simd::Real;
use crate::{Shape, UpdateRule, bias, column_sums, cross_entropy, optimiser, recurrence};

/// Declares the entry points, each with the generic function behind it, and compiles them for both element types.
macro_rules! kernels {
    (
        $(
            $(#[$about:meta])*
            fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty)? = $function:path;
        )*
    ) => {
        /// The kernels of an element type.
        ///
        /// Slices must be as long as the shape says; each method panics otherwise, before it writes anything.
        #[allow(clippy::too_many_arguments)]
        pub trait Kernels: Real {
            $($(#[$about])* fn $name($($argument: $kind),*) $(-> $result)?;)*
        }

        impl Kernels for f32 {
            $(fn $name($($argument: $kind),*) $(-> $result)? { $function($($argument),*) })*
        }

        impl Kernels for f64 {
            $(fn $name($($argument: $kind),*) $(-> $result)? { $function($($argument),*) })*
        }
    };
}

kernels! {
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
    ) = recurrence::forward;

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
    ) = recurrence::backward;

    /// Loss of each row of `logits` `[N,C]`, its log-sum-exp, and 1 where the first of the largest logits is not the target. All
    /// three are 0 where the target is negative; such rows are not read.
    fn cross_entropy_forward(
        classes: usize,
        logits: &[Self],
        targets: &[i32],
        loss: &mut [Self],
        log_sum_exp: &mut [Self],
        wrong: &mut [Self],
    ) = cross_entropy::forward;

    /// Overwrites `logits` with the gradient of `scale` times the sum of the rows' losses, exactly 0 on rows with a negative
    /// target, whatever they held.
    fn cross_entropy_backward(
        classes: usize,
        logits: &mut [Self],
        log_sum_exp: &[Self],
        targets: &[i32],
        scale: Self,
    ) = cross_entropy::backward;

    /// Adds `bias` `[C]` to every row of `matrix` `[N,C]`.
    fn add_to_rows(matrix: &mut [Self], bias: &[Self]) = bias::add_to_rows;

    /// The sum of each column of `matrix` `[N,C]`.
    fn column_sums(columns: usize, matrix: &[Self]) -> Vec<Self> = column_sums::column_sums;

    /// Scales gradients down to a norm of all of them together of at most `most`, in place.
    fn clip_global_norm(gradients: &mut [Self], most: f64) = optimiser::global_norm;

    /// One step of an optimiser, in place; both running averages start at zero.
    fn update(
        rule: UpdateRule,
        parameters: &mut [Self],
        gradient: &[Self],
        first: &mut [Self],
        second: &mut [Self],
    ) = optimiser::update;
}
