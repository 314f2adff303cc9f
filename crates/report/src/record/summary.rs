//! What an experiment says: for each strategy means over its runs, made from the recorded epochs and from nothing else.

use serde_json::{Map, Value};

use super::{EpochRow, Interval, Measured, Outline, Run, Standing, objects_as_csv};

/// Every strategy of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// One for each strategy, in the config's order.
    pub rows: Vec<SummaryRow>,
    /// The loss that time was measured to.
    pub target_loss: Option<f64>,
}

/// One strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// The row of the config.
    pub strategy: String,
    /// The strategy on one line.
    pub resolved: String,
    /// Runs with at least one epoch.
    pub runs: usize,
    /// Epochs of the longest run.
    pub epochs: u64,
    /// Runs that diverged.
    pub diverged: usize,
    /// Runs that failed, and have not been tried again.
    pub failed: usize,
    /// Means over runs, in the order of [`Measured::ALL`].
    pub measures: Vec<Interval>,
}

impl Summary {
    /// Of these epochs, in any order of strategies and seeds.
    pub fn of(outline: &Outline, epochs: &[EpochRow]) -> Self {
        let runs: Vec<Vec<Run>> = outline
            .rows
            .iter()
            .map(|row| Run::all(&row.name, outline, epochs))
            .collect();
        let target_loss = outline.target_loss.or_else(|| reached_by_all(&runs));
        let baseline = outline.baseline.as_ref().and_then(|name| {
            let at = outline.rows.iter().position(|row| row.name == *name)?;
            Interval::of(runs[at].iter().map(Run::epoch_seconds)).mean
        });
        let summaries = outline
            .rows
            .iter()
            .zip(&runs)
            .map(|(row, runs)| SummaryRow {
                strategy: row.name.clone(),
                resolved: row.strategy.to_string(),
                runs: runs.iter().filter(|run| !run.epochs.is_empty()).count(),
                epochs: runs
                    .iter()
                    .map(|run| run.epochs.len() as u64)
                    .max()
                    .unwrap_or(0),
                diverged: count(runs, |standing| {
                    matches!(standing, Standing::Diverged { .. })
                }),
                failed: count(runs, |standing| matches!(standing, Standing::Failed { .. })),
                measures: Measured::ALL
                    .map(|measured| {
                        let values = runs
                            .iter()
                            .map(|run| run.value(measured, target_loss, baseline));
                        Interval::of(values)
                    })
                    .to_vec(),
            });
        Summary {
            rows: summaries.collect(),
            target_loss,
        }
    }

    /// An array of objects, one a strategy.
    pub fn to_json(&self) -> Value {
        Value::Array(
            self.rows
                .iter()
                .map(|row| row.to_json(self.target_loss).into())
                .collect(),
        )
    }

    /// A line of names, then a line a strategy.
    pub fn to_csv(&self) -> std::io::Result<Vec<u8>> {
        let mut text = Vec::new();
        let objects = self.rows.iter().map(|row| row.to_json(self.target_loss));
        objects_as_csv(objects, &mut text)?;
        Ok(text)
    }
}

impl SummaryRow {
    /// One measure over the runs.
    pub fn get(&self, measured: Measured) -> Interval {
        let at = Measured::ALL.iter().position(|&other| other == measured);
        at.and_then(|at| self.measures.get(at).copied())
            .unwrap_or_default()
    }

    fn to_json(&self, target_loss: Option<f64>) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("strategy".into(), self.strategy.clone().into());
        object.insert("resolved".into(), self.resolved.clone().into());
        object.insert("runs".into(), self.runs.into());
        object.insert("epochs".into(), self.epochs.into());
        object.insert("diverged".into(), self.diverged.into());
        object.insert("failed".into(), self.failed.into());
        for (measured, interval) in Measured::ALL.iter().zip(&self.measures) {
            object.insert(measured.name().into(), interval.mean.into());
            let half_width = format!("{}_ci95", measured.name());
            object.insert(half_width, interval.half_width.into());
        }
        object.insert("target_loss".into(), target_loss.into());
        object
    }
}

fn count(runs: &[Run], is: impl Fn(&Standing) -> bool) -> usize {
    runs.iter().filter(|run| is(&run.standing)).count()
}

/// The lowest validation loss that every run of every strategy reaches; only runs that came to their end promise anything.
fn reached_by_all(runs: &[Vec<Run>]) -> Option<f64> {
    runs.iter()
        .flatten()
        .filter(|run| run.standing.is_complete())
        .filter_map(|run| {
            let losses = run.losses().into_iter();
            losses.map(|(_, loss)| loss).min_by(f64::total_cmp)
        })
        .max_by(f64::total_cmp)
}
