//! Whether two records measure the same task: the same corpus and objective.
//!
//! Otherwise a change of a loss, an error rate or a speed says nothing about the program or the strategy.

use std::collections::BTreeMap;

use serde_json::Value;
use thiserror::Error;

use super::differences::{Difference, different, flatten};
use super::packs::different_pack;
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
    let different = different(&settings(old), &settings(new)).into_iter();
    match different.chain(different_pack(old, new)).next() {
        Some(Difference { what, old, new }) => Err(OtherTask { what, old, new }),
        None => Ok(()),
    }
}

/// The settings that define the task, without packs.
fn settings(recorded: &Recorded) -> BTreeMap<String, String> {
    let config = &recorded.config;
    let mut corpus = serde_json::to_value(&config.corpus).unwrap_or_default();
    remove_packs(&mut corpus);
    let mut values = BTreeMap::new();
    flatten("corpus", &corpus, &mut values);
    let objective = config.train.objective.name().to_owned();
    values.insert("train.objective".into(), objective);
    values
}

fn remove_packs(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|key, _| key != "pack" && key != "packs");
        fields.values_mut().for_each(remove_packs);
    }
}
