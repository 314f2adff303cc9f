//! The model through wgpu, on any adapter, including Mesa's lavapipe on the CPU.
#![cfg(all(feature = "wgpu", feature = "cpu"))]

mod checks;

use checks::{Scale, Tolerance};
use padwise_model::BackendChoice;
use padwise_model::backend::wgpu::{Wgpu, has_cooperative_matrices};

/// Small: a software adapter takes seconds to compile a kernel.
const SCALE: Scale = Scale {
    goldens: &["wide", "ragged_three_layers", "one_utterance"],
    shapes: 12,
    steps: 20,
};

backend_checks!(
    Wgpu,
    BackendChoice::Wgpu,
    Default::default(),
    tolerance(),
    SCALE
);

fn tolerance() -> Tolerance {
    if has_cooperative_matrices() {
        Tolerance::TF32
    } else {
        Tolerance::F32
    }
}
