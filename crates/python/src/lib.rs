//! The compiled part of the Python package `padwise`: plans, shards, measures and streams of `padwise-sampler`, and
//! recommendations of `padwise-recommend`.
//!
//! Python code in `python/padwise` checks arguments and adds what data loaders need. This module converts values and
//! releases the GIL while it computes. Errors become `ValueError` with the message of the Rust error.

use std::fmt::Display;

use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

mod measure;
mod plan;
mod recommend;
mod stream;

/// A `ValueError` with the message of this error.
fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pyo3::pymodule]
mod _padwise {
    use padwise_sampler::{GRAMMAR, Profile, Strategy};
    use pyo3::prelude::*;

    use super::value_error;

    #[pymodule_export]
    use super::measure::measure;
    #[pymodule_export]
    use super::plan::{Batches, Plan, check_batch, plan};
    #[pymodule_export]
    use super::recommend::recommend;
    #[pymodule_export]
    use super::stream::Stream;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("GRAMMAR", GRAMMAR)
    }

    /// The strategy with all defaults filled in.
    #[pyfunction]
    fn resolve(strategy: &str) -> PyResult<String> {
        let strategy: Strategy = strategy.parse().map_err(value_error)?;
        Ok(strategy.to_string())
    }

    /// Lengths with the distribution of a known corpus.
    #[pyfunction]
    fn profile_lengths<'py>(
        py: Python<'py>,
        name: &str,
        count: Option<usize>,
    ) -> PyResult<Bound<'py, numpy::PyArray1<u32>>> {
        let profile: Profile = name.parse().map_err(value_error)?;
        let count = count.unwrap_or(profile.sequences());
        let lengths = py.detach(|| profile.lengths(count));
        Ok(numpy::PyArray1::from_vec(py, lengths))
    }
}
