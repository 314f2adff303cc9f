//! e^x, the logistic function and tanh of f32 vectors, to within three units in the last place.
//!
//! All three write x as n·ln 2 + r with |r| at most half of ln 2, and e^r - 1 as r + r²·q(r). The polynomial
//! q has degree four and is fitted to (e^r - 1 - r) / r² at Chebyshev nodes. Its largest error is 6.8e-8;
//! multiplied by r², it is below f32 resolution. NaN stays NaN, so a diverging training run is noticed.

use std::f32::consts::LOG2_E;

use pulp::Simd;

/// Adding it to a small float leaves the nearest integer in the low bits.
const ROUNDER: f32 = 12_582_912.0;
/// ln 2 split into two parts. The first has few bits, so its product with n is exact even without fused
/// multiply-add.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// Coefficients of q, highest power first.
const Q: [f32; 5] = [
    1.392_692_7e-3,
    8.363_774e-3,
    4.166_655e-2,
    0.166_665_73,
    0.5,
];
/// Above this magnitude e^x or e^-x is not a normal number.
const LIMIT: f32 = 87.0;
/// From here on, tanh is 1 in f32.
const TANH_LIMIT: f32 = 10.0;

/// 2^n and e^r - 1 for an x within the limits.
#[inline(always)]
fn scale_and_rest<S: Simd>(simd: S, x: S::f32s) -> (S::f32s, S::f32s) {
    let rounder = simd.splat_f32s(ROUNDER);
    let shifted = simd.mul_add_e_f32s(x, simd.splat_f32s(LOG2_E), rounder);
    let n = simd.sub_f32s(shifted, rounder);
    let r = simd.mul_add_e_f32s(n, simd.splat_f32s(-LN_2_HIGH), x);
    let r = simd.mul_add_e_f32s(n, simd.splat_f32s(-LN_2_LOW), r);
    let mut q = simd.splat_f32s(Q[0]);
    for coefficient in &Q[1..] {
        q = simd.mul_add_e_f32s(q, r, simd.splat_f32s(*coefficient));
    }
    let rest = simd.mul_add_e_f32s(simd.mul_f32s(r, r), q, r);
    let exponent =
        simd.wrapping_dyn_shl_u32s(simd.transmute_u32s_f32s(shifted), simd.splat_u32s(23));
    let scale =
        simd.transmute_f32s_u32s(simd.add_u32s(exponent, simd.splat_u32s(1.0f32.to_bits())));
    (scale, rest)
}

/// `min(x, limit)` that preserves NaN.
#[inline(always)]
fn at_most<S: Simd>(simd: S, x: S::f32s, limit: f32) -> S::f32s {
    let limit = simd.splat_f32s(limit);
    simd.select_f32s(simd.greater_than_f32s(x, limit), limit, x)
}

/// `max(x, limit)` that preserves NaN.
#[inline(always)]
fn at_least<S: Simd>(simd: S, x: S::f32s, limit: f32) -> S::f32s {
    let limit = simd.splat_f32s(limit);
    simd.select_f32s(simd.less_than_f32s(x, limit), limit, x)
}

/// e^x; e^-87 below -87, e^87 above 87.
#[inline(always)]
fn exp_within_limits<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let (scale, rest) = scale_and_rest(simd, at_most(simd, at_least(simd, x, -LIMIT), LIMIT));
    simd.mul_add_e_f32s(scale, rest, scale)
}

/// e^x; 0 below -87, e^87 above 87.
#[inline(always)]
pub fn exp<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let value = exp_within_limits(simd, x);
    simd.select_f32s(
        simd.less_than_f32s(x, simd.splat_f32s(-LIMIT)),
        simd.splat_f32s(0.0),
        value,
    )
}

/// 1 / (1 + e^-x); e^-87 below -87.
#[inline(always)]
pub fn sigmoid<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let one = simd.splat_f32s(1.0);
    let negated = simd.sub_f32s(simd.splat_f32s(0.0), x);
    let value = exp_within_limits(simd, negated);
    simd.div_f32s(one, simd.add_f32s(one, value))
}

/// tanh x as m / (m + 2) with m = e^2|x| - 1 and the sign of x. This form keeps small results accurate.
#[inline(always)]
pub fn tanh<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let magnitude = simd.abs_f32s(x);
    let sign = simd.xor_u32s(
        simd.transmute_u32s_f32s(x),
        simd.transmute_u32s_f32s(magnitude),
    );
    let limited = at_most(simd, magnitude, TANH_LIMIT);
    let (scale, rest) = scale_and_rest(simd, simd.add_f32s(limited, limited));
    let m = simd.mul_add_e_f32s(scale, rest, simd.sub_f32s(scale, simd.splat_f32s(1.0)));
    let value = simd.div_f32s(m, simd.add_f32s(m, simd.splat_f32s(2.0)));
    simd.transmute_f32s_u32s(simd.or_u32s(simd.transmute_u32s_f32s(value), sign))
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, Scalar, WithSimd};

    use super::super::{Lanes, Real};
    use super::*;

    struct Apply<'a>(&'a mut [f32], usize);

    impl WithSimd for Apply<'_> {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            for part in self.0.chunks_mut(f32::lanes::<S>()) {
                let x = Lanes::<f32, S>::load(simd, part);
                [x.exp(), x.sigmoid(), x.tanh()][self.1].store(part);
            }
        }
    }

    /// Runs the machine's best instruction set and the portable fallback.
    fn apply(inputs: &[f32], function: usize) -> [Vec<f32>; 2] {
        let mut best = inputs.to_vec();
        Arch::new().dispatch(Apply(&mut best, function));
        let mut portable = inputs.to_vec();
        Scalar::new().vectorize(Apply(&mut portable, function));
        [best, portable]
    }

    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn errors_stay_within_three_units_in_the_last_place() {
        let mut inputs: Vec<f32> = (-86_000..=86_000).map(|i| i as f32 * 1.0001e-3).collect();
        inputs.extend(
            (0..2000)
                .flat_map(|i| [1.01f32.powi(-i), -(1.01f32.powi(-i))])
                .filter(|x| x.abs() > 1e-30),
        );
        let exact: [fn(f64) -> f64; 3] = [f64::exp, |x| 1.0 / (1.0 + (-x).exp()), f64::tanh];
        for (function, exact) in exact.iter().enumerate() {
            for outputs in apply(&inputs, function) {
                for (x, y) in inputs.iter().zip(outputs) {
                    let expected = exact(f64::from(*x));
                    let error = (f64::from(y) - expected).abs();
                    assert!(
                        error <= 3e-7 * expected.abs(),
                        "function {function} of {x}: {y} for {expected}, error {error:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn limits_and_nan_are_handled() {
        let inputs = [
            f32::NEG_INFINITY,
            -1000.0,
            0.0,
            1000.0,
            f32::INFINITY,
            f32::NAN,
        ];
        for outputs in apply(&inputs, 0) {
            assert_eq!(outputs[..3], [0.0, 0.0, 1.0]);
            assert!(outputs[3] > 1e37 && outputs[4] > 1e37 && outputs[5].is_nan());
        }
        for outputs in apply(&inputs, 1) {
            assert!(outputs[0] < 1e-37 && outputs[1] < 1e-37 && outputs[5].is_nan());
            assert_eq!(outputs[2..5], [0.5, 1.0, 1.0]);
        }
        for outputs in apply(&inputs, 2) {
            assert_eq!(outputs[..5], [-1.0, -1.0, 0.0, 1.0, 1.0]);
            assert!(outputs[5].is_nan());
        }
    }
}
