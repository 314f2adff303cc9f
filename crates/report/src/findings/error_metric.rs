//! The error measure that summaries lead with: phone error rate if it was measured, else frame error rate, else the loss.

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

    /// Error rates, first choice first.
    const RATES: [ErrorMetric; 2] = [
        ErrorMetric {
            metric: Metric::SequenceErrorPercent,
            name: "phone error rate",
            short: "PER",
            unit: " %",
            difference_unit: " points",
            of_epoch: |row| row.sequence_error_percent,
        },
        ErrorMetric {
            metric: Metric::FrameErrorPercent,
            name: "frame error rate",
            short: "FER",
            unit: " %",
            difference_unit: " points",
            of_epoch: |row| row.frame_error_percent,
        },
    ];

    /// Whether the measure is the loss, because no error rate was measured.
    pub fn is_loss(&self) -> bool {
        self.metric == Metric::ValidationLoss
    }
}

impl Findings {
    /// The first error measure that any strategy has.
    pub fn error_metric(&self) -> ErrorMetric {
        let measured = |error: &ErrorMetric| !self.ranked(error.metric).is_empty();
        let rate = ErrorMetric::RATES.into_iter().find(measured);
        rate.unwrap_or(ErrorMetric::LOSS)
    }

    /// How each row's error differs from the baseline's, p-values corrected for the number of strategies.
    pub fn error_changes(&self) -> Vec<Option<Change>> {
        let metric = self.error_metric().metric;
        let rows = 0..self.rows.len();
        let change = |row| self.against_baseline(row, metric, Scale::Difference);
        corrected(rows.map(change).collect())
    }
}
