//! The element types of the kernels, f32 and f64, with their vector operations.

use std::ops::{Add, Sub};

use pulp::Simd;

use super::exponential;

/// An element type: f32 for training, f64 for tests.
pub trait Real:
    Copy + PartialOrd + Default + Send + Sync + Add<Output = Self> + Sub<Output = Self> + 'static
{
    /// A register of elements.
    type Vector<S: Simd>: Copy + Send + Sync;

    /// Elements per vector.
    fn lanes<S: Simd>() -> usize;
    /// Rounds from f64.
    fn from_f64(value: f64) -> Self;
    /// Converts to f64, exactly.
    fn to_f64(self) -> f64;
    /// Natural logarithm.
    fn ln(self) -> Self;

    /// Splits a slice into whole vectors and the remaining elements.
    fn vectors<S: Simd>(slice: &[Self]) -> (&[Self::Vector<S>], &[Self]);
    /// Loads the first elements of a slice. Missing elements become zero.
    fn load<S: Simd>(simd: S, slice: &[Self]) -> Self::Vector<S>;
    /// Stores into the first elements of a slice, up to its length.
    fn store<S: Simd>(simd: S, slice: &mut [Self], value: Self::Vector<S>);
    /// The same value in every lane.
    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;

    /// `a + b`
    fn add<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a - b`
    fn sub<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a * b`
    fn mul<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a / b`
    fn div<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// `a * b + c`, with one rounding if the machine supports it.
    fn mul_add<S: Simd>(
        simd: S,
        a: Self::Vector<S>,
        b: Self::Vector<S>,
        c: Self::Vector<S>,
    ) -> Self::Vector<S>;
    /// The larger of each pair; `b` if `a` is NaN.
    fn max<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;
    /// Square root.
    fn sqrt<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// Sum of the lanes.
    fn reduce_sum<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;
    /// Largest lane.
    fn reduce_max<S: Simd>(simd: S, a: Self::Vector<S>) -> Self;

    /// `e^a`; in f32 it is 0 below -87 and saturates above 87.
    fn exp<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// `1 / (1 + e^-a)`
    fn sigmoid<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
    /// Hyperbolic tangent.
    fn tanh<S: Simd>(simd: S, a: Self::Vector<S>) -> Self::Vector<S>;
}

macro_rules! shared_operations {
    ($real:ty, $vector:ident, $lanes:ident, $as_simd:ident, $as_mut_simd:ident, $partial_load:ident, $partial_store:ident, $splat:ident,
     [$($binary:ident $by:ident),*], $mul_add:ident, $greater_than:ident, $select:ident, $sqrt:ident,
     $reduce_sum:ident, $reduce_max:ident, [$($function:ident $computed:expr),*]) => {
        type Vector<S: Simd> = S::$vector;

        #[inline(always)]
        fn lanes<S: Simd>() -> usize {
            S::$lanes
        }
        #[inline(always)]
        fn from_f64(value: f64) -> Self {
            value as $real
        }
        #[inline(always)]
        fn to_f64(self) -> f64 {
            self.into()
        }
        #[inline(always)]
        fn ln(self) -> Self {
            self.ln()
        }
        #[inline(always)]
        fn vectors<S: Simd>(slice: &[Self]) -> (&[S::$vector], &[Self]) {
            S::$as_simd(slice)
        }
        #[inline(always)]
        fn load<S: Simd>(simd: S, slice: &[Self]) -> S::$vector {
            match S::$as_simd(slice).0.first() {
                Some(whole) => *whole,
                None => simd.$partial_load(slice),
            }
        }
        #[inline(always)]
        fn store<S: Simd>(simd: S, slice: &mut [Self], value: S::$vector) {
            match S::$as_mut_simd(slice) {
                ([whole, ..], _) => *whole = value,
                ([], short) => simd.$partial_store(short, value),
            }
        }
        #[inline(always)]
        fn splat<S: Simd>(simd: S, value: Self) -> S::$vector {
            simd.$splat(value)
        }
        $(
            #[inline(always)]
            fn $binary<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
                simd.$by(a, b)
            }
        )*
        #[inline(always)]
        fn mul_add<S: Simd>(simd: S, a: S::$vector, b: S::$vector, c: S::$vector) -> S::$vector {
            simd.$mul_add(a, b, c)
        }
        #[inline(always)]
        fn max<S: Simd>(simd: S, a: S::$vector, b: S::$vector) -> S::$vector {
            simd.$select(simd.$greater_than(a, b), a, b)
        }
        #[inline(always)]
        fn sqrt<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
            simd.$sqrt(a)
        }
        #[inline(always)]
        fn reduce_sum<S: Simd>(simd: S, a: S::$vector) -> Self {
            simd.$reduce_sum(a)
        }
        #[inline(always)]
        fn reduce_max<S: Simd>(simd: S, a: S::$vector) -> Self {
            simd.$reduce_max(a)
        }
        $(
            #[inline(always)]
            fn $function<S: Simd>(simd: S, a: S::$vector) -> S::$vector {
                $computed(simd, a)
            }
        )*
    };
}

impl Real for f32 {
    shared_operations!(
        f32,
        f32s,
        F32_LANES,
        as_simd_f32s,
        as_mut_simd_f32s,
        partial_load_f32s,
        partial_store_f32s,
        splat_f32s,
        [add add_f32s, sub sub_f32s, mul mul_f32s, div div_f32s],
        mul_add_e_f32s,
        greater_than_f32s,
        select_f32s,
        sqrt_f32s,
        reduce_sum_f32s,
        reduce_max_f32s,
        [exp exponential::exp, sigmoid exponential::sigmoid, tanh exponential::tanh]
    );
}

#[cfg(test)]
impl Real for f64 {
    shared_operations!(
        f64,
        f64s,
        F64_LANES,
        as_simd_f64s,
        as_mut_simd_f64s,
        partial_load_f64s,
        partial_store_f64s,
        splat_f64s,
        [add add_f64s, sub sub_f64s, mul mul_f64s, div div_f64s],
        mul_add_e_f64s,
        greater_than_f64s,
        select_f64s,
        sqrt_f64s,
        reduce_sum_f64s,
        reduce_max_f64s,
        []
    );

    #[inline(always)]
    fn exp<S: Simd>(simd: S, a: S::f64s) -> S::f64s {
        lane_by_lane(simd, a, f64::exp)
    }
    #[inline(always)]
    fn sigmoid<S: Simd>(simd: S, a: S::f64s) -> S::f64s {
        lane_by_lane(simd, a, |x| 1.0 / (1.0 + (-x).exp()))
    }
    #[inline(always)]
    fn tanh<S: Simd>(simd: S, a: S::f64s) -> S::f64s {
        lane_by_lane(simd, a, f64::tanh)
    }
}

/// Applies a standard-library function lane by lane. Tests alone use f64, so speed does not matter.
#[cfg(test)]
#[inline(always)]
fn lane_by_lane<S: Simd>(simd: S, a: S::f64s, function: impl Fn(f64) -> f64) -> S::f64s {
    let mut lanes = [0.0; 8];
    let lanes = &mut lanes[..S::F64_LANES];
    f64::store(simd, lanes, a);
    lanes.iter_mut().for_each(|lane| *lane = function(*lane));
    f64::load(simd, lanes)
}
