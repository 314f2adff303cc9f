//! burn's CPU tensors, handed as slices to our own kernels.
//!
//! A tensor that nobody else holds is taken apart without a copy, worked on in place, and put together again.

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::prelude::*;
use burn::tensor::{DType, Element};

use padwise_cpu_kernels::{Kernels, Shape};

use crate::loss::FrameTargets;
use crate::optimiser::{AdadeltaStep, AdamStep, Moments};
use crate::products::{Bound, Part, PlainFactor};
use crate::recurrence::Unrolled;
use crate::{FrameScores, KernelBackend, Lengths, Precision};

/// An element type of burn's that our kernels compute in.
trait CpuFloat: Kernels + Element + bytemuck::Pod {}

impl CpuFloat for f32 {}
impl CpuFloat for f64 {}

/// Runs a generic expression in the element type of a tensor. The model is f32; its checks are f64 as well.
macro_rules! in_type_of {
    ($tensor:expr, $function:ident($($argument:expr),*)) => {
        match $tensor.dtype() {
            DType::F64 => $function::<f64>($($argument),*),
            _ => $function::<f32>($($argument),*),
        }
    };
}

/// A tensor whose elements lie one after the other, to be read.
fn contiguous<const D: usize>(tensor: Tensor<Flex, D>) -> FlexTensor {
    tensor.into_primitive().tensor().to_contiguous()
}

/// A tensor's elements, to be overwritten: without a copy where nobody else holds them.
fn taken<E: CpuFloat, const D: usize>(tensor: Tensor<Flex, D>) -> Vec<E> {
    let data = tensor.into_data();
    // The element type was asked for just before, so this cannot be refused.
    data.into_vec().unwrap_or_default()
}

fn tensor<E: CpuFloat, const D: usize>(values: Vec<E>, shape: [usize; D]) -> Tensor<Flex, D> {
    Tensor::from_data(
        TensorData::new(values, shape),
        (&Default::default(), E::dtype()),
    )
}

fn forward<E: CpuFloat>(
    projections: Tensor<Flex, 3>,
    bias: Tensor<Flex, 1>,
    weight_hh: Tensor<Flex, 3>,
    lengths: &Lengths<Flex>,
) -> Unrolled<Flex> {
    let [frames, batch, columns] = projections.dims();
    let hidden = columns / 8;
    let mut gates = taken::<E, 3>(projections);
    let mut output = vec![E::default(); frames * batch * 2 * hidden];
    let mut cells = output.clone();
    E::recurrence_forward(
        Shape {
            frames,
            batch,
            hidden,
        },
        &mut gates,
        contiguous(bias).storage(),
        contiguous(weight_hh).storage(),
        lengths.host(),
        &mut output,
        &mut cells,
    );
    Unrolled {
        output: tensor(output, [frames, batch, 2 * hidden]),
        gates: tensor(gates, [frames, batch, columns]),
        cells: tensor(cells, [frames, batch, 2 * hidden]),
    }
}

fn backward<E: CpuFloat>(
    grad_output: Tensor<Flex, 3>,
    gates: Tensor<Flex, 3>,
    cells: Tensor<Flex, 3>,
    weight_hh: Tensor<Flex, 3>,
    lengths: &Lengths<Flex>,
) -> Tensor<Flex, 3> {
    let [frames, batch, columns] = gates.dims();
    let mut gates = taken::<E, 3>(gates);
    E::recurrence_backward(
        Shape {
            frames,
            batch,
            hidden: columns / 8,
        },
        &mut gates,
        contiguous(cells).storage(),
        contiguous(grad_output).storage(),
        contiguous(weight_hh).storage(),
        lengths.host(),
    );
    tensor(gates, [frames, batch, columns])
}

fn scores<E: CpuFloat>(logits: Tensor<Flex, 2>, targets: &FrameTargets<Flex>) -> FrameScores<Flex> {
    let [rows, classes] = logits.dims();
    let [mut losses, mut log_sums, mut wrong] = [(); 3].map(|()| vec![E::default(); rows]);
    E::cross_entropy_forward(
        classes,
        contiguous(logits).storage(),
        targets_of(targets).storage(),
        &mut losses,
        &mut log_sums,
        &mut wrong,
    );
    // Summed in f64: the loss of a long batch should not depend on how many small numbers went before.
    let sum = |values: &[E]| -> f64 { values.iter().map(|value| value.elem::<f64>()).sum() };
    FrameScores {
        loss_sum: tensor(vec![E::from_f64(sum(&losses))], [1]),
        wrong: tensor(vec![E::from_f64(sum(&wrong))], [1]),
        log_sums: tensor(log_sums, [rows]),
    }
}

fn gradient<E: CpuFloat>(
    logits: Tensor<Flex, 2>,
    log_sums: Tensor<Flex, 1>,
    targets: &FrameTargets<Flex>,
    scale: Tensor<Flex, 1>,
) -> Tensor<Flex, 2> {
    let [rows, classes] = logits.dims();
    let mut values = taken::<E, 2>(logits);
    E::cross_entropy_backward(
        classes,
        &mut values,
        contiguous(log_sums).storage(),
        targets_of(targets).storage(),
        contiguous(scale).storage::<E>()[0],
    );
    tensor(values, [rows, classes])
}

