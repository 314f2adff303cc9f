//! What the papers report of the same rows, brought to the same measure.

use super::Findings;
use crate::record::PaperColumn;

impl Findings {
    /// A paper's number for a row.
    pub fn paper(&self, row: usize, column: PaperColumn) -> Option<f64> {
        self.recorded.outline.rows[row].paper.get(&column).copied()
    }

    /// Time saved against the baseline in percent: as the paper has it, or as follows from its times or speeds.
    pub fn papers_time_saved(&self, row: usize) -> Option<f64> {
        let baseline = self.baseline.filter(|&baseline| baseline != row)?;
        let time_ratio = |column| Some(self.paper(row, column)? / self.paper(baseline, column)?);
        self.paper(row, PaperColumn::TimeSavedPercent).or_else(|| {
            let ratio = time_ratio(PaperColumn::EpochMinutes)
                .or_else(|| time_ratio(PaperColumn::EpochSeconds))
                .or_else(|| Some(1.0 / time_ratio(PaperColumn::UtterancesPerSecond)?))?;
            Some(100.0 * (1.0 - ratio))
        })
    }
}
