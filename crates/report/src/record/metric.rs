//! The metrics of a strategy, one definition each.
//!
//! Add a new column here. A definition has its name in JSON and CSV, its title, decimals and legend in tables, the columns of
//! papers next to it, and its value for a run. [`Metric::TABLE`] is the order of columns in tables.

use super::PaperColumn::{self, *};
use super::{EpochRow, Run, WordsRow};

/// Values of the whole experiment that some metrics of a run refer to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference {
    /// The target validation loss.
    pub target_loss: Option<f64>,
    /// The baseline's training time per epoch, in seconds.
    pub baseline_seconds: Option<f64>,
}

/// The definition of a metric: its names, its format and how it is computed.
pub struct Definition {
    /// Its name in JSON and CSV. Other programs rely on it.
    pub name: &'static str,
    /// Its title in tables.
    pub title: &'static str,
    /// Its decimals in tables.
    pub decimals: usize,
    /// Whether it includes completed runs only. The loss of an unfinished run is not comparable.
    pub complete_only: bool,
    /// The columns of papers with the same quantity; [`Metric::papers`] are those shown next to it.
    pub papers: &'static [PaperColumn],
    /// Its explanation in legends.
    pub legend: &'static str,
    value: fn(&Run, Reference) -> Option<f64>,
}

