//! Matrix multiplication (GEMM) on the tensor cores of NVIDIA's Hopper, with 16-bit operands. See
//! [`padwise_cuda_kernels::gemm`].

use std::ops::Range;
use std::sync::OnceLock;

use burn_cubecl::kernel::into_contiguous;
use burn_tensor::DType;
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::*;
use cubecl::server::{TensorMapBinding, TensorMapMeta};
use cubecl::zspace::metadata::Metadata;
use padwise_cube_kernels::buffers::empty_like;
use padwise_cuda_kernels::gemm::{
    Contiguous, Element, GemmPlan, begins_aligned, columns, largest, narrow, padded_columns,
};
use padwise_cuda_kernels::sums::sum_slices;
use padwise_model_config::Precision;

use super::device::{Cuda, CudaTensor, compute_capability, multiprocessors};
use super::raw::{launch, launch_with_maps};
use super::zeros::zeroed;
use crate::kernels::gemm::{Bound, MatrixView};

/// A matrix in 16 bits, with the inverse of its scale.
#[derive(Debug, Clone)]
pub struct NarrowFactor {
    /// `[rows, columns]`, with rows padded to a multiple of 16 bytes.
    values: CudaTensor,
    /// The rounding error of the values, for f32 accuracy.
    rest: Option<CudaTensor>,
    inverse: CudaTensor,
    rows: usize,
    columns: usize,
    element: Element,
}

/// Whether the first device has these tensor cores: compute capability 9.0 exactly.
pub(super) fn available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| compute_capability() == Some((9, 0)))
}

impl NarrowFactor {
    /// Converts a matrix to 16 bits.
    pub(super) fn new(matrix: CudaTensor, bound: Bound<Cuda>, precision: Precision) -> Self {
        let matrix = into_contiguous(matrix);
        let [rows, columns] = matrix.meta.shape().dims::<2>();
        let (element, dtype) = match precision {
            Precision::F32 | Precision::StrictF32 => (Element::F16, DType::F16),
            Precision::Bf16 => (Element::Bf16, DType::BF16),
        };
        let inverse = empty_like(&matrix, [1], DType::F32);
        let sms = multiprocessors(&matrix.client);
        let (known, peak) = match (element, bound) {
            // bf16 has no scale, so no bound is needed.
            (Element::Bf16, _) => (Some(1.0), inverse.clone()),
            (_, Bound::Within(bound)) => (Some(bound as f32), inverse.clone()),
            (_, Bound::Largest(peak)) => (None, peak.into_primitive().tensor()),
            (_, Bound::Unknown) => {
                let peak = zeroed(&matrix, 1);
                let (kernel, numbers) = largest(rows * columns, sms);
                launch(kernel, &[&matrix, &peak], numbers);
                (None, peak)
            }
        };
        let narrowed = |rest: bool| {
            let values = empty_like(&matrix, [rows, padded_columns(columns)], dtype);
            let (kernel, numbers) = narrow([rows, columns], known, rest, element, sms);
            launch(kernel, &[&matrix, &values, &peak, &inverse], numbers);
            values
        };
        Self {
            values: narrowed(false),
            rest: (precision == Precision::StrictF32).then(|| narrowed(true)),
            inverse,
            rows,
            columns,
            element,
        }
    }

    /// Copies a range of columns.
    fn columns(&self, wanted: Range<usize>) -> Self {
        let sms = multiprocessors(&self.values.client);
        let copy = |values: &CudaTensor| {
            let shape = [self.rows, padded_columns(wanted.len())];
            let copied = empty_like(values, shape, values.dtype);
            let (kernel, numbers) = columns([self.rows, self.columns], wanted.clone(), sms);
            launch(kernel, &[values, &copied], numbers);
            copied
        };
        Self {
            values: copy(&self.values),
            rest: self.rest.as_ref().map(copy),
            inverse: self.inverse.clone(),
            rows: self.rows,
            columns: wanted.len(),
            element: self.element,
        }
    }
}

/// A view that tensor maps can read. Copies the columns into `own` if they are not aligned.
fn readable<'a>(
    view: MatrixView<'a, NarrowFactor>,
    own: &'a mut Option<NarrowFactor>,
) -> MatrixView<'a, NarrowFactor> {
    match &view.columns {
        Some(wanted) if !begins_aligned(wanted.start) => MatrixView {
            factor: own.insert(view.factor.columns(wanted.clone())),
            columns: None,
            ..view
        },
        _ => view,
    }
}

