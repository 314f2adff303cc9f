//! Prints the results of an experiment and says how it ended.

use std::path::Path;

use anyhow::anyhow;
use padwise_report::record::Summary;
use padwise_report::tables::TitledTable;

use super::Run;
use super::table::{meanings, result_table, workers_table};
use crate::cmd::print;
use crate::coordinator::Outcome;
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::terminal::{count, legend, render_table};

impl Run {
    /// Prints the tables. Fails if a run failed or was interrupted.
    pub(super) fn report(
        &self,
        experiment: &Experiment,
        summary: &Summary,
        outcome: &Outcome,
        path: &Path,
    ) -> Result<(), Failure> {
        if !experiment.config.title.is_empty() {
            print(&format!("{}\n\n", experiment.config.title))?;
        }
        let table = result_table(summary, &experiment.config.strategy, self.wide);
        print(&format!("{}\n\n", render_table(&table)))?;
        let workers = match experiment.config.train.parallel {
            Some(_) => workers_table(path).map_err(Failure::runtime)?,
            None => None,
        };
        if let Some(TitledTable { title, cells, .. }) = &workers {
            print(&format!("{title}\n{}\n\n", render_table(cells)))?;
        }
        let shown = [Some(&table), workers.as_ref().map(|workers| &workers.cells)];
        let meanings = meanings(shown.into_iter().flatten());
        print(&explain(experiment, path, &meanings))?;
        if !self.wide {
            print("\n--wide shows all columns.\n")?;
        }
        let resume = self.command(path, true);
        if outcome.interrupted {
            let place = outcome.place.as_deref();
            return Err(Failure::Runtime(anyhow!(
                "interrupted{}; results so far are in {}. To resume:\n  {resume}",
                place
                    .map(|place| format!(" in {place}"))
                    .unwrap_or_default(),
                path.display(),
            )));
        }
        if !outcome.failed.is_empty() {
            return Err(Failure::Runtime(anyhow!(
                "{} failed:\n  {}\nThe table shows the others. To retry:\n  {resume}",
                count(outcome.failed.len(), "run"),
                outcome.failed.join("\n  ")
            )));
        }
        Ok(())
    }
}

/// The path of the results and the legend.
fn explain(experiment: &Experiment, path: &Path, meanings: &[(String, String)]) -> String {
    let train = &experiment.config.train;
    let meanings = meanings.iter().map(|(title, meaning)| (title, meaning));
    let up_to = train.patience.map_or("", |_| "Up to ");
    format!(
        "{up_to}{}, {}. Results folder: {}\n\n{}",
        count(train.epochs, "epoch"),
        count(train.seeds.len(), "seed"),
        path.display(),
        legend(meanings),
    )
}
