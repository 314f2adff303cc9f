//! One row of an experiment: a strategy under a name, and what a paper says of it.

use std::collections::BTreeMap;

use padwise_sampler::{BatchOrder, Batching, Items, LastBatch, Order, Padding, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::KeyError;
use crate::paper::{self, PaperColumn};

/// A strategy that can be run, under its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What it is called, different from every other row's.
    pub name: String,
    /// The strategy.
    pub strategy: Strategy,
    /// What a paper reports for it.
    pub paper: BTreeMap<PaperColumn, f64>,
}

/// A `[[strategy]]` table. The strategy is written on one line, or choice by choice as `padwise-sampler` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct StrategyTable {
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
    #[schemars(schema_with = "paper::schema_of_numbers")]
    pub paper: BTreeMap<PaperColumn, f64>,
}

impl StrategyTable {
    /// The row that number `index` of the tables stands for.
    pub(crate) fn row(&self, index: usize, batch_size: u32) -> Result<Row, KeyError> {
        let at = |key: &str, message: &dyn ToString| {
            let key = ["strategy", &index.to_string(), key].join(".");
            KeyError::new(key.trim_end_matches('.'), message.to_string())
        };
        let strategy = self.strategy(batch_size, at)?;
        let name = match &self.name {
            Some(name) => name.trim().to_owned(),
            None => strategy.to_string(),
        };
        // Names go into tables and onto terminals as they are.
        if name.is_empty() || name.contains(char::is_control) {
            let problem = format!("name is {name:?}: give the row a name of one line");
            return Err(at("name", &problem));
        }
        Ok(Row {
            name,
            strategy,
            paper: self.paper.clone(),
        })
    }

    fn strategy(
        &self,
        batch_size: u32,
        at: impl Fn(&str, &dyn ToString) -> KeyError,
    ) -> Result<Strategy, KeyError> {
        if let Some(line) = &self.line {
            let choice = self.choices().into_iter().find(|&(_, given)| given);
            if let Some((key, _)) = choice {
                let problem = format!(
                    "`{key}` beside `line`: write the strategy on one line or choice by choice, not both"
                );
                return Err(at(key, &problem));
            }
            if line.contains(char::is_control) {
                return Err(at(
                    "line",
                    &"a strategy is one line without control characters",
                ));
            }
            return Strategy::parse(line, batch_size).map_err(|error| at("line", &error));
        }
        let Some(order) = self.order.clone() else {
            return Err(at(
                "",
                &"a strategy needs `line` or `order`, for instance line = \"random\"",
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
            Err(error) => Err(at("", &error)),
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
}

impl From<&Row> for StrategyTable {
    /// The strategy on one line, with everything filled in.
    fn from(row: &Row) -> Self {
        StrategyTable {
            name: Some(row.name.clone()),
            line: Some(row.strategy.to_string()),
            paper: row.paper.clone(),
            ..StrategyTable::default()
        }
    }
}
