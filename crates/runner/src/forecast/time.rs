//! Estimates the time of an experiment from one timed training step per strategy.
//!
//! A step on the largest batch gives a time per stored frame: with padding, unless batches are packed. Smaller batches need more time per frame, so the estimate is rather
//! too low. Warm-up, averaging and checkpoints are not included.

use super::{EpochFigures, Forecast, Placement, Probed};
use crate::corpora::CorporaError;
use crate::experiment::Experiment;
use crate::stored_batch::stored_in_epoch;

/// Time of a forward pass relative to a training step, which adds a backward pass of about twice its time.
const FORWARD_SHARE: f64 = 1.0 / 3.0;

/// The amount of work of one strategy.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// Stored frames that the machine trains in an epoch, one after the other.
    epoch_frames: f64,
    /// Stored frames that the recorded time of an epoch is for.
    recorded_frames: f64,
    /// Stored frames of a validation.
    validation_frames: f64,
    epochs: u64,
    validate_every: u64,
    seeds: u64,
    /// A run stops after the epoch in which its recorded time exceeds this.
    stop_seconds: Option<f64>,
}

impl Work {
    /// Seconds of all runs of the strategy.
    fn seconds(&self, per_frame: f64) -> f64 {
        let epoch = self.epoch_frames * per_frame;
        let recorded = self.recorded_frames * per_frame;
        let until_stop = self.stop_seconds.map(|limit| (limit / recorded) as u64);
        let epochs = match until_stop {
            Some(before) => self.epochs.min(before.saturating_add(1)),
            None => self.epochs,
        };
        // The last epoch is always validated.
        let validations = epochs.div_ceil(self.validate_every.max(1));
        let validation = self.validation_frames * per_frame * FORWARD_SHARE;
        self.seeds as f64 * (epochs as f64 * epoch + validations as f64 * validation)
    }
}

impl Experiment {
    /// The estimated seconds of each strategy; none if its largest batch does not fit, or if no step was timed.
    ///
    /// A strategy whose own step was not timed gets the slowest time per frame of the others.
    pub fn times(
        &self,
        forecasts: &[Forecast],
        probed: &[Probed],
    ) -> Result<Vec<Option<f64>>, CorporaError> {
        let (train, measure) = (&self.config.train, &self.config.measure);
        let validation = self.validation_plan()?.stats();
        let validation_frames = stored_in_epoch(&validation, self.config.model.padding) as f64;
        let work = |forecast: &Forecast| {
            let (epoch_frames, recorded_frames) = frames(forecast);
            Work {
                epoch_frames,
                recorded_frames,
                validation_frames,
                epochs: train.epochs,
                validate_every: measure.validate_every,
                seeds: train.seeds.len() as u64,
                stop_seconds: train.stop_minutes.map(|minutes| 60.0 * minutes),
            }
        };
        let rates = per_frame(forecasts, probed);
        let times = forecasts.iter().zip(rates);
        Ok(times
            .map(|(forecast, rate)| Some(work(forecast).seconds(rate?)))
            .collect())
    }
}

/// The mean stored frames of an epoch: those that the machine trains one after the other, and those of the recorded time.
fn frames(forecast: &Forecast) -> (f64, f64) {
    let mean = |of: fn(&EpochFigures) -> u64| {
        let sum: f64 = forecast.epochs.iter().map(|epoch| of(epoch) as f64).sum();
        sum / forecast.epochs.len().max(1) as f64
    };
    let all = mean(|epoch| epoch.stored_frames);
    let slowest = mean(|epoch| epoch.slowest_frames);
    match forecast.placement {
        Placement::OwnDevices => (slowest, slowest),
        // A worker has its share of the cores, so it takes as long as all workers would one after the other on all cores.
        Placement::SharedMachine => (all, all),
        Placement::Turns => (all, slowest),
    }
}

