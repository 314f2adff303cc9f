//! The recurrence of one bidirectional LSTM layer as one launch a pass.
//!
//! After Diamos et al., "Persistent RNNs: Stashing Recurrent Weights On-Chip" (2016). Every multiprocessor keeps its share of
//! the weights in registers and shared memory, and only hidden states (backward: gate gradients) travel between them, through
//! the level-2 cache. Nothing waits at a barrier: each exchanged word carries the number of its step in bits that its format
//! leaves unused, and readers poll the data itself (`kernels/exchange.cuh`).

mod plan;

pub use plan::{Format, MOST_UTTERANCES, Pass, Plan, VARIANTS};

use crate::source::{Kernel, definitions};

const FORWARD: &[&str] = &[
    include_str!("../../kernels/exchange.cuh"),
    include_str!("../../kernels/forward.cu"),
];
const BACKWARD: &[&str] = &[
    include_str!("../../kernels/exchange.cuh"),
    include_str!("../../kernels/backward.cu"),
];

impl Plan {
    /// The kernel that this plan is for.
    pub fn kernel(&self) -> Kernel {
        let (entry, parts) = match self.pass() {
            Pass::Forward => ("blstm_forward", FORWARD),
            Pass::Backward => ("blstm_backward", BACKWARD),
        };
        Kernel {
            entry,
            definitions: definitions(&self.definitions()),
            parts,
            grid: self.grid(),
            threads: self.threads(),
            shared_bytes: self.shared_bytes,
        }
    }
}
