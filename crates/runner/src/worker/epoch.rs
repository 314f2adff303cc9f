//! Trains one epoch, or the rest of one, and times it.

use std::time::Instant;

use padwise_features::Corpus;
use padwise_model::{LossSum, Trainer};
use padwise_report::record::{EpochRow, Status};
use padwise_sampler::Plan;

use super::divergence::DivergenceDetector;
use super::tally::Tally;
use crate::checkpoints::EpochProgress;
use crate::corpora::Supervision;
use crate::loader::with_batches;
use crate::machine::{Usage, host, nvml};

/// Steps between two checks of the losses. A check waits for the device, so checks are rare. They come after fixed steps, so a repeated
/// run diverges at the same step.
pub(super) const STEPS_BETWEEN_CHECKS: usize = 32;

/// The inputs of an epoch.
pub struct Epoch<'a> {
    /// The utterances that the plan refers to.
    pub corpus: &'a dyn Corpus,
    /// What the model is trained on.
    pub supervision: Supervision,
    /// The batches.
    pub plan: &'a Plan,
    /// Number of loader threads.
    pub threads: usize,
    /// The factor on the learning rate.
    pub rate_factor: f64,
    /// Memory of this process before the model was created.
    pub host_base_bytes: Option<u64>,
}

/// Progress within an epoch.
#[derive(Clone, Copy, Debug)]
pub struct EpochRate {
    /// Batches trained.
    pub done: u64,
    /// Batches in the epoch.
    pub batches: u64,
    /// Utterances per second so far.
    pub rate: f64,
    /// Mean loss of the most recently checked steps.
    pub loss: Option<f64>,
}

impl EpochRate {
    /// The rate over all workers, if one process trains them in turn and has done `at` of them.
    pub fn of_workers(self, at: usize, workers: usize) -> Self {
        EpochRate {
            done: at as u64 * self.batches + self.done,
            batches: workers as u64 * self.batches,
            ..self
        }
    }
}

