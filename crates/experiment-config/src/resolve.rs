//! Checks a config's values and parses its strategies, before any file is opened.

use std::collections::BTreeSet;

use padwise_sampler::suggestion::suggest;

use crate::config::{Config, ExperimentConfig, MeasureConfig, WrittenConfig};
use crate::error::KeyError;
use crate::strategy::Row;
use crate::train::TrainConfig;

impl WrittenConfig {
    /// The config with every strategy parsed, or the first error.
    pub(crate) fn resolve(self) -> Result<ExperimentConfig, KeyError> {
        check_name(&self.name)?;
        self.corpus.check()?;
        self.check_trainer()?;
        check_train(&self.train)?;
        let strategy = self.rows()?;
        check_measure(&self.measure, &strategy)?;
        Ok(Config {
            name: self.name,
            title: self.title,
            corpus: self.corpus,
            features: self.features,
            model: self.model,
            train: self.train,
            measure: self.measure,
            strategy,
        })
    }

    /// Checks the settings that `padwise-model-config` validates. Its errors name Rust fields, which become config keys here.
    fn check_trainer(&self) -> Result<(), KeyError> {
        self.trainer(1, 2, 0).validate().map_err(|error| {
            let key = error.setting.replace('_', "-");
            let table = match error.setting {
                "layers" | "hidden" | "dropout" => "model",
                "every" | "factor" => "train.schedule.step",
                _ => "train",
            };
            let problem = format!("{key} is {}: {}", error.value, error.remedy);
            KeyError::new(format!("{table}.{key}"), problem)
        })
    }

    fn rows(&self) -> Result<Vec<Row>, KeyError> {
        if self.strategy.is_empty() {
            return Err(KeyError::new(
                "strategy",
                "no strategy: add at least one [[strategy]] table, for example with line = \"random\"",
            ));
        }
        let mut rows: Vec<Row> = Vec::new();
        for (index, table) in self.strategy.iter().enumerate() {
            let row = table.row(index, self.train.batch_size)?;
            if rows.iter().any(|earlier| earlier.name == row.name) {
                return Err(KeyError::new(
                    format!("strategy.{index}.name"),
                    format!(
                        "duplicate strategy name `{}`: give every strategy a unique `name`",
                        row.name
                    ),
                ));
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

/// The name becomes the name of a folder.
fn check_name(name: &str) -> Result<(), KeyError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(allowed) {
        return Err(KeyError::new(
            "name",
            format!(
                "name is {name:?}: it names the results folder, so use letters, digits, `-`, `_` and `.`, and do not start with `.`"
            ),
        ));
    }
    Ok(())
}

/// Checks a count that must not be zero. `key` is the full key.
fn at_least_one(key: &str, value: u64) -> Result<(), KeyError> {
    if value > 0 {
        return Ok(());
    }
    let name = key.rsplit('.').next().unwrap_or(key);
    Err(KeyError::new(
        key,
        format!("{name} is 0: it must be at least 1"),
    ))
}

/// Checks an optional number that must be above zero.
fn above_zero(key: &str, value: Option<f64>, remedy: &str) -> Result<(), KeyError> {
    let name = key.rsplit('.').next().unwrap_or(key);
    match value {
        Some(value) if value.is_nan() || value <= 0.0 => Err(KeyError::new(
            key,
            format!("{name} is {value}: it must be above 0{remedy}"),
        )),
        _ => Ok(()),
    }
}

fn check_train(train: &TrainConfig) -> Result<(), KeyError> {
    at_least_one("train.epochs", train.epochs)?;
    if train.seeds.is_empty() {
        return Err(KeyError::new(
            "train.seeds",
            "seeds is empty: set at least one, for example seeds = [1, 2, 3]",
        ));
    }
    let mut seen = BTreeSet::new();
    if let Some(seed) = train.seeds.iter().find(|&seed| !seen.insert(seed)) {
        return Err(KeyError::new(
            "train.seeds",
            format!("duplicate seed {seed}: a seed repeats the same run, so list it once"),
        ));
    }
    at_least_one("train.batch-size", train.batch_size.into())?;
    if train.divergence.is_nan() || train.divergence <= 1.0 {
        return Err(KeyError::new(
            "train.divergence",
            format!(
                "divergence is {}: it must be above 1 (10 stops a run whose loss exceeds 10 times its first loss)",
                train.divergence
            ),
        ));
    }
    let remedy = "; remove it to train all epochs";
    above_zero("train.stop-minutes", train.stop_minutes, remedy)?;
    above_zero("train.stop-loss", train.stop_loss, remedy)
}

fn check_measure(measure: &MeasureConfig, rows: &[Row]) -> Result<(), KeyError> {
    at_least_one("measure.validation-batch", measure.validation_batch.into())?;
    at_least_one("measure.validate-every", measure.validate_every)?;
    above_zero("measure.target-loss", measure.target_loss, "")?;
    if let Some(baseline) = &measure.baseline
        && !rows.iter().any(|row| row.name == *baseline)
    {
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let hint = suggest(baseline, &names)
            .map(|name| format!("; did you mean `{name}`?"))
            .unwrap_or_default();
        return Err(KeyError::new(
            "measure.baseline",
            format!(
                "no strategy is named `{baseline}`; the strategies are {}{hint}",
                names.join(", ")
            ),
        ));
    }
    Ok(())
}
