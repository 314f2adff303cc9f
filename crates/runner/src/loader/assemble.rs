//! Assembles one padded, time-major batch.
//!
//! Frame-wise training needs a label for every frame. CTC needs the symbols of each item: its target, or its labels without repeats.

use padwise_features::corpus::NO_LABEL;
use padwise_features::{Corpus, CorpusError};
use padwise_model::{PaddedBatch, Targets};
use padwise_sampler::Batch;

use crate::corpora::{Supervision, without_repeats};

/// Reads the items of a batch into one padded, time-major batch.
pub fn assemble(
    corpus: &dyn Corpus,
    planned: &Batch<'_>,
    supervision: Supervision,
) -> Result<PaddedBatch, CorpusError> {
    let (dims, items) = (corpus.dims(), planned.len());
    let frames = planned.padded_length() as usize;
    let mut inputs = vec![0.0f32; frames * items * dims];
    let mut frame_labels = match supervision {
        Supervision::FrameLabels => vec![NO_LABEL; frames * items],
        Supervision::LabelSequences | Supervision::Targets => Vec::new(),
    };
    let (mut sequences, mut sequence_lengths) = (Vec::new(), Vec::new());
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for (column, item) in planned.items().enumerate() {
        let length = item.length as usize;
        features.resize(length * dims, 0.0);
        let labelled = match supervision {
            Supervision::FrameLabels | Supervision::LabelSequences => length,
            Supervision::Targets => 0,
        };
        labels.resize(labelled, NO_LABEL);
        corpus.read_into(item.sequence, item.start, &mut features, &mut labels)?;
        for (t, frame) in features.chunks_exact(dims.max(1)).enumerate() {
            let at = (t * items + column) * dims;
            inputs[at..at + dims].copy_from_slice(frame);
        }
        let sequence = match supervision {
            Supervision::FrameLabels => {
                for (t, &label) in labels.iter().enumerate() {
                    frame_labels[t * items + column] = label;
                }
                continue;
            }
            Supervision::LabelSequences => without_repeats(&labels),
            Supervision::Targets => corpus.targets(item.sequence)?,
        };
        sequence_lengths.push(sequence.len() as u32);
        sequences.extend(sequence);
    }
    Ok(PaddedBatch {
        inputs,
        lengths: planned.lengths().to_vec(),
        frames,
        targets: match supervision {
            Supervision::FrameLabels => Targets::Frames(frame_labels),
            Supervision::LabelSequences | Supervision::Targets => Targets::Sequences {
                labels: sequences,
                lengths: sequence_lengths,
            },
        },
    })
}
