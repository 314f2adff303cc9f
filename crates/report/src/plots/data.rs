//! What each plot shows, gathered from the findings.

use padwise_sampler::Strategy;

use super::charts::{
    Bar, Bars, Curve, Curves, Dot, NUMBER_OF_BUCKETS, Parameters, Point, Scatter, Series,
};
use super::strategy_styles::StrategyStyles;
use crate::findings::Findings;
use crate::record::Metric;
use crate::statistics::ConfidenceInterval;

pub(super) struct PlotData<'a> {
    pub findings: &'a Findings,
    pub styles: &'a StrategyStyles,
}

impl<'a> PlotData<'a> {
    fn rows(&self) -> std::ops::Range<usize> {
        0..self.findings.rows.len()
    }

    fn strategy(&self, row: usize) -> &'a Strategy {
        &self.findings.recorded.config.strategy[row].strategy
    }

    fn series(&self, row: usize) -> Series {
        let style = self.styles.get(self.strategy(row));
        Series {
            name: self.findings.name(row).to_owned(),
            colour: style.light,
            shape: style.shape,
        }
    }

    /// A bar, or what is to be said in its place.
    fn bar(&self, row: usize, value: Option<f64>, range: Option<(f64, f64)>, text: String) -> Bar {
        let trouble = self.findings.rows[row].status.trouble();
        let series = self.series(row);
        let name = match trouble.is_empty() || value.is_none() {
            true => series.name,
            false => format!("{} ({trouble})", series.name),
        };
        let text = match (value, trouble.is_empty()) {
            (Some(_), _) => text,
            (None, true) => "not measured".into(),
            (None, false) => trouble,
        };
        Bar {
            name,
            colour: series.colour,
            value,
            range,
            text,
            marks: [None; 2],
        }
    }

    fn bars(&self, axis: &str, metric: Metric, decimals: usize) -> Option<Bars> {
        let bars = self.rows().map(|row| {
            let ConfidenceInterval { mean, half_width } = self.findings.interval(row, metric);
            let range = mean
                .zip(half_width)
                .map(|(mean, half)| (mean - half, mean + half));
            let text = mean.map(|mean| format!("{mean:.decimals$}"));
            self.bar(row, mean, range, text.unwrap_or_default())
        });
        measured_something(Bars {
            axis: axis.into(),
            bars: bars.collect(),
        })
    }

    pub(super) fn speed(&self) -> Option<Bars> {
        self.bars("utterances a second", Metric::UtterancesPerSecond, 1)
    }

    pub(super) fn memory(&self) -> Option<Bars> {
        self.bars("GB (10⁹ bytes)", Metric::MemoryGb, 2)
    }

    pub(super) fn time_saved(&self) -> Option<Bars> {
        let percent = |ratio: f64| 100.0 * (1.0 - ratio);
        let bars = self.findings.others().map(|row| {
            let found = &self.findings.rows[row];
            let value = found.epoch_time.map(|change| percent(change.estimate));
            let tested = found.epoch_time.and_then(|change| change.tested);
            let range = tested.map(|tested| (percent(tested.high), percent(tested.low)));
            let text = value.map(|value| format!("{value:.1} %").replace('-', "−"));
            Bar {
                marks: [
                    found.predicted_saved_percent(),
                    self.findings.papers_time_saved(row),
                ],
                ..self.bar(row, value, range, text.unwrap_or_default())
            }
        });
        measured_something(Bars {
            axis: "% of the time of an epoch".into(),
            bars: bars.collect(),
        })
    }

    pub(super) fn speed_against_loss(&self) -> Option<Scatter> {
        let dots: Vec<Dot> = self
            .rows()
            .filter_map(|row| {
                let half = |metric| self.findings.interval(row, metric).half_width;
                Some(Dot {
                    at: self.findings.point(row)?,
                    half_widths: (
                        half(Metric::UtterancesPerSecond),
                        half(Metric::ValidationLoss),
                    ),
                    on_front: self.findings.rows[row].on_front,
                    series: self.series(row),
                })
            })
            .collect();
        (!dots.is_empty()).then_some(Scatter { dots })
    }

    pub(super) fn loss_by_epoch(&self) -> Option<Curves> {
        let curves = self.rows().map(|row| self.curve(row, |epoch, _| epoch));
        some_lines(Curves {
            x_axis: "epoch".into(),
            y_axis: "validation loss".into(),
            from_zero: false,
            whole_numbers: true,
            curves: curves.collect(),
        })
    }

    pub(super) fn loss_by_time(&self) -> Option<Curves> {
        let longest = self.rows().map(|row| {
            let runs = self.findings.runs(row).into_iter();
            runs.map(|run| run.train_seconds()).fold(0.0, f64::max)
        });
        let (axis, unit) = match longest.fold(0.0, f64::max) {
            seconds if seconds > 3.0 * 3600.0 => ("training time in hours", 3600.0),
            seconds if seconds > 300.0 => ("training time in minutes", 60.0),
            _ => ("training time in seconds", 1.0),
        };
        let curves = self
            .rows()
            .map(|row| self.curve(row, |_, seconds| seconds / unit));
        some_lines(Curves {
            x_axis: axis.into(),
            y_axis: "validation loss".into(),
            from_zero: true,
            whole_numbers: false,
            curves: curves.collect(),
        })
    }

    /// Validation losses over the runs of a row, epoch by epoch, at what is made of the epoch and of the time until then. Only
    /// the longest runs count: a mean over other seeds in every epoch would jump about.
    fn curve(&self, row: usize, x: impl Fn(f64, f64) -> f64) -> Curve {
        let mut runs = self.findings.runs(row);
        let longest = runs.iter().map(|run| run.epochs.len()).max().unwrap_or(0);
        runs.retain(|run| run.epochs.len() == longest);
        let points = (0..longest).filter_map(|index| {
            let at: Vec<(f64, f64)> = runs
                .iter()
                .filter_map(|run| {
                    let until = run.epochs[..=index].iter();
                    let seconds: f64 = until.map(|row| row.train_seconds).sum();
                    Some((seconds, run.epochs[index].validation_loss?))
                })
                .collect();
            let count = at.len() as f64;
            let losses = || at.iter().map(|(_, loss)| *loss);
            let seconds: f64 = at.iter().map(|(seconds, _)| seconds).sum();
            (count > 0.0).then(|| Point {
                x: x((index + 1) as f64, seconds / count),
                y: losses().sum::<f64>() / count,
                low: losses().fold(f64::INFINITY, f64::min),
                high: losses().fold(f64::NEG_INFINITY, f64::max),
            })
        });
        Curve {
            series: self.series(row),
            points: points.collect(),
            broken: runs.iter().any(|run| run.status.is_broken()),
        }
    }

    pub(super) fn zpr_by_parameter(&self) -> Option<Parameters> {
        Parameters::new("ZPR in %", self.measures(Metric::ZprPercent), None)
    }

    pub(super) fn time_by_buckets(&self) -> Option<Parameters> {
        let seconds = self.measures(Metric::EpochSeconds);
        Parameters::new("seconds an epoch", seconds, Some(NUMBER_OF_BUCKETS))
    }

    fn measures(&self, metric: Metric) -> Vec<(&'a Strategy, Series, f64)> {
        self.rows()
            .filter_map(|row| {
                let mean = self.findings.mean(row, metric)?;
                Some((self.strategy(row), self.series(row), mean))
            })
            .collect()
    }
}

fn measured_something(bars: Bars) -> Option<Bars> {
    let any = bars.bars.iter().any(|bar| bar.value.is_some());
    any.then_some(bars)
}

/// Nothing, if there is but a point of each: after one epoch there is no curve.
fn some_lines(mut curves: Curves) -> Option<Curves> {
    curves.curves.retain(|curve| !curve.points.is_empty());
    let is_line = |curve: &Curve| curve.points.len() > 1;
    curves.curves.iter().any(is_line).then_some(curves)
}
