//! A SIMD vector with arithmetic operators.

use std::ops::{Add, Div, Mul, Sub};

use pulp::Simd;

use super::Real;

/// One register of elements, together with its (zero-sized) instruction set.
#[derive(Clone, Copy)]
pub struct Lanes<E: Real, S: Simd> {
    simd: S,
    value: E::Vector<S>,
}

impl<E: Real, S: Simd> Lanes<E, S> {
    /// Wraps a vector.
    #[inline(always)]
    pub fn new(simd: S, value: E::Vector<S>) -> Self {
        Self { simd, value }
    }
    /// The same value in every lane.
    #[inline(always)]
    pub fn splat(simd: S, value: E) -> Self {
        Self::new(simd, E::splat(simd, value))
    }
    /// Loads the first elements of a slice. Missing elements become zero.
    #[inline(always)]
    pub fn load(simd: S, slice: &[E]) -> Self {
        Self::new(simd, E::load(simd, slice))
    }
    /// Stores into the first elements of a slice, up to its length.
    #[inline(always)]
    pub fn store(self, slice: &mut [E]) {
        E::store(self.simd, slice, self.value);
    }
    /// `self * factor + term`, with one rounding if the machine supports it.
    #[inline(always)]
    pub fn mul_add(self, factor: Self, term: Self) -> Self {
        Self::new(
            self.simd,
            E::mul_add(self.simd, self.value, factor.value, term.value),
        )
    }
    /// The larger of each pair; `other` if `self` is NaN.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self::new(self.simd, E::max(self.simd, self.value, other.value))
    }
    /// Sum of the lanes.
    #[inline(always)]
    pub fn reduce_sum(self) -> E {
        E::reduce_sum(self.simd, self.value)
    }
    /// Largest lane.
    #[inline(always)]
    pub fn reduce_max(self) -> E {
        E::reduce_max(self.simd, self.value)
    }
}

/// Defines the elementwise functions of [`Real`] as methods.
macro_rules! functions {
    ($($(#[$about:meta])* $function:ident),*) => {
        impl<E: Real, S: Simd> Lanes<E, S> {
            $(
                $(#[$about])*
                #[inline(always)]
                pub fn $function(self) -> Self {
                    Self::new(self.simd, E::$function(self.simd, self.value))
                }
            )*
        }
    };
}

functions!(
    /// Square root.
    sqrt,
    /// `e^self`
    exp,
    /// `1 / (1 + e^-self)`
    sigmoid,
    /// Hyperbolic tangent.
    tanh
);

macro_rules! operator {
    ($operator:ident, $method:ident) => {
        impl<E: Real, S: Simd> $operator for Lanes<E, S> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self::new(
                    self.simd,
                    <E as Real>::$method(self.simd, self.value, other.value),
                )
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);
