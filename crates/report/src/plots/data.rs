//! The values of each plot, collected from the findings.

use padwise_sampler::Strategy;

use super::charts::{Bar, Bars, Curve, Curves, NUMBER_OF_BUCKETS, Parameters, Point, Series};
use super::strategy_styles::StrategyStyles;
use crate::findings::{ErrorMetric, Findings};
use crate::record::{Metric, Run};

pub(super) struct PlotData<'a> {
    pub findings: &'a Findings,
    pub styles: &'a StrategyStyles,
}

impl<'a> PlotData<'a> {
    pub(super) fn rows(&self) -> std::ops::Range<usize> {
        0..self.findings.rows.len()
    }

    fn strategy(&self, row: usize) -> &'a Strategy {
        &self.findings.recorded.config.strategy[row].strategy
    }

    pub(super) fn series(&self, row: usize) -> Series {
        let style = self
            .styles
            .get(&self.findings.recorded.config.strategy[row]);
        Series {
            name: self.findings.name(row).to_owned(),
            colour: style.light,
            shape: style.shape,
        }
    }

    /// A bar, or the reason why there is none.
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

    /// Bars of a metric, multiplied by the factor of its unit.
    fn bars(&self, axis: &str, metric: Metric, factor: f64, decimals: usize) -> Option<Bars> {
        let bars = self.rows().map(|row| {
            let interval = self.findings.interval(row, metric);
            let mean = interval.mean.map(|mean| factor * mean);
            let range = interval
                .ends()
                .map(|(low, high)| (factor * low, factor * high));
            let text = mean.map(|mean| format!("{mean:.decimals$}"));
            self.bar(row, mean, range, text.unwrap_or_default())
        });
        measured_something(Bars {
            axis: axis.into(),
            bars: bars.collect(),
        })
    }

    pub(super) fn speed(&self) -> Option<Bars> {
        let axis = self.predicted("utterances per second", "utt/s");
        self.bars(&axis, Metric::UtterancesPerSecond, 1.0, 1)
    }

    pub(super) fn memory(&self) -> Option<Bars> {
        let largest = self.findings.ranked(Metric::MemoryGb).last().copied();
        match largest {
            Some((gb, _)) if gb < 1.0 => self.bars("memory in MB", Metric::MemoryGb, 1000.0, 0),
            _ => self.bars("memory in GB", Metric::MemoryGb, 1.0, 2),
        }
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
            axis: self.predicted("time saved per epoch in %", "time saved in %"),
            bars: bars.collect(),
        })
    }

    pub(super) fn loss_by_epoch(&self) -> Option<Curves> {
        let error = ErrorMetric::LOSS;
        let curves = self
            .rows()
            .map(|row| self.curve(row, error, |epoch, _| epoch));
        some_lines(Curves {
            x_axis: "epoch".into(),
            y_axis: axis(error),
            from_zero: false,
            whole_numbers: true,
            curves: curves.collect(),
        })
    }

    pub(super) fn by_time(&self, error: ErrorMetric) -> Option<Curves> {
        let (x_axis, unit) = self.time_axis();
        let curves = self
            .rows()
            .map(|row| self.curve(row, error, |_, seconds| seconds / unit));
        some_lines(Curves {
            x_axis,
            y_axis: axis(error),
            from_zero: true,
            whole_numbers: false,
            curves: curves.collect(),
        })
    }

    /// The title of an axis with training time, and its unit in seconds.
    pub(super) fn time_axis(&self) -> (String, f64) {
        let longest = self.rows().map(|row| {
            let runs = self.findings.runs(row).into_iter();
            runs.map(|run| run.train_seconds()).fold(0.0, f64::max)
        });
        let (name, unit) = match longest.fold(0.0, f64::max) {
            seconds if seconds > 3.0 * 3600.0 => ("hours", 3600.0),
            seconds if seconds > 300.0 => ("minutes", 60.0),
            _ => ("seconds", 1.0),
        };
        let axis = format!("training time in {name}");
        (self.predicted(&axis, name), unit)
    }

    /// The title of an axis that depends on time. If some times are predicted it says so, after a short form of the title.
    pub(super) fn predicted(&self, axis: &str, short: &str) -> String {
        let predicted = self.rows().map(|row| self.findings.time_is_predicted(row));
        match predicted.clone().any(|is_predicted| is_predicted) {
            false => axis.to_owned(),
            true if predicted.clone().all(|is_predicted| is_predicted) => {
                format!("{axis} (predicted)")
            }
            true => format!("{short} (predicted for 2+ workers)"),
        }
    }

    /// The error of a row after each epoch, mean over runs; `x` maps the epoch and the training time so far to the x axis. Complete runs
    /// count, and otherwise only the longest ones, because a mean over different seeds in each epoch would jump.
    pub(super) fn curve(
        &self,
        row: usize,
        error: ErrorMetric,
        x: impl Fn(f64, f64) -> f64,
    ) -> Curve {
        let mut runs = self.findings.runs(row);
        let longest = runs.iter().map(|run| run.epochs.len()).max().unwrap_or(0);
        runs.retain(|run| run.epochs.len() == longest || run.status.is_complete());
        let value = |run: &Run<'_>, index: usize| (error.of_epoch)(*run.epochs.get(index)?);
        // Runs that have ended must not make a point of an epoch without validation.
        let measured = |index: &usize| runs.iter().any(|run| value(run, *index).is_some());
        let points = (0..longest).filter(measured).filter_map(|index| {
            let at: Vec<(f64, f64)> = runs
                .iter()
                .filter_map(|run| run.after(index + 1, error.of_epoch))
                .collect();
            let count = at.len() as f64;
            let errors = || at.iter().map(|(_, error)| *error);
            let seconds: f64 = at.iter().map(|(seconds, _)| seconds).sum();
            (count > 0.0).then(|| Point {
                x: x((index + 1) as f64, seconds / count),
                y: errors().sum::<f64>() / count,
                low: errors().fold(f64::INFINITY, f64::min),
                high: errors().fold(f64::NEG_INFINITY, f64::max),
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
        let axis = self.predicted("seconds per epoch", "s/epoch");
        Parameters::new(&axis, seconds, Some(NUMBER_OF_BUCKETS))
    }

    /// A metric of each strategy with the fewest workers. Rows that differ only in workers have the same parameters.
    fn measures(&self, metric: Metric) -> Vec<(&'a Strategy, Series, f64)> {
        let workers = |row: usize| self.findings.recorded.config.strategy[row].workers;
        let fewest = self.rows().filter_map(workers).min();
        self.rows()
            .filter(|&row| workers(row) == fewest)
            .filter_map(|row| {
                let mean = self.findings.mean(row, metric)?;
                Some((self.strategy(row), self.series(row), mean))
            })
            .collect()
    }
}

/// The title of an axis with an error measure.
pub(super) fn axis(error: ErrorMetric) -> String {
    match error.is_loss() {
        true => error.name.into(),
        false => format!("{} in %", error.name),
    }
}

fn measured_something(bars: Bars) -> Option<Bars> {
    let any = bars.bars.iter().any(|bar| bar.value.is_some());
    any.then_some(bars)
}

/// No plot if every line has a single point: after one epoch there is no curve.
fn some_lines(mut curves: Curves) -> Option<Curves> {
    curves.curves.retain(|curve| !curve.points.is_empty());
    let is_line = |curve: &Curve| curve.points.len() > 1;
    curves.curves.iter().any(is_line).then_some(curves)
}
