//! Checks before training: plans every strategy and, with `--check`, tries its largest batch.

use anyhow::{Context, anyhow};
use padwise_experiment_config::HeldOutSet;
use padwise_model::backend;

use super::print;
use crate::corpora::{list_speakers, speakers_of};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::forecast::{Forecast, ForecastTable, Probed, TIME_FOR_PROBES};
use crate::terminal::{count, duration, legend, memory, render_table, say};

/// Plans every strategy; fails if one cannot be planned, or if its largest batch cannot fit. The estimate of its memory is a lower
/// bound. With `force`, a batch that cannot fit only gives a warning.
pub(super) fn plan(experiment: &Experiment, force: bool) -> Result<(), Failure> {
    let forecasts = forecasts(experiment)?;
    let problems = too_large(experiment, &forecasts, experiment.free_memory());
    if force {
        for problem in problems {
            say(format!("warning: {problem}"));
        }
    } else if !problems.is_empty() {
        return Err(Failure::Usage(anyhow!(
            "{}; pass --force to train anyway",
            problems.join("\n  ")
        )));
    }
    Ok(())
}

/// Plans every strategy, tries the largest batches and prints the table.
pub(super) fn check(experiment: &Experiment, wide: bool) -> Result<(), Failure> {
    let forecasts = forecasts(experiment)?;
    let free = experiment.free_memory();
    let mut problems = too_large(experiment, &forecasts, free);
    let probed = experiment.probe(&forecasts, free);
    let probed = probed.map_err(Failure::Runtime)?;
    let times = experiment.times(&forecasts, &probed);
    let times = times.map_err(Failure::runtime)?;
    let table = ForecastTable::new(&forecasts, &probed, &times, wide);
    print(&format!(
        "{}\n\n{}{}\n\n{}",
        render_table(&table.table),
        describe(experiment, free),
        run_time(experiment, &times),
        legend(table.legend),
    ))?;
    if probed.contains(&Probed::TooSlow) {
        let seconds = TIME_FOR_PROBES.as_secs();
        print(&format!("\n–: not measured within {seconds} s.\n"))?;
    }
    let mut explained: Vec<(_, String)> = Vec::new();
    for (forecast, probed) in forecasts.iter().zip(&probed) {
        let reason = match probed {
            Probed::OutOfMemory(reason) => reason,
            Probed::Fails(reason) => {
                let name = &forecast.name;
                problems.push(format!(
                    "{name}: a step on its largest batch failed: {reason}"
                ));
                continue;
            }
            Probed::Fits { .. } | Probed::TooSlow | Probed::NoRoom => continue,
        };
        // Strategies with the same largest batch share one explanation.
        let same = explained
            .iter()
            .find(|(largest, _)| *largest == &forecast.largest);
        let explanation = match same {
            Some((_, explanation)) => explanation.clone(),
            None => experiment
                .did_not_fit(&forecast.largest, reason)
                .map_err(Failure::Runtime)?,
        };
        problems.push(format!("{}: {explanation}", forecast.name));
        explained.push((&forecast.largest, explanation));
    }
    for problem in &problems {
        say(problem);
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
        if forecast.epochs.iter().any(|epoch| epoch.batches == 0) {
            return Err(anyhow!(
                "strategy `{name}` has no batches for this corpus: it drops every utterance"
            ));
        }
        Ok(forecast)
    };
    let rows = experiment.config.strategy.iter().enumerate();
    rows.map(|(index, row)| forecast(index, &row.name))
        .collect::<Result<_, _>>()
        .map_err(Failure::Usage)
}

/// A message for every strategy whose largest batch exceeds the free memory, by the estimate.
fn too_large(experiment: &Experiment, forecasts: &[Forecast], free: Option<u64>) -> Vec<String> {
    let Some(free) = free else {
        return Vec::new();
    };
    let problem = |forecast: &Forecast| {
        let problem = experiment.too_large(&forecast.largest, free)?;
        Some(format!("{}: {problem}", forecast.name))
    };
    forecasts.iter().filter_map(problem).collect()
}

/// The time of all strategies, if all are known.
fn run_time(experiment: &Experiment, times: &[Option<f64>]) -> String {
    let Some(seconds) = times.iter().copied().sum::<Option<f64>>() else {
        return String::new();
    };
    let early = match experiment.config.train.patience {
        Some(_) => " Less if runs stop early.",
        None => "",
    };
    format!(
        "\nTime: about {} for all strategies and seeds; an estimate from one step per strategy.{early}",
        duration(seconds)
    )
}

/// The validation speakers, if the corpus names them.
pub(super) fn validation_speakers(experiment: &Experiment) -> Option<String> {
    let split = &experiment.split;
    let speakers = speakers_of(split.validation.as_ref());
    let listed = list_speakers(&speakers);
    let shared = match experiment.config.corpus.validation {
        _ if speakers.is_empty() => return None,
        // Generated speakers have the names of other speakers in the training set.
        HeldOutSet::Fresh(_) => return None,
        // Utterances are drawn, so both sets have utterances of the same speakers.
        HeldOutSet::Share(_) => {
            let training = speakers_of(split.training.as_ref());
            speakers.intersection(&training).count()
        }
        HeldOutSet::Speakers(_) | HeldOutSet::Pack(_) | HeldOutSet::Packs(_) => 0,
    };
    Some(match shared {
        0 => listed,
        shared => format!("{listed}; {shared} also in the training set"),
    })
}

/// Corpus, model and device, one line each.
fn describe(experiment: &Experiment, free: Option<u64>) -> String {
    let split = &experiment.split;
    let model = experiment.model();
    let choice = experiment.config.train.backend;
    let resolved = backend::resolve(choice).unwrap_or(choice);
    let device = backend::all()
        .into_iter()
        .find(|found| found.backend == resolved)
        .and_then(|found| found.device.ok())
        .unwrap_or_default();
    let free = free
        .map(|bytes| format!(", {} free", memory(bytes)))
        .unwrap_or_default();
    let speakers = validation_speakers(experiment)
        .map(|speakers| format!("\nValidation speakers: {speakers}."))
        .unwrap_or_default();
    format!(
        "Corpus: {} for training, {} for validation.{speakers}\nModel: {}, {}, {}.\nDevice: {} ({device}){free}.",
        count(split.training.len(), "utterance"),
        count(split.validation.len(), "utterance"),
        count(model.inputs, "input"),
        count(model.classes, "class"),
        count(model.parameter_count(), "parameter"),
        resolved.name(),
    )
}
