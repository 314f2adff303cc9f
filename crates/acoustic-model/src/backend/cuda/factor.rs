//! Matrices prepared as 16-bit operands of GEMMs. See [`padwise_cuda_kernels::gemm`].

use std::ops::Range;

use burn_cubecl::kernel::into_contiguous;
use burn_tensor::DType;
use padwise_cube_kernels::buffers::empty_like;
use padwise_cuda_kernels::gemm::{
    Element, MatrixPart, columns, largest, largest_of_each, narrow, narrow_each, padded_columns,
};
use padwise_model_config::Precision;

use super::device::{Cuda, CudaTensor, multiprocessors};
use super::raw::{launch, part};
use super::zeros::zeroed;
use crate::kernels::gemm::{Bound, MatrixAt, PlainFactor};
use crate::kernels::recurrence::GateOrder;

/// A matrix prepared for multiplication: narrowed for Hopper's tensor cores, or unchanged for burn's GEMM.
#[derive(Debug, Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "only about a dozen exist at a time"
)]
pub enum CudaFactor {
    /// A 16-bit matrix.
    Narrow(NarrowFactor),
    /// The unchanged matrix.
    Plain(PlainFactor<Cuda>),
}

/// A matrix in 16 bits, with the inverse of its scale.
#[derive(Debug, Clone)]
pub struct NarrowFactor {
    /// `[rows, columns]`, with rows padded to a multiple of 16 bytes.
    pub(super) values: CudaTensor,
    /// The rounding error of the values, for f32 accuracy.
    pub(super) rest: Option<CudaTensor>,
    /// The inverse of the scale, `[1]`.
    pub(super) inverse: CudaTensor,
    /// Hidden size, if the columns are interleaved gates.
    pub(super) interleaved: Option<usize>,
    /// Rows and columns without the padding.
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) element: Element,
}

/// The 16-bit type for a precision in which one factor is enough.
pub(super) fn element(precision: Precision) -> Option<Element> {
    match precision {
        Precision::F32 => Some(Element::F16),
        Precision::Bf16 => Some(Element::Bf16),
        Precision::StrictF32 => None,
    }
}

/// The type of an element for burn.
pub(super) fn dtype(element: Element) -> DType {
    match element {
        Element::F16 => DType::F16,
        Element::Bf16 => DType::BF16,
    }
}

impl NarrowFactor {
    /// Room for a factor without rounding errors, which a kernel writes.
    pub(super) fn room(like: &CudaTensor, [rows, columns]: [usize; 2], element: Element) -> Self {
        Self {
            values: empty_like(like, [rows, padded_columns(columns)], dtype(element)),
            rest: None,
            inverse: empty_like(like, [1], DType::F32),
            interleaved: None,
            rows,
            columns,
            element,
        }
    }

    /// Whether the values have a scale, and no rounding errors next to them.
    pub(super) fn is_scaled(&self) -> bool {
        self.element == Element::F16 && self.rest.is_none()
    }

    /// The buffers that a kernel writes: the values, and the inverse of the scale.
    pub(super) fn buffers(&self) -> [&CudaTensor; 2] {
        [&self.values, &self.inverse]
    }

    /// Converts matrices of a vector, at most [`padwise_cuda_kernels::gemm::MOST_MATRICES`], to 16 bits.
    pub(super) fn of_parts(
        vector: &CudaTensor,
        matrices: &[MatrixAt],
        precision: Precision,
    ) -> Vec<Self> {
        // Results begin at multiples of 256 bytes.
        let mut values = 0;
        let place = |matrix: &MatrixAt| {
            let [rows, columns] = matrix.shape;
            let to = values;
            values += (rows * padded_columns(columns)).next_multiple_of(128);
            MatrixPart {
                from: matrix.at,
                to,
                shape: matrix.shape,
                interleaved: match matrix.gates {
                    GateOrder::ByGate => None,
                    GateOrder::Interleaved => Some(rows / 8),
                },
            }
        };
        let parts: Vec<MatrixPart> = matrices.iter().map(place).collect();
        let element = element(precision).unwrap_or(Element::F16);
        let sms = multiprocessors(&vector.client);
        let count = parts.len();
        let inverses = empty_like(vector, [count], DType::F32);
        let peaks = if element == Element::F16 {
            let peaks = zeroed(vector, count);
            let (kernel, numbers) = largest_of_each(&parts, sms);
            launch(kernel, &[vector, &peaks], numbers);
            peaks
        } else {
            // bf16 has no scale.
            inverses.clone()
        };
        let narrowed = |rest: bool| {
            let narrow = empty_like(vector, [values], dtype(element));
            let (kernel, numbers) = narrow_each(&parts, rest, element, sms);
            launch(kernel, &[vector, &narrow, &peaks, &inverses], numbers);
            narrow
        };
        let values = narrowed(false);
        let rest = (precision == Precision::StrictF32).then(|| narrowed(true));
        let factor = |(index, at): (usize, &MatrixPart)| {
            let [rows, columns] = at.shape;
            let own = |all: &CudaTensor| part(all, at.to, [rows, padded_columns(columns)]);
            Self {
                values: own(&values),
                rest: rest.as_ref().map(own),
                inverse: part(&inverses, index, [1]),
                interleaved: None,
                rows,
                columns,
                element,
            }
        };
        parts.iter().enumerate().map(factor).collect()
    }

    /// Converts a matrix to 16 bits.
    pub(super) fn new(matrix: CudaTensor, bound: Bound<Cuda>, precision: Precision) -> Self {
        let matrix = into_contiguous(matrix);
        let [rows, columns] = matrix.meta.shape().dims::<2>();
        let element = element(precision).unwrap_or(Element::F16);
        let inverse = empty_like(&matrix, [1], DType::F32);
        let sms = multiprocessors(&matrix.client);
        let (known, peak) = match (element, bound) {
            // bf16 has no scale, so no bound is needed.
            (Element::Bf16, _) => (Some(1.0), inverse.clone()),
            (_, Bound::Within(bound)) => (Some(bound as f32), inverse.clone()),
            (_, Bound::Largest(peak)) => (None, peak.into_primitive().tensor()),
            (_, Bound::Unknown) => (None, largest_magnitude(&matrix)),
        };
        let narrowed = |rest: bool| {
            let shape = [rows, padded_columns(columns)];
            let values = empty_like(&matrix, shape, dtype(element));
            let (kernel, numbers) = narrow([rows, columns], known, rest, element, sms);
            launch(kernel, &[&matrix, &values, &peak, &inverse], numbers);
            values
        };
        Self {
            values: narrowed(false),
            rest: (precision == Precision::StrictF32).then(|| narrowed(true)),
            inverse,
            interleaved: None,
            rows,
            columns,
            element,
        }
    }

    /// Copies a range of columns.
    pub(super) fn columns(&self, wanted: Range<usize>) -> Self {
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
            interleaved: self.interleaved,
            rows: self.rows,
            columns: wanted.len(),
            element: self.element,
        }
    }
}

/// The largest magnitude of a contiguous matrix.
pub(super) fn largest_magnitude(matrix: &CudaTensor) -> CudaTensor {
    let found = zeroed(matrix, 1);
    let count = matrix.meta.shape().num_elements();
    let (kernel, numbers) = largest(count, multiprocessors(&matrix.client));
    launch(kernel, &[matrix, &found], numbers);
    found
}
