//! The error measure that summaries lead with: an error rate of decoded sequences if it was measured, else the frame error rate, else the
//! loss.
//!
//! The word error rate on the test set comes first, because papers report it. Of the rates of greedy decoding, characters come
//! before words: without a language model, their rate varies less between seeds.

use super::Findings;
use crate::record::{EpochRow, Metric};
use crate::statistics::{Change, Scale};

/// An error measure and its names.
#[derive(Clone, Copy, Debug)]
pub struct ErrorMetric {
    /// The metric of the result of a run.
    pub metric: Metric,
    /// Its name in a sentence.
    pub name: &'static str,
    /// Its abbreviation in a table header.
    pub short: &'static str,
    /// Its unit: ` %`, or nothing for a loss.
    pub unit: &'static str,
    /// The unit of a difference: ` points`, or nothing for a loss.
    pub difference_unit: &'static str,
    /// What it was measured on, for a sentence.
    pub measured_on: &'static str,
    /// Its value after one epoch.
    pub of_epoch: fn(&EpochRow) -> Option<f64>,
}

const VALIDATION_SET: &str = "the validation set";

impl ErrorMetric {
    /// The validation loss.
    pub const LOSS: ErrorMetric = ErrorMetric {
        metric: Metric::ValidationLoss,
        name: "validation loss",
        short: "loss",
        unit: "",
        difference_unit: "",
        measured_on: VALIDATION_SET,
        of_epoch: |row| row.validation_loss,
    };

    /// The word error rate on the test set. It is measured once, with the result of the run.
    const TEST_WORDS: ErrorMetric = ErrorMetric {
        metric: Metric::TestWordErrorPercent,
        name: "word error rate",
        short: "WER",
        unit: " %",
        difference_unit: " points",
        measured_on: "the test set, decoded with a language model",
        of_epoch: |_| None,
    };

    /// Error rates of greedy decoding, first choice first.
    const GREEDY: [ErrorMetric; 3] = [
        ErrorMetric {
            metric: Metric::CharacterErrorPercent,
            name: "character error rate",
            short: "CER",
            unit: " %",
            difference_unit: " points",
            measured_on: VALIDATION_SET,
            of_epoch: |row| row.character_error_percent,
        },
        ErrorMetric {
            metric: Metric::WordErrorPercent,
            name: "greedy word error rate",
            short: "greedy WER",
            unit: " %",
            difference_unit: " points",
            measured_on: VALIDATION_SET,
            of_epoch: |row| row.word_error_percent,
        },
        ErrorMetric {
            metric: Metric::SequenceErrorPercent,
            name: "phone error rate",
            short: "PER",
            unit: " %",
            difference_unit: " points",
            measured_on: VALIDATION_SET,
            of_epoch: |row| row.sequence_error_percent,
        },
    ];

    /// The frame error rate.
    const FRAMES: ErrorMetric = ErrorMetric {
        metric: Metric::FrameErrorPercent,
        name: "frame error rate",
        short: "FER",
        unit: " %",
        difference_unit: " points",
        measured_on: VALIDATION_SET,
        of_epoch: |row| row.frame_error_percent,
    };

    /// Whether the measure is the word error rate on the test set. Its intervals come from a bootstrap over utterances and seeds, so
    /// one seed has them too.
    pub fn is_on_test_set(&self) -> bool {
        self.metric == Metric::TestWordErrorPercent
    }

    /// Decimals of the measure: one more if all differences are small.
    pub fn decimals(&self, changes: &[Option<Change>]) -> usize {
        let sizes = changes.iter().flatten().map(|change| change.estimate.abs());
        let largest = sizes.fold(0.0, f64::max);
        match self.is_loss() {
            true if largest >= 10.0 => 1,
            true => 3,
            false if largest > 0.0 && largest < 1.0 => 2,
            false => 1,
        }
    }

    /// Whether the measure is the loss, because no error rate was measured.
    pub fn is_loss(&self) -> bool {
        self.metric == Metric::ValidationLoss
    }
}

impl Findings {
    /// The first error measure that any strategy has.
    pub fn error_metric(&self) -> ErrorMetric {
        let test = Some(ErrorMetric::TEST_WORDS).filter(|error| self.is_measured(error));
        test.unwrap_or_else(|| self.error_by_epoch())
    }

    /// The first error measure that any strategy has after every validated epoch.
    pub fn error_by_epoch(&self) -> ErrorMetric {
        let frames = Some(ErrorMetric::FRAMES).filter(|error| self.is_measured(error));
        self.greedy_error().or(frames).unwrap_or(ErrorMetric::LOSS)
    }

    /// The first error rate of decoded sequences that any strategy has.
    pub fn sequence_error(&self) -> Option<ErrorMetric> {
        let test = Some(ErrorMetric::TEST_WORDS).filter(|error| self.is_measured(error));
        test.or_else(|| self.greedy_error())
    }

    fn greedy_error(&self) -> Option<ErrorMetric> {
        let mut rates = ErrorMetric::GREEDY.into_iter();
        rates.find(|error| self.is_measured(error))
    }

    fn is_measured(&self, error: &ErrorMetric) -> bool {
        !self.ranked(error.metric).is_empty()
    }

    /// The margin of equivalence in points; none if the error is the loss, for which no margin is stated.
    pub(crate) fn error_margin(&self) -> Option<f64> {
        let margin = self.recorded.config.measure.margin;
        margin.filter(|_| !self.error_metric().is_loss())
    }

    /// How each row's error differs from the baseline's, p-values corrected for the number of strategies.
    pub fn error_changes(&self) -> Vec<Option<Change>> {
        self.compared(self.error_metric().metric, Scale::Difference)
    }
}
