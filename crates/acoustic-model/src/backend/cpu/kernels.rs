//! burn's CPU tensors, handed as slices to our own kernels.
//!
//! A tensor that nobody else holds is taken apart without a copy, worked on in place, and put together again.

use burn_flex::{Flex, FlexTensor};
use burn_tensor::{DType, Element, Tensor, TensorData};
use padwise_cpu_kernels::{Kernels, Shape};
use padwise_model_config::Precision;

use crate::KernelBackend;
use crate::kernels::gemm::{Bound, MatrixView, PlainFactor};
use crate::kernels::loss::{FrameScores, FrameTargets};
use crate::kernels::optimiser::{Moments, UpdateRule};
use crate::kernels::recurrence::{BackwardInput, ForwardInput, LayerOptions, Unrolled};

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

fn forward<E: CpuFloat>(input: ForwardInput<'_, Flex>) -> Unrolled<Flex> {
    let [frames, batch, columns] = input.projections.dims();
    let hidden = columns / 8;
    let mut gates = taken::<E, 3>(input.projections);
    let mut output = vec![E::default(); frames * batch * 2 * hidden];
    let mut cells = output.clone();
    E::recurrence_forward(
        Shape {
            frames,
            batch,
            hidden,
        },
        &mut gates,
        contiguous(input.bias).storage(),
        contiguous(input.weight_hh).storage(),
        input.lengths.host(),
        &mut output,
        &mut cells,
    );
    Unrolled {
        output: tensor(output, [frames, batch, 2 * hidden]),
        gates: tensor(gates, [frames, batch, columns]),
        cells: tensor(cells, [frames, batch, 2 * hidden]),
    }
}

fn backward<E: CpuFloat>(input: BackwardInput<'_, Flex>) -> Tensor<Flex, 3> {
    let [frames, batch, columns] = input.gates.dims();
    let mut gates = taken::<E, 3>(input.gates);
    E::recurrence_backward(
        Shape {
            frames,
            batch,
            hidden: columns / 8,
        },
        &mut gates,
        contiguous(input.cells).storage(),
        contiguous(input.grad_output).storage(),
        contiguous(input.weight_hh).storage(),
        input.lengths.host(),
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

    fn multiply(
        lhs: MatrixView<'_, PlainFactor<Self>>,
        rhs: MatrixView<'_, PlainFactor<Self>>,
    ) -> Tensor<Self, 2> {
        PlainFactor::tensor(lhs).matmul(PlainFactor::tensor(rhs))
    }

    fn add_to_rows(matrix: Tensor<Self, 2>, bias: Tensor<Self, 1>) -> Tensor<Self, 2> {
        in_type_of!(matrix, biased(matrix, bias))
    }

    fn column_sums(matrix: Tensor<Self, 2>) -> Tensor<Self, 1> {
        in_type_of!(matrix, sums(matrix))
    }

    fn recurrence_forward(input: ForwardInput<'_, Self>, _: LayerOptions) -> Unrolled<Self> {
        in_type_of!(input.projections, forward(input))
    }

    fn recurrence_backward(
        input: BackwardInput<'_, Self>,
        _: LayerOptions,
    ) -> (Tensor<Self, 3>, Bound<Self>) {
        (in_type_of!(input.gates, backward(input)), Bound::Unknown)
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

    fn update(
        rule: UpdateRule,
        parameters: Tensor<Self, 1>,
        gradients: Tensor<Self, 1>,
        moments: Moments<Self>,
    ) -> (Tensor<Self, 1>, Moments<Self>) {
        let shape = parameters.dims();
        let [mut parameters, mut first, mut second] =
            [parameters, moments.first, moments.second].map(taken::<f32, 1>);
        let gradients = contiguous(gradients);
        let gradients = gradients.storage();
        f32::update(rule, &mut parameters, gradients, &mut first, &mut second);
        let moments = Moments {
            first: tensor(first, shape),
            second: tensor(second, shape),
        };
        (tensor(parameters, shape), moments)
    }
}

fn clipped<E: CpuFloat>(gradients: Tensor<Flex, 1>, most: f64) -> Tensor<Flex, 1> {
    let shape = gradients.dims();
    let mut values = taken::<E, 1>(gradients);
    E::clip_global_norm(&mut values, most);
    tensor(values, shape)
}