impl Epoch<'_> {
    /// Trains on the remaining batches. Returns the row without validation results, or none if `should_continue` returned false.
    pub fn train(
        &self,
        trainer: &mut dyn Trainer,
        detector: &mut DivergenceDetector,
        progress: &mut EpochProgress,
        mut should_continue: impl FnMut(EpochRate) -> bool,
    ) -> Result<Option<EpochRow>, anyhow::Error> {
        let corpus = self.corpus;
        let mut row = EpochRow {
            dropped: self.plan.ledger().dropped().len() as u64,
            ..EpochRow::default()
        };
        let first = progress.batches;
        let mut tally = Tally::new(corpus.len());
        let trained = self.plan.batches().take(first);
        trained.for_each(|batch| tally.add(&batch));
        trainer.set_rate_factor(self.rate_factor);
        trainer.synchronise()?;
        host::reset_peak();
        let on_gpu = trainer.memory().is_some();
        let used_before = Usage::so_far(on_gpu);
        let start = Instant::now();
        let mut finished = true;
        with_batches(
            corpus,
            self.plan,
            first,
            self.supervision,
            self.threads,
            |loader| {
                let mut last_loss = None;
                for planned in self.plan.batches_from(first) {
                    let Some(batch) = loader.next() else {
                        break;
                    };
                    trainer.step(batch?)?;
                    tally.add(&planned);
                    progress.batches = planned.index() + 1;
                    let done = progress.batches;
                    if done.is_multiple_of(STEPS_BETWEEN_CHECKS) || done == self.plan.len() {
                        let losses = progress.take(trainer.take_losses()?);
                        last_loss = losses.iter().copied().sum::<LossSum>().mean();
                        // One by one: the order of a floating-point sum changes its bits.
                        losses.iter().for_each(|&loss| progress.checked += loss);
                        let diverged = detector.check(&losses);
                        progress.start_loss = detector.start();
                        if let Some(reason) = diverged {
                            row.status = Status::Diverged;
                            row.note = reason;
                            break;
                        }
                    }
                    let share = (done - first) as f64 / self.plan.len() as f64;
                    let rate = EpochRate {
                        done: done as u64,
                        batches: self.plan.len() as u64,
                        rate: share * corpus.len() as f64 / start.elapsed().as_secs_f64().max(1e-9),
                        loss: last_loss,
                    };
                    if !should_continue(rate) {
                        progress.keep(trainer.take_losses()?);
                        finished = false;
                        break;
                    }
                }
                trainer.synchronise()?;
                let seconds = start.elapsed().as_secs_f64();
                progress.add_usage(Usage::so_far(on_gpu).since(used_before));
                progress.train_seconds += seconds;
                progress.wait_seconds += loader.waited().as_secs_f64();
                Ok::<(), anyhow::Error>(())
            },
        )?;
        progress.host_memory(self.host_base_bytes, host::peak_bytes());
        if !finished {
            return Ok(None);
        }
        if let Some(memory) = trainer.memory() {
            row.device_reserved_bytes = Some(memory.reserved);
            row.device_process_bytes = nvml::process_bytes();
        }
        row.train_seconds = progress.train_seconds;
        row.wait_seconds = progress.wait_seconds;
        row.cpu_seconds = progress.cpu_seconds;
        row.energy_joules = progress.energy_joules;
        row.rate_factor = Some(self.rate_factor);
        row.warm_up_seconds = progress.warm_up_seconds;
        row.host_base_bytes = progress.host_bytes.map(|(base, _)| base);
        row.host_peak_bytes = progress.host_bytes.map(|(_, peak)| peak);
        row.start_loss = detector.start().filter(|loss| loss.is_finite());
        tally.fill(&mut row);
        row.train_loss = progress.checked.mean().filter(|loss| loss.is_finite());
        if self.supervision == Supervision::FrameLabels {
            row.train_frame_error_percent = progress.checked.wrong_percent();
        }
        Ok(Some(row))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use padwise_experiment_config::ExperimentConfig;
    use padwise_sampler::Sampler;

    use super::*;
    use crate::checkpoints::{CheckpointTag, RunId};
    use crate::corpora::Split;

    /// The tests train on batches of one chunk, so an epoch has more than two checks of the losses.
    const CONFIG: &str = r#"
        [corpus]
        validation = { fresh = 1 }
        [corpus.synthetic]
        utterances = 6
        profile = "ljspeech"
        classes = 123
        [model]
        layers = 1
        hidden = 4
        dropout = 0.5
        [train]
        backend = "cpu"
        [[strategy]]
        line = "random"
    "#;

    struct Setup {
        config: ExperimentConfig,
        run: RunId,
        split: Split,
        plan: Plan,
    }

    impl Setup {
        fn new(results: &Path) -> Self {
            let config = padwise_experiment_config::read_text(CONFIG, Path::new("test.toml"), &[]);
            let config = config.expect("a config");
            let split = Split::open(&config.corpus, Path::new(""), config.train.objective, false)
                .expect("a corpus");
            let strategy = "random,chunk=40,batch=1".parse().expect("a strategy");
            let sampler = Sampler::new(strategy, 1).expect("valid");
            let plan = sampler.plan(split.training.lengths(), 0).expect("a plan");
            std::fs::create_dir_all(results.join("checkpoints")).expect("a folder");
            let run = RunId {
                experiment: "test".into(),
                row: 0,
                seed: 1,
            };
            Setup {
                config,
                run,
                split,
                plan,
            }
        }

        fn trainer(&self) -> Box<dyn Trainer> {
            let corpus = &self.split.training;
            let config = &self.config;
            let trainer = config.trainer(corpus.dims(), self.split.classes, 1);
            padwise_model::backend::trainer(config.train.backend, trainer).expect("a trainer")
        }

        /// Trains until `to` batches are done.
        fn train(
            &self,
            trainer: &mut dyn Trainer,
            progress: &mut EpochProgress,
            to: usize,
        ) -> Option<EpochRow> {
            let mut detector = DivergenceDetector::new(10.0, progress.start_loss);
            let epoch = Epoch {
                corpus: self.split.training.as_ref(),
                supervision: self.split.supervision,
                plan: &self.plan,
                threads: 1,
                rate_factor: 1.0,
                host_base_bytes: None,
            };
            let should_continue = |rate: EpochRate| rate.done != to as u64;
            let row = epoch.train(trainer, &mut detector, progress, should_continue);
            row.expect("trained").map(|row| EpochRow {
                train_seconds: 0.0,
                cpu_seconds: None,
                wait_seconds: 0.0,
                ..row
            })
        }
    }

    #[test]
    fn an_interrupted_and_resumed_epoch_equals_an_uninterrupted_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let setup = Setup::new(folder.path());
        let batches = setup.plan.len();
        assert!(batches > 2 * STEPS_BETWEEN_CHECKS, "{batches}");
        let mut clean = setup.trainer();
        let expected = setup.train(clean.as_mut(), &mut EpochProgress::default(), usize::MAX);
        assert_eq!(
            expected.as_ref().map(|row| row.batches),
            Some(batches as u64)
        );
        let mut stops = vec![
            1,
            STEPS_BETWEEN_CHECKS - 1,
            STEPS_BETWEEN_CHECKS,
            40,
            batches,
        ];
        stops.push(usize::MAX);
        let mut ended = None;
        for stop in stops {
            // Each iteration stands for a new process.
            let mut trainer = setup.trainer();
            let mut progress = EpochProgress::default();
            let state = setup.run.last_valid_state(folder.path(), 0, 1);
            assert_eq!(state.rejected, [""; 0]);
            if let Some(checkpoint) = state.checkpoint {
                let tag = trainer.load(&checkpoint).expect("a checkpoint");
                let tag = CheckpointTag::check(&tag, &setup.run, state.position);
                progress = tag.expect("a tag").progress.expect("an unfinished epoch");
            }
            ended = setup.train(trainer.as_mut(), &mut progress, stop);
            if ended.is_none() {
                assert_eq!(progress.batches, stop);
                assert!(
                    progress
                        .save(trainer.as_ref(), &setup.run, folder.path(), 0)
                        .expect("writable")
                );
                let files = std::fs::read_dir(folder.path().join("checkpoints"));
                assert_eq!(files.expect("a folder").count(), 1, "only the latest");
            } else {
                assert_eq!(trainer.parameters().ok(), clean.parameters().ok());
            }
        }
        assert_eq!(ended, expected);
    }
}
