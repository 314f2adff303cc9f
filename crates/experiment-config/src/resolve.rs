//! Checks a config's values and parses its strategies, before any file is opened.

use std::collections::BTreeSet;

use padwise_model_config::{Schedule, SettingError};
use padwise_sampler::excerpt::excerpt;
use padwise_sampler::suggestion::suggest;

use crate::config::{Config, ExperimentConfig, MeasureConfig, ModelConfig, WrittenConfig};
use crate::error::KeyError;
use crate::held_out::HeldOutSet;
use crate::limits::{
    MAX_BATCH, MAX_EPOCHS, MAX_HIDDEN, MAX_LAYERS, MAX_MODEL_BYTES, MAX_NAME, MAX_SEEDS,
    MAX_THREADS, MAX_WARM_UP_STEPS, above_zero, count, printable,
};
use crate::strategy::Row;
use crate::train::TrainConfig;

impl WrittenConfig {
    /// The config with every strategy parsed, or the first error.
    pub(crate) fn resolve(self) -> Result<ExperimentConfig, KeyError> {
        check_name(&self.name)?;
        printable("title", &self.title)?;
        self.corpus.check()?;
        check_model(&self.model)?;
        check_train(&self.train)?;
        self.check_trainer()?;
        let strategy = self.rows()?;
        let measure = self.measure(&strategy)?;
        self.check_words()?;
        Ok(Config {
            name: self.name,
            title: self.title,
            corpus: self.corpus,
            features: self.features,
            model: self.model,
            train: self.train,
            measure,
            strategy,
        })
    }

    /// Checks the settings that `padwise-model-config` validates. Its errors name Rust fields, which become config keys here.
    fn check_trainer(&self) -> Result<(), KeyError> {
        let key_error = |table: &str, error: SettingError| {
            let key = error.setting.replace('_', "-");
            let problem = format!("{key} is {}: {}", error.value, error.remedy);
            KeyError::new(format!("{table}.{key}"), problem)
        };
        self.trainer(1, 2, 0).validate().map_err(|error| {
            let table = match error.setting {
                "layers" | "hidden" | "dropout" => "model",
                _ => "train",
            };
            key_error(table, error)
        })?;
        let schedule = &self.train.schedule;
        let table = match schedule {
            Schedule::Plateau { .. } => "train.schedule.plateau",
            Schedule::Constant | Schedule::Step { .. } => "train.schedule.step",
        };
        schedule.validate().map_err(|error| key_error(table, error))
    }

