//! The measures of one strategy with one seed: padding, memory and randomness.

use std::time::Instant;

use numpy::PyReadonlyArray1;
use padwise_sampler::{Sampler, Strategy, pair_recurrence};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::value_error;

/// Plans two epochs and returns the measures of the first, with the names that `padwise analyze` uses.
#[pyfunction]
pub(crate) fn measure<'py>(
    py: Python<'py>,
    lengths: PyReadonlyArray1<'py, u32>,
    strategy: &str,
    seed: u64,
    ranks: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let strategy: Strategy = strategy.parse().map_err(value_error)?;
    let sampler = Sampler::new(strategy, seed).map_err(value_error)?;
    let lengths = lengths.as_slice()?;
    let start = Instant::now();
    let plan = py
        .detach(|| sampler.plan(lengths, 0))
        .map_err(value_error)?;
    let seconds = start.elapsed().as_secs_f64();
    // Ctrl-C is noticed between the parts of the work.
    py.check_signals()?;
    let next = py
        .detach(|| sampler.plan(lengths, 1))
        .map_err(value_error)?;
    py.check_signals()?;
    let (stats, repeated) = py.detach(|| (plan.stats(), pair_recurrence(&plan, &next)));
    py.check_signals()?;
    let shard = py.detach(|| plan.shard(0, ranks)).map_err(value_error)?;
    let items_of = |batches: &[usize]| {
        let sizes = batches.iter().filter_map(|&batch| plan.batch(batch));
        sizes.map(|batch| batch.len()).sum::<usize>()
    };
    let percent = |ratio: Option<f64>| ratio.map(|ratio| 100.0 * ratio);

    let dict = PyDict::new(py);
    dict.set_item("items", stats.items)?;
    dict.set_item("batches", stats.batches)?;
    dict.set_item("steps", shard.len())?;
    dict.set_item("zpr_percent", percent(stats.zpr))?;
    dict.set_item("abl", stats.abl)?;
    dict.set_item("pooled_padding_percent", percent(stats.pooled_padding))?;
    dict.set_item("valid_frames", stats.valid_frames)?;
    dict.set_item("padded_frames", stats.padded_frames)?;
    dict.set_item("largest_batch_frames", stats.largest_batch_frames)?;
    dict.set_item("distinct_shapes", stats.distinct_shapes)?;
    dict.set_item("pair_recurrence", repeated)?;
    dict.set_item("adjacent_correlation", stats.adjacent_correlation)?;
    dict.set_item("dropped", stats.dropped + items_of(shard.dropped()))?;
    dict.set_item("duplicated", items_of(shard.duplicated()))?;
    dict.set_item("plan_seconds", seconds)?;
    Ok(dict)
}
