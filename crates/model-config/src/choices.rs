//! Enumerated settings: backend, recurrence, padding, precision, objective and optimiser.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Declares an enum whose variants have one name in files, on the command line and in output.
macro_rules! choice {
    (
        $(#[$about:meta])*
        $choice:ident { $($(#[$about_variant:meta])* $variant:ident = $name:literal,)+ }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
        pub enum $choice {
            $($(#[$about_variant])* #[serde(rename = $name)] $variant,)+
        }

        impl $choice {
            /// All variants.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name used in configs and on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl fmt::Display for $choice {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

choice! {
    /// The backend to train on.
    BackendChoice {
        /// The best available backend: CUDA, then wgpu, then the CPU.
        #[default]
        Auto = "auto",
        /// The CPU.
        Cpu = "cpu",
        /// Any GPU with a Vulkan driver, through wgpu.
        Wgpu = "wgpu",
        /// An NVIDIA GPU through CUDA.
        Cuda = "cuda",
    }
}

choice! {
    /// The implementation of the LSTM recurrence.
    Recurrence {
        /// Plain burn operations, a few dozen kernel launches per time step. Slow; used to verify the others.
        Reference = "reference",
        /// On GPUs, one kernel launch per time step. On the CPU, a direct implementation on slices.
        Fused = "fused",
        /// CUDA only: one kernel launch per layer and pass (two for large layers), with the weights kept on chip.
        /// Shapes that do not fit use `fused`.
        Persistent = "persistent",
        /// The fastest for the backend: persistent on CUDA, fused elsewhere.
        #[default]
        Auto = "auto",
    }
}

choice! {
    /// How a batch is stored on the device. Results agree up to rounding.
    Padding {
        /// Every utterance takes as many rows as the longest one of its batch.
        #[default]
        Padded = "padded",
        /// Utterances are stored one after the other, so padding costs neither memory nor matrix multiplications.
        Packed = "packed",
    }
}

choice! {
    /// The precision of the large matrix multiplications. Sums, states, losses and parameters are always f32.
    Precision {
        /// The backend's default for f32 matrices: f32 on the CPU, TF32 precision (10 mantissa bits) on CUDA. On wgpu TF32 precision if the
        /// device multiplies f16 matrices in hardware, else f32.
        #[default]
        F32 = "f32",
        /// bf16 inputs, f32 accumulation. Not on the CPU; on wgpu only if the device supports it.
        Bf16 = "bf16",
        /// Full f32 precision. On CUDA it needs compute capability 9.0; each GEMM becomes three, with each input
        /// split into two parts.
        StrictF32 = "strict-f32",
    }
}

choice! {
    /// The training objective (loss function).
    Objective {
        /// Cross-entropy averaged over labelled frames.
        #[default]
        FrameWise = "frame-wise",
        /// Connectionist temporal classification (CTC) of targets from transcripts, or of frame labels without
        /// repeats, averaged over utterances. The blank is the last class.
        Ctc = "ctc",
    }
}

choice! {
    /// The optimiser.
    Optimiser {
        /// Adam.
        #[default]
        Adam = "adam",
        /// ADADELTA.
        Adadelta = "adadelta",
    }
}
