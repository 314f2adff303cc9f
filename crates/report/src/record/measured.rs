//! The columns of a summary.

/// What is told of a strategy. The names are a contract with whoever reads our JSON and CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// Batches of an epoch.
    Batches,
    /// Zero-padding rate of what was trained, in percent.
    ZprPercent,
    /// Average batch length of what was trained.
    Abl,
    /// Padded frames of the largest batch.
    LargestBatchFrames,
    /// Items that were in no batch, in an epoch.
    Dropped,
    /// Utterances trained in a second.
    UtterancesPerSecond,
    /// Frames trained in a second, padding not counted.
    ValidFramesPerSecond,
    /// Frames computed in a second, padding counted.
    PaddedFramesPerSecond,
    /// Waiting for the loader, as a share of training time, in percent.
    WaitPercent,
    /// Seconds that an epoch of training takes.
    EpochSeconds,
    /// Seconds of compilation and warm-up, in no other time.
    WarmUpSeconds,
    /// Memory that training took, in gigabytes (10⁹ bytes).
    MemoryGb,
    /// How many times faster than the baseline an epoch is.
    SpeedUp,
    /// Training time saved against the baseline, in percent.
    TimeSavedPercent,
    /// Training loss of the last epoch.
    TrainLoss,
    /// Smoothed validation loss at 100/220 of the epochs.
    ValidationLossEarly,
    /// Smoothed validation loss at 160/220 of the epochs.
    ValidationLossMiddle,
    /// Validation loss after the last epoch.
    ValidationLoss,
    /// Validation loss averaged from 100/220 of the epochs to the end.
    ValidationLossAverage,
    /// Validation frames whose best class is wrong, in percent.
    FrameErrorPercent,
    /// Errors in collapsed validation sequences, in percent.
    SequenceErrorPercent,
    /// Training time until the validation loss that time is measured to.
    SecondsToLoss,
}

impl Measured {
    /// Everything, in the order of columns.
    pub const ALL: [Measured; 22] = [
        Measured::Batches,
        Measured::ZprPercent,
        Measured::Abl,
        Measured::LargestBatchFrames,
        Measured::Dropped,
        Measured::UtterancesPerSecond,
        Measured::ValidFramesPerSecond,
        Measured::PaddedFramesPerSecond,
        Measured::WaitPercent,
        Measured::EpochSeconds,
        Measured::WarmUpSeconds,
        Measured::MemoryGb,
        Measured::SpeedUp,
        Measured::TimeSavedPercent,
        Measured::TrainLoss,
        Measured::ValidationLossEarly,
        Measured::ValidationLossMiddle,
        Measured::ValidationLoss,
        Measured::ValidationLossAverage,
        Measured::FrameErrorPercent,
        Measured::SequenceErrorPercent,
        Measured::SecondsToLoss,
    ];

    /// Its name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Measured::Batches => "batches",
            Measured::ZprPercent => "zpr_percent",
            Measured::Abl => "abl",
            Measured::LargestBatchFrames => "largest_batch_frames",
            Measured::Dropped => "dropped",
            Measured::UtterancesPerSecond => "utterances_per_second",
            Measured::ValidFramesPerSecond => "valid_frames_per_second",
            Measured::PaddedFramesPerSecond => "padded_frames_per_second",
            Measured::WaitPercent => "wait_percent",
            Measured::EpochSeconds => "epoch_seconds",
            Measured::WarmUpSeconds => "warm_up_seconds",
            Measured::MemoryGb => "memory_gb",
            Measured::SpeedUp => "speed_up",
            Measured::TimeSavedPercent => "time_saved_percent",
            Measured::TrainLoss => "train_loss",
            Measured::ValidationLossEarly => "validation_loss_early",
            Measured::ValidationLossMiddle => "validation_loss_middle",
            Measured::ValidationLoss => "validation_loss",
            Measured::ValidationLossAverage => "validation_loss_average",
            Measured::FrameErrorPercent => "frame_error_percent",
            Measured::SequenceErrorPercent => "sequence_error_percent",
            Measured::SecondsToLoss => "seconds_to_loss",
        }
    }
}
