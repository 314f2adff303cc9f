//! Number formats of the recurrence's operands, and the space that they take.

/// Number format of the operands in the recurrent GEMM. The values match the kernels' source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// bf16: 7 mantissa bits.
    Bf16 = 0,
    /// f16: 10 mantissa bits like TF32, in half the space. Its range suffices for hidden states and weights; gradients have scales.
    F16 = 1,
    /// f32 accuracy: each operand as two TF32 parts, three GEMMs.
    F32 = 2,
}

impl Format {
    /// Whether a value takes 16 bits.
    pub(super) fn is_narrow(self) -> bool {
        matches!(self, Self::Bf16 | Self::F16)
    }

    /// Registers of weights per lane, for 8 columns and 16 values of K.
    pub(super) fn registers(self) -> usize {
        2 * self.loads()
    }

    /// 16-byte loads per lane, for 16 values of K.
    pub(super) fn loads(self) -> usize {
        match self {
            Self::Bf16 | Self::F16 => 1,
            Self::F32 => 4,
        }
    }
}