    /// Checks the settings of word error rates, and that a test set has a use. Without word errors it can keep utterances of the
    /// corpus out of training, for example while learning rates are tuned.
    fn check_words(&self) -> Result<(), KeyError> {
        match (&self.measure.words, &self.corpus.test) {
            (Some(words), _) => words.check(self.train.objective),
            (None, Some(HeldOutSet::Speakers(_) | HeldOutSet::Share(_)) | None) => Ok(()),
            (None, Some(_)) => Err(KeyError::new(
                "corpus.test",
                "this test set is used only for word error rates: add the table [measure.words], or remove `test`",
            )),
        }
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
            let parallel = self.train.parallel.as_ref();
            for row in table.rows(index, self.train.batch_size, parallel)? {
                if rows.iter().any(|earlier| earlier.name == row.name) {
                    return Err(KeyError::new(
                        format!("strategy.{index}.name"),
                        format!(
                            "duplicate strategy name `{}`: give every strategy a unique `name`",
                            excerpt(&row.name)
                        ),
                    ));
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// The measurement settings. A baseline that runs with several numbers of workers becomes its first row.
    fn measure(&self, rows: &[Row]) -> Result<MeasureConfig, KeyError> {
        let mut measure = self.measure.clone();
        let is_row = |name: &String| rows.iter().any(|row| row.name == *name);
        if let Some(baseline) = measure.baseline.as_mut().filter(|name| !is_row(name)) {
            for (index, table) in self.strategy.iter().enumerate() {
                let (batch_size, parallel) = (self.train.batch_size, self.train.parallel.as_ref());
                if table.row(index, batch_size)?.name == *baseline
                    && let Some(first) = table.rows(index, batch_size, parallel)?.into_iter().next()
                {
                    *baseline = first.name;
                    break;
                }
            }
        }
        check_measure(&measure, rows)?;
        check_patience(self.train.patience, measure.validate_every)?;
        Ok(measure)
    }
}

/// The name becomes the name of a folder.
fn check_name(name: &str) -> Result<(), KeyError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let begins_well = !name.starts_with(['.', '-']);
    if name.is_empty() || name.len() > MAX_NAME || !begins_well || !name.chars().all(allowed) {
        return Err(KeyError::new(
            "name",
            format!(
                "name is \"{}\": it names the results folder, so use up to {MAX_NAME} letters, digits, `-`, `_` and `.`, and do not start with `.` or `-`",
                excerpt(name)
            ),
        ));
    }
    Ok(())
}

/// Checks the size of the model with the smallest possible input and output.
fn check_model(model: &ModelConfig) -> Result<(), KeyError> {
    count("model.layers", model.layers as u64, 1..=MAX_LAYERS)?;
    count("model.hidden", model.hidden as u64, 1..=MAX_HIDDEN)?;
    // Two directions of four gates: recurrent weights, two biases, and weights from one input or from both directions below.
    let (layers, hidden) = (model.layers as u128, model.hidden as u128);
    let weights = hidden + 3 + (layers - 1) * (3 * hidden + 2);
    let bytes = 4 * 8 * hidden * weights;
    if bytes > MAX_MODEL_BYTES {
        return Err(KeyError::new(
            "model.hidden",
            format!(
                "hidden is {hidden}: {layers} layers of this size need about {} GB for their parameters, and the limit is {} GB; use fewer layers or units",
                bytes / 1_000_000_000,
                MAX_MODEL_BYTES / 1_000_000_000
            ),
        ));
    }
    Ok(())
}

fn check_train(train: &TrainConfig) -> Result<(), KeyError> {
    count("train.epochs", train.epochs, 1..=MAX_EPOCHS)?;
    if train.seeds.is_empty() {
        return Err(KeyError::new(
            "train.seeds",
            "seeds is empty: set at least one, for example seeds = [1, 2, 3]",
        ));
    }
    if train.seeds.len() > MAX_SEEDS {
        let problem = format!("{} seeds: use at most {MAX_SEEDS}", train.seeds.len());
        return Err(KeyError::new("train.seeds", problem));
    }
    let mut seen = BTreeSet::new();
    if let Some(seed) = train.seeds.iter().find(|&seed| !seen.insert(seed)) {
        return Err(KeyError::new(
            "train.seeds",
            format!("duplicate seed {seed}: a seed repeats the same run, so list it once"),
        ));
    }
    count("train.batch-size", train.batch_size.into(), 1..=MAX_BATCH)?;
    let threads = train.loader_threads as u64;
    count("train.loader-threads", threads, 0..=MAX_THREADS)?;
    if !(train.divergence > 1.0 && train.divergence.is_finite()) {
        return Err(KeyError::new(
            "train.divergence",
            format!(
                "divergence is {}: it must be finite and above 1 (10 stops a run whose loss exceeds 10 times its first loss)",
                train.divergence
            ),
        ));
    }
    if let Some(parallel) = &train.parallel {
        parallel.check()?;
    }
    let remedy = "; remove it to train all epochs";
    above_zero("train.stop-minutes", train.stop_minutes, remedy)?;
    above_zero("train.stop-loss", train.stop_loss, remedy)?;
    if let Some(patience) = train.patience {
        count("train.patience", patience, 1..=MAX_EPOCHS)?;
    }
    let (rate, schedule) = (train.learning_rate.unwrap_or(1.0), &train.schedule);
    let last = rate * schedule.factor(train.epochs.saturating_sub(1), &[]);
    if rate.is_finite() && last.is_infinite() {
        let problem = "the learning rate of the last epoch is infinite: use a smaller factor";
        return Err(KeyError::new("train.schedule", problem));
    }
    Ok(())
}

/// A run must not stop before its next validation.
fn check_patience(patience: Option<u64>, validate_every: u64) -> Result<(), KeyError> {
    match patience {
        Some(patience) if patience < validate_every => Err(KeyError::new(
            "train.patience",
            format!(
                "patience is {patience}, but measure.validate-every is {validate_every}, so a run would stop before its next \
                 validation: use at least {validate_every}"
            ),
        )),
        _ => Ok(()),
    }
}

fn check_measure(measure: &MeasureConfig, rows: &[Row]) -> Result<(), KeyError> {
    let batch = measure.validation_batch.into();
    count("measure.validation-batch", batch, 1..=MAX_BATCH)?;
    let every = measure.validate_every;
    count("measure.validate-every", every, 1..=MAX_EPOCHS)?;
    let steps = measure.warm_up_steps.into();
    count("measure.warm-up-steps", steps, 0..=MAX_WARM_UP_STEPS)?;
    above_zero("measure.target-loss", measure.target_loss, "")?;
    above_zero("measure.margin", measure.margin, "")?;
    if let Some(baseline) = &measure.baseline
        && !rows.iter().any(|row| row.name == *baseline)
    {
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let hint = suggest(baseline, &names)
            .map(|name| format!("; did you mean `{name}`?"))
            .unwrap_or_default();
        // Names may contain commas.
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        return Err(KeyError::new(
            "measure.baseline",
            format!(
                "no strategy is named `{}`; the strategies are {}{hint}",
                excerpt(baseline),
                quoted.join(", ")
            ),
        ));
    }
    Ok(())
}
