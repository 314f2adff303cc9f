//! The metrics: everything that is told of a strategy, one definition each.
//!
//! A new column goes here: its name in JSON and CSV, its title and decimals in tables, the papers' columns beside it, and how it
//! follows from a run. [`Metric::TABLE`] is the order of columns in tables.

use super::PaperColumn::{self, *};
use super::{EpochRow, Run};

/// What a metric of one run may be measured against.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    /// The validation loss that time is measured to.
    pub target_loss: Option<f64>,
    /// The baseline's seconds an epoch.
    pub baseline_seconds: Option<f64>,
}

/// How a metric is called, shown and computed.
pub struct Definition {
    /// Its name in JSON and CSV: a contract with whoever reads them.
    pub name: &'static str,
    /// Its title in tables.
    pub title: &'static str,
    /// Its decimals in tables.
    pub decimals: usize,
    /// Whether a run that was cut short does not count: its loss is that of less training.
    pub needs_the_end: bool,
    /// The papers' columns that are set beside it.
    pub papers: &'static [PaperColumn],
    value: fn(&Run, Reference) -> Option<f64>,
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $metric:ident($name:literal, $title:literal, $decimals:literal, $runs:ident, $papers:expr) = $value:expr;)*) => {
        /// What is told of a strategy.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Metric {
            $($(#[$doc])* $metric,)*
        }

        impl Metric {
            /// Every metric, in the order of JSON and CSV.
            pub const ALL: &[Metric] = &[$(Metric::$metric),*];

            /// How it is called, shown and computed.
            pub fn definition(self) -> &'static Definition {
                match self {
                    $(Metric::$metric => const { &Definition {
                        name: $name,
                        title: $title,
                        decimals: $decimals,
                        needs_the_end: $runs,
                        papers: &$papers,
                        value: $value,
                    } },)*
                }
            }
        }
    };
}

/// A metric counts all runs, with the epochs that they have; or only those that came to their end.
const ALL: bool = false;
const COMPLETE: bool = true;

