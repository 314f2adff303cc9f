//! What a config says that numbers are read by: how many epochs and which seeds were meant to be run, what is compared with
//! what, and what papers say of each row. The rest of a config is how to train, and no concern of whoever reads results.

use std::collections::BTreeMap;

use padwise_sampler::{ParseStrategyError, Strategy};
use serde::Deserialize;
use toml::Spanned;

use super::PaperColumn;

/// A row that can be run.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is called, different from every other row's.
    pub name: String,
    /// The strategy.
    pub strategy: Strategy,
    /// What a paper reports for it.
    pub paper: BTreeMap<PaperColumn, f64>,
}

/// An experiment as whoever reads its results needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// What the experiment is called.
    pub name: String,
    /// What it shows, in a line; may be empty.
    pub title: String,
    /// Epochs of a run that nothing ends early.
    pub epochs: u64,
    /// A run of every row for each of these.
    pub seeds: Vec<u64>,
    /// The row that time saved is counted against.
    pub baseline: Option<String>,
    /// The validation loss that time to a loss is measured to; by default the lowest that every run reaches.
    pub target_loss: Option<f64>,
    /// One strategy each.
    pub rows: Vec<Row>,
}

/// The parts of `config.toml` that an outline is made of. Runs write it with every strategy on one line and everything
/// filled in; keys that are of no use here are passed over, so that configs may grow.
#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    name: String,
    #[serde(default)]
    title: String,
    train: WrittenTrain,
    #[serde(default)]
    measure: WrittenMeasure,
    #[serde(default)]
    strategy: Vec<WrittenRow>,
}

#[derive(Deserialize)]
struct WrittenTrain {
    epochs: u64,
    seeds: Vec<u64>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
struct WrittenMeasure {
    baseline: Option<String>,
    target_loss: Option<f64>,
}

#[derive(Deserialize)]
struct WrittenRow {
    name: String,
    line: Spanned<String>,
    #[serde(default)]
    paper: BTreeMap<PaperColumn, f64>,
}

impl Outline {
    /// From the text of a recorded config; or what is wrong with it, and where in the text.
    pub fn from_config(text: &str) -> Result<Self, (Option<usize>, String)> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let at = error.span().map(|span| span.start);
            (at, error.message().trim_end().to_owned())
        })?;
        let rows = written.strategy.into_iter().map(|row| {
            let strategy = row.line.get_ref().parse();
            Ok(Row {
                strategy: strategy.map_err(|error: ParseStrategyError| {
                    (Some(row.line.span().start), error.to_string())
                })?,
                name: row.name,
                paper: row.paper,
            })
        });
        Ok(Outline {
            name: written.name,
            title: written.title,
            epochs: written.train.epochs,
            seeds: written.train.seeds,
            baseline: written.measure.baseline,
            target_loss: written.measure.target_loss,
            rows: rows.collect::<Result<_, _>>()?,
        })
    }
}
