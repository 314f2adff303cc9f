//! Checks of the trainer: it learns, repeats and resumes exactly, and rejects invalid batches.

use padwise_model::{
    BackendChoice, BlstmConfig, Evaluation, ModelError, Objective, Optimiser, OptimiserConfig,
    PaddedBatch, Targets, Trainer, TrainerConfig, backend,
};

use super::Folder;
use super::random::uniform;

const INPUTS: usize = 4;
const CLASSES: usize = 6;

/// A batch whose labels depend on its features, so it can be learned.
pub fn batch(seed: u64) -> PaddedBatch {
    batch_of(seed, INPUTS, CLASSES)
}

/// The same for a model of another shape.
pub fn batch_of(seed: u64, width: usize, classes: usize) -> PaddedBatch {
    let lengths = vec![9, 3 + (seed % 5) as u32, 12];
    let (frames, count) = (12, lengths.len());
    let inputs = uniform(frames * count * width, seed);
    let labels = inputs
        .chunks_exact(width)
        .map(|frame| i32::from(frame[0] > 0.0) + 2 * i32::from(frame[1] > 0.0))
        .inspect(|&label| assert!((label as usize) < classes))
        .collect();
    PaddedBatch {
        inputs,
        lengths,
        frames,
        targets: Targets::Frames(labels),
    }
}

/// A small model with dropout and clipping.
pub fn config() -> TrainerConfig {
    config_of_width(8)
}

/// The same with another hidden size.
pub fn config_of_width(hidden: usize) -> TrainerConfig {
    let mut model = BlstmConfig::new(INPUTS, CLASSES)
        .with_layers(2)
        .with_hidden(hidden);
    model.dropout = 0.1;
    TrainerConfig {
        clip_norm: Some(5.0),
        seed: 3,
        optimiser: OptimiserConfig::new(Optimiser::Adam, Some(0.02)),
        ..TrainerConfig::new(model)
    }
}

/// Trains steps; returns their losses as bits.
pub fn losses(trainer: &mut dyn Trainer, steps: std::ops::Range<usize>) -> Vec<u64> {
    for step in steps {
        trainer.step(batch(step as u64 % 7)).expect("a step");
    }
    let losses = trainer.take_losses().expect("losses");
    losses.iter().map(|loss| loss.sum.to_bits()).collect()
}

/// The loss decreases, the same seed gives the same losses, and a resumed run continues exactly.
pub fn learns_and_resumes(choice: BackendChoice, steps: usize) {
    with_config_learns_and_resumes(choice, steps, &config());
}

/// Like [`learns_and_resumes`], with layers of 64 units.
#[allow(dead_code, reason = "only CUDA has a separate recurrence for these")]
pub fn wide_learns_and_resumes(choice: BackendChoice, steps: usize) {
    with_config_learns_and_resumes(choice, steps, &config_of_width(64));
}

fn with_config_learns_and_resumes(choice: BackendChoice, steps: usize, config: &TrainerConfig) {
    let make = || backend::trainer(choice, config.clone()).expect("a trainer");
    let mut whole = make();
    let all = losses(whole.as_mut(), 0..steps);
    let loss = |bits: u64| f64::from_bits(bits);
    assert!(
        loss(all[steps - 1]) < 0.7 * loss(all[0]),
        "loss went from {} to {}",
        loss(all[0]),
        loss(all[steps - 1])
    );

    let folder = Folder::new("resume");
    let path = folder.0.join("checkpoint.safetensors");
    let mut first = make();
    let before = losses(first.as_mut(), 0..steps / 2);
    first.save(&path, "half").expect("saved");
    let mut second = make();
    assert_eq!(second.load(&path).expect("loaded"), "half");
    let after = losses(second.as_mut(), steps / 2..steps);
    assert_eq!([before, after].concat(), all, "interrupted and whole");

    let other = TrainerConfig {
        model: config.model.clone().with_hidden(9),
        ..config.clone()
    };
    let refused = backend::trainer(choice, other)
        .expect("a trainer")
        .load(&path);
    assert!(
        matches!(refused, Err(ModelError::Weights { .. })),
        "{refused:?}"
    );
    let evaluation = whole.evaluate(batch(1)).expect("evaluated");
    assert_eq!(evaluation.best.len(), 36);
    assert!(evaluation.loss.mean().is_some_and(f64::is_finite));
    let found = whole.log_probabilities(batch(1)).expect("evaluated");
    check_log_probabilities(&found, &evaluation, &batch(1));
}

