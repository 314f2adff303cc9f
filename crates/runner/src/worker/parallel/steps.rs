//! An epoch in which all workers train on batches of one plan and average their gradients at every step.
//!
//! A gradient is that of a mean over labelled frames, so it is weighted by their number. The mean over workers is then the gradient of
//! all their batches together. Clipping and the update follow, equal on all workers.

use std::time::{Duration, Instant};

use anyhow::Result;
use padwise_model::{LossSum, Trainer};
use padwise_report::record::{EpochRow, Status};
use padwise_sampler::{Batch, Sampler};

use super::team::Team;
use super::worker_epoch::{SharedTime, WorkerEpoch};
use super::{EpochInputs, Stopped, Trained};
use crate::corpora::Supervision;
use crate::loader::load_batches;
use crate::machine::{host, nvml};
use crate::worker::DivergenceDetector;
use crate::worker::epoch::{EpochRate, STEPS_BETWEEN_CHECKS};
use crate::worker::tally::Tally;

/// One worker of this process during an epoch.
struct OwnWorker {
    tally: Tally,
    losses: LossSum,
    unchecked: Vec<LossSum>,
    detector: DivergenceDetector,
    time: Duration,
    diverged: Option<String>,
}

/// Trains an epoch with averaged gradients.
pub fn train(
    inputs: &EpochInputs<'_>,
    trainer: &mut dyn Trainer,
    team: &mut Team,
    mut progress: impl FnMut(EpochRate) -> bool,
) -> Result<Result<Trained, Stopped>> {
    let corpus = inputs.split.training.as_ref();
    let plan =
        Sampler::new(inputs.strategy.clone(), inputs.seed)?.plan(corpus.lengths(), inputs.epoch)?;
    let shards = team
        .own()
        .map(|worker| plan.shard(worker, team.size()))
        .collect::<Result<Vec<_>, _>>()?;
    let steps = shards.first().map_or(0, |shard| shard.len());
    let by_step: Vec<Vec<Batch<'_>>> = {
        let mut lists: Vec<_> = shards.iter().map(|shard| shard.batches()).collect();
        (0..steps)
            .map(|_| lists.iter_mut().filter_map(Iterator::next).collect())
            .collect()
    };
    let in_turns = team.own().len() > 1;
    let mut own: Vec<OwnWorker> = team
        .own()
        .map(|_| OwnWorker {
            tally: Tally::new(corpus.len()),
            losses: LossSum::default(),
            unchecked: Vec::new(),
            detector: DivergenceDetector::new(inputs.divergence, inputs.start_loss),
            time: Duration::ZERO,
            diverged: None,
        })
        .collect();
    trainer.set_rate_factor(inputs.rate_factor);
    trainer.synchronise()?;
    host::reset_peak();
    // The time of the epoch is that of the leader, so all must start with it.
    team.wait_for_all()?;
    team.take_waited();
    let start = Instant::now();
    let (mut averaging, mut slowest) = (Duration::ZERO, Duration::ZERO);
    let mut waited = Duration::ZERO;
    let mut stopped = None;
    let mut steps_done = 0;
    let order: Vec<Batch<'_>> = by_step.iter().flatten().copied().collect();
    load_batches(
        corpus,
        &order,
        inputs.split.supervision,
        inputs.threads,
        |loader| {
            for (step, planned) in by_step.iter().enumerate() {
                let mut gradients = Vec::new();
                let mut weights = Vec::new();
                let mut longest = Duration::ZERO;
                for ((worker, own), planned) in team.own().zip(&mut own).zip(planned) {
                    let begun = Instant::now();
                    let Some(batch) = loader.next() else {
                        anyhow::bail!("the loader ended early");
                    };
                    trainer.set_worker(worker);
                    let found = trainer.gradients(batch?)?;
                    own.unchecked.extend(trainer.take_losses()?);
                    own.tally.add(planned);
                    weights.push(found.counted as f64);
                    gradients.push(found.values);
                    own.time += begun.elapsed();
                    longest = longest.max(begun.elapsed());
                }
                team.wait_for_all()?;
                let begun = Instant::now();
                let mean = team.mean(gradients, &weights)?;
                averaging += begun.elapsed();
                let begun = Instant::now();
                trainer.apply(&mean)?;
                own.iter_mut().for_each(|own| own.time += begun.elapsed());
                slowest += longest + begun.elapsed();
                let done = step + 1;
                steps_done = done;
                if done.is_multiple_of(STEPS_BETWEEN_CHECKS) || done == steps {
                    own.iter_mut().for_each(OwnWorker::check);
                    // All workers must end at the same step.
                    let diverged = own.iter().map(|own| u64::from(own.diverged.is_some()));
                    if team.largest(diverged)? > 0 {
                        break;
                    }
                }
                let share = done as f64 / steps as f64;
                let rate = EpochRate {
                    done: done as u64,
                    batches: steps as u64,
                    rate: share * corpus.len() as f64 / start.elapsed().as_secs_f64().max(1e-9),
                    loss: None,
                };
                if !progress(rate) {
                    stopped = Some(Stopped {
                        done,
                        batches: steps,
                    });
                    break;
                }
            }
            trainer.synchronise()?;
            waited = loader.waited();
            Ok::<(), anyhow::Error>(())
        },
    )?;
    if let Some(stopped) = stopped {
        return Ok(Err(stopped));
    }
    let items = |batches: &[usize]| -> u64 {
        let sizes = batches.iter().filter_map(|&batch| plan.batch(batch));
        sizes.map(|batch| batch.len() as u64).sum()
    };
    // Chunks of one utterance may be in batches of several workers.
    let mut of_all = Tally::new(corpus.len());
    for worker in (0..team.size()).filter(|_| team.leads()) {
        let shard = plan.shard(worker, team.size())?;
        let trained = shard.batches().take(steps_done);
        trained.for_each(|batch| of_all.add(&batch));
    }
    let mut workers = Vec::new();
    for (at, (own, shard)) in own.into_iter().zip(&shards).enumerate() {
        let is_leader = team.leads() && at == 0;
        let mut row = EpochRow {
            status: own
                .diverged
                .as_ref()
                .map_or(Status::Trained, |_| Status::Diverged),
            note: own.diverged.clone().unwrap_or_default(),
            // Workers that take turns share one loader.
            wait_seconds: waited.as_secs_f64() / shards.len() as f64,
            start_loss: own.detector.start().filter(|loss| loss.is_finite()),
            host_base_bytes: inputs.host_base_bytes,
            host_peak_bytes: host::peak_bytes(),
            rate_factor: Some(inputs.rate_factor),
            // Counted once, not once for each worker.
            dropped: if is_leader {
                plan.ledger().dropped().len() as u64
            } else {
                0
            },
            ..EpochRow::default()
        };
        if let Some(memory) = trainer.memory() {
            row.device_reserved_bytes = Some(memory.reserved);
            row.device_process_bytes = nvml::process_bytes();
        }
        if inputs.split.supervision == Supervision::FrameLabels {
            row.train_frame_error_percent = own.losses.wrong_percent();
        }
        own.tally.fill(&mut row);
        row.utterances = if is_leader { of_all.utterances() } else { 0 };
        workers.push(WorkerEpoch {
            repeated: if is_leader {
                items(shard.duplicated())
            } else {
                0
            },
            left_out: if is_leader { items(shard.dropped()) } else { 0 },
            ..WorkerEpoch::new(row, own.losses, own.time.as_secs_f64())
        });
    }
    Ok(Ok(Trained {
        workers,
        time: SharedTime {
            measured: (!in_turns).then(|| start.elapsed()),
            averaging,
            slowest,
        },
    }))
}

impl OwnWorker {
    /// Adds up the losses since the last check, and notes if they diverge.
    fn check(&mut self) {
        let losses = std::mem::take(&mut self.unchecked);
        losses.iter().for_each(|&loss| self.losses += loss);
        self.diverged = self.detector.check(&losses);
    }
}
