//! Synthetic batches: time and memory of a step depend on the shape of a batch only.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{BlstmConfig, Objective, PaddedBatch, Targets};

/// Frames per label in CTC targets, about as for the characters of speech.
pub const FRAMES_PER_LABEL: f64 = 10.0;

/// Utterances of these lengths, padded to this many frames, with random features and labels. The same every time.
///
/// With CTC, a label stands for `frames_per_label` frames. The more labels, the more memory CTC needs.
pub fn synthetic_batch(
    lengths: Vec<u32>,
    frames: usize,
    model: &BlstmConfig,
    objective: Objective,
    frames_per_label: f64,
) -> PaddedBatch {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let rows = frames * lengths.len();
    let inputs = (0..rows * model.inputs).map(|_| random.random_range(-1.0..1.0));
    let inputs = inputs.collect();
    let targets = match objective {
        Objective::FrameWise => {
            let classes = model.classes as i32;
            Targets::Frames((0..rows).map(|_| random.random_range(0..classes)).collect())
        }
        Objective::Ctc => {
            let label_counts = lengths.iter().map(|&length| {
                ((f64::from(length) / frames_per_label) as u32).clamp(1, length.max(1))
            });
            let label_counts: Vec<u32> = label_counts.collect();
            // Labels alternate: CTC would need a blank frame between two equal ones. The last class is the blank.
            let other = i32::from(model.classes > 2);
            Targets::Sequences {
                labels: label_counts
                    .iter()
                    .flat_map(|&count| (0..count).map(move |at| at as i32 % 2 * other))
                    .collect(),
                lengths: label_counts,
            }
        }
    };
    PaddedBatch {
        inputs,
        lengths,
        frames,
        targets,
    }
}