fn biased<E: CpuFloat>(matrix: Tensor<Flex, 2>, bias: Tensor<Flex, 1>) -> Tensor<Flex, 2> {
    let shape = matrix.dims();
    let mut values = taken::<E, 2>(matrix);
    E::add_to_rows(&mut values, contiguous(bias).storage());
    tensor(values, shape)
}

fn targets_of(targets: &FrameTargets<Flex>) -> FlexTensor {
    targets.device().into_primitive().to_contiguous()
}

fn sums<E: CpuFloat>(matrix: Tensor<Flex, 2>) -> Tensor<Flex, 1> {
    let [_, columns] = matrix.dims();
    tensor(
        E::column_sums(columns, contiguous(matrix).storage()),
        [columns],
    )
}

impl KernelBackend for Flex {
    type Factor = PlainFactor<Self>;

    fn factor(
        matrix: Tensor<Self, 2>,
        _bound: Bound<Self>,
        precision: Precision,
    ) -> PlainFactor<Self> {
        PlainFactor { matrix, precision }
    }

    fn product(
        lhs: Part<'_, PlainFactor<Self>>,
        rhs: Part<'_, PlainFactor<Self>>,
    ) -> Tensor<Self, 2> {
        PlainFactor::part(lhs).matmul(PlainFactor::part(rhs))
    }

    fn add_to_rows(matrix: Tensor<Self, 2>, bias: Tensor<Self, 1>) -> Tensor<Self, 2> {
        in_type_of!(matrix, biased(matrix, bias))
    }

    fn column_sums(matrix: Tensor<Self, 2>) -> Tensor<Self, 1> {
        in_type_of!(matrix, sums(matrix))
    }

    fn fused_forward(
        projections: Tensor<Self, 3>,
        bias: Tensor<Self, 1>,
        weight_hh: Tensor<Self, 3>,
        lengths: &Lengths<Self>,
        _precision: Precision,
    ) -> Unrolled<Self> {
        in_type_of!(projections, forward(projections, bias, weight_hh, lengths))
    }

    fn fused_backward(
        grad_output: Tensor<Self, 3>,
        gates: Tensor<Self, 3>,
        cells: Tensor<Self, 3>,
        weight_hh: Tensor<Self, 3>,
        lengths: &Lengths<Self>,
        _precision: Precision,
    ) -> Tensor<Self, 3> {
        in_type_of!(
            gates,
            backward(grad_output, gates, cells, weight_hh, lengths)
        )
    }

    fn frame_scores(logits: Tensor<Self, 2>, targets: &FrameTargets<Self>) -> FrameScores<Self> {
        in_type_of!(logits, scores(logits, targets))
    }

    fn frame_gradient(
        logits: Tensor<Self, 2>,
        log_sums: Tensor<Self, 1>,
        targets: &FrameTargets<Self>,
        scale: Tensor<Self, 1>,
    ) -> Tensor<Self, 2> {
        in_type_of!(logits, gradient(logits, log_sums, targets, scale))
    }

    fn clip_global_norm(gradients: Tensor<Self, 1>, most: f64) -> Tensor<Self, 1> {
        in_type_of!(gradients, clipped(gradients, most))
    }

    fn adam(
        parameters: Tensor<Self, 1>,
        gradients: Tensor<Self, 1>,
        moments: Moments<Self>,
        step: AdamStep,
    ) -> (Tensor<Self, 1>, Moments<Self>) {
        updated(
            parameters,
            gradients,
            moments,
            |parameters, gradient, first, second| {
                f32::adam(step, parameters, gradient, first, second);
            },
        )
    }

    fn adadelta(
        parameters: Tensor<Self, 1>,
        gradients: Tensor<Self, 1>,
        moments: Moments<Self>,
        step: AdadeltaStep,
    ) -> (Tensor<Self, 1>, Moments<Self>) {
        updated(
            parameters,
            gradients,
            moments,
            |parameters, gradient, first, second| {
                f32::adadelta(step, parameters, gradient, first, second);
            },
        )
    }
}

fn clipped<E: CpuFloat>(gradients: Tensor<Flex, 1>, most: f64) -> Tensor<Flex, 1> {
    let shape = gradients.dims();
    let mut values = taken::<E, 1>(gradients);
    E::clip_global_norm(&mut values, most);
    tensor(values, shape)
}

/// Applies an update in place to parameters and running averages.
fn updated(
    parameters: Tensor<Flex, 1>,
    gradients: Tensor<Flex, 1>,
    moments: Moments<Flex>,
    update: impl FnOnce(&mut [f32], &[f32], &mut [f32], &mut [f32]),
) -> (Tensor<Flex, 1>, Moments<Flex>) {
    let shape = parameters.dims();
    let mut values = taken::<f32, 1>(parameters);
    let (mut first, mut second) = (
        taken::<f32, 1>(moments.first),
        taken::<f32, 1>(moments.second),
    );
    update(
        &mut values,
        contiguous(gradients).storage(),
        &mut first,
        &mut second,
    );
    let moments = Moments {
        first: tensor(first, shape),
        second: tensor(second, shape),
    };
    (tensor(values, shape), moments)
}
