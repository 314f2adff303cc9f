//! Compares the persistent recurrence with the reference on many shapes.

use padwise_model::backend::{self, cuda::Cuda};
use padwise_model::{
    BackendChoice, BlstmConfig, GateOrder, LayerOptions, Padding, Precision, Recurrence,
    TrainerConfig,
};

use crate::checks::{self, Tolerance};

/// The persistent recurrence on shapes with full and partial tiles, in blocks of 8, 16 and 32 units.
#[test]
fn persistent_equals_reference() {
    persistent_shapes(
        1_000,
        GateOrder::Interleaved,
        [
            (1, 1, 64),
            (9, 3, 64),
            (40, 16, 96),
            (33, 17, 128),
            (25, 5, 512),
            (300, 16, 512),
            (20, 33, 256),
            (12, 32, 512),
            (12, 50, 512),
            (12, 64, 512),
            // Two passes.
            (10, 128, 512),
            (8, 16, 1024),
            // Tiles of eight utterances, and some weights in shared memory.
            (9, 8, 1024),
            // An odd number of tiles of eight.
            (12, 40, 512),
        ],
    );
}

/// Layers for which blocks go through the batch several times, or whose directions are launched one after the other.
#[test]
fn large_persistent_layers_equal_reference() {
    persistent_shapes(
        2_000,
        GateOrder::Interleaved,
        [
            (8, 64, 1024),
            (8, 80, 640),
            // Nearly all multiprocessors.
            (4, 16, 1056),
            // Four multiplying warps.
            (6, 20, 672),
            (3, 130, 1984),
            (9, 19, 1184),
            (6, 40, 1536),
            (8, 16, 2048),
            (4, 130, 1920),
        ],
    );
}

/// Batches for which the kernel computes the number of passes.
#[test]
fn wide_persistent_batches_equal_reference() {
    persistent_shapes(
        3_000,
        GateOrder::Interleaved,
        [
            (10, 500, 512),
            (7, 129, 64),
            (3, 200, 192),
            (5, 1024, 256),
            // An odd number of blocks, which form no teams.
            (5, 300, 96),
            (4, 300, 1024),
        ],
    );
}

/// A hundred random shapes. There are few layer sizes and tile counts, because each needs a compiled kernel.
#[test]
fn random_persistent_shapes_equal_reference() {
    use rand::{RngExt, SeedableRng};

    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(5);
    persistent_shapes(
        4_000,
        // As on other GPUs than Hopper.
        GateOrder::ByGate,
        (0..100).map(|_| {
            let hidden = [64, 96, 256, 512][random.random_range(0..4)];
            let batch = random.random_range(1..=32);
            (random.random_range(1..=60), batch, hidden)
        }),
    );
}

/// Compares shapes of frames, utterances and hidden size with the reference.
fn persistent_shapes(
    first_seed: u64,
    gates: GateOrder,
    shapes: impl IntoIterator<Item = (usize, usize, usize)>,
) {
    let options = LayerOptions {
        gates,
        ..LayerOptions::default()
    };
    let device = Default::default();
    for (seed, (frames, batch, hidden)) in (first_seed..).zip(shapes) {
        assert!(
            is_persistent(hidden, batch),
            "{batch} utterances, H={hidden}"
        );
        let lengths: Vec<u32> = (0..batch)
            .map(|row| 1 + (row * 7 + 3) as u32 % frames as u32)
            .collect();
        checks::agreement::one_shape::<Cuda>(
            &device,
            frames,
            &lengths,
            hidden,
            seed,
            Tolerance::TF32,
            options,
        );
    }
}

/// Operands in bf16, with small tiles and with warpgroups.
#[test]
fn persistent_bf16_is_near_the_reference() {
    let shapes = [(5_000, 16), (5_001, 50)];
    let orders = [GateOrder::ByGate, GateOrder::Interleaved];
    let all = shapes
        .into_iter()
        .flat_map(|shape| orders.map(|order| (shape, order)));
    for ((seed, utterances), gates) in all {
        let options = LayerOptions {
            recurrence: Recurrence::Auto,
            precision: Precision::Bf16,
            gates,
        };
        let lengths: Vec<u32> = (0..utterances).map(|row| 1 + row * 7 % 12).collect();
        let device = Default::default();
        let tolerance = Tolerance(3e-2);
        checks::agreement::one_shape::<Cuda>(&device, 12, &lengths, 512, seed, tolerance, options);
    }
}

/// Whether padded and packed batches of this size have persistent plans.
fn is_persistent(hidden: usize, utterances: usize) -> bool {
    [Padding::Padded, Padding::Packed].iter().all(|&padding| {
        let config = TrainerConfig {
            padding,
            ..TrainerConfig::new(BlstmConfig::new(1, 2).with_layers(1).with_hidden(hidden))
        };
        let trainer = backend::trainer(BackendChoice::Cuda, config).expect("a trainer");
        let recurrence = trainer.describe().recurrence.clone();
        let all = recurrence == "persistent (fused above 1024 utterances)";
        all || (recurrence.starts_with("persistent") && utterances <= 128)
    })
}
