//! The error measure that summaries lead with: an error rate of decoded sequences if it was measured, else the frame error rate, else the
//! loss. If there are characters and words, characters come first: without a language model, their rate varies less between seeds.

use super::{Findings, corrected};
use crate::record::{EpochRow, Metric};
use crate::statistics::{Change, Scale};

/// An error measure and its names.
#[derive(Clone, Copy, Debug)]
pub struct ErrorMetric {
    /// The metric after the last epoch.
    pub metric: Metric,
    /// Its name in a sentence.
    pub name: &'static str,
    /// Its abbreviation in a table header.
    pub short: &'static str,
    /// Its unit: ` %`, or nothing for a loss.
    pub unit: &'static str,
    /// The unit of a difference: ` points`, or nothing for a loss.
    pub difference_unit: &'static str,
    /// Its value after one epoch.
    pub of_epoch: fn(&EpochRow) -> Option<f64>,
}

impl ErrorMetric {
    /// The validation loss.
    pub const LOSS: ErrorMetric = ErrorMetric {
        metric: Metric::ValidationLoss,
        name: "validation loss",
        short: "loss",
        unit: "",
        difference_unit: "",
        of_epoch: |row| row.validation_loss,
    };

    /// Error rates of decoded sequences, first choice first.
    const SEQUENCES: [ErrorMetric; 3] = [
        ErrorMetric {
            metric: Metric::CharacterErrorPercent,
            name: "character error rate",
            short: "CER",
            unit: " %",
            difference_unit: " points",
            of_epoch: |row| row.character_error_percent,
        },
        ErrorMetric {
            metric: Metric::WordErrorPercent,
            name: "word error rate",
            short: "WER",
            unit: " %",
            difference_unit: " points",
            of_epoch: |row| row.word_error_percent,
        },
        ErrorMetric {
            metric: Metric::SequenceErrorPercent,
            name: "phone error rate",
            short: "PER",
            unit: " %",
            difference_unit: " points",
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
        of_epoch: |row| row.frame_error_percent,
    };

    /// Whether the measure is the loss, because no error rate was measured.
    pub fn is_loss(&self) -> bool {
        self.metric == Metric::ValidationLoss
    }
}

impl Findings {
    /// The first error measure that any strategy has.
    pub fn error_metric(&self) -> ErrorMetric {
        let frames = Some(ErrorMetric::FRAMES).filter(|error| self.is_measured(error));
        self.sequence_error()
            .or(frames)
            .unwrap_or(ErrorMetric::LOSS)
    }

    /// The first error rate of decoded sequences that any strategy has.
    pub fn sequence_error(&self) -> Option<ErrorMetric> {
        let mut rates = ErrorMetric::SEQUENCES.into_iter();
        rates.find(|error| self.is_measured(error))
    }

    fn is_measured(&self, error: &ErrorMetric) -> bool {
        !self.ranked(error.metric).is_empty()
    }

    /// How each row's error differs from the baseline's, p-values corrected for the number of strategies.
    pub fn error_changes(&self) -> Vec<Option<Change>> {
        let metric = self.error_metric().metric;
        let rows = 0..self.rows.len();
        let change = |row| self.against_baseline(row, metric, Scale::Difference);
        corrected(rows.map(change).collect())
    }
}
