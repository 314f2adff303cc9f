//! Plots of an experiment, each as SVG and as PNG.
//!
//! What a plot shows is gathered here from the findings; how it is drawn is in the other modules. A plot that would have
//! nothing to show is not made.

mod axis;
mod bars;
mod canvas;
mod curves;
mod gather;
mod legend;
mod looks;
mod marks;
pub mod palette;
mod parameter;
mod scatter;

use thiserror::Error;

use crate::findings::Findings;
use canvas::Drawing;

pub use canvas::use_built_in_font;
pub use looks::{Look, Looks};
pub use marks::Shape;

/// Why a plot cannot be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The font that is part of the program cannot be read.
    #[error("the built-in font cannot be read: this build is damaged, build padwise again")]
    Font,
    /// Drawing failed.
    #[error("a plot cannot be drawn: {0}")]
    Drawing(String),
}

/// A plot, drawn.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Its name on disk.
    pub stem: &'static str,
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub caption: String,
    /// As SVG.
    pub svg: String,
    /// As PNG.
    pub png: Vec<u8>,
}

/// A strategy in a plot.
#[derive(Clone)]
struct Series {
    name: String,
    look: Look,
}

/// Every plot that has something to show.
pub fn all(findings: &Findings, looks: &Looks) -> Result<Vec<Plot>, PlotError> {
    let gathered = gather::Gather { findings, looks };
    let baseline = findings.baseline_name().unwrap_or_default();
    let repeats = if findings.has_repeats() {
        " Whiskers are 95 % intervals over seeds, cut where they would leave the picture."
    } else {
        " One seed: there are no intervals."
    };
    let band = if findings.has_repeats() {
        " Lines are means over seeds, bands reach from the lowest seed to the highest."
    } else {
        ""
    };
    let mut plots = Vec::new();
    let mut add = |stem, title: String, caption: String, drawn: Option<Drawn>| {
        if let Some(drawn) = drawn {
            let (svg, png) = drawn?;
            plots.push(Plot {
                stem,
                title,
                caption,
                svg,
                png,
            });
        }
        Ok::<(), PlotError>(())
    };
    add(
        "speed",
        "Utterances a second".into(),
        format!("Longer is faster.{repeats}"),
        drawn(gathered.speed()),
    )?;
    add(
        "time-saved",
        format!("Time of an epoch saved against {baseline}"),
        format!("The diamond is what follows from padded frames alone.{repeats}"),
        drawn(gathered.time_saved()),
    )?;
    add(
        "memory",
        "Memory that training took".into(),
        format!("Shorter is better.{repeats}"),
        drawn(gathered.memory()),
    )?;
    add(
        "speed-against-loss",
        "Speed against loss".into(),
        format!(
            "Fast and low in loss is the lower right. The line is the Pareto front: nothing measured is both faster and lower in loss than what lies on it.{repeats}"
        ),
        drawn(gathered.speed_against_loss()),
    )?;
    add(
        "loss-by-epoch",
        "Validation loss by epoch".into(),
        format!(
            "Runs that broke off are left out where others went on; a cross ends a line of which no run went on.{band}"
        ),
        drawn(gathered.loss_by_epoch()),
    )?;
    add(
        "loss-by-time",
        "Validation loss by training time".into(),
        format!("Warm-up and validation are not counted.{band}"),
        drawn(gathered.loss_by_time()),
    )?;
    add(
        "zpr-by-parameter",
        "Padding against each strategy's parameter".into(),
        "ZPR, the padding of a batch, averaged over batches by their size.".into(),
        drawn(gathered.zpr_by_parameter()),
    )?;
    add(
        "time-by-buckets",
        "Time of an epoch by number of buckets".into(),
        "Seconds of training.".into(),
        drawn(gathered.time_by_buckets()),
    )?;
    Ok(plots)
}

type Drawn = Result<(String, Vec<u8>), PlotError>;

fn drawn(drawing: Option<impl Drawing>) -> Option<Drawn> {
    drawing.map(|drawing| canvas::draw(&drawing))
}
