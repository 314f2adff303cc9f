//! The loss of a batch and its gradient, for frame labels and for label sequences.
//!
//! To add a loss, add a variant of [`Objective`] and of [`Targets`], its computation here, and its kernels to
//! [`KernelBackend`].

use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use padwise_model_config::{Objective, Precision, TrainerConfig};

use crate::batch::{RowLayout, Targets};
use crate::error::ModelError;
use crate::kernels::KernelBackend;
use crate::kernels::gemm::{Bound, RowGradients};
use crate::kernels::loss::{CtcTargets, FrameTargets};

/// A loss that has not been read from the device yet.
pub(super) struct DeviceLoss<B: Backend> {
    /// Sum of the losses and number of wrong frames, `[2]`.
    pub(super) values: Tensor<B, 1>,
    /// Labelled frames or utterances.
    pub(super) counted: u64,
}

impl<B: Backend> DeviceLoss<B> {
    fn new(sum: Tensor<B, 1>, wrong: Tensor<B, 1>, counted: usize) -> Self {
        Self {
            values: Tensor::cat(vec![sum, wrong], 0),
            counted: counted as u64,
        }
    }
}

/// A loss, and the gradient of its mean with respect to the scores, `[N, C]`.
pub(super) struct LossGradient<B: KernelBackend> {
    pub(super) loss: DeviceLoss<B>,
    pub(super) gradient: RowGradients<B>,
    /// Temporary memory, kept until memory use has been measured.
    pub(super) tables: Option<Tensor<B, 1>>,
}

/// The labels of a batch.
pub(super) trait Labels<B: KernelBackend> {
    /// The loss of scores `[N, C]`.
    fn loss(&self, scores: Tensor<B, 2>) -> Result<DeviceLoss<B>, ModelError>;

    /// The loss of scores `[N, C]`, and its gradient for GEMMs of this precision.
    fn loss_and_gradient(
        &self,
        scores: Tensor<B, 2>,
        precision: Precision,
    ) -> Result<LossGradient<B>, ModelError>;
}

/// Validates labels, then copies them to the device.
pub(super) fn labels<B: KernelBackend>(
    targets: Targets,
    layout: &RowLayout,
    config: &TrainerConfig,
    device: &B::Device,
) -> Result<Box<dyn Labels<B>>, ModelError> {
    let wrong = |problem: &str| Err(ModelError::batch("labels", problem));
    let model = &config.model;
    match (config.objective, targets) {
        (Objective::FrameWise, Targets::Frames(labels)) => {
            let upload = |labels| B::upload_integers(labels, [layout.rows()], device);
            let targets = FrameTargets::new(&labels, layout, model.classes, upload)?;
            Ok(Box::new(targets))
        }
        (
            Objective::Ctc,
            Targets::Sequences {
                labels,
                lengths: label_lengths,
            },
        ) => {
            let (classes, blank) = (model.classes, model.blank());
            let targets = CtcTargets::new(labels, &label_lengths, layout.clone(), classes, blank)?;
            Ok(Box::new(targets))
        }
        (Objective::FrameWise, _) => wrong("are sequences, but the objective is frame-wise"),
        (Objective::Ctc, _) => wrong("are frame labels, but the objective is CTC"),
    }
}

impl<B: KernelBackend> Labels<B> for FrameTargets<B> {
    fn loss(&self, scores: Tensor<B, 2>) -> Result<DeviceLoss<B>, ModelError> {
        let found = B::frame_scores(scores, self);
        let counted = self.labelled();
        Ok(DeviceLoss::new(found.loss_sum, found.wrong, counted))
    }

    fn loss_and_gradient(
        &self,
        scores: Tensor<B, 2>,
        precision: Precision,
    ) -> Result<LossGradient<B>, ModelError> {
        let found = B::frame_loss(scores, self, 1.0 / self.labelled() as f64, precision);
        Ok(LossGradient {
            loss: DeviceLoss {
                values: found.values,
                counted: self.labelled() as u64,
            },
            gradient: found.gradient,
            tables: None,
        })
    }
}

impl<B: KernelBackend> Labels<B> for CtcTargets {
    fn loss(&self, scores: Tensor<B, 2>) -> Result<DeviceLoss<B>, ModelError> {
        Ok(sequence_loss(self, scores, 1.0)?.loss)
    }

    fn loss_and_gradient(
        &self,
        scores: Tensor<B, 2>,
        _precision: Precision,
    ) -> Result<LossGradient<B>, ModelError> {
        sequence_loss(self, scores, 1.0 / self.utterances() as f64)
    }
}

/// The CTC loss, and the gradient of `share` times its sum.
fn sequence_loss<B: KernelBackend>(
    targets: &CtcTargets,
    scores: Tensor<B, 2>,
    share: f64,
) -> Result<LossGradient<B>, ModelError> {
    let none_wrong = Tensor::zeros([1], &scores.device());
    let found = B::sequence_scores(scores, targets, share)?;
    Ok(LossGradient {
        // The gradient is a difference of two probabilities.
        gradient: RowGradients::new(found.gradient, Bound::Within(share)),
        loss: DeviceLoss::new(found.loss_sum, none_wrong, targets.utterances()),
        tables: found.tables,
    })
}
