//! One row of an experiment: a strategy under a name, and what a paper says of it.

use std::collections::BTreeMap;

use padwise_sampler::{BatchOrder, Batching, Items, LastBatch, Order, Padding, Strategy};
use serde::{Deserialize, Serialize};

use super::{PaperColumn, Row};

/// A `[[strategy]]` table. The strategy is written on one line, or choice by choice as `padwise-sampler` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct StrategyRow {
    /// What the row is called; the strategy's one line where not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The strategy on one line, such as `semi-sorted:lrf=0.1,shuffle-batches`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Whole utterances, or chunks of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    /// The order in which items are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// When a batch is full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batching: Option<Batching>,
    /// What becomes of a batch that is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_batch: Option<LastBatch>,
    /// How long a batch is padded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding: Option<Padding>,
    /// The order of finished batches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_order: Option<BatchOrder>,
    /// What a paper reports for this row.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub paper: BTreeMap<PaperColumn, f64>,
}

impl StrategyRow {
    /// The strategy, or the key that is at fault and what is wrong with it.
    pub(super) fn strategy(&self, batch_size: u32) -> Result<Strategy, (&'static str, String)> {
        if let Some(line) = &self.line {
            let choice = self.choices().into_iter().find(|&(_, given)| given);
            if let Some((key, _)) = choice {
                return Err((
                    key,
                    format!(
                        "`{key}` beside `line`: write the strategy on one line or choice by choice, not both"
                    ),
                ));
            }
            if line.contains(char::is_control) {
                return Err((
                    "line",
                    "a strategy is one line without control characters".into(),
                ));
            }
            return Strategy::parse(line, batch_size).map_err(|error| ("line", error.to_string()));
        }
        let Some(order) = self.order.clone() else {
            return Err((
                "",
                "a strategy needs `line` or `order`, for instance line = \"random\"".into(),
            ));
        };
        let batching = self.batching.clone();
        let batching = batching.unwrap_or(Batching::Fixed { size: batch_size });
        let mut strategy = Strategy::new(order, batching);
        strategy.items = self.items.unwrap_or_default();
        strategy.last_batch = self.last_batch.unwrap_or_default();
        strategy.padding = self.padding.unwrap_or_default();
        strategy.batch_order = self.batch_order.unwrap_or_default();
        match strategy.validate() {
            Ok(()) => Ok(strategy),
            Err(error) => Err(("", error.to_string())),
        }
    }

    /// The keys that say a strategy choice by choice, and whether each is given.
    fn choices(&self) -> [(&'static str, bool); 6] {
        [
            ("items", self.items.is_some()),
            ("order", self.order.is_some()),
            ("batching", self.batching.is_some()),
            ("last-batch", self.last_batch.is_some()),
            ("padding", self.padding.is_some()),
            ("batch-order", self.batch_order.is_some()),
        ]
    }

    /// The row with its strategy on one line and everything filled in.
    pub(super) fn resolved(row: &Row) -> Self {
        StrategyRow {
            name: Some(row.name.clone()),
            line: Some(row.strategy.to_string()),
            paper: row.paper.clone(),
            ..StrategyRow::default()
        }
    }
}
