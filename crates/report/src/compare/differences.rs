//! Differences between the conditions of two runs: machines, versions, configs and batches.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::findings::Findings;
use crate::record::{Metric, Recorded};

/// A value that differs between two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The key with its parents, such as `model.hidden`.
    pub what: String,
    /// The value in the first run.
    pub old: String,
    /// The value in the second run.
    pub new: String,
}

/// Differences between the environments. A run that was resumed elsewhere has several values per key.
pub(super) fn environments(old: &Recorded, new: &Recorded) -> Vec<Difference> {
    let flat = |recorded: &Recorded| {
        let mut values: BTreeMap<String, String> = BTreeMap::new();
        for environment in &recorded.environments {
            let value = serde_json::to_value(environment).unwrap_or_default();
            let mut one = BTreeMap::new();
            flatten("", &value, &mut one);
            for (key, value) in one {
                let known = values.entry(key).or_default();
                if known.is_empty() {
                    *known = value;
                } else if !known.split("; ").any(|part| part == value) {
                    *known += &format!("; {value}");
                }
            }
        }
        values
    };
    different(&flat(old), &flat(new))
}

/// Differences between the configs, except for names and titles.
pub(super) fn configs(old: &Recorded, new: &Recorded) -> Vec<Difference> {
    let flat = |recorded: &Recorded| {
        let value = serde_json::to_value(recorded.config.written()).unwrap_or_default();
        let mut values = BTreeMap::new();
        for (key, value) in value.as_object().into_iter().flatten() {
            // Strategies are compared separately.
            if !["name", "title", "strategy"].contains(&key.as_str()) {
                flatten(key, value, &mut values);
            }
        }
        values
    };
    different(&flat(old), &flat(new))
}

/// Reasons why two strategies of the same name may not be comparable.
pub(super) fn doubts(
    old: &Findings,
    old_row: usize,
    new: &Findings,
    new_row: usize,
) -> Vec<String> {
    let name = old.name(old_row);
    let line = |findings: &Findings, row: usize| findings.summary.rows[row].resolved.clone();
    let (old_line, new_line) = (line(old, old_row), line(new, new_row));
    let mut doubts = Vec::new();
    if old_line != new_line {
        doubts.push(format!(
            "{name} is a different strategy: `{old_line}` in the first run, `{new_line}` in the second"
        ));
    }
    let padding = |findings: &Findings, row| findings.mean(row, Metric::ZprPercent);
    let paddings = padding(old, old_row).zip(padding(new, new_row));
    if let Some((old, new)) = paddings.filter(|(old, new)| (old - new).abs() > 0.05) {
        doubts.push(format!(
            "{name} was trained on different batches: ZPR {old:.2} % in the first run, {new:.2} % in the second"
        ));
    }
    let predicted = match (
        old.time_is_predicted(old_row),
        new.time_is_predicted(new_row),
    ) {
        (true, true) => Some("both runs"),
        (true, false) => Some("the first run only"),
        (false, true) => Some("the second run only"),
        (false, false) => None,
    };
    doubts.extend(predicted.map(|runs| format!("times of {name} are predicted in {runs}")));
    for (which, findings, row) in [("first", old, old_row), ("second", new, new_row)] {
        let status = &findings.rows[row].status;
        if !status.is_complete() {
            doubts.push(format!("{name} in the {which} run: {}", status.trouble()));
        }
    }
    doubts
}

pub(super) fn flatten(key: &str, value: &Value, into: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let key = if key.is_empty() {
                    name.clone()
                } else {
                    format!("{key}.{name}")
                };
                flatten(&key, value, into);
            }
        }
        Value::String(text) => {
            into.insert(key.into(), text.clone());
        }
        Value::Null => {}
        other => {
            into.insert(key.into(), other.to_string());
        }
    }
}

pub(super) fn different(
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) -> Vec<Difference> {
    let value = |values: &BTreeMap<String, String>, key: &str| {
        values
            .get(key)
            .cloned()
            .unwrap_or_else(|| "(not set)".into())
    };
    let mut keys: Vec<&String> = old.keys().chain(new.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter()
        .map(|key| Difference {
            what: key.clone(),
            old: value(old, key),
            new: value(new, key),
        })
        .filter(|difference| difference.old != difference.new)
        .collect()
}
