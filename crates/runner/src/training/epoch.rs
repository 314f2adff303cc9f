//! One epoch of training, on the clock, from any of its batches on.

use std::time::Instant;

use padwise_model::{LossSum, Trainer};
use padwise_sampler::Plan;

use super::divergence::Watch;
use super::tally::Tally;
use super::unfinished::SoFar;
use super::{host, nvidia};
use crate::corpora::Split;
use crate::loader::{Teach, with_batches};
use crate::record::{EpochRow, Status};

/// Steps between two looks at the losses: a look waits for the device, so there are not too many; and always after the same steps,
/// so that a run that is repeated diverges where it diverged.
const STEPS_BETWEEN_LOOKS: usize = 32;

/// What an epoch is trained with.
pub struct Epoch<'a> {
    /// The utterances.
    pub split: &'a Split,
    /// The batches.
    pub plan: &'a Plan,
    /// What is taught.
    pub teach: Teach,
    /// Threads that load.
    pub threads: usize,
    /// Memory of this process before there was a model.
    pub host_base_bytes: Option<u64>,
}

/// How far an epoch is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Batches done.
    pub done: u64,
    /// Batches of the epoch.
    pub batches: u64,
    /// Utterances a second so far.
    pub rate: f64,
    /// The loss of the last few steps.
    pub loss: Option<f64>,
}

impl Epoch<'_> {
    /// Trains on every batch that is left, or until `goes_on` says no: then there is no row. The row has everything but validation.
    pub fn train(
        &self,
        trainer: &mut dyn Trainer,
        watch: &mut Watch,
        so_far: &mut SoFar,
        mut goes_on: impl FnMut(Progress) -> bool,
    ) -> Result<Option<EpochRow>, anyhow::Error> {
        let corpus = self.split.training.as_ref();
        let mut row = EpochRow {
            dropped: self.plan.ledger().dropped().len() as u64,
            ..EpochRow::default()
        };
        let first = so_far.batches;
        let mut tally = Tally::new(corpus.len());
        let trained = self.plan.batches().take(first);
        trained.for_each(|batch| tally.add(&batch));
        trainer.begin_epoch(self.plan.epoch());
        trainer.synchronise()?;
        host::forget_peak();
        let start = Instant::now();
        let mut finished = true;
        with_batches(
            corpus,
            self.plan,
            first,
            self.teach,
            self.threads,
            |loader| {
                let mut last_loss = None;
                for planned in self.plan.batches_from(first) {
                    let Some(batch) = loader.next() else {
                        break;
                    };
                    trainer.step(batch?)?;
                    tally.add(&planned);
                    so_far.batches = planned.index() + 1;
                    let done = so_far.batches;
                    if done.is_multiple_of(STEPS_BETWEEN_LOOKS) || done == self.plan.len() {
                        let losses = so_far.take(trainer.take_losses()?);
                        last_loss = mean(&losses);
                        losses.iter().for_each(|loss| so_far.looked_at.add(loss));
                        let diverged = watch.look(&losses);
                        so_far.start_loss = watch.start();
                        if let Some(words) = diverged {
                            row.status = Status::Diverged;
                            row.note = words;
                            break;
                        }
                    }
                    let share = (done - first) as f64 / self.plan.len() as f64;
                    let progress = Progress {
                        done: done as u64,
                        batches: self.plan.len() as u64,
                        rate: share * corpus.len() as f64 / start.elapsed().as_secs_f64().max(1e-9),
                        loss: last_loss,
                    };
                    if !goes_on(progress) {
                        so_far.keep(trainer.take_losses()?);
                        finished = false;
                        break;
                    }
                }
                trainer.synchronise()?;
                so_far.train_seconds += start.elapsed().as_secs_f64();
                so_far.wait_seconds += loader.waited().as_secs_f64();
                Ok::<(), anyhow::Error>(())
            },
        )?;
        so_far.host_memory(self.host_base_bytes, host::peak_bytes());
        if !finished {
            return Ok(None);
        }
        if let Some(memory) = trainer.memory() {
            row.device_reserved_bytes = Some(memory.reserved);
            row.device_process_bytes = nvidia::process_bytes();
        }
        row.train_seconds = so_far.train_seconds;
        row.wait_seconds = so_far.wait_seconds;
        row.warm_up_seconds = so_far.warm_up_seconds;
        row.host_base_bytes = so_far.host_bytes.map(|(base, _)| base);
        row.host_peak_bytes = so_far.host_bytes.map(|(_, peak)| peak);
        row.start_loss = watch.start().filter(|loss| loss.is_finite());
        tally.fill(&mut row);
        row.train_loss = so_far.looked_at.mean().filter(|loss| loss.is_finite());
        if self.teach == Teach::Frames {
            row.train_frame_error_percent = so_far.looked_at.wrong_percent();
        }
        Ok(Some(row))
    }
}

