//! A recommended strategy for given lengths, as JSON.

use std::ops::ControlFlow;

use numpy::PyReadonlyArray1;
use padwise_recommend::cost::DeviceProfile;
use padwise_recommend::{Advice, Request, search};
use pyo3::prelude::*;
use serde_json::json;

use crate::value_error;

/// Searches all strategies. `profile` is the JSON of a device profile, or `device` the name of a built-in one.
#[pyfunction]
#[pyo3(signature = (lengths, batch_size, device, profile, memory, min_randomness, chunks))]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
pub(crate) fn recommend(
    py: Python<'_>,
    lengths: PyReadonlyArray1<'_, u32>,
    batch_size: u32,
    device: &str,
    profile: Option<&[u8]>,
    memory: Option<u64>,
    min_randomness: f64,
    chunks: bool,
) -> PyResult<String> {
    let profile = match profile {
        Some(json) => DeviceProfile::parse(json),
        None => DeviceProfile::built_in(device),
    };
    let profile = profile.map_err(value_error)?;
    let request = Request {
        memory,
        min_randomness,
        with_chunks: chunks,
        ..Request::new(lengths.as_slice()?, &profile.cost, batch_size)
    };
    let mut interrupted = None;
    let found = py.detach(|| {
        search(
            &request,
            &mut |_, _| match Python::attach(|py| py.check_signals()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    interrupted = Some(error);
                    ControlFlow::Break(())
                }
            },
        )
    });
    if let Some(error) = interrupted {
        return Err(error);
    }
    let found = found.map_err(value_error)?;
    let answer = json!({
        "device": profile.description(),
        "device_error_percent": profile.error.held_out_percent,
        "advice": Advice::new(&found),
        "predictions": found.predictions,
    });
    Ok(answer.to_string())
}
