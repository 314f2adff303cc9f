//! The model on CUDA. `scripts/check_cuda.sh` runs these tests on a machine with a GPU.
#![cfg(all(feature = "cuda", feature = "cpu"))]

mod checks;
#[path = "cuda/gates.rs"]
mod gates;
#[path = "cuda/repeats.rs"]
mod repeats;
#[path = "cuda/shapes.rs"]
mod shapes;

use checks::{Scale, Tolerance};
use padwise_model::backend::{self, cuda::Cuda};
use padwise_model::{
    BackendChoice, BlstmConfig, LayerOptions, Optimiser, OptimiserConfig, Precision, Recurrence,
    TrainerConfig,
};

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

#[test]
fn gemms_in_other_precisions_are_right() {
    let device = Default::default();
    checks::gemm::are_right::<Cuda>(&device, Precision::StrictF32, Tolerance(3e-6));
    checks::gemm::are_right::<Cuda>(&device, Precision::Bf16, Tolerance(2e-2));
}

#[test]
fn trainers_with_the_persistent_recurrence_ignore_padding() {
    checks::padding::trainers_ignore_it(BackendChoice::Cuda, 64);
}

#[test]
fn padding_cannot_leak_in_the_persistent_recurrence() {
    checks::padding::cannot_leak::<Cuda>(&Default::default(), Recurrence::Persistent, 64);
}

#[test]
fn persistent_gradients_may_have_any_size() {
    for hidden in [64, 512] {
        checks::agreement::gradients_of_any_size::<Cuda>(
            &Default::default(),
            hidden,
            Recurrence::Persistent,
        );
    }
}

#[test]
fn persistent_exploding_gradients_are_right() {
    // The last one's directions are launched one after the other.
    for (hidden, utterances) in [(64, 3), (512, 3), (512, 40), (2048, 3)] {
        checks::agreement::exploding_gradients::<Cuda>(
            &Default::default(),
            hidden,
            utterances,
            Recurrence::Persistent,
            Tolerance::TF32,
        );
    }
}

#[test]
fn frame_losses_in_bf16_are_right() {
    checks::losses::are_right::<Cuda>(&Default::default(), Precision::Bf16, Tolerance(1e-2));
}

/// Training wide layers, for which the recurrence is persistent.
#[test]
fn persistent_training_learns_and_resumes() {
    checks::training::wide_learns_and_resumes(BackendChoice::Cuda, 30);
}

/// Packed batches with the persistent recurrence.
#[test]
fn persistent_packed_batches_train_like_padded_ones() {
    checks::packing::equals_padding(BackendChoice::Cuda, 64, Tolerance::TF32);
}

/// With `strict-f32`, results are as close to PyTorch's float64 as on other backends.
#[test]
fn strict_f32_matches_pytorch() {
    let options = LayerOptions {
        recurrence: Recurrence::Auto,
        precision: Precision::StrictF32,
        ..LayerOptions::default()
    };
    checks::goldens::matches_pytorch::<Cuda>(&Default::default(), options, Tolerance::F32, &[]);
}

#[test]
fn persistent_matches_pytorch() {
    checks::goldens::matches_pytorch::<Cuda>(
        &Default::default(),
        Recurrence::Persistent,
        Tolerance::TF32,
        &[],
    );
}

#[test]
fn bf16_is_near_pytorch() {
    for recurrence in [Recurrence::Fused, Recurrence::Auto] {
        let options = LayerOptions {
            recurrence,
            precision: Precision::Bf16,
            ..LayerOptions::default()
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

/// Trains ten steps; returns the losses and the recurrence.
fn losses(choice: BackendChoice, config: TrainerConfig) -> (Vec<f64>, String) {
    let mut trainer = backend::trainer(choice, config).expect("a trainer");
    for step in 0..10 {
        let batch = checks::training::batch(step);
        trainer.step(batch).expect("a step");
    }
    let losses = trainer.take_losses().expect("losses");
    let sums = losses.iter().map(|loss| loss.sum).collect();
    (sums, trainer.describe().recurrence.clone())
}

/// A hidden size that the persistent recurrence does not support trains as on the CPU, with wider layers.
#[test]
fn other_hidden_sizes_are_widened() {
    let config = |precision| TrainerConfig {
        precision,
        ..TrainerConfig::new(BlstmConfig::new(4, 6).with_layers(2).with_hidden(100))
    };
    let (found, recurrence) = losses(BackendChoice::Cuda, config(Precision::StrictF32));
    assert!(recurrence.starts_with("persistent"), "{recurrence}");
    let (expected, _) = losses(BackendChoice::Cpu, config(Precision::F32));
    Tolerance(1e-4).check("losses", &found, &expected);
}

/// Layers whose directions do not fit on the GPU at once train like those with the fused recurrence, and repeat themselves.
#[test]
fn large_layers_are_persistent() {
    for hidden in [1180, 2048] {
        let train = |recurrence| {
            let model = BlstmConfig::new(4, 6).with_layers(2).with_hidden(hidden);
            let config = TrainerConfig {
                recurrence,
                optimiser: OptimiserConfig::new(Optimiser::Adam, Some(1e-5)),
                ..TrainerConfig::new(model)
            };
            losses(BackendChoice::Cuda, config)
        };
        let (found, recurrence) = train(Recurrence::Auto);
        assert!(recurrence.starts_with("persistent"), "{recurrence}");
        assert_eq!(found, train(Recurrence::Auto).0, "repeated");
        let (expected, _) = train(Recurrence::Fused);
        Tolerance(1e-2).check("losses", &found, &expected);
    }
}