/// Log probabilities sum to one in each frame and have the loss and the best classes of an evaluation.
fn check_log_probabilities(found: &[Vec<f32>], evaluation: &Evaluation, batch: &PaddedBatch) {
    let Targets::Frames(labels) = &batch.targets else {
        panic!("expected a label for every frame");
    };
    let mut loss = 0.0;
    assert_eq!(found.len(), batch.len());
    for (utterance, (values, &length)) in found.iter().zip(&batch.lengths).enumerate() {
        let classes = values.len() / length as usize;
        assert_eq!(values.len(), length as usize * classes);
        for (frame, scores) in values.chunks_exact(classes).enumerate() {
            let place = frame * batch.len() + utterance;
            let sum: f64 = scores.iter().map(|&value| f64::from(value).exp()).sum();
            assert!((sum - 1.0).abs() < 1e-4, "probabilities sum to {sum}");
            let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(scores[evaluation.best[place] as usize], best);
            if let Ok(label) = usize::try_from(labels[place]) {
                loss -= f64::from(scores[label]);
            }
        }
    }
    let expected = evaluation.loss.sum;
    assert!(
        (loss - expected).abs() < 1e-3 * expected,
        "a loss of {loss} instead of {expected}"
    );
}

/// With every step clipped, the same seed gives the same parameters: the gradient norm is reproducible to the
/// bit.
pub fn clipped_training_repeats(choice: BackendChoice, hidden: usize, steps: usize) {
    let run = || {
        let config = TrainerConfig {
            clip_norm: Some(1e-3),
            ..config_of_width(hidden)
        };
        let mut trainer = backend::trainer(choice, config).expect("a trainer");
        losses(trainer.as_mut(), 0..steps);
        trainer.parameters().expect("parameters")
    };
    assert!(run() == run(), "{steps} clipped steps differ when repeated");
}

/// Trainers on several threads do not affect each other.
pub fn side_by_side(choice: BackendChoice) {
    let run = || {
        let mut trainer = backend::trainer(choice, config()).expect("a trainer");
        losses(trainer.as_mut(), 0..10)
    };
    let alone = run();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("a trainer's thread"), alone);
        }
    });
}

/// Invalid batches are errors with a clear message.
pub fn rejects_invalid_batches(choice: BackendChoice) {
    let mut trainer = backend::trainer(choice, config()).expect("a trainer");
    let mut unlabelled = batch(0);
    unlabelled.targets = Targets::Frames(vec![-1; 36]);
    assert!(matches!(
        trainer.step(unlabelled),
        Err(ModelError::NothingLabelled { frames: 36 })
    ));
    let mut short = batch(0);
    short.lengths[0] = 0;
    assert!(matches!(trainer.step(short), Err(ModelError::Batch { .. })));
    let mut outside = batch(0);
    outside.targets = Targets::Frames(vec![CLASSES as i32; 36]);
    assert!(matches!(
        trainer.step(outside),
        Err(ModelError::Batch { .. })
    ));
    let mut sequences = batch(0);
    sequences.targets = Targets::Sequences {
        labels: vec![1, 2, 3],
        lengths: vec![1, 1, 1],
    };
    assert!(matches!(
        trainer.step(sequences),
        Err(ModelError::Batch { .. })
    ));
    assert_eq!(
        trainer.take_losses().expect("losses"),
        vec![],
        "nothing was learned"
    );
}

/// The CTC loss decreases.
pub fn ctc_loss_decreases(choice: BackendChoice, steps: usize) {
    let config = TrainerConfig {
        objective: Objective::Ctc,
        ..config()
    };
    let mut trainer = backend::trainer(choice, config).expect("a trainer");
    for _ in 0..steps {
        let mut batch = batch(1);
        batch.targets = Targets::Sequences {
            labels: vec![1, 2, 3, 1, 1, 4],
            lengths: vec![3, 1, 2],
        };
        trainer.step(batch).expect("a step");
    }
    let losses = trainer.take_losses().expect("losses");
    let [first, last] = [0, steps - 1].map(|step| losses[step].mean().expect("a mean"));
    assert!(last < 0.7 * first, "loss went from {first} to {last}");
}
