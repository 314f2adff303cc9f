//! The CUDA backend for NVIDIA GPUs.

mod device;
mod factor;
mod gemm;
mod kernel_cache;
mod loss;
mod raw;
mod recurrence;
mod selection;
mod trainer;
mod transfer;
mod zeros;

use std::ops::Range;

use burn_tensor::{DType, Tensor, TensorPrimitive};
use cubecl::cuda::CudaRuntime;
use padwise_cube_kernels::buffers::empty_like;
use padwise_cuda_kernels::gemm::MOST_MATRICES;
use padwise_cuda_kernels::recurrence::Results;
use padwise_model_config::Precision;

use super::cube;
use crate::batch::BatchLayout;
use crate::kernels::gemm::{Bound, MatrixAt, MatrixView, Operand, Product};
use crate::kernels::loss::FrameLoss;
use crate::kernels::recurrence::GateOrder;
pub use device::Cuda;
pub(crate) use device::probe;
pub use factor::{CudaFactor, NarrowFactor};
use gemm::Addition;
pub use kernel_cache::keep_compiled_kernels;
use raw::{begins_aligned, part};
pub(crate) use trainer::trainer;

cube::kernel_backend!(
    Cuda,
    CudaRuntime,
    type Factor = CudaFactor;,
    fn factor(matrix: Tensor<Self, 2>, bound: Bound<Self>, precision: Precision) -> CudaFactor {
        if !gemm::available() {
            return CudaFactor::Plain(PlainFactor { matrix, precision });
        }
        CudaFactor::Narrow(NarrowFactor::new(primitive(matrix), bound, precision))
    },
    fn factors(
        vector: &Tensor<Self, 1>,
        matrices: &[MatrixAt],
        precision: Precision,
    ) -> Vec<CudaFactor> {
        let are_aligned = matrices.iter().all(|matrix| begins_aligned(matrix.at));
        if !gemm::available() || !are_aligned {
            let one = |matrix: &MatrixAt| matrix.factor(vector, precision);
            return matrices.iter().map(one).collect();
        }
        let vector = primitive(vector.clone());
        let at_once = |matrices| NarrowFactor::of_parts(&vector, matrices, precision);
        let found = matrices.chunks(MOST_MATRICES).flat_map(at_once);
        found.map(CudaFactor::Narrow).collect()
    },
    fn gate_order(hidden: usize, layout: &BatchLayout<Self>, options: LayerOptions) -> GateOrder {
        selection::gate_order(hidden, layout, options)
    },
    fn project(input: &CudaFactor, weights: &CudaFactor, options: LayerOptions) -> Tensor<Self, 2> {
        let weights = MatrixView::all(weights).transposed();
        match (input, weights.factor) {
            // Gates in 16 bits, to save memory. f16 has more mantissa than bf16.
            (CudaFactor::Narrow(left), CudaFactor::Narrow(right))
                if options.gates == GateOrder::Interleaved
                    && options.precision == Precision::Bf16 =>
            {
                let pair = [MatrixView::all(left), weights.of(right)];
                tensor(gemm::multiply([pair], Addition::default(), DType::F16))
            }
            _ => Self::multiply(MatrixView::all(input), weights),
        }
    },
    fn multiply(
        lhs: MatrixView<'_, CudaFactor>,
        rhs: MatrixView<'_, CudaFactor>,
    ) -> Tensor<Self, 2> {
        match (lhs.factor, rhs.factor) {
            (CudaFactor::Narrow(left), CudaFactor::Narrow(right)) => {
                let nothing = Addition::default();
                let pair = [lhs.of(left), rhs.of(right)];
                tensor(gemm::multiply([pair], nothing, DType::F32))
            }
            (CudaFactor::Plain(left), CudaFactor::Plain(right)) => {
                plain_product(lhs.of(left), rhs.of(right))
            }
            // All factors of a device have the same kind.
            _ => unreachable!("factors of different kinds"),
        }
    },
    fn multiply_and_add(
        lhs: MatrixView<'_, CudaFactor>,
        rhs: MatrixView<'_, CudaFactor>,
        bias: Tensor<Self, 1>,
    ) -> Tensor<Self, 2> {
        match (lhs.factor, rhs.factor) {
            (CudaFactor::Narrow(left), CudaFactor::Narrow(right)) => {
                let addition = Addition {
                    bias: Some(primitive(bias)),
                    ..Addition::default()
                };
                let pair = [lhs.of(left), rhs.of(right)];
                tensor(gemm::multiply([pair], addition, DType::F32))
            }
            _ => Self::add_to_rows(Self::multiply(lhs, rhs), bias),
        }
    },
    fn multiply_and_measure(
        lhs: MatrixView<'_, CudaFactor>,
        rhs: MatrixView<'_, CudaFactor>,
    ) -> Product<Self> {
        match (lhs.factor, rhs.factor) {
            // Only scaled operands need the magnitude.
            (CudaFactor::Narrow(left), CudaFactor::Narrow(right)) if left.is_scaled() => {
                let largest = gemm::room_for_largest(left);
                let addition = Addition {
                    largest: Some(largest.clone()),
                    ..Addition::default()
                };
                let pair = [lhs.of(left), rhs.of(right)];
                Product {
                    values: tensor(gemm::multiply([pair], addition, DType::F32)),
                    magnitude: Some(tensor(largest)),
                }
            }
            _ => Self::multiply(lhs, rhs).into(),
        }
    },
    fn multiply_both_into(
        pairs: [[MatrixView<'_, CudaFactor>; 2]; 2],
        shape: [usize; 2],
        vector: &mut Tensor<Self, 1>,
        at: usize,
    ) {
        if let Some(pairs) = narrow_pairs(&pairs).filter(|_| begins_aligned(at)) {
            let vector = primitive(vector.clone());
            let [rows, columns] = shape;
            let result = |_| part(&vector, at, [2 * rows, columns]);
            gemm::multiply_into(pairs, Addition::default(), result);
            return;
        }
        for (index, [lhs, rhs]) in pairs.into_iter().enumerate() {
            Self::multiply_into(lhs, rhs, vector, at + index * shape[0] * shape[1]);
        }
    },
    fn multiply_into(
        lhs: MatrixView<'_, CudaFactor>,
        rhs: MatrixView<'_, CudaFactor>,
        vector: &mut Tensor<Self, 1>,
        at: usize,
    ) {
        match (lhs.factor, rhs.factor) {
            (CudaFactor::Narrow(left), CudaFactor::Narrow(right)) if begins_aligned(at) => {
                let vector = primitive(vector.clone());
                let result = |shape| part(&vector, at, shape);
                gemm::multiply_into([[lhs.of(left), rhs.of(right)]], Addition::default(), result);
            }
            _ => Self::overwrite(vector, at, Self::multiply(lhs, rhs).flatten(0, 1)),
        }
    },
    fn part(vector: &Tensor<Self, 1>, range: Range<usize>) -> Tensor<Self, 1> {
        if begins_aligned(range.start) {
            tensor(part(&primitive(vector.clone()), range.start, [range.len()]))
        } else {
            vector.clone().slice([range])
        }
    },
    fn column_sums(matrix: Tensor<Self, 2>) -> Tensor<Self, 1> {
        let [_, columns] = matrix.dims();
        let matrix = primitive(matrix);
        let sums = empty_like(&matrix, [columns], DType::F32);
        transfer::column_sums(matrix, 1, &sums);
        tensor(sums)
    },
    fn column_sums_into(
        matrix: Tensor<Self, 2>,
        copies: usize,
        vector: &mut Tensor<Self, 1>,
        at: usize,
    ) {
        let count = copies * matrix.dims()[1];
        let matrix = primitive(matrix);
        if begins_aligned(at) {
            let sums = part(&primitive(vector.clone()), at, [count]);
            transfer::column_sums(matrix, copies, &sums);
        } else {
            let sums = empty_like(&matrix, [count], DType::F32);
            transfer::column_sums(matrix, copies, &sums);
            Self::overwrite(vector, at, tensor(sums));
        }
    },
    fn upload_floats<const D: usize>(
        values: Vec<f32>,
        shape: [usize; D],
        device: &Self::Device,
    ) -> Tensor<Self, D> {
        tensor(transfer::upload(
            bytemuck::cast_slice(&values),
            &shape,
            DType::F32,
            device,
        ))
    },
    fn upload_integers<const D: usize>(
        values: Vec<i32>,
        shape: [usize; D],
        device: &Self::Device,
    ) -> Tensor<Self, D, Int> {
        let numbers = bytemuck::cast_slice(&values);
        Tensor::from_primitive(transfer::upload(numbers, &shape, DType::I32, device))
    },
    fn frame_loss(
        logits: Tensor<Self, 2>,
        targets: &FrameTargets<Self>,
        share: f64,
        precision: Precision,
    ) -> FrameLoss<Self> {
        let element = factor::element(precision).filter(|_| gemm::available());
        let found = element.and_then(|element| {
            let labels = targets.device().into_primitive();
            loss::cross_entropy(primitive(logits.clone()), labels, share, element)
        });
        let Some(found) = found else {
            return FrameLoss::in_parts(logits, targets, share);
        };
        FrameLoss {
            values: tensor(found.values),
            gradient: RowGradients {
                all: Operand::Factor(CudaFactor::Narrow(found.gradient)),
                partial_sums: tensor(found.partial_sums),
                source: None,
            },
        }
    },
    fn recurrence_forward(input: ForwardInput<'_, Self>, options: LayerOptions) -> Unrolled<Self> {
        let Some(plans) = selection::persistent_layer(&input.projections, input.layout, options)
        else {
            return fused_forward(input, options, &LaunchEach);
        };
        let found = crate::backend::cuda::recurrence::forward(
            &plans,
            options.gates,
            results(input.may_be_factor, options.precision),
            crate::backend::cuda::recurrence::ForwardInput {
                projections: primitive(input.projections),
                biases: input.biases.map(primitive),
                weight_hh: primitive(input.weight_hh),
                batch: input.layout.numbers().into_primitive(),
            },
        );
        Unrolled {
            output: operand(found.output, Bound::Within(1.0)),
            gates: tensor(found.gates),
            cells: tensor(found.cells),
        }
    },
    fn recurrence_backward(
        input: BackwardInput<'_, Self>,
        options: LayerOptions,
    ) -> RowGradients<Self> {
        let Some(plans) = selection::persistent_layer(&input.gates, input.layout, options) else {
            return fused_backward(input, options, &LaunchEach);
        };
        let found = crate::backend::cuda::recurrence::backward(
            &plans,
            options.gates,
            results(input.may_be_factor, options.precision),
            crate::backend::cuda::recurrence::BackwardInput {
                grad_output: primitive(input.grad_output.values),
                magnitude: input.grad_output.magnitude.map(primitive),
                gates: primitive(input.gates),
                cells: primitive(input.cells),
                weight_hh: primitive(input.weight_hh),
                batch: input.layout.numbers().into_primitive(),
            },
        );
        RowGradients {
            all: operand(found.gradients, Bound::Largest(tensor(found.largest))),
            partial_sums: tensor(found.partial_sums),
            source: Some(tensor(found.gates)),
        }
    }
);

/// The form in which the persistent recurrence writes its results.
fn results(may_be_factor: bool, precision: Precision) -> Results {
    let has_factors = gemm::available() && factor::element(precision).is_some();
    if may_be_factor && has_factors {
        Results::Factor
    } else {
        Results::Matrix
    }
}

/// The results of the persistent recurrence as an operand.
fn operand(results: recurrence::Written, bound: Bound<Cuda>) -> Operand<Cuda> {
    match results {
        recurrence::Written::Matrix(matrix) => {
            let matrix = Tensor::from_primitive(TensorPrimitive::Float(matrix));
            Operand::Matrix(matrix, bound)
        }
        recurrence::Written::Factor(factor) => Operand::Factor(CudaFactor::Narrow(factor)),
    }
}

/// The pairs as views of narrow factors, if one launch can multiply them.
fn narrow_pairs<'a>(
    pairs: &[[MatrixView<'a, CudaFactor>; 2]; 2],
) -> Option<[[MatrixView<'a, NarrowFactor>; 2]; 2]> {
    let narrow = |view: &MatrixView<'a, CudaFactor>| match view.factor {
        CudaFactor::Narrow(factor) => Some(view.of(factor)),
        CudaFactor::Plain(_) => None,
    };
    let [[a, b], [c, d]] = pairs;
    let pairs = [[narrow(a)?, narrow(b)?], [narrow(c)?, narrow(d)?]];
    gemm::at_once(&pairs).then_some(pairs)
}
