//! Runs our CPU kernels on burn's CPU tensors, as slices.
//!
//! A tensor whose buffer is not shared is unwrapped without a copy, processed in place, and wrapped again.

use burn_flex::{Flex, FlexTensor};
use burn_tensor::{DType, Tensor, TensorData};
use padwise_cpu_kernels::{self as kernels, RecurrenceBackward, RecurrenceForward};
use padwise_model_config::Precision;

use crate::kernels::gemm::{Bound, MatrixView, Operand, PlainFactor, RowGradients};
use crate::kernels::loss::{FrameScores, FrameTargets};
use crate::kernels::optimiser::{Moments, UpdateRule};
use crate::kernels::recurrence::{BackwardInput, ForwardInput, LayerOptions, Unrolled};
use crate::kernels::{KernelBackend, take_out};

/// A contiguous tensor, for reading.
fn contiguous<const D: usize>(tensor: Tensor<Flex, D>) -> FlexTensor {
    tensor.into_primitive().tensor().to_contiguous()
}

/// The elements of a tensor, for overwriting. Copies only if the buffer is shared.
fn taken<const D: usize>(tensor: Tensor<Flex, D>) -> Vec<f32> {
    // The model is f32, so the conversion cannot fail.
    tensor.into_data().into_vec().unwrap_or_default()
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> Tensor<Flex, D> {
    Tensor::from_data(TensorData::new(values, shape), &Default::default())
}

/// The part of a contiguous matrix that a view selects.
fn matrix<'a>(
    contiguous: &'a FlexTensor,
    view: &MatrixView<'_, PlainFactor<Flex>>,
) -> kernels::Matrix<'a> {
    let [rows, columns] = view.factor.matrix.dims();
    let all = kernels::Matrix::new(contiguous.storage(), rows, columns);
    let rows = view.rows.clone().unwrap_or(0..rows);
    let part = all.range(rows, view.columns.clone().unwrap_or(0..columns));
    if view.transposed {
        part.transposed()
    } else {
        part
    }
}

