//! Trains a small model for 20 steps on random sequences on the CPU and prints the loss:
//! `cargo run --release --example train`.

use padwise_model::{
    BackendChoice, BlstmConfig, ModelError, Optimiser, OptimiserConfig, PaddedBatch, Targets,
    TrainerConfig, backend,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const FEATURES: usize = 4;

/// Utterances of random features. A frame's label is 1 if its first feature is positive.
fn random_batch(utterances: usize, random: &mut ChaCha8Rng) -> PaddedBatch {
    let lengths: Vec<u32> = (0..utterances)
        .map(|_| random.random_range(5..30))
        .collect();
    let frames = lengths.iter().copied().max().unwrap_or(0) as usize;
    // Time-major, [frames, utterances, features]. The contents of the padding do not matter.
    let inputs: Vec<f32> = (0..frames * utterances * FEATURES)
        .map(|_| random.random_range(-1.0..1.0))
        .collect();
    let labels = inputs
        .chunks_exact(FEATURES)
        .map(|frame| i32::from(frame[0] > 0.0))
        .collect();
    PaddedBatch {
        inputs,
        lengths,
        frames,
        targets: Targets::Frames(labels),
    }
}

fn main() -> Result<(), ModelError> {
    let model = BlstmConfig::new(FEATURES, 2).with_layers(2).with_hidden(32);
    let config = TrainerConfig {
        optimiser: OptimiserConfig::new(Optimiser::Adam, Some(0.01)),
        clip_norm: Some(5.0),
        ..TrainerConfig::new(model)
    };
    let mut trainer = backend::trainer(BackendChoice::Cpu, config)?;
    println!("{} parameters", trainer.describe().parameters);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..20 {
        trainer.step(random_batch(8, &mut random))?;
    }
    for (step, loss) in trainer.take_losses()?.iter().enumerate() {
        if let (Some(mean), Some(wrong)) = (loss.mean(), loss.wrong_percent()) {
            println!(
                "step {:2}: loss {mean:.4}, frame error rate {wrong:.1} %",
                step + 1
            );
        }
    }
    Ok(())
}
