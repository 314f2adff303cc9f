//! The model through wgpu, on any adapter, including Mesa's lavapipe on the CPU.
#![cfg(all(feature = "wgpu", feature = "cpu"))]

mod checks;

use checks::{Scale, Tolerance};
use padwise_model::BackendChoice;
use padwise_model::backend::wgpu::{Wgpu, device, has_cooperative_matrices, recorded_passes};

/// Small: a software adapter takes seconds to compile a kernel.
const SCALE: Scale = Scale {
    goldens: &["wide", "ragged_three_layers", "one_utterance"],
    shapes: 12,
    steps: 20,
};

backend_checks!(
    Wgpu,
    BackendChoice::Wgpu,
    device().expect("a device"),
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

/// Our device records its steps. On CubeCL's default device, CubeCL launches them.
#[test]
fn recorded_and_launched_steps_agree_bitwise() {
    let (ours, default) = (device().expect("a device"), Default::default());
    assert_ne!(ours, default);
    let before = recorded_passes();
    // Two submissions, the second with an odd number of steps.
    checks::agreement::equal_bits::<Wgpu>([&ours, &default], 131, &[131, 1, 64]);
    // Forward and backward, padded and packed.
    assert!(recorded_passes() >= before + 4);
}
