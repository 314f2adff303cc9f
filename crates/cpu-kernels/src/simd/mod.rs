//! Vectors of floating-point numbers as wide as the machine's registers, picked at run time.
//!
//! Binaries are built for plain x86-64, where the compiler may assume no more than four floats a register and no fused
//! multiply-add. `pulp` detects AVX2 and AVX-512 as the program starts and compiles each kernel once for every
//! instruction set. This module puts the two element types behind one trait, [`Real`], and gives the vectors operators
//! ([`Lanes`]), so that the kernels read as arithmetic.
//!
//! Every function here is `#[inline(always)]`: a function compiled on its own would lose the instruction set of its
//! caller. For the same reason kernels keep vectors out of closures, which the compiler may decide not to inline.

mod exponential;
mod lanes;
mod prefetch;
mod real;

pub use lanes::Lanes;
pub use prefetch::prefetch;
pub use pulp::{Arch, Simd, WithSimd};
pub use real::Real;
