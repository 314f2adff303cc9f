//! What a batch is to be learned from: a label for every frame, or a sequence of labels for every utterance.

use burn::prelude::*;
use padwise_model_config::{BlstmConfig, Objective};

use crate::loss::{CtcTargets, FrameTargets};
use crate::pass::Descent;
use crate::products::Bound;
use crate::{KernelBackend, ModelError, Targets};

/// The labels of one batch, fit for the objective.
pub(super) enum Goal<B: Backend> {
    Frames(FrameTargets<B>),
    Sequences {
        targets: CtcTargets,
        utterances: usize,
    },
}

/// The loss of one batch.
pub(super) struct Scored<B: Backend> {
    /// Summed, `[1]`.
    pub(super) sum: Tensor<B, 1>,
    /// Wrong frames, `[1]`; zero under CTC.
    pub(super) wrong: Tensor<B, 1>,
    /// Labelled frames or utterances.
    pub(super) counted: u64,
}

impl<B: KernelBackend> Goal<B> {
    /// Of a batch that is padded to so many rows, `T·B`, on the device.
    pub(super) fn new(
        targets: Targets,
        lengths: &[u32],
        rows: usize,
        objective: Objective,
        model: &BlstmConfig,
        device: &B::Device,
    ) -> Result<Self, ModelError> {
        let classes = model.classes;
        match (objective, targets) {
            (Objective::FrameWise, Targets::Frames(labels)) => {
                Ok(Self::Frames(FrameTargets::with_upload(
                    &labels,
                    lengths,
                    rows,
                    classes,
                    device,
                    B::upload_integers,
                )?))
            }
            (
                Objective::Ctc,
                Targets::Sequences {
                    labels,
                    lengths: label_lengths,
                },
            ) => Ok(Self::Sequences {
                targets: CtcTargets::new(
                    labels,
                    label_lengths,
                    lengths.to_vec(),
                    classes,
                    model.blank(),
                )?,
                utterances: lengths.len(),
            }),
            (Objective::FrameWise, Targets::Sequences { .. }) => Err(ModelError::Batch {
                part: "labels",
                problem: "are sequences, but the model learns frame by frame".into(),
            }),
            (Objective::Ctc, Targets::Frames(_)) => Err(ModelError::Batch {
                part: "labels",
                problem: "are one a frame, but CTC learns from sequences".into(),
            }),
        }
    }

    /// The loss of scores `[T·B, C]`.
    pub(super) fn score(&self, scores: Tensor<B, 2>) -> Result<Scored<B>, ModelError> {
        match self {
            Self::Frames(targets) => {
                let found = B::frame_scores(scores, targets);
                Ok(Scored::of_frames(found.loss_sum, found.wrong, targets))
            }
            Self::Sequences {
                targets,
                utterances,
            } => {
                let found = B::sequence_scores(scores, targets, 1.0)?;
                Ok(Scored::of_sequences(found.loss_sum, *utterances))
            }
        }
    }

    /// The loss of scores `[T·B, C]`, and the gradient of its mean over what is counted.
    pub(super) fn descend(
        &self,
        scores: Tensor<B, 2>,
    ) -> Result<Descent<B, Scored<B>>, ModelError> {
        match self {
            Self::Frames(targets) => {
                let device = scores.device();
                let found = B::frame_scores(scores.clone(), targets);
                let share = 1.0 / targets.labelled() as f64;
                let mean = Tensor::full([1], share, &device);
                Ok(Descent {
                    gradient: B::frame_gradient(scores, found.log_sums, targets, mean),
                    // A probability less one or nothing.
                    bound: Bound::Within(share),
                    loss: Scored::of_frames(found.loss_sum, found.wrong, targets),
                    held: None,
                })
            }
            Self::Sequences {
                targets,
                utterances,
            } => {
                let share = 1.0 / *utterances as f64;
                let found = B::sequence_scores(scores, targets, share)?;
                Ok(Descent {
                    gradient: found.gradient,
                    // A probability less another.
                    bound: Bound::Within(share),
                    loss: Scored::of_sequences(found.loss_sum, *utterances),
                    held: found.tables,
                })
            }
        }
    }
}

impl<B: Backend> Scored<B> {
    fn of_frames(sum: Tensor<B, 1>, wrong: Tensor<B, 1>, targets: &FrameTargets<B>) -> Self {
        Self {
            sum,
            wrong,
            counted: targets.labelled() as u64,
        }
    }

    fn of_sequences(sum: Tensor<B, 1>, utterances: usize) -> Self {
        let device = sum.device();
        Self {
            sum,
            wrong: Tensor::zeros([1], &device),
            counted: utterances as u64,
        }
    }
}
