//! The model on CUDA; `scripts/check_cuda.sh` runs it where there is a GPU.
#![cfg(all(feature = "cuda", feature = "cpu"))]

mod checks;

use checks::{Scale, Tolerance};
use padwise_model::BackendChoice;
use padwise_model::backend::cuda::Cuda;

const SCALE: Scale = Scale {
    goldens: &[],
    shapes: 200,
    steps: 50,
};

backend_checks!(
    Cuda,
    BackendChoice::Cuda,
    Default::default(),
    Tolerance::TF32,
    SCALE
);

/// The persistent recurrence on shapes that fill its tiles and shapes that do not, with NaN nowhere and lengths everywhere.
#[test]
fn persistent_equals_reference() {
    use checks::agreement::{Fast, one_shape};

    let device = Default::default();
    for (index, (frames, batch, hidden)) in [
        (1, 1, 64),
        (9, 3, 64),
        (40, 16, 96),
        (33, 17, 128),
        (25, 5, 512),
        (300, 16, 512),
        (20, 33, 256),
        (12, 64, 512),
        (10, 128, 512),
        (8, 16, 1024),
        // Two passes over the batch: the plan has more tiles than fit at once.
        (8, 64, 1024),
        (8, 80, 640),
    ]
    .into_iter()
    .enumerate()
    {
        let lengths: Vec<u32> = (0..batch)
            .map(|row| 1 + (row * 7 + 3) as u32 % frames as u32)
            .collect();
        let seed = 1_000 + index as u64;
        one_shape::<Cuda>(
            &device,
            frames,
            &lengths,
            hidden,
            seed,
            Tolerance::TF32,
            Fast::Fastest,
        );
    }
}

#[test]
fn padding_cannot_leak_in_the_persistent_recurrence() {
    use padwise_model::Recurrence::Persistent;

    checks::padding::cannot_leak::<Cuda>(&Default::default(), Persistent, 64);
}

#[test]
fn bf16_is_near_pytorch() {
    use padwise_model::{LayerOptions, Precision, Recurrence};

    for recurrence in [Recurrence::Fused, Recurrence::Auto] {
        let options = LayerOptions {
            recurrence,
            precision: Precision::Bf16,
        };
        let tolerance = Tolerance(5e-2);
        checks::goldens::matches_pytorch::<Cuda>(
            &Default::default(),
            options,
            tolerance,
            &["saturated_gates"],
        );
    }
}
