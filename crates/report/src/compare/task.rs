//! Whether two records measure the same task: the same corpus and objective.
//!
//! Otherwise a change of a loss, an error rate or a speed says nothing about the program or the strategy.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use thiserror::Error;

use super::differences::{Difference, different, flatten};
use crate::record::Recorded;

/// Two records of different tasks.
#[derive(Debug, Error)]
#[error(
    "the records cannot be judged against each other: {what} is `{old}` in the first and `{new}` in the second; compare records of the same corpus and objective"
)]
pub struct OtherTask {
    /// The first value that differs.
    pub what: String,
    /// Its value in the first record.
    pub old: String,
    /// Its value in the second record.
    pub new: String,
}

/// Checks that two records have the same corpus and objective.
pub(super) fn check_same(old: &Recorded, new: &Recorded) -> Result<(), OtherTask> {
    let different = different(&task(old), &task(new));
    match different.into_iter().next() {
        Some(Difference { what, old, new }) => Err(OtherTask { what, old, new }),
        None => Ok(()),
    }
}

/// The settings that define the task. Packs count by their names, because a repeated run may have them elsewhere.
fn task(recorded: &Recorded) -> BTreeMap<String, String> {
    let config = &recorded.config;
    let mut corpus = serde_json::to_value(&config.corpus).unwrap_or_default();
    without_folders(&mut corpus);
    let mut values = BTreeMap::new();
    flatten("corpus", &corpus, &mut values);
    let objective = config.train.objective.name().to_owned();
    values.insert("train.objective".into(), objective);
    values
}

fn without_folders(value: &mut Value) {
    match value {
        Value::String(text) => {
            let name = Path::new(text.as_str()).file_name();
            if let Some(name) = name.and_then(|name| name.to_str()) {
                *text = name.to_owned();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(without_folders),
        Value::Object(fields) => fields.values_mut().for_each(without_folders),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
