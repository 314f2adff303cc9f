//! Decodes the test set of finished runs, and records their word errors.
//!
//! On a GPU, decoding overlaps with the next run's training. On the CPU it would disturb the measured speed, so the next run waits.

use std::path::Path;

use anyhow::{Result, bail};
use padwise_experiment_config::WordsConfig;
use padwise_report::record::{DecodingRecord, RunStatus, UsedFile, WordsRecord};
use tracing::info;

use super::{Coordinator, Outcome};
use crate::process::protocol::PosteriorTask;
use crate::results_folder::ResultsFolder;
use crate::words::{
    Background, DecodingFacts, DecodingResult, PosteriorFiles, Prepared, Units, posteriors,
};

/// Cores that decoding leaves to the process that feeds a GPU.
const CORES_FOR_TRAINING: usize = 3;

/// Runs that may wait for decoding while the next one trains. Their posteriors need space on the disk.
const MOST_WAITING: usize = 2;

/// The folder of recognised words in a results folder.
const HYPOTHESES: &str = "hypotheses";

/// The decoding of an experiment's runs.
pub struct WordDecoding {
    background: Background,
    config: WordsConfig,
    units: Units,
    /// Whether the scale is known, or a run has been sent to tune it.
    is_tuned: bool,
    /// Whether runs train on the CPU.
    pub(super) on_cpu: bool,
}

impl WordDecoding {
    /// Writes what is known before the first run and starts the thread that decodes. `recorded` is from before a resume.
    pub fn start(
        prepared: Prepared,
        folder: &ResultsFolder,
        recorded: &WordsRecord,
    ) -> Result<Self> {
        let Prepared {
            shared,
            units,
            facts,
            utterances,
        } = prepared;
        let config = shared.config.clone();
        let mut lm_scale = config.lm_scale;
        if let Some(before) = &recorded.decoding {
            check_unchanged(folder.path(), before, &facts)?;
            lm_scale = Some(before.lm_scale);
        } else {
            folder.write_test_utterances(&utterances)?;
            if let Some(lm_scale) = lm_scale {
                folder.write_decoding(&facts.record(&config, lm_scale, Vec::new()))?;
            }
        }
        Ok(WordDecoding {
            config,
            units,
            is_tuned: lm_scale.is_some(),
            // Until the first run says otherwise.
            on_cpu: true,
            background: Background::start(shared, facts, lm_scale, CORES_FOR_TRAINING)?,
        })
    }
}

/// Checks that a resumed experiment has the lexicon and the language model that it began with.
fn check_unchanged(folder: &Path, before: &DecodingRecord, now: &DecodingFacts) -> Result<()> {
    let differ = |one: &UsedFile, other: &UsedFile| one.checksum != other.checksum;
    let lexicon = before.lexicon.as_ref().zip(now.lexicon.as_ref());
    let changed = match lexicon {
        Some((one, other)) if differ(one, other) => Some(&one.file),
        _ if differ(&before.language_model, &now.language_model) => {
            Some(&before.language_model.file)
        }
        _ => None,
    };
    if let Some(file) = changed {
        bail!(
            "{file} has changed since {} was decoded: restore it, or start another run",
            folder.display()
        );
    }
    Ok(())
}

