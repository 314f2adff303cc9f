//! Settings that are one of a few names.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An enum whose variants have one name each: in files, on the command line and in print.
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
            /// Every one of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name by which it is chosen.
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
    /// Which backend to train on.
    BackendChoice {
        /// The best that is compiled in and present: CUDA, then a GPU through wgpu, then the CPU.
        #[default]
        Auto = "auto",
        /// The CPU.
        Cpu = "cpu",
        /// Any GPU through wgpu: Vulkan, Metal, or WebGPU.
        Wgpu = "wgpu",
        /// An NVIDIA GPU through CUDA.
        Cuda = "cuda",
    }
}

choice! {
    /// Which way of running the recurrence.
    Recurrence {
        /// Plain burn operations, a few dozen launches a time step: the oracle.
        Reference = "reference",
        /// One launch a time step on GPUs; a direct implementation on the CPU.
        Fused = "fused",
        /// CUDA alone: one launch a layer and pass, with the weights kept on chip; shapes that do not fit run `fused`.
        Persistent = "persistent",
        /// The fastest that the backend has: persistent on CUDA, fused elsewhere.
        #[default]
        Auto = "auto",
    }
}

choice! {
    /// The arithmetic of the large matrix multiplications. Sums, states, losses and parameters are f32 in all of them.
    Precision {
        /// What the backend does with f32 matrices: f32 on the CPU; on CUDA factors keep tf32's ten bits of mantissa.
        #[default]
        F32 = "f32",
        /// Factors rounded to bf16, sums in f32.
        Bf16 = "bf16",
        /// Nothing rounded to less than f32, on CUDA either: there every product becomes three, of factors in two parts.
        StrictF32 = "strict-f32",
    }
}

choice! {
    /// What a training step minimises.
    Objective {
        /// Cross-entropy averaged over labelled frames.
        #[default]
        FrameWise = "frame-wise",
        /// Connectionist temporal classification of label sequences, averaged over utterances. The blank is the model's last class.
        Ctc = "ctc",
    }
}

choice! {
    /// Which optimiser.
    Optimiser {
        /// Adam.
        #[default]
        Adam = "adam",
        /// ADADELTA.
        Adadelta = "adadelta",
    }
}
