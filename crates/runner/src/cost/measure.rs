//! Times the designed shapes on this device.

use padwise_model::benchmark::{FRAMES_PER_LABEL, ShapeTimer};
use padwise_model::{BackendChoice, ModelError, Objective, TrainerConfig};
use padwise_recommend::cost::{DeviceProfile, Measurement};
use thiserror::Error;

use super::design::{Trial, sizes, total_padded, trials};
use super::fit::{errors, fit};
use crate::corpora::CorporaError;
use crate::experiment::Experiment;
use crate::machine::host;
use crate::terminal::DelayedBar;

/// The duration of a round, if a step is shorter.
const ROUND_SECONDS: f64 = 0.03;
/// The most steps per round.
const MOST_STEPS: f64 = 20.0;
/// The share of the time limit that the timed steps may take. Compiling kernels takes the rest.
const TIMED_SHARE: f64 = 0.6;
/// Limits of the search for the largest shapes that the time allows, in padded frames.
const PADDED_RANGE: [f64; 2] = [256.0, 50_000.0];

/// Numbers of frames per label that differ by less than this share count as equal.
const SAME_LABELS: f64 = 0.05;

/// How often steps are repeated.
struct Effort {
    /// The first shape: utterances and frames. Its time tells how large the others may be.
    first: (usize, u32),
    /// Rounds per shape.
    rounds: usize,
    /// The fewest steps per round.
    fewest_steps: usize,
    /// Passes over a shape whose steps are long, the untimed ones included.
    passes: f64,
}

/// A round on the CPU may have a single step.
const ON_CPU: Effort = Effort {
    first: (16, 48),
    rounds: 4,
    fewest_steps: 1,
    passes: 5.0,
};

/// A round on a GPU has a step more, and there is another round of one step.
const ON_GPU: Effort = Effort {
    first: (16, 400),
    rounds: 3,
    fewest_steps: 2,
    passes: 13.0,
};

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

/// What is measured.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The backend.
    pub backend: BackendChoice,
    /// The model and its training.
    pub config: TrainerConfig,
    /// Frames per label, for CTC, if known.
    pub frames_per_label: Option<f64>,
}

impl Subject {
    /// What an experiment trains.
    pub fn of(experiment: &Experiment) -> Result<Self, CorporaError> {
        Ok(Self {
            backend: experiment.config.train.backend,
            config: experiment.trainer(0),
            frames_per_label: experiment.frames_per_label()?,
        })
    }

    /// Whether this is what a profile was measured with.
    pub fn is_of(&self, profile: &DeviceProfile) -> bool {
        let both = self.frames_per_label.zip(profile.frames_per_label);
        profile.model == self.config.model
            && profile.objective == self.config.objective
            && profile.padding == self.config.padding
            && both.is_none_or(|(own, other)| (own / other - 1.0).abs() < SAME_LABELS)
    }
}

/// Measures the cost of training steps, in about this many seconds.
pub fn measure(subject: Subject, seconds: f64) -> Result<DeviceProfile, MeasureError> {
    let Subject {
        backend,
        config,
        frames_per_label,
    } = subject;
    let (model, objective, padding) = (config.model.clone(), config.objective, config.padding);
    let base = host::resident_bytes();
    let frames_per_label = match objective {
        Objective::FrameWise => None,
        Objective::Ctc => Some(frames_per_label.unwrap_or(FRAMES_PER_LABEL)),
    };
    let mut timer = ShapeTimer::new(
        backend,
        config,
        frames_per_label.unwrap_or(FRAMES_PER_LABEL),
    )?;
    let backend = timer.describe().backend;
    let effort = match backend {
        BackendChoice::Cpu => ON_CPU,
        _ => ON_GPU,
    };
    let (items, frames) = effort.first;
    let first = timer.time(&vec![frames; items], frames as usize, 1, 2)?;
    let per_frame = first.seconds / (items as f64 * f64::from(frames));
    let sizes = sizes(backend);
    let per_pass = TIMED_SHARE * seconds / effort.passes;
    let most_padded = most_padded(&sizes, per_frame, per_pass);
    let trials = trials(&sizes, most_padded);
    let progress = DelayedBar::new(trials.len() as u64, "shapes");
    let mut measurements: Vec<Measurement> = Vec::new();
    for trial in &trials {
        measurements.push(time(&mut timer, trial, &effort, per_frame, base)?);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let cost = fit(&measurements, padding).ok_or(MeasureError::NoFit)?;
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
        padding,
        frames_per_label,
        error: errors(&cost, &measurements, padding),
        cost,
        measurements,
    })
}

fn time(
    timer: &mut ShapeTimer,
    trial: &Trial,
    effort: &Effort,
    per_frame: f64,
    base: Option<u64>,
) -> Result<Measurement, ModelError> {
    let shape = trial.shape();
    let expected = per_frame * shape.padded_frames() as f64;
    let steps = (ROUND_SECONDS / expected).ceil().min(MOST_STEPS) as usize;
    let steps = steps.max(effort.fewest_steps);
    host::reset_peak();
    let found = timer.time(
        &trial.lengths,
        trial.padded_length as usize,
        effort.rounds,
        steps,
    )?;
    let on_host = || Some(host::peak_bytes()?.saturating_sub(base?));
    Ok(Measurement {
        shape,
        seconds: found.seconds,
        bytes: found.device_bytes.or_else(on_host),
        fitted: trial.fitted,
    })
}

/// The largest shapes, in padded frames, whose steps take no more than this time altogether.
fn most_padded(sizes: &[usize], per_frame: f64, seconds: f64) -> f64 {
    let [mut low, mut high] = PADDED_RANGE;
    while high / low > 1.05 {
        let middle = (low * high).sqrt();
        if per_frame * total_padded(sizes, middle) <= seconds {
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
        for backend in [BackendChoice::Cpu, BackendChoice::Cuda] {
            let sizes = sizes(backend);
            for per_frame in [1e-7, 1e-5, 1e-4] {
                let padded = most_padded(&sizes, per_frame, 6.0);
                let time = per_frame * total_padded(&sizes, padded);
                assert!(time <= 6.0, "{per_frame}: {time}");
            }
            assert!(most_padded(&sizes, 1e-7, 6.0) > 0.9 * PADDED_RANGE[1]);
        }
    }
}
