//! Plans and shards, with their contents as NumPy arrays.

use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use padwise_sampler::{Batch, DropReason, Item, PlanError, Sampler, Strategy};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::value_error;

type Array<'py> = Bound<'py, PyArray1<i64>>;

/// Plans one epoch.
#[pyfunction]
pub(crate) fn plan(
    py: Python<'_>,
    lengths: PyReadonlyArray1<'_, u32>,
    strategy: &str,
    seed: u64,
    epoch: u64,
) -> PyResult<Plan> {
    let strategy: Strategy = strategy.parse().map_err(value_error)?;
    let sampler = Sampler::new(strategy, seed).map_err(value_error)?;
    let lengths = lengths.as_slice()?;
    let plan = py.detach(|| sampler.plan(lengths, epoch));
    Ok(Plan(Arc::new(plan.map_err(value_error)?)))
}

/// Checks that an epoch of `batches` batches can be resumed at `batch`.
#[pyfunction]
pub(crate) fn check_batch(batch: usize, batches: usize) -> PyResult<()> {
    if batch > batches {
        return Err(value_error(PlanError::NoSuchBatch { batch, batches }));
    }
    Ok(())
}

/// The batches of one epoch.
#[pyclass(frozen)]
pub(crate) struct Plan(Arc<padwise_sampler::Plan>);

/// The batches of a plan or of one rank, as arrays.
#[pyclass(frozen)]
pub(crate) struct Batches {
    plan: Arc<padwise_sampler::Plan>,
    /// The plan's batch at each step.
    steps: Vec<usize>,
}

#[pymethods]
impl Plan {
    fn batches(&self) -> Batches {
        Batches {
            plan: Arc::clone(&self.0),
            steps: (0..self.0.len()).collect(),
        }
    }

    /// The index of the batch with the most padded frames.
    fn largest_batch(&self, py: Python<'_>) -> Option<usize> {
        py.detach(|| self.0.largest_batch().map(|batch| batch.index()))
    }

    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = py.detach(|| self.0.stats());
        let dict = PyDict::new(py);
        dict.set_item("items", stats.items)?;
        dict.set_item("batches", stats.batches)?;
        dict.set_item("zpr", stats.zpr)?;
        dict.set_item("abl", stats.abl)?;
        dict.set_item("pooled_padding", stats.pooled_padding)?;
        dict.set_item("valid_frames", stats.valid_frames)?;
        dict.set_item("padded_frames", stats.padded_frames)?;
        dict.set_item("largest_batch_frames", stats.largest_batch_frames)?;
        dict.set_item("largest_batch_items", stats.largest_batch_items)?;
        dict.set_item("distinct_shapes", stats.distinct_shapes)?;
        dict.set_item("adjacent_correlation", stats.adjacent_correlation)?;
        dict.set_item("dropped", stats.dropped)?;
        dict.set_item("repeated_frames", stats.repeated_frames)?;
        Ok(dict)
    }

    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ledger = self.0.ledger();
        let dropped = ledger.dropped().iter().map(|dropped| {
            let item = item_dict(py, &dropped.item)?;
            item.set_item("reason", reason_name(dropped.reason))?;
            Ok(item)
        });
        let oversized = ledger.oversized().iter().map(|item| item_dict(py, item));
        let dict = PyDict::new(py);
        dict.set_item("sequences", ledger.sequences())?;
        dict.set_item("items", ledger.items())?;
        dict.set_item("dropped", dropped.collect::<PyResult<Vec<_>>>()?)?;
        dict.set_item("oversized", oversized.collect::<PyResult<Vec<_>>>()?)?;
        Ok(dict)
    }

    /// The fraction of pairs in a batch that share a batch again in `next`.
    fn pair_recurrence(&self, py: Python<'_>, next: &Plan) -> Option<f64> {
        py.detach(|| padwise_sampler::pair_recurrence(&self.0, &next.0))
    }

    /// The batches of one rank, the repeated batches, the dropped batches and the padded frames of every rank.
    fn shard(&self, py: Python<'_>, rank: usize, world: usize) -> PyResult<Sharded> {
        let shard = py
            .detach(|| self.0.shard(rank, world))
            .map_err(value_error)?;
        let batches = Batches {
            plan: Arc::clone(&self.0),
            steps: shard.batch_indices().to_vec(),
        };
        Ok((
            batches,
            shard.duplicated().to_vec(),
            shard.dropped().to_vec(),
            shard.padded_frames_by_rank().to_vec(),
        ))
    }
}

type Sharded = (Batches, Vec<usize>, Vec<usize>, Vec<u64>);

#[pymethods]
impl Batches {
    /// The plan's batch at each step.
    fn steps<'py>(&self, py: Python<'py>) -> Array<'py> {
        array(py, || self.steps.iter().map(|&step| step as i64).collect())
    }

    /// The first position of every batch in the arrays of items, and the number of items.
    fn offsets<'py>(&self, py: Python<'py>) -> Array<'py> {
        array(py, || {
            let mut end = 0;
            let ends = self.iter().map(|batch| {
                end += batch.len() as i64;
                end
            });
            std::iter::once(0).chain(ends).collect()
        })
    }

    /// The padded length of every batch.
    fn padded_lengths<'py>(&self, py: Python<'py>) -> Array<'py> {
        array(py, || {
            let lengths = self.iter().map(|batch| batch.padded_length().into());
            lengths.collect()
        })
    }

    /// The sequence of every item.
    fn indices<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.of_items(py, |item| item.sequence as i64)
    }

    /// The first frame of every item.
    fn starts<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.of_items(py, |item| item.start.into())
    }

    /// The frames of every item.
    fn lengths<'py>(&self, py: Python<'py>) -> Array<'py> {
        self.of_items(py, |item| item.length.into())
    }
}

impl Batches {
    fn iter(&self) -> impl Iterator<Item = Batch<'_>> {
        let steps = self.steps.iter();
        steps.filter_map(|&step| self.plan.batch(step))
    }

    /// A value of every item, in the order of batches.
    fn of_items<'py>(&self, py: Python<'py>, value: fn(Item) -> i64) -> Array<'py> {
        array(py, || {
            let items = self.iter().map(|batch| batch.len()).sum();
            let mut values = Vec::with_capacity(items);
            for batch in self.iter() {
                values.extend(batch.items().map(value));
            }
            values
        })
    }
}

/// Computes an array without the GIL. NumPy takes over the vector's memory.
fn array(py: Python<'_>, compute: impl FnOnce() -> Vec<i64> + Send) -> Array<'_> {
    PyArray1::from_vec(py, py.detach(compute))
}

fn item_dict<'py>(py: Python<'py>, item: &Item) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("sequence", item.sequence)?;
    dict.set_item("start", item.start)?;
    dict.set_item("length", item.length)?;
    Ok(dict)
}

/// The name of a reason in JSON.
pub(crate) fn reason_name(reason: DropReason) -> String {
    match serde_json::to_value(reason) {
        Ok(serde_json::Value::String(name)) => name,
        _ => format!("{reason:?}"),
    }
}
