//! One epoch of one run: a line of `epochs.csv`, from which every table is made again.

use serde::{Deserialize, Serialize};

/// How a run stood after an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The epoch was trained.
    #[default]
    Trained,
    /// The epoch was trained, and the run ended with it because a limit of time or loss was reached.
    Stopped,
    /// The loss went out of hand during the epoch, and the run ended.
    Diverged,
    /// The device or the machine failed during the epoch. A resumed run tries again.
    Failed,
}

/// One epoch of one run. Times are in seconds, memory in bytes; what could not be measured is empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpochRow {
    /// The row of the config.
    pub strategy: String,
    /// The run's seed.
    pub seed: u64,
    /// The epoch, from 1.
    pub epoch: u64,
    /// How the run stood after it.
    pub status: Status,
    /// Batches trained.
    pub batches: u64,
    /// Different utterances trained.
    pub utterances: u64,
    /// Utterances or chunks trained.
    pub items: u64,
    /// Frames trained that are not padding.
    pub valid_frames: u64,
    /// Frames computed.
    pub padded_frames: u64,
    /// Padding of a batch, averaged over batches by their size, in percent.
    pub zpr_percent: Option<f64>,
    /// Padded length of a batch, averaged by size.
    pub abl: Option<f64>,
    /// Padded frames of the largest batch.
    pub largest_batch_frames: u64,
    /// Items in no batch.
    pub dropped: u64,
    /// From the first batch to the last one's end on the device, waiting for the loader included.
    pub train_seconds: f64,
    /// Of that, waiting for the loader.
    pub wait_seconds: f64,
    /// Before the first epoch of this process: compilation and warm-up, in no other time.
    pub warm_up_seconds: f64,
    /// Validation, in no other time.
    pub validation_seconds: f64,
    /// Training loss, averaged over labelled frames (or utterances), each batch before its update.
    pub train_loss: Option<f64>,
    /// Frames whose best class was wrong while training, in percent.
    pub train_frame_error_percent: Option<f64>,
    /// Validation loss, averaged over labelled frames (or utterances).
    pub validation_loss: Option<f64>,
    /// Validation frames whose best class is wrong, in percent.
    pub frame_error_percent: Option<f64>,
    /// Errors in the collapsed sequences of validation utterances, in percent.
    pub sequence_error_percent: Option<f64>,
    /// The loss of the run's first step.
    pub start_loss: Option<f64>,
    /// Memory of the process before there was a model.
    pub host_base_bytes: Option<u64>,
    /// The most memory of the process while this epoch was trained, before validation.
    pub host_peak_bytes: Option<u64>,
    /// The most that the device's allocator had in use in a step on the largest batch of the first epoch of this process.
    pub device_peak_bytes: Option<u64>,
    /// What the device's allocator had taken from the device by the end of the epoch's training.
    pub device_reserved_bytes: Option<u64>,
    /// What the process had on the device by then, as its driver tells.
    pub device_process_bytes: Option<u64>,
    /// What there is to say beside.
    pub note: String,
}

impl EpochRow {
    /// Memory that training took: on a device the most in use there, or what was reserved where that cannot be told; on the host what
    /// came on top of the process without a model.
    pub fn memory_bytes(&self) -> Option<u64> {
        let device = self.device_peak_bytes.or(self.device_reserved_bytes);
        device.or_else(|| {
            Some(
                self.host_peak_bytes?
                    .saturating_sub(self.host_base_bytes.unwrap_or(0)),
            )
        })
    }

    /// Whether an epoch was completed.
    pub fn is_complete(&self) -> bool {
        matches!(self.status, Status::Trained | Status::Stopped)
    }

    /// Whether nothing follows it in its run, whatever the number of epochs.
    pub fn is_final(&self) -> bool {
        matches!(self.status, Status::Stopped | Status::Diverged)
    }

    /// The row with what is no number left out: a loss that overflowed was not measured.
    pub(super) fn finite(mut self) -> Self {
        for value in [
            &mut self.zpr_percent,
            &mut self.abl,
            &mut self.train_loss,
            &mut self.train_frame_error_percent,
            &mut self.validation_loss,
            &mut self.frame_error_percent,
            &mut self.sequence_error_percent,
            &mut self.start_loss,
        ] {
            *value = value.filter(|number| number.is_finite());
        }
        self
    }
}
