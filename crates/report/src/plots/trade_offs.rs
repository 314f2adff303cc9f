//! The values of plots that show what speed costs: speed and training time against errors.

use super::charts::{Dot, Level, Scatter};
use super::data::{PlotData, axis};
use crate::findings::{ErrorMetric, front};
use crate::record::Metric;

impl PlotData<'_> {
    pub(super) fn speed_against(&self, error: ErrorMetric) -> Option<Scatter> {
        let point = |row| {
            let speed = self.findings.mean(row, Metric::UtterancesPerSecond)?;
            Some((speed, self.findings.mean(row, error.metric)?))
        };
        let points: Vec<Option<(f64, f64)>> = self.rows().map(point).collect();
        let on_front = front(&points);
        let dots: Vec<Dot> = self
            .rows()
            .filter_map(|row| {
                let metrics = [Metric::UtterancesPerSecond, error.metric];
                Some(Dot {
                    at: points[row]?,
                    intervals: metrics.map(|metric| self.findings.interval(row, metric).ends()),
                    on_front: on_front[row],
                    series: self.series(row),
                })
            })
            .collect();
        (!dots.is_empty()).then(|| Scatter {
            x_axis: self.predicted("utterances per second", "utt/s"),
            y_axis: axis(error),
            dots,
            level: None,
        })
    }

    /// Training time until the best epoch against the error of that epoch's model. Vertical intervals are those of the difference
    /// from the baseline: an interval of the error alone is much wider, because strategies share utterances and seeds.
    pub(super) fn time_against_error(&self) -> Option<Scatter> {
        let error = self.findings.error_metric();
        let changes = self.findings.error_changes();
        let baseline = self.findings.baseline?;
        let level = self.findings.mean(baseline, error.metric)?;
        let dot = |row: usize| {
            let seconds = self.findings.interval(row, Metric::BestEpochSeconds);
            // Only seeds that the strategy shares with the baseline are compared.
            let estimate = changes[row].map(|change| level + change.estimate);
            let mean = self.findings.mean(row, error.metric);
            let tested = changes[row].and_then(|change| change.tested);
            let difference = tested.map(|tested| (level + tested.low, level + tested.high));
            Some(Dot {
                at: (seconds.mean?, estimate.or(mean)?),
                intervals: [seconds.ends(), difference],
                on_front: false,
                series: self.series(row),
            })
        };
        let dots: Vec<Dot> = self.rows().filter_map(dot).collect();
        (!dots.is_empty()).then(|| Scatter {
            x_axis: self.predicted("training time until the best epoch in s", "time in s"),
            y_axis: axis(error),
            dots,
            level: Some(Level {
                at: level,
                margin: self.findings.error_margin(),
            }),
        })
    }
}
