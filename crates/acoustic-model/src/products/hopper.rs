//! Products on the tensor cores of NVIDIA's Hopper, from 16-bit factors: [`padwise_cuda_kernels::product`] says how and why.

use std::ops::Range;
use std::sync::OnceLock;

use burn::tensor::DType;
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::tensor::CubeTensor;
use cubecl::cuda::CudaRuntime;
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::*;
use cubecl::server::{TensorMapBinding, TensorMapMeta};
use cubecl::zspace::metadata::Metadata;
use padwise_cuda_kernels::product::{
    Contiguous, Element, Product, begins_aligned, columns, largest, narrow, padded_columns,
};
use padwise_cuda_kernels::sums::sum_slices;

use super::{Bound, Part};
use crate::Precision;
use crate::backend::cuda::{Cuda, compute_capability, multiprocessors};
use crate::buffers::empty_like;
use crate::raw_cuda::{launch, launch_with_maps};
use crate::recurrence::persistent::zeroed;

type CudaTensor = CubeTensor<CudaRuntime>;

/// A matrix in 16 bits, and the inverse of the scale that its values carry.
#[derive(Debug, Clone)]
pub struct NarrowFactor {
    /// `[rows, columns]`, rows padded to whole 16 bytes.
    values: CudaTensor,
    /// What the values leave out of the matrix, where nothing is to be lost.
    rest: Option<CudaTensor>,
    inverse: CudaTensor,
    rows: usize,
    columns: usize,
    element: Element,
}

/// Whether the first device has these tensor cores: compute capability 9.0, neither older nor newer.
pub(crate) fn available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| compute_capability() == Some((9, 0)))
}

impl NarrowFactor {
    /// Narrows a matrix.
    pub(crate) fn new(matrix: CudaTensor, bound: Bound<Cuda>, precision: Precision) -> Self {
        let matrix = into_contiguous(matrix);
        let [rows, columns] = matrix.meta.shape().dims::<2>();
        let (element, dtype) = match precision {
            Precision::F32 | Precision::StrictF32 => (Element::F16, DType::F16),
            Precision::Bf16 => (Element::Bf16, DType::BF16),
        };
        let inverse = empty_like(&matrix, [1], DType::F32);
        let sms = multiprocessors(&matrix.client);
        let (known, peak) = match (element, bound) {
            // No scale, so nothing to know.
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
        let part = |rest: bool| {
            let values = empty_like(&matrix, [rows, padded_columns(columns)], dtype);
            let (kernel, numbers) = narrow([rows, columns], known, rest, element, sms);
            launch(kernel, &[&matrix, &values, &peak, &inverse], numbers);
            values
        };
        Self {
            values: part(false),
            rest: (precision == Precision::StrictF32).then(|| part(true)),
            inverse,
            rows,
            columns,
            element,
        }
    }

    /// A copy of some columns.
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

/// The columns of a part as a factor of their own, where they begin at a place that tiles cannot be read from.
fn moved(part: &Part<'_, NarrowFactor>) -> Option<NarrowFactor> {
    let wanted = part.columns.clone()?;
    (!begins_aligned(wanted.start)).then(|| part.factor.columns(wanted))
}

/// A part, or the same of the factor that [`moved`] made of it.
fn readable<'a>(
    part: Part<'a, NarrowFactor>,
    own: &'a Option<NarrowFactor>,
) -> Part<'a, NarrowFactor> {
    match own {
        Some(factor) => Part {
            factor,
            columns: None,
            ..part
        },
        None => part,
    }
}

/// One side of a product: its K and its other dimension, as ranges of the factor.
struct Side<'a> {
    factor: &'a NarrowFactor,
    contiguous: Contiguous,
    k: Range<usize>,
    other: Range<usize>,
}

impl<'a> Side<'a> {
    fn new(part: Part<'a, NarrowFactor>, k_is_rows: bool) -> Self {
        let factor = part.factor;
        let rows = part.rows.unwrap_or(0..factor.rows);
        let columns = part.columns.unwrap_or(0..factor.columns);
        // Columns lie contiguous.
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

    /// The map through which tiles are read. It ends where K does, so that what is read beyond is zero.
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

/// The product of two factors.
pub(crate) fn product(lhs: Part<'_, NarrowFactor>, rhs: Part<'_, NarrowFactor>) -> CudaTensor {
    let (lhs_transposed, rhs_transposed) = (lhs.transposed, rhs.transposed);
    let (own_left, own_right) = (moved(&lhs), moved(&rhs));
    let left = Side::new(readable(lhs, &own_left), lhs_transposed);
    let right = Side::new(readable(rhs, &own_right), !rhs_transposed);
    assert_eq!(left.k.len(), right.k.len(), "factors that do not fit");
    assert_eq!(left.factor.element, right.factor.element);
    let like = &left.factor.values;
    let sms = multiprocessors(&like.client);
    let shape = [left.other.len(), right.other.len()];
    let plan = Product::new([shape[0], shape[1], left.k.len()], sms);
    let result = empty_like(like, shape, DType::F32);
    let slices = if plan.splits > 1 {
        empty_like(like, [plan.splits, shape[0], shape[1]], DType::F32)
    } else {
        result.clone()
    };
    let (l, r) = (left.factor, right.factor);
    let mut terms = vec![(&l.values, &r.values)];
    if let (Some(left_rest), Some(right_rest)) = (&l.rest, &r.rest) {
        // The smallest first. What both leave out is below what f32 keeps.
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
        let (kernel, numbers) = sum_slices(shape[0] * shape[1], plan.splits, sms);
        launch(kernel, &[&slices, &result], numbers);
    }
    result
}
