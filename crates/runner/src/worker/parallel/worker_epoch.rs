//! What one worker did in an epoch, and the row of the epoch that all workers make.

use std::time::Duration;

use padwise_model::LossSum;
use padwise_report::record::{EpochRow, Status};
use serde::{Deserialize, Serialize};

/// The part of one worker in an epoch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct WorkerEpoch {
    /// Its batches, times and memory.
    pub row: EpochRow,
    /// The losses of its steps.
    pub losses: LossSum,
    /// Its own training time in seconds, without averaging and without waiting for others.
    pub seconds: f64,
    /// Utterances or chunks that only the division over workers repeats.
    pub repeated: u64,
    /// Utterances or chunks that only the division over workers leaves out.
    pub left_out: u64,
}

impl WorkerEpoch {
    /// The part of a worker that trained each of its batches once.
    pub fn new(row: EpochRow, losses: LossSum, seconds: f64) -> Self {
        WorkerEpoch {
            row,
            // JSON has no NaN. The status of the row tells that the losses diverged.
            losses: if losses.sum.is_finite() {
                losses
            } else {
                LossSum::default()
            },
            seconds,
            repeated: 0,
            left_out: 0,
        }
    }
}

/// The time of an epoch beyond the training of each worker.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharedTime {
    /// The whole epoch, if workers ran at the same time. Otherwise it is predicted.
    pub measured: Option<Duration>,
    /// Averaging.
    pub averaging: Duration,
    /// The slowest worker's training time. Less than the sum over steps if workers wait for each other at every step.
    pub slowest: Duration,
}

impl SharedTime {
    /// The training time of the epoch, in seconds.
    pub fn train_seconds(&self) -> f64 {
        self.measured
            .unwrap_or(self.slowest + self.averaging)
            .as_secs_f64()
    }
}

/// The row of an epoch: sums over workers, the first worker's start, and the most memory that a worker needed.
pub fn merge(workers: &[WorkerEpoch], time: SharedTime, has_frame_errors: bool) -> EpochRow {
    let Some(first) = workers.first() else {
        return EpochRow::default();
    };
    let sum = |value: fn(&EpochRow) -> u64| workers.iter().map(|worker| value(&worker.row)).sum();
    let most = |value: fn(&EpochRow) -> Option<u64>| {
        workers.iter().filter_map(|worker| value(&worker.row)).max()
    };
    // None if a worker does not know it.
    let total = |value: fn(&EpochRow) -> Option<f64>| {
        let values = workers.iter().map(|worker| value(&worker.row));
        values.sum::<Option<f64>>()
    };
    let items: u64 = sum(|row| row.items);
    let mean = |value: fn(&EpochRow) -> Option<f64>| {
        let weighted = |worker: &WorkerEpoch| Some(value(&worker.row)? * worker.row.items as f64);
        let total: f64 = workers.iter().filter_map(weighted).sum();
        (items > 0).then(|| total / items as f64)
    };
    let mut losses = LossSum::default();
    workers.iter().for_each(|worker| losses += worker.losses);
    let diverged = workers
        .iter()
        .position(|worker| worker.row.status == Status::Diverged);
    let own = |worker: usize| &workers[worker].row;
    EpochRow {
        status: diverged.map_or(Status::Trained, |_| Status::Diverged),
        note: match diverged {
            Some(worker) if workers.len() > 1 => format!("worker {worker}: {}", own(worker).note),
            Some(worker) => own(worker).note.clone(),
            None => String::new(),
        },
        batches: sum(|row| row.batches),
        utterances: sum(|row| row.utterances),
        items,
        valid_frames: sum(|row| row.valid_frames),
        padded_frames: sum(|row| row.padded_frames),
        zpr_percent: match workers {
            [only] => only.row.zpr_percent,
            _ => mean(|row| row.zpr_percent),
        },
        abl: match workers {
            [only] => only.row.abl,
            _ => mean(|row| row.abl),
        },
        largest_batch_frames: most(|row| Some(row.largest_batch_frames)).unwrap_or(0),
        dropped: sum(|row| row.dropped) + workers.iter().map(|worker| worker.left_out).sum::<u64>(),
        train_seconds: time.train_seconds(),
        // The clocks of processes differ a little, and the reader of records refuses longer waits.
        wait_seconds: workers
            .iter()
            .map(|w| w.row.wait_seconds)
            .fold(0.0, f64::max)
            .min(time.train_seconds()),
        warm_up_seconds: first.row.warm_up_seconds,
        train_loss: losses.mean().filter(|loss| loss.is_finite()),
        train_frame_error_percent: losses.wrong_percent().filter(|_| has_frame_errors),
        start_loss: first.row.start_loss,
        host_base_bytes: first.row.host_base_bytes,
        host_peak_bytes: most(|row| row.host_peak_bytes),
        device_peak_bytes: most(|row| row.device_peak_bytes),
        device_reserved_bytes: most(|row| row.device_reserved_bytes),
        device_process_bytes: most(|row| row.device_process_bytes),
        cpu_seconds: total(|row| row.cpu_seconds),
        energy_joules: total(|row| row.energy_joules),
        rate_factor: first.row.rate_factor,
        ..EpochRow::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_epoch_waits_longer_than_it_takes() {
        let worker = |wait_seconds| {
            let row = EpochRow {
                wait_seconds,
                ..EpochRow::default()
            };
            WorkerEpoch::new(row, LossSum::default(), 0.0)
        };
        let time = SharedTime {
            measured: Some(Duration::from_millis(500)),
            ..SharedTime::default()
        };
        let waited = |all: &[f64]| {
            let workers: Vec<_> = all.iter().map(|&seconds| worker(seconds)).collect();
            merge(&workers, time, true).wait_seconds
        };
        assert_eq!(waited(&[0.1, 0.3]), 0.3);
        assert_eq!(waited(&[0.1, 0.8]), 0.5);
    }
}
