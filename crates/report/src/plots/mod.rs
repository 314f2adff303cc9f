//! Plots of an experiment, each as SVG and PNG.
//!
//! A new plot goes into [`all`]. `data`, `trade_offs` and `workers` collect its values, `charts` has the kinds of charts, and
//! `canvas` draws. A plot without data is left out.

pub mod canvas;
mod charts;
mod data;
pub mod palette;
mod strategy_styles;
mod trade_offs;
mod workers;

use crate::findings::{ErrorMetric, Findings};
use crate::statistics::Change;
use canvas::{Drawing, Picture};
use data::PlotData;

pub use canvas::PlotError;
pub use charts::Shape;
pub use strategy_styles::{StrategyStyle, StrategyStyles};

/// A finished plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Its file name without extension.
    pub stem: &'static str,
    /// Its title.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// As SVG and PNG.
    pub picture: Picture,
}

/// Every plot that the findings have data for.
pub fn all(findings: &Findings, styles: &StrategyStyles) -> Result<Vec<Plot>, PlotError> {
    let data = PlotData { findings, styles };
    let baseline = findings.baseline_name().unwrap_or("the baseline");
    let (intervals, band) = match findings.has_repeats() {
        true => (
            " Whiskers: 95 % confidence intervals over seeds; an arrow marks one that is cut off.",
            " Lines: means over seeds; a run that ended early keeps its result. Bands: range over seeds.",
        ),
        false => (" One seed, so no confidence intervals.", ""),
    };
    let (error, error_by_epoch) = (findings.error_metric(), findings.error_by_epoch());
    let predicted = match findings.any_time_is_predicted() {
        true => {
            " Times of several workers are predicted: the slowest worker's time plus averaging."
        }
        false => "",
    };
    let against = |error: &str, intervals: &str| {
        format!(
            "Best: lower right. Dashed: Pareto front. No strategy beats one on the front in both speed and {error}.{intervals}{predicted}"
        )
    };
    let error_intervals = match (error.is_on_test_set(), findings.has_repeats()) {
        (true, true) => {
            " Whiskers: 95 % confidence intervals, of speed over seeds and of the error rate by a bootstrap over utterances and seeds; an arrow marks one that is cut off."
        }
        (true, false) => {
            " Whiskers: 95 % confidence intervals by a bootstrap over utterances; one seed, so seeds are not covered. An arrow marks one that is cut off."
        }
        (false, _) => intervals,
    };
    let by_time = format!(
        "Without warm-up and validation.{band} Cross: diverged or failed. Lines that begin above the edge are cut.{predicted}"
    );
    let plots = [
        plot(
            "speed-against-error",
            format!("Speed against {}", error.name),
            against("error", error_intervals),
            data.speed_against(error).filter(|_| !error.is_loss()),
        ),
        plot(
            "time-against-error",
            format!("{} against training time", capitalised(error.name)),
            time_against_error_caption(findings, baseline) + predicted,
            data.time_against_error(),
        ),
        plot(
            "error-by-time",
            format!("{} over training time", capitalised(error_by_epoch.name)),
            by_time.clone(),
            data.by_time(error_by_epoch)
                .filter(|_| !error_by_epoch.is_loss()),
        ),
        plot(
            "speed",
            "Training speed",
            format!("Longer is faster.{intervals}{predicted}"),
            data.speed(),
        ),
        plot(
            "time-saved",
            format!("Training time saved per epoch, compared with {baseline}"),
            format!("Diamond: predicted from padded frames alone.{intervals}{predicted}"),
            data.time_saved(),
        ),
        plot(
            "memory",
            "Peak memory of training",
            format!("Shorter is better.{intervals}"),
            data.memory(),
        ),
        plot(
            "speed-against-loss",
            "Speed against validation loss",
            against("loss", intervals),
            data.speed_against(ErrorMetric::LOSS),
        ),
        plot(
            "loss-by-epoch",
            "Validation loss by epoch",
            format!(
                "Strategies with a finished run: finished runs only.{band} Cross: diverged or failed. Lines that begin above the edge are cut."
            ),
            data.loss_by_epoch(),
        ),
        plot(
            "loss-by-time",
            "Validation loss over training time",
            by_time.clone(),
            data.by_time(ErrorMetric::LOSS),
        ),
        plot(
            "workers-by-epoch",
            "Validation loss by epoch and number of workers",
            format!(
                "One panel per strategy.{band} Cross: diverged or failed. Lines that begin above the edge are cut."
            ),
            data.workers_by_epoch(),
        ),
        plot(
            "workers-by-time",
            "Validation loss over training time by number of workers",
            format!("One panel per strategy. {by_time}"),
            data.workers_by_time(),
        ),
        plot(
            "zpr-by-parameter",
            "Padding by strategy parameter",
            "ZPR: zero padding rate, mean over batches.",
            data.zpr_by_parameter(),
        ),
        plot(
            "time-by-buckets",
            "Epoch time by number of buckets",
            "Training time only.",
            data.time_by_buckets(),
        ),
    ];
    plots.into_iter().flatten().collect()
}

fn time_against_error_caption(findings: &Findings, baseline: &str) -> String {
    let mut caption = format!("Best: lower left. Dashed: {baseline}.");
    if let Some(margin) = findings.error_margin() {
        caption += &format!(" Band: ±{margin} points around it, the margin of equivalence.");
    }
    let is_tested = |change: &Option<Change>| change.is_some_and(|change| change.tested.is_some());
    if findings.error_changes().iter().any(is_tested) {
        caption += &format!(
            " Vertical whiskers: 95 % confidence intervals of the difference from {baseline}; an arrow marks one that is cut off."
        );
    }
    if findings.has_repeats() {
        caption += " Horizontal whiskers: 95 % confidence intervals over seeds.";
    }
    caption
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// The size of a PNG relative to the SVG.
const PNG_SCALE: u32 = 2;

fn plot(
    stem: &'static str,
    title: impl Into<String>,
    caption: impl Into<String>,
    drawing: Option<impl Drawing>,
) -> Option<Result<Plot, PlotError>> {
    let picture = canvas::draw(&drawing?, PNG_SCALE);
    Some(picture.map(|picture| Plot {
        stem,
        title: title.into(),
        caption: caption.into(),
        picture,
    }))
}