macro_rules! metrics {
    ($($(#[$doc:meta])* $metric:ident($name:literal, $title:literal, $decimals:literal, $runs:ident, $papers:expr, $legend:literal) = $value:expr;)*) => {
        /// A metric of a strategy.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Metric {
            $($(#[$doc])* $metric,)*
        }

        impl Metric {
            /// Every metric, in the order of JSON and CSV.
            pub const ALL: &[Metric] = &[$(Metric::$metric),*];

            /// Its definition.
            pub fn definition(self) -> &'static Definition {
                match self {
                    $(Metric::$metric => const { &Definition {
                        name: $name,
                        title: $title,
                        decimals: $decimals,
                        complete_only: $runs,
                        papers: &$papers,
                        legend: $legend,
                        value: $value,
                    } },)*
                }
            }
        }
    };
}

/// The metric includes all runs, with the epochs that they completed.
const ALL: bool = false;
/// The metric includes completed runs only.
const COMPLETE: bool = true;

// Name in JSON and CSV, title and decimals in tables, included runs, columns of papers next to it, legend, value for a run.
metrics! {
    /// Batches per epoch.
    Batches("batches", "batches", 0, ALL, [Batches],
        "batches per epoch") =
        |run, _| run.mean(|row| Some(row.batches as f64));
    /// Zero padding rate of the trained batches (Ge et al., 2021), in percent.
    ZprPercent("zpr_percent", "ZPR %", 2, ALL, [ZprPercent],
        "zero padding rate, mean over batches") =
        |run, _| run.mean(|row| row.zpr_percent);
    /// Average batch length of the trained batches (Ge et al., 2021), in frames.
    Abl("abl", "ABL", 1, ALL, [Abl],
        "average batch length (frames of the longest utterance, mean over batches)") =
        |run, _| run.mean(|row| row.abl);
    /// Padded frames of the largest batch.
    LargestBatchFrames("largest_batch_frames", "largest", 0, ALL, [],
        "padded frames of the largest batch; memory follows it") =
        |run, _| run.largest(|row| Some(row.largest_batch_frames));
    /// Utterances (or chunks) dropped per epoch.
    Dropped("dropped", "dropped", 0, ALL, [],
        "utterances dropped per epoch") =
        |run, _| run.mean(|row| Some(row.dropped as f64));
    /// Utterances per training second.
    UtterancesPerSecond("utterances_per_second", "utt/s", 1, ALL, [UtterancesPerSecond],
        "utterances per training second") =
        |run, _| run.per_second(|row| row.utterances as f64);
    /// Frames per training second, without padding.
    ValidFramesPerSecond("valid_frames_per_second", "frames/s", 0, ALL, [],
        "frames per training second, without padding") =
        |run, _| run.per_second(|row| row.valid_frames as f64);
    /// Frames per training second, with padding.
    PaddedFramesPerSecond("padded_frames_per_second", "padded/s", 0, ALL, [],
        "frames per training second, with padding") =
        |run, _| run.per_second(|row| row.padded_frames as f64);
    /// Share of training time spent waiting for the data loader, in percent.
    WaitPercent("wait_percent", "wait %", 1, ALL, [],
        "share of training time spent waiting for the data loader") =
        |run, _| run.share_of_time(|row| row.wait_seconds);
    /// Training time per epoch, in seconds.
    EpochSeconds("epoch_seconds", "s/epoch", 1, ALL, [EpochSeconds, EpochMinutes],
        "training time per epoch, in seconds") =
        |run, _| run.epoch_seconds();
    /// Energy of the GPU per epoch, in kilojoules.
    EpochKilojoules("epoch_kilojoules", "kJ/epoch", 2, ALL, [],
        "energy of the GPU per epoch of training, in kilojoules") =
        |run, _| run.mean(|row| Some(row.energy_joules? / 1000.0));
    /// Compilation and warm-up, in seconds. Included in no other time.
    WarmUpSeconds("warm_up_seconds", "warm-up s", 1, ALL, [],
        "compilation and warm-up in seconds, not part of the training time") =
        |run, _| run.epochs.first().map(|row| row.warm_up_seconds);
    /// Peak memory of training, in gigabytes (10⁹ bytes).
    MemoryGb("memory_gb", "GB", 2, ALL, [MemoryGb],
        "peak memory of training, 10⁹ bytes") =
        |run, _| run.largest(EpochRow::memory_bytes).map(|bytes| bytes / 1e9);
    /// Speed relative to the baseline, by time per epoch.
    SpeedUp("speed_up", "speed-up", 2, ALL, [SpeedUp],
        "speed relative to the baseline") =
        |run, to| Some(to.baseline_seconds? / run.epoch_seconds()?);
    /// Training time saved per epoch compared with the baseline, in percent.
    TimeSavedPercent("time_saved_percent", "saved %", 1, ALL, [TimeSavedPercent],
        "training time saved per epoch compared with the baseline") =
        |run, to| Some(100.0 * (1.0 - run.epoch_seconds()? / to.baseline_seconds?));
    /// Training loss of the epoch of the result.
    TrainLoss("train_loss", "", 0, COMPLETE, [],
        "final training loss") =
        |run, _| run.result(|row| row.train_loss);
    /// Smoothed validation loss at 100/220 of the epochs.
    ValidationLossEarly("validation_loss_early", "early loss", 3, ALL, [ValidationLossEarly],
        "validation loss at 100/220 of the epochs, smoothed over three epochs") =
        |run, _| run.smoothed_loss(EARLY);
    /// Smoothed validation loss at 160/220 of the epochs.
    ValidationLossMiddle("validation_loss_middle", "middle loss", 3, ALL, [ValidationLossMiddle],
        "validation loss at 160/220 of the epochs, smoothed over three epochs") =
        |run, _| run.smoothed_loss(MIDDLE);
    /// Validation loss of the run's result.
    ValidationLoss("validation_loss", "loss", 3, COMPLETE, [ValidationLoss],
        "final validation loss") =
        |run, _| run.result(|row| row.validation_loss);
    /// Validation loss averaged from 100/220 of the epochs to the end.
    ValidationLossAverage("validation_loss_average", "mean loss", 3, COMPLETE, [ValidationLossAverage],
        "validation loss averaged from 100/220 of the epochs to the end") =
        |run, _| run.mean_loss_from(EARLY);
    /// Frame error rate on the validation set, in percent.
    FrameErrorPercent("frame_error_percent", "FER %", 1, COMPLETE, [],
        "frame error rate on the validation set") =
        |run, _| run.result(|row| row.frame_error_percent);
    /// Phone (sequence) error rate of greedy decoding on the validation set, in percent.
    SequenceErrorPercent("sequence_error_percent", "PER %", 1, COMPLETE, [],
        "phone (sequence) error rate of greedy decoding on the validation set") =
        |run, _| run.result(|row| row.sequence_error_percent);
    /// Character error rate of greedy decoding on the validation set, in percent.
    CharacterErrorPercent("character_error_percent", "CER %", 1, COMPLETE, [],
        "character error rate of greedy decoding on the validation set, spaces included") =
        |run, _| run.result(|row| row.character_error_percent);
    /// Word error rate of greedy decoding on the validation set, in percent.
    WordErrorPercent("word_error_percent", "greedy WER %", 1, COMPLETE, [],
        "word error rate of greedy decoding on the validation set, without a language model") =
        |run, _| run.result(|row| row.word_error_percent);
    /// Word error rate on the test set, decoded with a language model, in percent.
    TestWordErrorPercent("test_word_error_percent", "WER %", 2, COMPLETE, [WordErrorPercent],
        "word error rate on the test set, decoded with a language model") =
        |run, _| run.words.and_then(WordsRow::word_error_percent);
    /// Training time until the best epoch, in seconds, if `train.patience` is set.
    BestEpochSeconds("best_epoch_seconds", "s to best", 1, COMPLETE, [],
        "training time until the best epoch, in seconds") =
        |run, _| run.best_epoch_seconds();
    /// Training time to the target validation loss, in seconds.
    SecondsToLoss("seconds_to_loss", "", 1, ALL, [],
        "training time to the target validation loss, in seconds") =
        |run, to| run.seconds_to_loss(to.target_loss?);
}

/// The fractions of training after which Ge et al. (2021) report losses.
const EARLY: f64 = 100.0 / 220.0;
const MIDDLE: f64 = 160.0 / 220.0;

impl Metric {
    /// The columns of tables in order, and whether each is shown only if a paper reports it too.
    pub const TABLE: [(Metric, bool); 23] = [
        (Metric::UtterancesPerSecond, false),
        (Metric::ValidFramesPerSecond, false),
        (Metric::PaddedFramesPerSecond, false),
        (Metric::WaitPercent, false),
        (Metric::MemoryGb, false),
        (Metric::EpochSeconds, false),
        (Metric::EpochKilojoules, false),
        (Metric::BestEpochSeconds, false),
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
        (Metric::CharacterErrorPercent, false),
        (Metric::WordErrorPercent, false),
        (Metric::TestWordErrorPercent, false),
    ];

    /// The error rates, in the order of columns.
    pub const ERROR_RATES: [Metric; 5] = [
        Metric::FrameErrorPercent,
        Metric::SequenceErrorPercent,
        Metric::CharacterErrorPercent,
        Metric::WordErrorPercent,
        Metric::TestWordErrorPercent,
    ];

    /// Its name in JSON and CSV.
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// The columns of papers shown next to it; `is_decoded` if the record has word error rates on a test set.
    ///
    /// Without them, the paper's word error rate is next to our phone error rate, the closest that we have.
    pub fn papers(self, is_decoded: bool) -> &'static [PaperColumn] {
        match self {
            Metric::SequenceErrorPercent if !is_decoded => {
                Metric::TestWordErrorPercent.definition().papers
            }
            Metric::TestWordErrorPercent if !is_decoded => &[],
            _ => self.definition().papers,
        }
    }

    /// Its value in one run.
    pub fn of(self, run: &Run, reference: Reference) -> Option<f64> {
        (self.definition().value)(run, reference)
    }
}
