//! SIMD vectors with the width of the machine's registers, chosen at run time.
//!
//! Binaries are built for plain x86-64, for which the compiler may assume only four floats per register and
//! no fused multiply-add. `pulp` compiles each kernel once per instruction set and detects AVX2 and AVX-512
//! at run time. This module puts both element types behind one trait, [`Real`], and gives the vectors
//! operators ([`Lanes`]), so kernels read like arithmetic.
//!
//! Every function here is `#[inline(always)]`, because a function compiled separately would lose the
//! instruction set of its caller. For the same reason, kernels keep vectors out of closures, which the
//! compiler may not inline.

mod aligned;
mod exponential;
mod lanes;
mod prefetch;
mod real;

pub use aligned::Aligned;
pub use lanes::Lanes;
pub use prefetch::{prefetch, prefetch_element};
pub use pulp::{Arch, Simd, WithSimd};
pub use real::Real;
