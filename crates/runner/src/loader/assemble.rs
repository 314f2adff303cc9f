//! One padded batch, time-major, from a batch of a plan.

use padwise_features::corpus::NO_LABEL;
use padwise_features::{Corpus, CorpusError};
use padwise_model::{Objective, PaddedBatch, Targets};
use padwise_sampler::Batch as Planned;

/// What a batch is to be taught.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Teach {
    /// A label for every frame.
    Frames,
    /// The labels of each item, one after the other, without repeats: what CTC learns.
    Sequences,
}

impl From<Objective> for Teach {
    fn from(objective: Objective) -> Self {
        match objective {
            Objective::FrameWise => Teach::Frames,
            Objective::Ctc => Teach::Sequences,
        }
    }
}

/// Reads the items of a batch and lays them side by side, frame by frame.
pub fn assemble(
    corpus: &dyn Corpus,
    planned: &Planned<'_>,
    teach: Teach,
) -> Result<PaddedBatch, CorpusError> {
    let (dims, items) = (corpus.dims(), planned.len());
    let frames = planned.padded_length() as usize;
    let mut inputs = vec![0.0f32; frames * items * dims];
    let mut frame_labels = match teach {
        Teach::Frames => vec![NO_LABEL; frames * items],
        Teach::Sequences => Vec::new(),
    };
    let (mut sequences, mut sequence_lengths) = (Vec::new(), Vec::new());
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for (column, item) in planned.items().enumerate() {
        let length = item.length as usize;
        features.resize(length * dims, 0.0);
        labels.resize(length, NO_LABEL);
        corpus.read_into(item.utterance, item.start, &mut features, &mut labels)?;
        for (t, frame) in features.chunks_exact(dims.max(1)).enumerate() {
            let at = (t * items + column) * dims;
            inputs[at..at + dims].copy_from_slice(frame);
        }
        match teach {
            Teach::Frames => {
                for (t, &label) in labels.iter().enumerate() {
                    frame_labels[t * items + column] = label;
                }
            }
            Teach::Sequences => {
                let before = sequences.len();
                let mut last = NO_LABEL;
                for &label in &labels {
                    if label != last && label >= 0 {
                        sequences.push(label);
                    }
                    last = label;
                }
                sequence_lengths.push((sequences.len() - before) as u32);
            }
        }
    }
    Ok(PaddedBatch {
        inputs,
        lengths: planned.lengths().to_vec(),
        frames,
        targets: match teach {
            Teach::Frames => Targets::Frames(frame_labels),
            Teach::Sequences => Targets::Sequences {
                labels: sequences,
                lengths: sequence_lengths,
            },
        },
    })
}
