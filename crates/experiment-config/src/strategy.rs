//! The table `[[strategy]]`: one row of an experiment.

use std::collections::BTreeMap;

use padwise_sampler::excerpt::is_unprintable;
use padwise_sampler::{BatchOrder, Batching, Items, LastBatch, Order, Padding, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::KeyError;
use crate::limits::{MAX_WORKERS, above_zero, count, printable};
use crate::paper::{self, PaperColumn};
use crate::parallel::ParallelConfig;

/// A named strategy, ready to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name, unique in the config.
    pub name: String,
    /// The strategy.
    pub strategy: Strategy,
    /// Results that a paper reports for it.
    pub paper: BTreeMap<PaperColumn, f64>,
    /// Number of workers, if the config has `[train.parallel]`.
    #[serde(default)]
    pub workers: Option<u32>,
    /// Its own learning rate, if it has one.
    #[serde(default)]
    pub learning_rate: Option<f64>,
}

/// A batching strategy, either as one `line` or as the keys `order`, `batching` and so on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct StrategyTable {
    /// Name of the row in tables and plots, unique in the config. Default: the line with all defaults, for example `random,batch=16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The strategy in one line, for example `"semi-sorted:lrf=0.1,shuffle-batches"`. Default: none; set either `line` or `order`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// What a batch consists of: whole utterances or chunks. Default: `"utterances"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
    /// Order in which items are drawn into batches. Default: none; set either `line` or `order`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Batch size rule: a fixed size, a frame budget or a dynamic size. Default: `{ fixed = { size = N } }`, where N is `train.batch-size`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batching: Option<Batching>,
    /// What to do with a batch that is not full. Default: `"keep"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_batch: Option<LastBatch>,
    /// Length that a batch is padded to. Default: `"longest"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding: Option<Padding>,
    /// Order of the finished batches. Default: `"as-built"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_order: Option<BatchOrder>,
    /// Results that a paper reports for this strategy, shown next to ours. Default: none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "paper::schema_of_numbers")]
    pub paper: BTreeMap<PaperColumn, f64>,
    /// Number of workers. Default: those of `train.parallel.workers`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_WORKERS))]
    pub workers: Option<u32>,
    /// Learning rate. Default: `train.learning-rate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate: Option<f64>,
}

impl StrategyTable {
    /// The row of the `[[strategy]]` table number `index`.
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
        if name.is_empty() {
            return Err(at("name", &"name is empty: write a name, or leave it out"));
        }
        printable(&format!("strategy.{index}.name"), &name)?;
        if let Some((column, value)) = self.paper.iter().find(|(_, value)| !value.is_finite()) {
            let problem = format!("{} is {value}: it must be a finite number", column.name());
            return Err(at(&format!("paper.{}", column.name()), &problem));
        }
        let key = format!("strategy.{index}.learning-rate");
        above_zero(&key, self.learning_rate, "")?;
        Ok(Row {
            name,
            strategy,
            paper: self.paper.clone(),
            workers: self.workers,
            learning_rate: self.learning_rate,
        })
    }

    /// The rows for several numbers of workers. A table with its own number has one row.
    pub(crate) fn rows(
        &self,
        index: usize,
        batch_size: u32,
        parallel: Option<&ParallelConfig>,
    ) -> Result<Vec<Row>, KeyError> {
        let row = self.row(index, batch_size)?;
        let key = format!("strategy.{index}.workers");
        let counts = match (self.workers, parallel) {
            (None, None) => return Ok(vec![row]),
            (Some(_), None) => {
                let problem = "a strategy with `workers` needs the table [train.parallel]";
                return Err(KeyError::new(key, problem));
            }
            (Some(workers), Some(_)) => {
                count(&key, workers.into(), 1..=MAX_WORKERS)?;
                return Ok(vec![row]);
            }
            (None, Some(parallel)) => parallel.workers.counts(),
        };
        let named = |workers: u32| match (counts.len(), workers) {
            (1, _) => row.name.clone(),
            (_, 1) => format!("{}, 1 worker", row.name),
            _ => format!("{}, {workers} workers", row.name),
        };
        let rows = counts.iter().map(|&workers| Row {
            name: named(workers),
            workers: Some(workers),
            ..row.clone()
        });
        Ok(rows.collect())
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
                    "`{key}` cannot be combined with `line`: write the strategy in one line or key by key"
                );
                return Err(at(key, &problem));
            }
            if line.contains(is_unprintable) {
                return Err(at(
                    "line",
                    &"line contains a control or invisible character: write the strategy as one line of text",
                ));
            }
            return Strategy::parse(line, batch_size).map_err(|error| at("line", &error));
        }
        let Some(order) = self.order.clone() else {
            return Err(at(
                "",
                &"a strategy needs `line` or `order`, for example line = \"random\"",
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

    /// The keys that cannot be combined with `line`, and whether each is set.
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
    /// The strategy in one line, with all defaults filled in.
    fn from(row: &Row) -> Self {
        StrategyTable {
            name: Some(row.name.clone()),
            line: Some(row.strategy.to_string()),
            paper: row.paper.clone(),
            workers: row.workers,
            learning_rate: row.learning_rate,
            ..StrategyTable::default()
        }
    }
}