// Name in JSON and CSV, title and decimals in tables, which runs count, the papers' columns beside it; how it follows from a run.
metrics! {
    /// Batches of an epoch.
    Batches("batches", "batches", 0, ALL, [Batches]) =
        |run, _| run.mean(|row| Some(row.batches as f64));
    /// Zero-padding rate of what was trained, in percent.
    ZprPercent("zpr_percent", "ZPR %", 2, ALL, [ZprPercent]) =
        |run, _| run.mean(|row| row.zpr_percent);
    /// Average batch length of what was trained.
    Abl("abl", "ABL", 1, ALL, [Abl]) =
        |run, _| run.mean(|row| row.abl);
    /// Padded frames of the largest batch.
    LargestBatchFrames("largest_batch_frames", "largest", 0, ALL, []) =
        |run, _| run.largest(|row| Some(row.largest_batch_frames));
    /// Items that were in no batch, in an epoch.
    Dropped("dropped", "dropped", 0, ALL, []) =
        |run, _| run.mean(|row| Some(row.dropped as f64));
    /// Utterances trained in a second.
    UtterancesPerSecond("utterances_per_second", "utt/s", 1, ALL, [UtterancesPerSecond]) =
        |run, _| run.per_second(|row| row.utterances as f64);
    /// Frames trained in a second, padding not counted.
    ValidFramesPerSecond("valid_frames_per_second", "frames/s", 0, ALL, []) =
        |run, _| run.per_second(|row| row.valid_frames as f64);
    /// Frames computed in a second, padding counted.
    PaddedFramesPerSecond("padded_frames_per_second", "padded/s", 0, ALL, []) =
        |run, _| run.per_second(|row| row.padded_frames as f64);
    /// Waiting for the loader, as a share of training time, in percent.
    WaitPercent("wait_percent", "wait %", 1, ALL, []) =
        |run, _| run.share_of_time(|row| row.wait_seconds);
    /// Seconds that an epoch of training takes.
    EpochSeconds("epoch_seconds", "s/epoch", 1, ALL, [EpochSeconds, EpochMinutes]) =
        |run, _| run.epoch_seconds();
    /// Seconds of compilation and warm-up, in no other time.
    WarmUpSeconds("warm_up_seconds", "warm-up s", 1, ALL, []) =
        |run, _| run.epochs.first().map(|row| row.warm_up_seconds);
    /// Memory that training took, in gigabytes (10⁹ bytes).
    MemoryGb("memory_gb", "GB", 2, ALL, [MemoryGb]) =
        |run, _| run.largest(EpochRow::memory_bytes).map(|bytes| bytes / 1e9);
    /// How many times faster than the baseline an epoch is.
    SpeedUp("speed_up", "speed-up", 2, ALL, [SpeedUp]) =
        |run, to| Some(to.baseline_seconds? / run.epoch_seconds()?);
    /// Training time saved against the baseline, in percent.
    TimeSavedPercent("time_saved_percent", "saved %", 1, ALL, [TimeSavedPercent]) =
        |run, to| Some(100.0 * (1.0 - run.epoch_seconds()? / to.baseline_seconds?));
    /// Training loss of the last epoch.
    TrainLoss("train_loss", "", 0, COMPLETE, []) =
        |run, _| run.last(|row| row.train_loss);
    /// Smoothed validation loss at 100/220 of the epochs.
    ValidationLossEarly("validation_loss_early", "early loss", 3, ALL, [ValidationLossEarly]) =
        |run, _| run.smoothed_loss(EARLY);
    /// Smoothed validation loss at 160/220 of the epochs.
    ValidationLossMiddle("validation_loss_middle", "middle loss", 3, ALL, [ValidationLossMiddle]) =
        |run, _| run.smoothed_loss(MIDDLE);
    /// Validation loss after the last epoch.
    ValidationLoss("validation_loss", "loss", 3, COMPLETE, [ValidationLoss]) =
        |run, _| run.last(|row| row.validation_loss);
    /// Validation loss averaged from 100/220 of the epochs to the end.
    ValidationLossAverage("validation_loss_average", "mean loss", 3, COMPLETE, [ValidationLossAverage]) =
        |run, _| run.mean_loss_from(EARLY);
    /// Validation frames whose best class is wrong, in percent.
    FrameErrorPercent("frame_error_percent", "FER %", 1, COMPLETE, []) =
        |run, _| run.last(|row| row.frame_error_percent);
    /// Errors in collapsed validation sequences, in percent.
    SequenceErrorPercent("sequence_error_percent", "PER %", 1, COMPLETE, [WordErrorPercent]) =
        |run, _| run.last(|row| row.sequence_error_percent);
    /// Training time until the validation loss that time is measured to.
    SecondsToLoss("seconds_to_loss", "", 1, ALL, []) =
        |run, to| run.seconds_to_loss(to.target_loss?);
}

/// The points of training at which Ge et al. (2021) report losses.
const EARLY: f64 = 100.0 / 220.0;
const MIDDLE: f64 = 160.0 / 220.0;

impl Metric {
    /// The columns of tables, in their order; and whether one is shown only beside a paper's.
    pub const TABLE: [(Metric, bool); 18] = [
        (Metric::UtterancesPerSecond, false),
        (Metric::ValidFramesPerSecond, false),
        (Metric::PaddedFramesPerSecond, false),
        (Metric::WaitPercent, false),
        (Metric::MemoryGb, false),
        (Metric::EpochSeconds, false),
        (Metric::WarmUpSeconds, false),
        (Metric::TimeSavedPercent, true),
        (Metric::SpeedUp, true),
        (Metric::Batches, true),
        (Metric::ZprPercent, false),
        (Metric::Abl, false),
        (Metric::ValidationLossEarly, true),
        (Metric::ValidationLossMiddle, true),
        (Metric::ValidationLoss, false),
        (Metric::ValidationLossAverage, true),
        (Metric::FrameErrorPercent, false),
        (Metric::SequenceErrorPercent, false),
    ];

    /// Its name in JSON and CSV.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// Its value in one run.
    pub fn of(self, run: &Run, reference: Reference) -> Option<f64> {
        (self.definition().value)(run, reference)
    }
}