/// Seconds per stored frame of each strategy.
fn per_frame(forecasts: &[Forecast], probed: &[Probed]) -> Vec<Option<f64>> {
    let own = |(forecast, probed): (&Forecast, &Probed)| match probed {
        Probed::Fits { seconds, .. } => {
            seconds.map(|seconds| seconds / forecast.largest.stored_frames.max(1) as f64)
        }
        _ => None,
    };
    let measured: Vec<Option<f64>> = forecasts.iter().zip(probed).map(own).collect();
    let slowest = measured.iter().flatten().copied().reduce(f64::max);
    let rates = measured.iter().zip(probed);
    rates
        .map(|(rate, probed)| match probed {
            Probed::Fits { .. } | Probed::TooSlow => rate.or(slowest),
            Probed::OutOfMemory(_) | Probed::Fails(_) | Probed::NoRoom => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::LargestBatch;

    const WORK: Work = Work {
        epoch_frames: 1000.0,
        recorded_frames: 1000.0,
        validation_frames: 300.0,
        epochs: 5,
        validate_every: 2,
        seeds: 3,
        stop_seconds: None,
    };

    #[test]
    fn time_is_frames_times_epochs_times_seeds_and_validation() {
        // Three seeds of five epochs of 10 s and three validations of 1 s.
        assert!((WORK.seconds(0.01) - 3.0 * (50.0 + 3.0)).abs() < 1e-9);
        let every = Work {
            validate_every: 1,
            ..WORK
        };
        assert!((every.seconds(0.01) - 3.0 * (50.0 + 5.0)).abs() < 1e-9);
    }

    #[test]
    fn a_limit_of_time_ends_runs_after_the_epoch_that_exceeds_it() {
        let limited = |stop_seconds| Work {
            stop_seconds: Some(stop_seconds),
            ..WORK
        };
        // The third epoch exceeds 25 s; it is the last and therefore validated.
        assert!((limited(25.0).seconds(0.01) - 3.0 * (30.0 + 2.0)).abs() < 1e-9);
        assert_eq!(limited(1e300).seconds(0.01), WORK.seconds(0.01));
        assert_eq!(limited(1.0).seconds(0.0), 0.0);
    }

    #[test]
    fn workers_in_turns_take_the_sum_and_record_the_slowest() {
        let forecast = |placement| Forecast {
            name: String::new(),
            epochs: vec![EpochFigures {
                stored_frames: 400,
                slowest_frames: 110,
                ..EpochFigures::default()
            }],
            placement,
            largest: LargestBatch::default(),
        };
        assert_eq!(frames(&forecast(Placement::Turns)), (400.0, 110.0));
        assert_eq!(frames(&forecast(Placement::OwnDevices)), (110.0, 110.0));
        assert_eq!(frames(&forecast(Placement::SharedMachine)), (400.0, 400.0));
        // The recorded time exceeds 25 s after three epochs of 10 s, each of which takes 40 s.
        let turns = Work {
            epoch_frames: 4000.0,
            stop_seconds: Some(25.0),
            ..WORK
        };
        assert!((turns.seconds(0.01) - 3.0 * (120.0 + 2.0)).abs() < 1e-9);
    }

    #[test]
    fn strategies_without_a_timed_step_use_the_slowest_of_the_others() {
        let forecast = |items: usize| Forecast {
            name: String::new(),
            epochs: Vec::new(),
            placement: Placement::OwnDevices,
            largest: LargestBatch {
                items,
                length: 10,
                stored_frames: 10 * items as u64,
                ..LargestBatch::default()
            },
        };
        let fits = |seconds| Probed::Fits {
            bytes: None,
            seconds,
        };
        let forecasts = [1, 2, 3, 4, 5].map(forecast);
        let probed = [
            fits(Some(1.0)),
            fits(Some(1.0)),
            fits(None),
            Probed::TooSlow,
            Probed::NoRoom,
        ];
        let rates = per_frame(&forecasts, &probed);
        assert_eq!(rates, [Some(0.1), Some(0.05), Some(0.1), Some(0.1), None]);
        assert_eq!(per_frame(&forecasts[3..], &probed[3..]), [None, None]);
    }
}
