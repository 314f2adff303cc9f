//! Plots of an experiment, each as SVG and as PNG.
//!
//! A new plot goes into [`all`], the list of plots; `data` gathers what each shows from the findings, and `charts` has the kinds of
//! charts. A plot that would have nothing to show is not made. `canvas` is for whoever draws anything else, too.

pub mod canvas;
mod charts;
mod data;
pub mod palette;
mod strategy_styles;

use crate::findings::Findings;
use canvas::{Drawing, Picture};
use data::PlotData;

pub use canvas::PlotError;
pub use charts::Shape;
pub use strategy_styles::{StrategyStyle, StrategyStyles};

/// A plot, drawn.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Its name on disk.
    pub stem: &'static str,
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// As SVG and as PNG.
    pub picture: Picture,
}

/// Every plot that has something to show.
pub fn all(findings: &Findings, styles: &StrategyStyles) -> Result<Vec<Plot>, PlotError> {
    let data = PlotData { findings, styles };
    let baseline = findings.baseline_name().unwrap_or_default();
    let (intervals, band) = match findings.has_repeats() {
        true => (
            " Whiskers are 95 % intervals over seeds, cut where they would leave the picture.",
            " Lines are means over seeds, bands reach from the lowest seed to the highest.",
        ),
        false => (" One seed: there are no intervals.", ""),
    };
    let plots = [
        plot(
            "speed",
            "Utterances a second",
            format!("Longer is faster.{intervals}"),
            data.speed(),
        ),
        plot(
            "time-saved",
            format!("Time of an epoch saved against {baseline}"),
            format!("The diamond is what follows from padded frames alone.{intervals}"),
            data.time_saved(),
        ),
        plot(
            "memory",
            "Memory that training took",
            format!("Shorter is better.{intervals}"),
            data.memory(),
        ),
        plot(
            "speed-against-loss",
            "Speed against loss",
            format!(
                "Fast and low in loss is the lower right. The line is the Pareto front: nothing measured is both faster and lower in loss than what lies on it.{intervals}"
            ),
            data.speed_against_loss(),
        ),
        plot(
            "loss-by-epoch",
            "Validation loss by epoch",
            format!(
                "Runs that broke off are left out where others went on; a cross ends a line of which no run went on.{band}"
            ),
            data.loss_by_epoch(),
        ),
        plot(
            "loss-by-time",
            "Validation loss by training time",
            format!("Warm-up and validation are not counted.{band}"),
            data.loss_by_time(),
        ),
        plot(
            "zpr-by-parameter",
            "Padding against each strategy's parameter",
            "ZPR, the padding of a batch, averaged over batches by their size.",
            data.zpr_by_parameter(),
        ),
        plot(
            "time-by-buckets",
            "Time of an epoch by number of buckets",
            "Seconds of training.",
            data.time_by_buckets(),
        ),
    ];
    plots.into_iter().flatten().collect()
}

/// How many times as large a PNG is as the SVG.
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
