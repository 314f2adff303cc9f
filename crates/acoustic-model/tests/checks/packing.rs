//! A packed batch trains like a padded one.

use padwise_model::{
    BackendChoice, Objective, PaddedBatch, Padding, Targets, Trainer, TrainerConfig, backend,
};

use super::Tolerance;
use super::training::{batch, config_of_width};

/// Losses of a few steps with dropout, then the log probabilities and best classes of all frames.
fn results(
    choice: BackendChoice,
    hidden: usize,
    objective: Objective,
    padding: Padding,
) -> (Vec<f64>, Vec<f64>, Vec<i32>) {
    let config = TrainerConfig {
        objective,
        padding,
        ..config_of_width(hidden)
    };
    let mut trainer: Box<dyn Trainer> = backend::trainer(choice, config).expect("a trainer");
    if choice == BackendChoice::Cuda && hidden >= 64 {
        let recurrence = &trainer.describe().recurrence;
        assert!(recurrence.starts_with("persistent"), "{recurrence}");
    }
    let labelled = |seed| {
        let mut batch: PaddedBatch = batch(seed);
        if objective == Objective::Ctc {
            batch.targets = Targets::Sequences {
                labels: vec![1, 2, 3, 1, 1, 4],
                lengths: vec![3, 1, 2],
            };
        }
        batch
    };
    for seed in 0..6 {
        trainer.step(labelled(seed)).expect("a step");
    }
    let losses = trainer.take_losses().expect("losses");
    let losses = losses.iter().map(|loss| loss.sum).collect();
    let evaluated = labelled(3);
    let found = trainer.log_probabilities(evaluated.clone());
    let found = found.expect("log probabilities");
    let evaluation = trainer.evaluate(evaluated.clone()).expect("evaluated");
    let (count, places) = (evaluated.len(), evaluation.best.len());
    let is_frame = |place: &usize| place / count < evaluated.lengths[place % count] as usize;
    let probabilities = found.iter().flatten().map(|&value| f64::from(value));
    let best = (0..places)
        .filter(is_frame)
        .map(|place| evaluation.best[place]);
    (losses, probabilities.collect(), best.collect())
}

/// Packed and padded batches give the same losses and outputs, up to rounding.
pub fn equals_padding(choice: BackendChoice, hidden: usize, tolerance: Tolerance) {
    for objective in [Objective::FrameWise, Objective::Ctc] {
        let (losses, probabilities, best) = results(choice, hidden, objective, Padding::Packed);
        let padded = results(choice, hidden, objective, Padding::Padded);
        tolerance.check("losses of packed batches", &losses, &padded.0);
        tolerance.check("log probabilities", &probabilities, &padded.1);
        let agreeing = best.iter().zip(&padded.2).filter(|(a, b)| a == b).count();
        assert!(agreeing + 1 >= best.len(), "{agreeing} of {}", best.len());
    }
}
