//! Assembles one padded, time-major batch.
//!
//! Frame-wise training needs a label for every frame. CTC needs the label sequence of each item, repeats removed.

use padwise_features::corpus::NO_LABEL;
use padwise_features::{Corpus, CorpusError};
use padwise_model::{Objective, PaddedBatch, Targets};
use padwise_sampler::Batch;

/// Reads the items of a batch into one padded, time-major batch.
pub fn assemble(
    corpus: &dyn Corpus,
    planned: &Batch<'_>,
    objective: Objective,
) -> Result<PaddedBatch, CorpusError> {
    let (dims, items) = (corpus.dims(), planned.len());
    let frames = planned.padded_length() as usize;
    let mut inputs = vec![0.0f32; frames * items * dims];
    let mut frame_labels = match objective {
        Objective::FrameWise => vec![NO_LABEL; frames * items],
        Objective::Ctc => Vec::new(),
    };
    let (mut sequences, mut sequence_lengths) = (Vec::new(), Vec::new());
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for (column, item) in planned.items().enumerate() {
        let length = item.length as usize;
        features.resize(length * dims, 0.0);
        labels.resize(length, NO_LABEL);
        corpus.read_into(item.sequence, item.start, &mut features, &mut labels)?;
        for (t, frame) in features.chunks_exact(dims.max(1)).enumerate() {
            let at = (t * items + column) * dims;
            inputs[at..at + dims].copy_from_slice(frame);
        }
        match objective {
            Objective::FrameWise => {
                for (t, &label) in labels.iter().enumerate() {
                    frame_labels[t * items + column] = label;
                }
            }
            Objective::Ctc => {
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
        targets: match objective {
            Objective::FrameWise => Targets::Frames(frame_labels),
            Objective::Ctc => Targets::Sequences {
                labels: sequences,
                lengths: sequence_lengths,
            },
        },
    })
}
