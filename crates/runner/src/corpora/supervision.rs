//! What a model is trained on: a label per frame, or a sequence of symbols per utterance.

use padwise_features::corpus::{NO_LABEL, ctc_frames};
use padwise_features::{Corpus, CorpusError};
use padwise_model::Objective;

use super::CorporaError;

/// What a model is trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supervision {
    /// The label of every frame.
    FrameLabels,
    /// The labels of an utterance with repeats removed, for CTC.
    LabelSequences,
    /// The target of an utterance, from its transcript, for CTC.
    Targets,
}

impl Supervision {
    /// What a corpus offers for this objective. CTC prefers targets to labels.
    pub fn choose(objective: Objective, corpus: &dyn Corpus) -> Result<Self, CorporaError> {
        let labels = corpus.classes().is_some();
        let targets = corpus.target_set().is_some();
        let refuse = |problem: &str| Err(CorporaError::Unsuitable(problem.into()));
        match objective {
            Objective::Ctc if targets => Ok(Supervision::Targets),
            Objective::Ctc if labels => Ok(Supervision::LabelSequences),
            Objective::FrameWise if labels => Ok(Supervision::FrameLabels),
            Objective::FrameWise if targets => refuse(
                "the corpus has targets but no frame labels: set train.objective = \"ctc\", or run `padwise prepare` with --labels",
            ),
            _ => refuse(
                "the corpus has neither targets nor frame labels: run `padwise prepare` with --targets chars and set train.objective = \"ctc\", or with --labels",
            ),
        }
    }

    /// Number of classes or symbols, without CTC's blank.
    pub fn classes(self, corpus: &dyn Corpus) -> usize {
        match self {
            Supervision::FrameLabels | Supervision::LabelSequences => corpus.classes().unwrap_or(0),
            Supervision::Targets => corpus.target_set().map_or(0, |set| set.symbols.len()),
        }
    }
}

/// Utterances whose labels are counted.
const COUNTED: usize = 200;

/// Frames per label of the sequences of a corpus, from utterances that are evenly spread over it. None if every frame has a label.
pub fn frames_per_label(
    supervision: Supervision,
    corpus: &dyn Corpus,
) -> Result<Option<f64>, CorpusError> {
    let (mut frames, mut labels) = (0.0, 0.0);
    for utterance in (0..corpus.len()).step_by(corpus.len().div_ceil(COUNTED).max(1)) {
        labels += match supervision {
            Supervision::FrameLabels => return Ok(None),
            Supervision::LabelSequences => without_repeats(&corpus.read(utterance)?.1).len(),
            Supervision::Targets => corpus.targets(utterance)?.len(),
        } as f64;
        frames += f64::from(corpus.lengths()[utterance]);
    }
    Ok((labels > 0.0).then(|| frames / labels))
}

/// Removes repeats and frames without a label.
pub fn without_repeats(labels: &[i32]) -> Vec<i32> {
    let mut sequence = labels.to_vec();
    sequence.dedup();
    sequence.retain(|&label| label != NO_LABEL);
    sequence
}

/// An utterance that is too short for its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooShort {
    /// Id of the utterance.
    pub id: String,
    /// Its frames.
    pub frames: u32,
    /// The frames that its target needs.
    pub needed: usize,
}

/// The utterances whose target fits their frames, and the others.
pub(super) fn long_enough(corpus: &dyn Corpus) -> Result<(Vec<usize>, Vec<TooShort>), CorpusError> {
    let (mut fit, mut too_short) = (Vec::new(), Vec::new());
    for (utterance, &frames) in corpus.lengths().iter().enumerate() {
        let needed = ctc_frames(&corpus.targets(utterance)?);
        if needed <= frames as usize {
            fit.push(utterance);
        } else {
            too_short.push(TooShort {
                id: corpus.id(utterance).into(),
                frames,
                needed,
            });
        }
    }
    Ok((fit, too_short))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_and_unlabelled_frames_are_removed() {
        assert_eq!(without_repeats(&[3, 3, -1, 3, 5, 5, -1]), [3, 3, 5]);
        assert_eq!(without_repeats(&[-1]), [0; 0]);
    }
}