impl Coordinator<'_> {
    /// The posteriors that the next run has to write. Those of the validation set serve to tune the scale.
    pub(super) fn posterior_task(&self) -> Option<PosteriorTask> {
        self.words.as_ref().map(|words| PosteriorTask {
            units: words.units.clone(),
            validation: !words.is_tuned,
        })
    }

    /// Queues all runs that ended before and were not decoded.
    pub(super) fn queue_earlier_runs(&mut self) -> Result<()> {
        let config = &self.experiment.config;
        let rows = config.strategy.len();
        let runs: Vec<(usize, u64)> = (config.train.seeds.iter())
            .flat_map(|&seed| (0..rows).map(move |row| (row, seed)))
            .collect();
        for (row, seed) in runs {
            self.queue_words(row, seed)?;
        }
        Ok(())
    }

    /// Queues a run that has ended, if it was not decoded yet.
    pub(super) fn queue_words(&mut self, row: usize, seed: u64) -> Result<()> {
        if self.words.is_none() {
            return Ok(());
        }
        let progress = self.run_progress(row, seed);
        let is_complete = progress.status.as_ref().is_some_and(RunStatus::is_complete);
        let strategy = self.experiment.config.strategy[row].name.clone();
        let recorded = self.folder.words(&self.experiment.config, &self.epochs)?;
        if !is_complete || recorded.of_run(&strategy, seed).is_some() {
            return Ok(());
        }
        let run = self.run_id(row, seed);
        let path = |set| posteriors::path(self.folder.path(), &run, set);
        let files = PosteriorFiles {
            strategy,
            seed,
            epoch: progress.result_epoch(&self.experiment.config),
            test: path(posteriors::TEST),
            validation: path(posteriors::VALIDATION),
        };
        if !files.test.is_file() {
            self.say(&format!(
                "`{}`, seed {seed}: no word errors, because {} is missing",
                files.strategy,
                files.test.display()
            ));
            return Ok(());
        }
        if let Some(words) = &mut self.words {
            words.is_tuned |= files.validation.is_file();
            words.background.send(files);
        }
        Ok(())
    }

    /// Waits for decoding, as far as it must not overlap with the next run.
    pub(super) fn wait_for_words(&mut self, outcome: &mut Outcome) -> Result<()> {
        let on_cpu = self.words.as_ref().is_some_and(|words| words.on_cpu);
        self.record_words(if on_cpu { 0 } else { MOST_WAITING }, outcome)
    }

    /// Records what has been decoded, and waits until at most `most` runs are left.
    pub(super) fn record_words(&mut self, most: usize, outcome: &mut Outcome) -> Result<()> {
        let mut said = false;
        while let Some(words) = &mut self.words {
            let background = &mut words.background;
            let mut found = background.try_next();
            let waiting = background.waiting();
            let must_wait = waiting > most && !self.interrupt.asked();
            if found.is_none() && must_wait {
                if !said {
                    said = true;
                    let runs = crate::terminal::count(waiting, "run");
                    self.progress
                        .say(&format!("decoding the test set of {runs}"));
                }
                found = background.wait();
            }
            match found {
                Some(finished) => self.record_one(finished, outcome)?,
                None if must_wait && !words.background.has_ended() => {}
                None => break,
            }
        }
        Ok(())
    }

    /// Whether runs are left to decode.
    pub(super) fn words_are_waiting(&self) -> bool {
        self.words
            .as_ref()
            .is_some_and(|words| words.background.waiting() > 0)
    }

    fn record_one(&mut self, finished: DecodingResult, outcome: &mut Outcome) -> Result<()> {
        match finished {
            DecodingResult::Tuned(record) => {
                info!(lm_scale = record.lm_scale, "tuned on the validation set");
                self.folder.write_decoding(&record)?;
            }
            DecodingResult::Decoded {
                files,
                row,
                hypotheses,
            } => {
                let percent = row.word_error_percent();
                info!(
                    row.strategy,
                    row.seed, percent, row.real_time_factor, "decoded"
                );
                self.write_hypotheses(&files, &hypotheses)?;
                self.folder.append_words(&row)?;
                posteriors::remove(&files.validation);
                let words = self.words.as_ref();
                if !words.is_some_and(|words| words.config.keep_posteriors) {
                    posteriors::remove(&files.test);
                }
                // The folder is removed once it is empty.
                let _ = std::fs::remove_dir(self.folder.path().join(posteriors::FOLDER));
            }
            DecodingResult::Failed { files, message } => {
                // If tuning failed, the next run provides new validation posteriors.
                let recorded = self.folder.words(&self.experiment.config, &self.epochs)?;
                if let Some(words) = &mut self.words {
                    words.is_tuned = recorded.decoding.is_some();
                }
                let (strategy, seed) = (&files.strategy, files.seed);
                outcome
                    .failed
                    .push(format!("{strategy}, seed {seed}: cannot decode: {message}"));
            }
        }
        Ok(())
    }

    /// Writes the recognised words of a run, a line per utterance.
    fn write_hypotheses(&self, files: &PosteriorFiles, text: &str) -> Result<()> {
        let name = files.test.file_stem().unwrap_or_default();
        let folder = self.folder.path().join(HYPOTHESES);
        crate::results_folder::create_folder(&folder)?;
        let path = folder.join(name).with_extension("txt");
        Ok(crate::results_folder::replace(&path, text.as_bytes())?)
    }
}
