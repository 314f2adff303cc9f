//! What can be wrong with a config though every value has the right type; found before anything is opened.

use std::collections::BTreeMap;

use super::error::nearest;
use super::read::Problem;
use super::{Row, RunConfig};

/// The rows that can be run, or the first thing that is wrong.
pub(super) fn check(config: &RunConfig) -> Result<Vec<Row>, Problem> {
    check_name(&config.name)?;
    check_corpus(config)?;
    check_train(config)?;
    let rows = rows(config)?;
    check_measure(config, &rows)?;
    Ok(rows)
}

fn problem(keys: &[&str], message: impl Into<String>) -> Problem {
    Problem {
        keys: keys.iter().map(|&key| key.to_owned()).collect(),
        message: message.into(),
    }
}

/// The name becomes a folder.
fn check_name(name: &str) -> Result<(), Problem> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(allowed) {
        return Err(problem(
            &["name"],
            format!(
                "name is {name:?}: it becomes a folder, so use letters, digits, `-`, `_` and `.`, and do not begin with `.`"
            ),
        ));
    }
    Ok(())
}

fn check_corpus(config: &RunConfig) -> Result<(), Problem> {
    config.corpus.check().map_err(|(key, message)| {
        let keys: Vec<&str> = std::iter::once("corpus").chain(key.split('.')).collect();
        problem(&keys, message)
    })
}

fn check_train(config: &RunConfig) -> Result<(), Problem> {
    let train = &config.train;
    let trainer = train.trainer(&config.model, 1, 2, 0);
    // The model names its settings in its own spelling.
    if let Err(error) = trainer.validate() {
        let key = error.setting.replace('_', "-");
        let path: &[&str] = match error.setting {
            "layers" | "hidden" | "dropout" => &["model", &key],
            "every" | "factor" => &["train", "schedule", "step", &key],
            _ => &["train", &key],
        };
        return Err(problem(
            path,
            error.to_string().replacen(error.setting, &key, 1),
        ));
    }
    if train.epochs == 0 {
        return Err(problem(
            &["train", "epochs"],
            "epochs is 0: it must be at least 1",
        ));
    }
    if train.seeds.is_empty() {
        return Err(problem(
            &["train", "seeds"],
            "seeds is empty: give at least one, for instance seeds = [1, 2, 3]",
        ));
    }
    let mut seen = BTreeMap::new();
    for seed in &train.seeds {
        if seen.insert(seed, ()).is_some() {
            return Err(problem(
                &["train", "seeds"],
                format!(
                    "seed {seed} is given twice: the same seed gives the same run; use another"
                ),
            ));
        }
    }
    if train.batch_size == 0 {
        return Err(problem(
            &["train", "batch-size"],
            "batch-size is 0: it must be at least 1",
        ));
    }
    if train.divergence.is_nan() || train.divergence <= 1.0 {
        return Err(problem(
            &["train", "divergence"],
            format!(
                "divergence is {}: it must be above 1, for instance 10 to end a run whose loss is ten times its first",
                train.divergence
            ),
        ));
    }
    for (key, value) in [
        ("stop-minutes", train.stop_minutes),
        ("stop-loss", train.stop_loss),
    ] {
        if let Some(value) = value
            && (value.is_nan() || value <= 0.0)
        {
            return Err(problem(
                &["train", key],
                format!("{key} is {value}: it must be above 0; leave it out to train all epochs"),
            ));
        }
    }
    Ok(())
}

fn rows(config: &RunConfig) -> Result<Vec<Row>, Problem> {
    if config.strategy.is_empty() {
        return Err(problem(
            &["strategy"],
            "there is no strategy: add at least one, for instance\n  [[strategy]]\n  line = \"random\"",
        ));
    }
    let mut rows: Vec<Row> = Vec::new();
    for (index, row) in config.strategy.iter().enumerate() {
        let number = index.to_string();
        let strategy = row
            .strategy(config.train.batch_size)
            .map_err(|(key, message)| problem(&["strategy", &number, key], message))?;
        let name = match &row.name {
            Some(name) => name.trim().to_owned(),
            None => strategy.to_string(),
        };
        // Names go into tables and onto terminals as they are.
        if name.is_empty() || name.contains(char::is_control) {
            return Err(problem(
                &["strategy", &number, "name"],
                format!("name is {name:?}: give the row a name of one line"),
            ));
        }
        if rows.iter().any(|earlier| earlier.name == name) {
            return Err(problem(
                &["strategy", &number, "name"],
                format!("two rows are called `{name}`: give each a `name` of its own"),
            ));
        }
        rows.push(Row {
            name,
            strategy,
            paper: row.paper.clone(),
        });
    }
    Ok(rows)
}

fn check_measure(config: &RunConfig, rows: &[Row]) -> Result<(), Problem> {
    let measure = &config.measure;
    if measure.validation_batch == 0 || measure.validate_every == 0 {
        let key = if measure.validation_batch == 0 {
            "validation-batch"
        } else {
            "validate-every"
        };
        return Err(problem(
            &["measure", key],
            format!("{key} is 0: it must be at least 1"),
        ));
    }
    if let Some(loss) = measure.target_loss
        && (loss.is_nan() || loss <= 0.0)
    {
        return Err(problem(
            &["measure", "target-loss"],
            format!("target-loss is {loss}: it must be above 0"),
        ));
    }
    if let Some(baseline) = &measure.baseline
        && !rows.iter().any(|row| row.name == *baseline)
    {
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let hint = nearest(baseline, &names)
            .map(|name| format!("; did you mean `{name}`?"))
            .unwrap_or_default();
        return Err(problem(
            &["measure", "baseline"],
            format!(
                "no row is called `{baseline}`; there are {}{hint}",
                names.join(", ")
            ),
        ));
    }
    Ok(())
}