fn mean(losses: &[LossSum]) -> Option<f64> {
    let mut all = super::tally::Losses::default();
    losses.iter().for_each(|loss| all.add(loss));
    all.mean()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use padwise_sampler::Sampler;

    use super::*;
    use crate::config::RunConfig;
    use crate::training::protocol::Job;

    /// Batches of one chunk each: more than two looks at the losses in an epoch.
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
    "#;

    struct Bench {
        job: Job,
        split: Split,
        plan: Plan,
    }

    impl Bench {
        fn new(results: &Path) -> Self {
            let config: RunConfig = toml::from_str(CONFIG).expect("a config");
            let split = Split::open(&config.corpus, Path::new("")).expect("a corpus");
            let strategy = "random,chunk=40,batch=1".parse().expect("a strategy");
            let sampler = Sampler::new(strategy, 1).expect("valid");
            let plan = sampler.plan(split.training.lengths(), 0).expect("a plan");
            std::fs::create_dir_all(results.join("checkpoints")).expect("a folder");
            let job = Job {
                config,
                config_folder: "".into(),
                results: results.into(),
                row: 0,
                seed: 1,
                done: 0,
                start_loss: None,
                train_seconds: 0.0,
            };
            Bench { job, split, plan }
        }

        fn trainer(&self) -> Box<dyn Trainer> {
            let corpus = &self.split.training;
            let classes = corpus.classes().expect("labels");
            let train = &self.job.config.train;
            let config = train.trainer(&self.job.config.model, corpus.dims(), classes, 1);
            padwise_model::trainer(train.backend, config).expect("a trainer")
        }

        /// Trains up to a batch.
        fn train(
            &self,
            trainer: &mut dyn Trainer,
            so_far: &mut SoFar,
            to: usize,
        ) -> Option<EpochRow> {
            let mut watch = Watch::new(10.0, so_far.start_loss);
            let epoch = Epoch {
                split: &self.split,
                plan: &self.plan,
                teach: Teach::Frames,
                threads: 1,
                host_base_bytes: None,
            };
            let goes_on = |progress: Progress| progress.done != to as u64;
            let row = epoch.train(trainer, &mut watch, so_far, goes_on);
            row.expect("trained").map(|row| EpochRow {
                train_seconds: 0.0,
                wait_seconds: 0.0,
                ..row
            })
        }
    }

    #[test]
    fn an_epoch_that_is_stopped_and_goes_on_is_one_that_was_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let bench = Bench::new(folder.path());
        let batches = bench.plan.len();
        assert!(batches > 2 * STEPS_BETWEEN_LOOKS, "{batches}");
        let mut clean = bench.trainer();
        let expected = bench.train(clean.as_mut(), &mut SoFar::default(), usize::MAX);
        assert_eq!(
            expected.as_ref().map(|row| row.batches),
            Some(batches as u64)
        );
        let mut stops = vec![1, STEPS_BETWEEN_LOOKS - 1, STEPS_BETWEEN_LOOKS, 40, batches];
        stops.push(usize::MAX);
        let mut ended = None;
        for stop in stops {
            // A new process each time.
            let mut trainer = bench.trainer();
            let mut so_far = SoFar::default();
            if let Some((kept, checkpoint)) = SoFar::latest(&bench.job).expect("readable") {
                trainer.load(&checkpoint).expect("a checkpoint");
                so_far = kept;
            }
            ended = bench.train(trainer.as_mut(), &mut so_far, stop);
            if ended.is_none() {
                assert_eq!(so_far.batches, stop);
                assert!(so_far.save(trainer.as_ref(), &bench.job).expect("writable"));
                let kept = std::fs::read_dir(folder.path().join("checkpoints"));
                assert_eq!(kept.expect("a folder").count(), 2, "the latest alone");
            } else {
                assert_eq!(trainer.parameters().ok(), clean.parameters().ok());
            }
        }
        assert_eq!(ended, expected);
    }
}
