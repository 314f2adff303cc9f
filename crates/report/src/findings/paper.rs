//! A paper's time saved and speed-up, as published or computed from its times or speeds.

use crate::record::{PaperColumn, Row};

/// Training time saved compared with the baseline row, in percent. None for the baseline itself.
pub(crate) fn time_saved_percent(rows: &[Row], row: usize, baseline: usize) -> Option<f64> {
    if row == baseline {
        return None;
    }
    let value = |row: usize, column| rows[row].paper.get(&column).copied();
    let ratio = |column| Some(value(row, column)? / value(baseline, column)?);
    value(row, PaperColumn::TimeSavedPercent).or_else(|| {
        let ratio = ratio(PaperColumn::EpochMinutes)
            .or_else(|| ratio(PaperColumn::EpochSeconds))
            .or_else(|| Some(1.0 / ratio(PaperColumn::UtterancesPerSecond)?))?;
        Some(100.0 * (1.0 - ratio))
    })
}

/// Speed relative to the baseline row, from the speeds, the speed-ups or the times that the paper reports.
pub(crate) fn speed_up(rows: &[Row], row: usize, baseline: usize) -> Option<f64> {
    let value = |row: usize, column| rows[row].paper.get(&column).copied();
    let speed = |row| value(row, PaperColumn::UtterancesPerSecond);
    let ratio = speed(row).zip(speed(baseline));
    let ratio = ratio.map(|(own, baseline)| own / baseline);
    ratio.or(value(row, PaperColumn::SpeedUp)).or_else(|| {
        let saved = time_saved_percent(rows, row, baseline)?;
        Some(1.0 / (1.0 - saved / 100.0))
    })
}