/// One side of a GEMM: K and the other dimension, as ranges of the factor.
struct Side<'a> {
    factor: &'a NarrowFactor,
    contiguous: Contiguous,
    k: Range<usize>,
    other: Range<usize>,
}

impl<'a> Side<'a> {
    fn new(view: MatrixView<'a, NarrowFactor>, k_is_rows: bool) -> Self {
        let factor = view.factor;
        let rows = view.rows.unwrap_or(0..factor.rows);
        let columns = view.columns.unwrap_or(0..factor.columns);
        // Columns are contiguous.
        let (contiguous, k, other) = if k_is_rows {
            (Contiguous::Other, rows, columns)
        } else {
            (Contiguous::K, columns, rows)
        };
        Self {
            factor,
            contiguous,
            k,
            other,
        }
    }

    /// The tensor map for reading tiles. It ends at the end of K, so reads beyond it return zeros.
    fn map(&self, values: &CudaTensor) -> TensorMapBinding {
        let mut shape = [self.factor.rows, self.factor.columns];
        shape[usize::from(self.contiguous == Contiguous::K)] = self.k.end;
        let kind = match self.factor.element {
            Element::F16 => FloatKind::F16,
            Element::Bf16 => FloatKind::BF16,
        };
        TensorMapBinding {
            binding: values.handle.clone().binding(),
            map: TensorMapMeta {
                format: TensorMapFormat::Tiled(TiledArgs {
                    tile_size: self.contiguous.tile().into(),
                }),
                metadata: Metadata::new(shape, [padded_columns(self.factor.columns), 1]),
                elem_stride: [1, 1].into(),
                interleave: TensorMapInterleave::None,
                swizzle: TensorMapSwizzle::B128,
                prefetch: TensorMapPrefetch::B128,
                oob_fill: OobFill::Zero,
                storage_ty: ElemType::Float(kind).into(),
            },
        }
    }
}

/// Multiplies two factors, into a new matrix.
pub(super) fn multiply(
    lhs: MatrixView<'_, NarrowFactor>,
    rhs: MatrixView<'_, NarrowFactor>,
) -> CudaTensor {
    let like = lhs.factor.values.clone();
    multiply_into(lhs, rhs, |shape| empty_like(&like, shape, DType::F32))
}

/// Multiplies two factors, into the contiguous matrix that `result` returns for a shape.
pub(super) fn multiply_into(
    lhs: MatrixView<'_, NarrowFactor>,
    rhs: MatrixView<'_, NarrowFactor>,
    result: impl FnOnce([usize; 2]) -> CudaTensor,
) -> CudaTensor {
    let (lhs_transposed, rhs_transposed) = (lhs.transposed, rhs.transposed);
    let (mut own_left, mut own_right) = (None, None);
    let left = Side::new(readable(lhs, &mut own_left), lhs_transposed);
    let right = Side::new(readable(rhs, &mut own_right), !rhs_transposed);
    assert_eq!(left.k.len(), right.k.len(), "inner dimensions of a GEMM");
    assert_eq!(left.factor.element, right.factor.element);
    let like = &left.factor.values;
    let sms = multiprocessors(&like.client);
    let shape = [left.other.len(), right.other.len()];
    let plan = GemmPlan::new([shape[0], shape[1], left.k.len()], sms);
    let result = result(shape);
    let slices = if plan.splits > 1 {
        empty_like(like, [plan.splits, shape[0], shape[1]], DType::F32)
    } else {
        result.clone()
    };
    let (l, r) = (left.factor, right.factor);
    let mut terms = vec![(&l.values, &r.values)];
    if let (Some(left_rest), Some(right_rest)) = (&l.rest, &r.rest) {
        // Smallest terms first. The product of both rounding errors is below f32 precision.
        terms = vec![
            (left_rest, &r.values),
            (&l.values, right_rest),
            (&l.values, &r.values),
        ];
    }
    for (index, (a, b)) in terms.into_iter().enumerate() {
        launch_with_maps(
            plan.kernel(l.element, left.contiguous, right.contiguous),
            vec![left.map(a), right.map(b)],
            &[&slices, &l.inverse, &r.inverse],
            plan.numbers(
                [left.k.start, left.other.start],
                [right.k.start, right.other.start],
                index > 0,
            ),
        );
    }
    if plan.splits > 1 {
        let (kernel, numbers) = sum_slices(shape[0] * shape[1], plan.splits, 1, sms);
        launch(kernel, &[&slices, &result], numbers);
    }
    result
}
