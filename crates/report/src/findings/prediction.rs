//! How fast a strategy should be, from its padding alone: if time is spent on padded frames and on nothing else, speeds are
//! to each other as utterances for each padded frame. What a device makes of batch sizes and lengths is left out, so where
//! the measured ratio differs, that is what is to be explained.

use super::{Findings, RowFindings};

impl RowFindings {
    /// The share of the baseline's time that follows from [`RowFindings::predicted_speed`] to be saved, in percent.
    pub fn predicted_saved_percent(&self) -> Option<f64> {
        self.predicted_speed
            .map(|speed| 100.0 * (1.0 - 1.0 / speed))
    }
}

impl Findings {
    pub(super) fn predicted_speed(&self, row: usize) -> Option<f64> {
        let baseline = self.baseline.filter(|&baseline| baseline != row)?;
        Some(self.frames_per_utterance(baseline)? / self.frames_per_utterance(row)?)
    }

    /// Padded frames computed for each utterance trained.
    fn frames_per_utterance(&self, row: usize) -> Option<f64> {
        let epochs = self.epochs(row);
        let frames: u64 = epochs.iter().map(|epoch| epoch.padded_frames).sum();
        let utterances: u64 = epochs.iter().map(|epoch| epoch.utterances).sum();
        (utterances > 0 && frames > 0).then(|| frames as f64 / utterances as f64)
    }
}
