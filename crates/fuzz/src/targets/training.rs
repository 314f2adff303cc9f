//! Checkpoints and their tags.

use std::cell::RefCell;

use padwise::checkpoints::{CheckpointTag, Position, RunId};
use padwise_model::training::checkpoint::Checkpoint;
use padwise_model::{
    BackendChoice, BlstmConfig, PaddedBatch, Targets, Trainer, TrainerConfig, backend, weights,
};

use crate::{Target, repair, scratch};

pub(super) const CHECKPOINT: Target = Target {
    name: "checkpoint",
    run: checkpoint,
    words: &[
        "\"__metadata__\":",
        "\"dtype\":\"F32\"",
        "\"dtype\":\"F64\"",
        "\"shape\":[",
        "\"data_offsets\":[",
        "rnn.weight_ih_l0",
        "rnn.weight_ih_l1",
        "optimiser.first",
        "padwise.format",
        "padwise.about",
        "\\\"layers\\\":",
        "\\\"hidden\\\":",
    ],
    repair: Some(repair::checkpoint),
    mutations: 4000,
};

pub(super) const TAG: Target = Target {
    name: "checkpoint-tag",
    run: tag,
    words: &[
        "\"run\":{",
        "\"position\":{",
        "\"row\":{",
        "\"batches\":",
        "\"checked\":",
        "\"unchecked\":[",
        "\"counted\":",
        "\"sum\":",
        "\"host_bytes\":[",
        "null",
    ],
    repair: None,
    mutations: 6000,
};

/// The model of the seeds.
pub fn model() -> BlstmConfig {
    BlstmConfig::new(2, 3).with_layers(1).with_hidden(2)
}

thread_local! {
    static TRAINER: RefCell<Option<Box<dyn Trainer>>> = const { RefCell::new(None) };
}

fn checkpoint(input: &[u8]) {
    let path = scratch::file("checkpoint.safetensors", input);
    if let Err(error) = weights::read(&path, &model()) {
        drop(error.to_string());
    }
    match Checkpoint::read(&path) {
        Err(error) => return drop(error.to_string()),
        Ok(checkpoint) => {
            let count = checkpoint.about.model.parameter_count();
            assert_eq!(checkpoint.parameters.len(), count);
        }
    }
    TRAINER.with_borrow_mut(|trainer| {
        let trainer = trainer.get_or_insert_with(|| {
            let made = backend::trainer(BackendChoice::Cpu, TrainerConfig::new(model()));
            made.expect("a trainer on the CPU")
        });
        if trainer.load(&path).is_ok() {
            let _ = trainer.step(PaddedBatch {
                inputs: vec![0.5; 12],
                lengths: vec![3, 1],
                frames: 3,
                targets: Targets::Frames(vec![0, 2, 1, 0, 1, 0]),
            });
            let _ = trainer.take_losses();
        }
    });
}

fn tag(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let run = RunId {
        experiment: "e".into(),
        row: 0,
        seed: 7,
    };
    let position = Position {
        epoch: 1,
        batch: Some(3),
    };
    match CheckpointTag::check(&text, &run, position) {
        Err(error) => drop(error),
        Ok(tag) => {
            let mut progress = tag.progress.clone().unwrap_or_default();
            progress.host_memory(Some(2), Some(1));
            for losses in progress.take(Vec::new()) {
                let _ = (losses.mean(), losses.wrong_percent());
            }
            tag.to_text().expect("a tag can be written");
        }
    }
}
