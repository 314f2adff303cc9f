//! The numbers of a paper, beside which ours are printed.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A column of a paper's table, under the name that a config gives it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum PaperColumn {
    /// Batches of an epoch.
    Batches,
    /// The zero-padding rate, in percent.
    ZprPercent,
    /// The average batch length, in frames.
    Abl,
    /// Utterances trained in a second.
    UtterancesPerSecond,
    /// The peak of the device's memory, in gigabytes.
    MemoryGb,
    /// Seconds that an epoch of training takes.
    EpochSeconds,
    /// Minutes that an epoch of training takes.
    EpochMinutes,
    /// Time saved against the baseline, in percent.
    TimeSavedPercent,
    /// How many times faster than the baseline an epoch is.
    SpeedUp,
    /// Word error rate, in percent: beside our sequence error rate, which is another thing.
    WordErrorPercent,
    /// Smoothed validation loss early in training, at 100/220 of it.
    ValidationLossEarly,
    /// Smoothed validation loss in the middle of training, at 160/220 of it.
    ValidationLossMiddle,
    /// Validation loss at the end.
    ValidationLoss,
    /// Validation loss averaged from the early point to the end.
    ValidationLossAverage,
}

impl PaperColumn {
    /// Its name in configs.
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    /// Its title beside ours.
    pub fn title(self) -> &'static str {
        match self {
            PaperColumn::WordErrorPercent => "paper's WER %",
            _ => "paper's",
        }
    }

    /// Converts its numbers to the unit of our column: minutes become seconds.
    pub fn factor(self) -> f64 {
        match self {
            PaperColumn::EpochMinutes => 60.0,
            _ => 1.0,
        }
    }
}

/// The schema of a table of numbers with these columns as keys, so that editors can complete them.
pub(crate) fn schema_of_numbers(generator: &mut SchemaGenerator) -> Schema {
    let columns = generator.subschema_for::<PaperColumn>().to_value();
    let columns = columns["oneOf"].as_array().cloned().unwrap_or_default();
    let properties: Map<String, Value> = columns
        .iter()
        .filter_map(|column| {
            let number = json!({ "description": column["description"], "type": "number" });
            Some((column["const"].as_str()?.to_owned(), number))
        })
        .collect();
    json_schema!({
        "description": "What a paper reports for this row.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}
