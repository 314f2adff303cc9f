//! One epoch of one run: a line of `epochs.csv`. Every table and plot is computed from these lines.

use serde::{Deserialize, Serialize};

/// The status of a run after an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The epoch completed.
    #[default]
    Trained,
    /// The epoch completed and the run ended, because it reached a limit of time, loss or patience.
    Stopped,
    /// The loss diverged during the epoch and the run ended.
    Diverged,
    /// The device or the machine failed during the epoch. Resuming retries it.
    Failed,
}

/// One epoch of one run. Times are in seconds, memory in bytes. Values that could not be measured are empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpochRow {
    /// The name of the strategy in the config.
    pub strategy: String,
    /// The seed of the run.
    pub seed: u64,
    /// The epoch, from 1.
    pub epoch: u64,
    /// The status of the run after it.
    pub status: Status,
    /// Batches trained.
    pub batches: u64,
    /// Distinct utterances trained.
    pub utterances: u64,
    /// Utterances or chunks trained.
    pub items: u64,
    /// Frames trained, without padding.
    pub valid_frames: u64,
    /// Frames trained, with padding.
    pub padded_frames: u64,
    /// Zero padding rate (ZPR): padding of a batch in percent, mean over batches weighted by their size.
    pub zpr_percent: Option<f64>,
    /// Average batch length (ABL): padded length of a batch in frames, mean over batches weighted by their size.
    pub abl: Option<f64>,
    /// Padded frames of the largest batch.
    pub largest_batch_frames: u64,
    /// Utterances or chunks dropped.
    pub dropped: u64,
    /// Training time, from the first batch until the device finished the last one. Includes waiting for the data loader.
    pub train_seconds: f64,
    /// The part of the training time spent waiting for the data loader.
    pub wait_seconds: f64,
    /// Compilation and warm-up before the first epoch of the process. Included in no other time.
    pub warm_up_seconds: f64,
    /// Validation time. Included in no other time.
    pub validation_seconds: f64,
    /// Training loss, mean over labelled frames (or utterances), computed for each batch before its update.
    pub train_loss: Option<f64>,
    /// Frame error rate on the training data, in percent.
    pub train_frame_error_percent: Option<f64>,
    /// Validation loss, mean over labelled frames (or utterances).
    pub validation_loss: Option<f64>,
    /// Frame error rate on the validation set, in percent.
    pub frame_error_percent: Option<f64>,
    /// Sequence (phone) error rate of greedy decoding on the validation set, in percent.
    pub sequence_error_percent: Option<f64>,
    /// Character error rate of greedy decoding on the validation set, in percent.
    pub character_error_percent: Option<f64>,
    /// Word error rate of greedy decoding on the validation set, in percent.
    pub word_error_percent: Option<f64>,
    /// The loss of the first step of the run.
    pub start_loss: Option<f64>,
    /// Memory of the process before the model was built.
    pub host_base_bytes: Option<u64>,
    /// Peak memory of the process during training in this epoch, before validation.
    pub host_peak_bytes: Option<u64>,
    /// Peak memory in use by the device allocator, in a step on the largest batch of the process's first epoch.
    pub device_peak_bytes: Option<u64>,
    /// Memory reserved by the device allocator at the end of training in this epoch.
    pub device_reserved_bytes: Option<u64>,
    /// Device memory of the process at that time, as reported by the driver.
    pub device_process_bytes: Option<u64>,
    /// CPU time of all threads of the process during training.
    pub cpu_seconds: Option<f64>,
    /// Energy of the GPU during training, in joules.
    pub energy_joules: Option<f64>,
    /// The factor on the learning rate, by its schedule.
    pub rate_factor: Option<f64>,
    /// A remark, such as the error message of a failed epoch.
    pub note: String,
}

impl EpochRow {
    /// Memory used by training. On a device: the peak in use, or the reserved memory if the peak is unknown. On the host: the
    /// growth of the process since before the model was built.
    pub fn memory_bytes(&self) -> Option<u64> {
        let device = self.device_peak_bytes.or(self.device_reserved_bytes);
        device.or_else(|| {
            Some(
                self.host_peak_bytes?
                    .saturating_sub(self.host_base_bytes.unwrap_or(0)),
            )
        })
    }

    /// Whether the epoch completed.
    pub fn is_complete(&self) -> bool {
        matches!(self.status, Status::Trained | Status::Stopped)
    }

    /// Whether the run ended with this epoch, even if more epochs were planned.
    pub fn is_final(&self) -> bool {
        matches!(self.status, Status::Stopped | Status::Diverged)
    }
}
