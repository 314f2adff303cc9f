//! The model on CUDA. `scripts/check_cuda.sh` runs these tests on a machine with a GPU.
#![cfg(all(feature = "cuda", feature = "cpu"))]

mod checks;

use checks::{Scale, Tolerance};
use padwise_model::backend::{self, cuda::Cuda};
use padwise_model::{
    BackendChoice, BatchLayout, BlstmConfig, GateOrder, LayerOptions, Optimiser, OptimiserConfig,
    PaddedBatch, Padding, Precision, Recurrence, RowLayout, Targets, TrainerConfig,
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
fn gates_are_interleaved() {
    if !interleaves() {
        println!("SKIPPED gates_are_interleaved: only Hopper interleaves gates");
        return;
    }
    checks::gemm::gates_are_interleaved::<Cuda>(&Default::default(), Tolerance::TF32);
}

/// Whether training on this GPU interleaves gates.
fn interleaves() -> bool {
    let layout = RowLayout::padded(&[3], 3);
    let layout = BatchLayout::<Cuda>::new(layout, &Default::default()).expect("a layout");
    let options = LayerOptions::default().in_order(64, &layout);
    options.gates == GateOrder::Interleaved
}

/// The gradients of all parameters, also those of lower layers, with the orders of gates that training uses.
#[test]
fn all_gradients_equal_those_of_the_fused_recurrence() {
    let (frames, utterances, inputs, classes) = (40, 19, 16, 41);
    let batch = || PaddedBatch {
        inputs: checks::random::uniform(frames * utterances * inputs, 9),
        lengths: (0..utterances)
            .map(|row| (frames - row * 5 % frames) as u32)
            .collect(),
        frames,
        targets: Targets::Frames(
            (0..frames * utterances)
                .map(|row| row as i32 % classes as i32)
                .collect(),
        ),
    };
    let cases = [
        (64, Precision::F32, 1e-2),
        (96, Precision::F32, 1e-2),
        (512, Precision::F32, 1e-2),
        (64, Precision::Bf16, 1e-1),
        (512, Precision::Bf16, 1e-1),
    ];
    for (hidden, precision, tolerance) in cases {
        for (dropout, padding) in [
            (0.0, Padding::Padded),
            (0.0, Padding::Packed),
            (0.3, Padding::Padded),
        ] {
            let mut model = BlstmConfig::new(inputs, classes)
                .with_layers(2)
                .with_hidden(hidden);
            model.dropout = dropout;
            let gradients = |recurrence| {
                let config = TrainerConfig {
                    recurrence,
                    precision,
                    padding,
                    ..TrainerConfig::new(model.clone())
                };
                let mut trainer = backend::trainer(BackendChoice::Cuda, config).expect("a trainer");
                trainer.gradients(batch()).expect("gradients").values
            };
            let found = gradients(Recurrence::Persistent);
            let expected = gradients(Recurrence::Fused);
            let mut at = 0;
            for spec in model.parameters() {
                let end = at + spec.shape.iter().product::<usize>();
                let of = |all: &[f32]| -> Vec<f64> {
                    all[at..end].iter().copied().map(f64::from).collect()
                };
                let what = format!(
                    "{}, H={hidden}, {precision:?}, dropout {dropout}, {padding}",
                    spec.name
                );
                Tolerance(tolerance).check(&what, &of(&found), &of(&expected));
                at = end;
            }
            assert_eq!(at, found.len());
        }
    }
}

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

#[test]
fn trainers_with_the_persistent_recurrence_ignore_padding() {
    checks::padding::trainers_ignore_it(BackendChoice::Cuda, 64);
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

#[test]
fn padding_cannot_leak_in_the_persistent_recurrence() {
    checks::padding::cannot_leak::<Cuda>(&Default::default(), Recurrence::Persistent, 64);
}

/// Repeats one shape a thousand times. Sums have a fixed order, so any difference would be a race.
#[test]
fn persistent_repeats_itself() {
    repeats_itself(512, 19);
}

/// The same with two groups of cell warps, and with warpgroups.
#[test]
fn wide_persistent_batches_repeat_themselves() {
    repeats_itself(512, 50);
}

/// The same, one direction at a time.
#[test]
fn large_persistent_layers_repeat_themselves() {
    repeats_itself(1536, 19);
}

fn repeats_itself(hidden: usize, utterances: usize) {
    let frames = 23;
    let model = BlstmConfig::new(16, 41).with_layers(1).with_hidden(hidden);
    let batch = || PaddedBatch {
        inputs: checks::random::uniform(frames * utterances * 16, 9),
        lengths: (0..utterances)
            .map(|row| 1 + (row * 5 % frames) as u32)
            .collect(),
        frames,
        targets: Targets::Frames(
            (0..frames * utterances)
                .map(|row| row as i32 % 41)
                .collect(),
        ),
    };
    let config = TrainerConfig {
        recurrence: Recurrence::Persistent,
        ..TrainerConfig::new(model)
    };
    let mut trainer = backend::trainer(BackendChoice::Cuda, config).expect("a trainer");
    let start = trainer.parameters().expect("parameters");
    let mut first = None;
    for repeat in 0..1_000 {
        trainer.set_parameters(&start).expect("set");
        let best = trainer.evaluate(batch()).expect("evaluated");
        let first = first.get_or_insert_with(|| best.clone());
        assert!(*first == best, "forward, repeat {repeat}");
    }
    // Runs the same steps twice, with all gradients, clipping and updates.
    let run = |padding| {
        let config = TrainerConfig {
            recurrence: Recurrence::Persistent,
            padding,
            clip_norm: Some(1e-3),
            ..TrainerConfig::new(BlstmConfig::new(16, 41).with_layers(2).with_hidden(hidden))
        };
        let mut trainer = backend::trainer(BackendChoice::Cuda, config).expect("a trainer");
        for _ in 0..500 {
            trainer.step(batch()).expect("a step");
        }
        trainer.parameters().expect("parameters")
    };
    for padding in [Padding::Padded, Padding::Packed] {
        assert!(
            run(padding) == run(padding),
            "500 {padding} steps differ when repeated"
        );
    }
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
