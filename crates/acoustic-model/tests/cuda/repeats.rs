//! Repeats of the same work give the same bits.

use padwise_model::backend;
use padwise_model::{
    BackendChoice, BlstmConfig, PaddedBatch, Padding, Recurrence, Targets, TrainerConfig,
};

use crate::checks;

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