fn targets_of(targets: &FrameTargets<Flex>) -> FlexTensor {
    targets.device().into_primitive().to_contiguous()
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
        if lhs.factor.matrix.dtype() != DType::F32 {
            // f64 is used by gradient checks only.
            return PlainFactor::tensor(lhs).matmul(PlainFactor::tensor(rhs));
        }
        let (left, right) = (lhs.factor.matrix.clone(), rhs.factor.matrix.clone());
        let (left, right) = (contiguous(left), contiguous(right));
        let (lhs, rhs) = (matrix(&left, &lhs), matrix(&right, &rhs));
        let shape = [lhs.shape()[0], rhs.shape()[1]];
        tensor(kernels::multiply(lhs, rhs), shape)
    }

    fn overwrite(vector: &mut Tensor<Self, 1>, at: usize, part: Tensor<Self, 1>) {
        let range = at..at + part.dims()[0];
        let [all] = vector.dims();
        let whole = take_out(vector);
        *vector = if whole.dtype() == DType::F32 {
            // burn's assignment copies the whole vector.
            let mut values = taken(whole);
            values[range].copy_from_slice(contiguous(part).storage());
            tensor(values, [all])
        } else {
            // f64 is used by gradient checks only.
            whole.slice_assign([range], part)
        };
    }

    fn add_to_rows(matrix: Tensor<Self, 2>, bias: Tensor<Self, 1>) -> Tensor<Self, 2> {
        let shape = matrix.dims();
        let mut values = taken(matrix);
        kernels::add_to_rows(&mut values, contiguous(bias).storage());
        tensor(values, shape)
    }

    fn column_sums(matrix: Tensor<Self, 2>) -> Tensor<Self, 1> {
        if matrix.dtype() != DType::F32 {
            // f64 is used by gradient checks only.
            return matrix.sum_dim(0).squeeze_dim(0);
        }
        let [_, columns] = matrix.dims();
        let sums = kernels::column_sums(columns, contiguous(matrix).storage());
        tensor(sums, [columns])
    }

    fn recurrence_forward(input: ForwardInput<'_, Self>, _: LayerOptions) -> Unrolled<Self> {
        let [rows, columns] = input.projections.dims();
        let hidden = columns / 8;
        let bias = input.bias();
        let mut gates = taken(input.projections);
        let [mut output, mut cells] = [(); 2].map(|()| vec![0.0; rows * 2 * hidden]);
        kernels::recurrence_forward(RecurrenceForward {
            layout: input.layout.host(),
            hidden,
            projections: &mut gates,
            bias: contiguous(bias).storage(),
            weight_hh: contiguous(input.weight_hh).storage(),
            output: &mut output,
            cells: &mut cells,
        });
        Unrolled {
            output: Operand::Matrix(tensor(output, [rows, 2 * hidden]), Bound::Within(1.0)),
            gates: tensor(gates, [rows, columns]),
            cells: tensor(cells, [rows, 2 * hidden]),
        }
    }

    fn recurrence_backward(input: BackwardInput<'_, Self>, _: LayerOptions) -> RowGradients<Self> {
        let shape = input.gates.dims();
        let mut gates = taken(input.gates);
        kernels::recurrence_backward(RecurrenceBackward {
            layout: input.layout.host(),
            hidden: shape[1] / 8,
            gates: &mut gates,
            cells: contiguous(input.cells).storage(),
            grad_output: contiguous(input.grad_output.values).storage(),
            weight_hh: contiguous(input.weight_hh).storage(),
        });
        RowGradients::new(tensor(gates, shape), Bound::Unknown)
    }

    fn frame_scores(logits: Tensor<Self, 2>, targets: &FrameTargets<Self>) -> FrameScores<Self> {
        let [rows, classes] = logits.dims();
        let [mut losses, mut log_sums, mut wrong] = [(); 3].map(|()| vec![0.0; rows]);
        kernels::cross_entropy_forward(
            classes,
            contiguous(logits).storage(),
            targets_of(targets).storage(),
            &mut losses,
            &mut log_sums,
            &mut wrong,
        );
        // Summed in f64, so a long batch loses no precision.
        let sum = |values: &[f32]| values.iter().map(|&value| f64::from(value)).sum::<f64>();
        FrameScores {
            loss_sum: tensor(vec![sum(&losses) as f32], [1]),
            wrong: tensor(vec![sum(&wrong) as f32], [1]),
            log_sums: tensor(log_sums, [rows]),
        }
    }

    fn frame_gradient(
        logits: Tensor<Self, 2>,
        log_sums: Tensor<Self, 1>,
        targets: &FrameTargets<Self>,
        scale: Tensor<Self, 1>,
    ) -> Tensor<Self, 2> {
        let shape = logits.dims();
        let mut values = taken(logits);
        kernels::cross_entropy_backward(
            shape[1],
            &mut values,
            contiguous(log_sums).storage(),
            targets_of(targets).storage(),
            contiguous(scale).storage::<f32>()[0],
        );
        tensor(values, shape)
    }

    fn clip_global_norm(gradients: Tensor<Self, 1>, most: f64) -> Tensor<Self, 1> {
        let shape = gradients.dims();
        let mut values = taken(gradients);
        kernels::clip_global_norm(&mut values, most);
        tensor(values, shape)
    }

    fn update(
        rule: UpdateRule,
        clip: Option<f64>,
        parameters: Tensor<Self, 1>,
        mut gradients: Tensor<Self, 1>,
        moments: Moments<Self>,
    ) -> (Tensor<Self, 1>, Moments<Self>) {
        if let Some(most) = clip {
            gradients = Self::clip_global_norm(gradients, most);
        }
        let shape = parameters.dims();
        let [mut parameters, mut first, mut second] =
            [parameters, moments.first, moments.second].map(taken);
        let gradients = contiguous(gradients);
        kernels::update(
            rule,
            &mut parameters,
            gradients.storage(),
            &mut first,
            &mut second,
        );
        let moments = Moments {
            first: tensor(first, shape),
            second: tensor(second, shape),
        };
        (tensor(parameters, shape), moments)
    }
}
