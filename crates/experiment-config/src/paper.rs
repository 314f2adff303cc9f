//! Results from the papers, shown next to ours.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A column of a paper's table, named as in configs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum PaperColumn {
    /// Batches per epoch.
    Batches,
    /// Zero padding rate (ZPR), in percent.
    ZprPercent,
    /// Average batch length (ABL), in frames.
    Abl,
    /// Training throughput, in utterances per second.
    UtterancesPerSecond,
    /// Peak device memory, in GB.
    MemoryGb,
    /// Training time per epoch, in seconds.
    EpochSeconds,
    /// Training time per epoch, in minutes.
    EpochMinutes,
    /// Training time saved relative to the baseline, in percent.
    TimeSavedPercent,
    /// Speed relative to the baseline (2 means twice as fast).
    SpeedUp,
    /// Word error rate, in percent; shown next to our phone error rate, which is a different metric.
    WordErrorPercent,
    /// Smoothed validation loss at 100/220 of the training.
    ValidationLossEarly,
    /// Smoothed validation loss at 160/220 of the training.
    ValidationLossMiddle,
    /// Validation loss at the end of training.
    ValidationLoss,
    /// Validation loss averaged from 100/220 of the training to its end.
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

    /// The factor that converts its unit to that of our column, for example minutes to seconds.
    pub fn factor(self) -> f64 {
        match self {
            PaperColumn::EpochMinutes => 60.0,
            _ => 1.0,
        }
    }
}

/// The schema of a table with one number per column, so editors can complete its keys.
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
        "description": "Results that a paper reports for this strategy, shown next to ours. Default: none.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}
