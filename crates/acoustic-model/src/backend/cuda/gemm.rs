//! Matrix multiplication (GEMM) on the tensor cores of NVIDIA's Hopper, with 16-bit operands. See
//! [`padwise_cuda_kernels::gemm`].

use std::ops::Range;

use burn_tensor::DType;
use cubecl::ir::{ElemType, FloatKind};
use cubecl::prelude::*;
use cubecl::server::{TensorMapBinding, TensorMapMeta};
use cubecl::zspace::metadata::Metadata;
use padwise_cube_kernels::buffers::empty_like;
use padwise_cuda_kernels::gemm::{
    Contiguous, Element, Extras, GemmPlan, Offsets, begins_aligned, padded_columns,
};
use padwise_cuda_kernels::sums::sum_slices;

use super::device::{CudaTensor, compute_capability, multiprocessors};
use super::factor::NarrowFactor;
use super::raw::{launch, launch_with_maps};
use super::zeros::zeroed;
use crate::kernels::gemm::MatrixView;

/// Whether the first device has these tensor cores: compute capability 9.0 exactly.
pub(super) fn available() -> bool {
    compute_capability() == Some((9, 0))
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

    /// The tensor map for reading tiles. It ends at `end`, so reads beyond it return zeros.
    fn map(&self, values: &CudaTensor, end: usize) -> TensorMapBinding {
        let mut shape = [self.factor.rows, self.factor.columns];
        shape[usize::from(self.contiguous == Contiguous::K)] = end;
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

/// What a multiplication does besides.
#[derive(Debug, Clone, Default)]
pub(super) struct Addition {
    /// Adds this bias to every row.
    pub bias: Option<CudaTensor>,
    /// Writes about the largest magnitude of the product into this zeroed number.
    pub largest: Option<CudaTensor>,
}

/// Room for the largest magnitude of a product.
pub(super) fn room_for_largest(factor: &NarrowFactor) -> CudaTensor {
    zeroed(&factor.values, 1)
}

/// The left and the right operand.
type Pair<'a> = [MatrixView<'a, NarrowFactor>; 2];

/// Both sides of a GEMM.
fn sides<'a>([lhs, rhs]: Pair<'a>, own: &'a mut [Option<NarrowFactor>; 2]) -> [Side<'a>; 2] {
    let (lhs_transposed, rhs_transposed) = (lhs.transposed, rhs.transposed);
    let [own_left, own_right] = own;
    [
        Side::new(readable(lhs, own_left), lhs_transposed),
        Side::new(readable(rhs, own_right), !rhs_transposed),
    ]
}

/// Whether one launch can multiply both pairs. They must have the same factors and shapes. The last tiles of K are partly filled, so beyond
/// its end one operand of each pair must read zeros.
pub(super) fn at_once(pairs: &[Pair<'_>; 2]) -> bool {
    let starts = pairs
        .iter()
        .flatten()
        .filter_map(|view| view.columns.as_ref());
    if !starts.map(|columns| columns.start).all(begins_aligned) {
        return false;
    }
    let mut none = [[None, None], [None, None]];
    let [own_first, own_second] = &mut none;
    let (first, second) = (
        sides(pairs[0].clone(), own_first),
        sides(pairs[1].clone(), own_second),
    );
    let same = |side: usize| {
        let (a, b) = (&first[side], &second[side]);
        std::ptr::eq(a.factor, b.factor)
            && a.contiguous == b.contiguous
            && a.other.len() == b.other.len()
    };
    let ends = [0, 1].map(|side| first[side].k.end.max(second[side].k.end));
    let reads_zeros = |pair: &[Side<'_>; 2]| pair[0].k.end == ends[0] || pair[1].k.end == ends[1];
    same(0)
        && same(1)
        && first[0].k.len() == second[0].k.len()
        && reads_zeros(&first)
        && reads_zeros(&second)
}

/// Multiplies two factors, into a new matrix of f32 or f16.
pub(super) fn multiply(pairs: [Pair<'_>; 1], addition: Addition, dtype: DType) -> CudaTensor {
    let like = pairs[0][0].factor.values.clone();
    multiply_into(pairs, addition, |shape| empty_like(&like, shape, dtype))
}

/// Multiplies a pair of factors, or several [at once](at_once), into the contiguous matrix that `result` returns for the shape of a
/// product. Several products follow each other. Rows that are interleaved gates are written by gate.
pub(super) fn multiply_into<const PAIRS: usize>(
    pairs: [Pair<'_>; PAIRS],
    addition: Addition,
    result: impl FnOnce([usize; 2]) -> CudaTensor,
) -> CudaTensor {
    let mut own = [const { [None, None] }; PAIRS];
    let mut of_pairs: Vec<[Side<'_>; 2]> = Vec::with_capacity(PAIRS);
    for (pair, own) in pairs.into_iter().zip(&mut own) {
        of_pairs.push(sides(pair, own));
    }
    let [left, right] = &of_pairs[0];
    let (k, shape) = (left.k.len(), [left.other.len(), right.other.len()]);
    for [left, right] in &of_pairs {
        assert_eq!(
            [left.k.len(), right.k.len()],
            [k, k],
            "inner dimensions of a GEMM"
        );
        assert_eq!(left.factor.element, right.factor.element);
        assert!(
            right.factor.interleaved.is_none(),
            "gate gradients are left operands"
        );
    }
    let ends = [0, 1].map(|side| {
        let ends = of_pairs.iter().map(|pair| pair[side].k.end);
        ends.max().expect("a pair")
    });
    let like = &left.factor.values;
    let sms = multiprocessors(&like.client);
    let result = result(shape);
    let halved = result.dtype == DType::F16;
    let plan = GemmPlan::new([shape[0], shape[1], k], PAIRS, sms);
    let plan = if halved { plan.whole() } else { plan };
    let interleaved = match left.contiguous {
        // The rows of the product are columns of the left factor.
        Contiguous::Other => left.factor.interleaved,
        Contiguous::K => None,
    };
    if let Some(hidden) = interleaved {
        let is_whole = |at: usize| at.is_multiple_of(4 * hidden);
        let mut lefts = of_pairs.iter().map(|[left, _]| &left.other);
        assert!(
            lefts.all(|columns| is_whole(columns.start) && is_whole(columns.end)),
            "gates of whole directions"
        );
    }
    let slices = if plan.splits > 1 {
        empty_like(like, [plan.splits, PAIRS * shape[0], shape[1]], DType::F32)
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
    let offsets: Vec<Offsets> = of_pairs
        .iter()
        .map(|[left, right]| Offsets {
            left: [left.k.start, left.other.start],
            right: [right.k.start, right.other.start],
        })
        .collect();
    let last = terms.len() - 1;
    for (index, (a, b)) in terms.into_iter().enumerate() {
        let extras = Extras {
            add: index > 0,
            bias: index == 0 && addition.bias.is_some(),
            largest: index == last && addition.largest.is_some(),
            interleaved,
            halved,
        };
        launch_with_maps(
            plan.kernel(l.element, left.contiguous, right.contiguous),
            vec![left.map(a, ends[0]), right.map(b, ends[1])],
            &[
                &slices,
                &l.inverse,
                &r.inverse,
                addition.bias.as_ref().unwrap_or(&l.inverse),
                addition.largest.as_ref().unwrap_or(&l.inverse),
            ],
            plan.numbers(&offsets, extras),
        );
    }
    if plan.splits > 1 {
        let (kernel, numbers) = sum_slices(PAIRS * shape[0] * shape[1], plan.splits, 1, sms);
        launch(kernel, &[&slices, &result], numbers);
    }
    result
}
