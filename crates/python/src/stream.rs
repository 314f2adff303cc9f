//! Streams: batches through a bounded buffer.

use std::sync::{Mutex, MutexGuard, PoisonError};

use padwise_sampler::{PlanError, Strategy, StreamSampler};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::plan::reason_name;
use crate::value_error;

/// Items as id, first frame and number of frames.
type Items = Vec<(u64, u32, u32)>;

/// Builds batches from a stream of sequences.
#[pyclass(frozen)]
pub(crate) struct Stream(Mutex<StreamSampler>);

impl Stream {
    fn lock(&self) -> MutexGuard<'_, StreamSampler> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Stream {
    #[new]
    fn new(strategy: &str, seed: u64, epoch: u64, capacity: usize) -> PyResult<Self> {
        let strategy: Strategy = strategy.parse().map_err(value_error)?;
        let stream = StreamSampler::for_epoch(strategy, seed, epoch, capacity);
        Ok(Stream(Mutex::new(stream.map_err(value_error)?)))
    }

    /// Continues from the state that `state` returned.
    #[staticmethod]
    fn resume(state: &str) -> PyResult<Self> {
        let state = serde_json::from_str(state)
            .map_err(|error| value_error(format!("not the state of a stream: {error}")))?;
        let stream = StreamSampler::resume(state).map_err(value_error)?;
        Ok(Stream(Mutex::new(stream)))
    }

    /// The complete state, as JSON.
    fn state(&self) -> PyResult<String> {
        serde_json::to_string(self.lock().state()).map_err(value_error)
    }

    /// Adds a sequence and returns the number of its items.
    fn push(&self, py: Python<'_>, id: u64, length: u32) -> PyResult<usize> {
        py.detach(|| {
            let mut stream = self.lock();
            let before = stream.ledger().received;
            stream.push(id, length)?;
            Ok(stream.ledger().received - before)
        })
        .map_err(|error: PlanError| value_error(error))
    }

    fn finish(&self, py: Python<'_>) {
        py.detach(|| self.lock().finish());
    }

    /// The items of the next ready batch and its padded length.
    fn pop(&self) -> Option<(Items, u32)> {
        let batch = self.lock().pop()?;
        let items = batch.items.iter();
        let items = items.map(|item| (item.id, item.start, item.length));
        Some((items.collect(), batch.padded_length))
    }

    /// The items dropped since the last call, as id, first frame, number of frames and reason.
    fn take_dropped(&self) -> Vec<(u64, u32, u32, String)> {
        let dropped = self.lock().take_dropped();
        let dropped = dropped.iter().map(|dropped| {
            let item = dropped.item;
            (
                item.id,
                item.start,
                item.length,
                reason_name(dropped.reason),
            )
        });
        dropped.collect()
    }

    #[getter]
    fn waiting(&self) -> usize {
        self.lock().waiting()
    }

    fn ledger<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let ledger = self.lock().ledger().clone();
        let dropped = PyDict::new(py);
        for (&reason, &count) in &ledger.dropped {
            dropped.set_item(reason_name(reason), count)?;
        }
        let dict = PyDict::new(py);
        dict.set_item("received", ledger.received)?;
        dict.set_item("batched", ledger.batched)?;
        dict.set_item("oversized", ledger.oversized)?;
        dict.set_item("dropped", dropped)?;
        Ok(dict)
    }
}
