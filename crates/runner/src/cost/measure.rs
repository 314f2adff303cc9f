//! Times the designed shapes on this device.

use padwise_model::benchmark::ShapeTimer;
use padwise_model::{BackendChoice, ModelError, TrainerConfig};
use padwise_recommend::cost::{DeviceProfile, Measurement};
use thiserror::Error;

use super::design::{Trial, total_padded, trials};
use super::fit::{errors, fit};
use crate::machine::host;
use crate::terminal::DelayedBar;

/// Rounds per shape. The fastest counts, because other programs can only slow it down.
const ROUNDS: usize = 4;
/// Passes over a shape: the untimed step and the rounds.
const PASSES: f64 = 1.0 + ROUNDS as f64;
/// The duration of a round, if a step is shorter.
const ROUND_SECONDS: f64 = 0.03;
/// The most steps per round.
const MOST_STEPS: f64 = 20.0;
/// The share of the time limit that the timed steps may take. Compiling kernels takes the rest.
const TIMED_SHARE: f64 = 0.6;
/// The first shape: utterances and frames. Its time tells how large the others may be.
const FIRST: (usize, u32) = (16, 48);
/// Limits of the search for the largest shapes that the time allows, in padded frames.
const PADDED_RANGE: [f64; 2] = [256.0, 50_000.0];

/// A cost that cannot be measured.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// A step failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The times determine no model.
    #[error("the measured times fit no cost model; repeat it on an idle device")]
    NoFit,
}

/// Measures the cost of training steps, in about this many seconds.
pub fn measure(
    backend: BackendChoice,
    config: TrainerConfig,
    seconds: f64,
) -> Result<DeviceProfile, MeasureError> {
    let (model, objective) = (config.model.clone(), config.objective);
    let base = host::resident_bytes();
    let mut timer = ShapeTimer::new(backend, config)?;
    let (items, frames) = FIRST;
    let first = timer.time(&vec![frames; items], frames as usize, 1, 2)?;
    let per_frame = first.rounds[0] / (items as f64 * f64::from(frames));
    let trials = trials(most_padded(per_frame, TIMED_SHARE * seconds));
    let progress = DelayedBar::new(trials.len() as u64, "shapes");
    let mut measurements: Vec<Measurement> = Vec::new();
    for trial in &trials {
        measurements.push(time(&mut timer, trial, per_frame, base)?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let cost = fit(&measurements).ok_or(MeasureError::NoFit)?;
    let description = timer.describe();
    Ok(DeviceProfile {
        device: description.device.clone(),
        execution: format!(
            "{}, {} recurrence, {}",
            description.backend, description.recurrence, description.precision
        ),
        version: env!("CARGO_PKG_VERSION").into(),
        model,
        objective,
        error: errors(&cost, &measurements),
        cost,
        measurements,
    })
}

fn time(
    timer: &mut ShapeTimer,
    trial: &Trial,
    per_frame: f64,
    base: Option<u64>,
) -> Result<Measurement, ModelError> {
    let shape = trial.shape();
    let expected = per_frame * shape.padded_frames() as f64;
    let steps = (ROUND_SECONDS / expected).ceil().clamp(1.0, MOST_STEPS) as usize;
    host::reset_peak();
    let found = timer.time(&trial.lengths, trial.padded_length as usize, ROUNDS, steps)?;
    let on_host = || Some(host::peak_bytes()?.saturating_sub(base?));
    Ok(Measurement {
        shape,
        seconds: found.rounds.iter().copied().fold(f64::INFINITY, f64::min),
        bytes: found.device_bytes.or_else(on_host),
        fitted: trial.fitted,
    })
}

/// The largest shapes whose design takes no more than this time, in padded frames.
fn most_padded(per_frame: f64, seconds: f64) -> f64 {
    let [mut low, mut high] = PADDED_RANGE;
    while high / low > 1.05 {
        let middle = (low * high).sqrt();
        if PASSES * per_frame * total_padded(middle) <= seconds {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_fit_the_time() {
        for per_frame in [1e-7, 1e-5, 1e-4] {
            let padded = most_padded(per_frame, 30.0);
            let time = PASSES * per_frame * total_padded(padded);
            assert!(time <= 30.0, "{per_frame}: {time}");
        }
        assert!(most_padded(1e-7, 30.0) > 0.9 * PADDED_RANGE[1]);
    }
}
