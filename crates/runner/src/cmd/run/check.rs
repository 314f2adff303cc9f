//! What is looked at before anything is trained: every strategy is planned, and with `--check` its largest batch is tried.

use anyhow::{Context, anyhow};
use padwise_model::backend;

use super::print;
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::forecast::{Forecast, Probed, TIME_FOR_PROBES, forecast_table};

/// Plans every strategy. One that cannot be planned is refused; one whose largest batch seems too large is warned of, and tried
/// all the same: an estimate is no refusal.
pub(super) fn plan(experiment: &Experiment) -> Result<(), Failure> {
    let forecasts = forecasts(experiment)?;
    for problem in too_large(experiment, &forecasts, experiment.free_memory()) {
        eprintln!("padwise: {problem}");
    }
    Ok(())
}

/// Plans every strategy, tries the largest batches, says what was found.
pub(super) fn check(experiment: &Experiment) -> Result<(), Failure> {
    let forecasts = forecasts(experiment)?;
    let memory = experiment.free_memory();
    let mut problems = too_large(experiment, &forecasts, memory);
    let probed = experiment.probe(&forecasts, memory);
    let probed = probed.map_err(Failure::Runtime)?;
    print(&format!(
        "{}\n{}\n",
        forecast_table(&forecasts, &probed),
        about(experiment, memory, &probed)
    ))?;
    let mut said = Vec::new();
    for (forecast, probed) in forecasts.iter().zip(&probed) {
        let Probed::Fails(reason) = probed else {
            continue;
        };
        // Strategies that share a largest batch share what is said of it.
        let words = match said
            .iter()
            .find(|(largest, _)| *largest == &forecast.largest)
        {
            Some((_, words)) => String::clone(words),
            None => experiment
                .did_not_fit(&forecast.largest, reason)
                .map_err(Failure::Runtime)?,
        };
        problems.push(format!("{}: {words}", forecast.name));
        said.push((&forecast.largest, words));
    }
    for problem in &problems {
        eprintln!("padwise: {problem}");
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Failure::Gate)
    }
}

fn forecasts(experiment: &Experiment) -> Result<Vec<Forecast>, Failure> {
    let forecast = |index: usize, name: &str| {
        let forecast = experiment
            .forecast(index)
            .with_context(|| format!("strategy `{name}`"))?;
        if forecast.stats.iter().any(|stats| stats.batches == 0) {
            return Err(anyhow!(
                "strategy `{name}` makes no batch of this corpus: everything is dropped"
            ));
        }
        Ok(forecast)
    };
    let rows = experiment.config.strategy.iter().enumerate();
    rows.map(|(index, row)| forecast(index, &row.name))
        .collect::<Result<_, _>>()
        .map_err(Failure::Usage)
}

/// A sentence for every strategy whose largest batch has no room, by the estimate.
fn too_large(experiment: &Experiment, forecasts: &[Forecast], memory: Option<u64>) -> Vec<String> {
    let Some(memory) = memory else {
        return Vec::new();
    };
    let problem = |forecast: &Forecast| {
        let problem = experiment.too_large(&forecast.largest, memory)?;
        Some(format!("{}: {problem}", forecast.name))
    };
    forecasts.iter().filter_map(problem).collect()
}

/// What the corpus, the model and the device are, and what the last two columns mean.
fn about(experiment: &Experiment, memory: Option<u64>, probed: &[Probed]) -> String {
    let split = &experiment.split;
    let model = experiment.model();
    let choice = experiment.config.train.backend;
    let resolved = backend::resolve(choice).unwrap_or(choice);
    let device = backend::all()
        .into_iter()
        .find(|found| found.backend == resolved)
        .and_then(|found| found.device.ok())
        .unwrap_or_default();
    let memory = memory
        .map(|bytes| format!(", {:.2} GB free", bytes as f64 / 1e9))
        .unwrap_or_default();
    let mut text = format!(
        "{} utterances to train on, {} to validate on; {} inputs, {} classes, {} parameters; {} ({device}{memory}).\n\
         needs about: estimated from shapes. took: the most memory of one step on the largest batch, in a process of its own.",
        split.training.len(),
        split.validation.len(),
        model.inputs,
        model.classes,
        model.parameter_count(),
        resolved.name(),
    );
    if probed.contains(&Probed::TooSlow) {
        let seconds = TIME_FOR_PROBES.as_secs();
        text += &format!(" –: not known within {seconds} s.");
    }
    text
}
