//! Tests of wider layers on the CPU, which needs none.

use padwise_model_config::{BlstmConfig, Optimiser, OptimiserConfig, TrainerConfig};

use crate::batch::{PaddedBatch, Targets};
use crate::training::{Trainer, WidenedTrainer};

fn config(optimiser: Optimiser) -> TrainerConfig {
    TrainerConfig {
        optimiser: OptimiserConfig::new(optimiser, None),
        clip_norm: Some(0.5),
        seed: 3,
        ..TrainerConfig::new(BlstmConfig::new(2, 4).with_layers(2).with_hidden(5))
    }
}

fn widened(config: TrainerConfig) -> Box<dyn Trainer> {
    Box::new(WidenedTrainer::new(config, 8, super::trainer).expect("a trainer"))
}

fn batch(seed: usize) -> PaddedBatch {
    let value = |at: usize| ((at * 37 + seed * 11) % 17) as f32 / 8.0 - 1.0;
    PaddedBatch {
        inputs: (0..6 * 3 * 2).map(value).collect(),
        lengths: vec![6, 2, 5],
        frames: 6,
        targets: Targets::Frames((0..18).map(|at| (at + seed as i32) % 4).collect()),
    }
}

fn train(trainer: &mut dyn Trainer, steps: std::ops::Range<usize>) -> Vec<f64> {
    for step in steps {
        trainer.step(batch(step % 5)).expect("a step");
    }
    let losses = trainer.take_losses().expect("losses");
    losses.iter().map(|loss| loss.sum).collect()
}

#[test]
fn wider_layers_train_like_the_model() {
    for optimiser in [Optimiser::Adam, Optimiser::Adadelta] {
        let config = config(optimiser);
        let mut plain = super::trainer(config.clone()).expect("a trainer");
        let mut wide = widened(config);
        assert_eq!(
            wide.parameters().expect("parameters"),
            plain.parameters().expect("parameters")
        );
        assert_eq!(wide.describe().parameters, plain.describe().parameters);
        let close = |found: &[f64], expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                let error = (found - expected).abs();
                assert!(error < 1e-4 * (1.0 + expected.abs()), "{found} {expected}");
            }
        };
        close(&train(wide.as_mut(), 0..20), &train(plain.as_mut(), 0..20));
        let wide_values = |values: Vec<f32>| values.into_iter().map(f64::from).collect::<Vec<_>>();
        let gradients = |trainer: &mut dyn Trainer| {
            let found = trainer.gradients(batch(1)).expect("gradients").values;
            trainer.apply(&found).expect("applied");
            wide_values(found)
        };
        close(&gradients(wide.as_mut()), &gradients(plain.as_mut()));
        let parameters = |trainer: &dyn Trainer| wide_values(trainer.parameters().expect("read"));
        close(&parameters(wide.as_ref()), &parameters(plain.as_ref()));
    }
}

#[test]
fn a_checkpoint_resumes_to_the_same_bits() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("checkpoint.safetensors");
    let mut config = config(Optimiser::Adam);
    config.model.dropout = 0.2;
    let mut whole = widened(config.clone());
    let expected = train(whole.as_mut(), 0..8);
    let mut first = widened(config.clone());
    let before = train(first.as_mut(), 0..4);
    first.save(&path, "half").expect("saved");
    // Another seed: the checkpoint's counts.
    config.seed = 9;
    let mut second = widened(config);
    assert_eq!(second.load(&path).expect("loaded"), "half");
    let after = train(second.as_mut(), 4..8);
    assert_eq!([before, after].concat(), expected);
}
