//! Exports an experiment's features, labels and batches, so another program can train on exactly the same data.
//!
//! `scripts/peer.py` trains PyTorch on an export. `export/README.md` documents the files, and every export contains it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use padwise_features::Corpus;
use padwise_features::corpus::NO_LABEL;
use padwise_sampler::{Batch, Plan, Sampler};
use serde_json::{Value, json};

use crate::corpora::{Supervision, without_repeats};
use crate::experiment::Experiment;

/// Documents the files, in every export.
const README: &str = include_str!("export/README.md");

/// Writes an experiment, normalised by [`Experiment::ready`], to a new folder. After an error, the folder is removed.
pub fn export(experiment: &Experiment, folder: &Path) -> Result<()> {
    std::fs::create_dir(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let written = write_files(experiment, folder);
    if written.is_err() {
        // Everything in it is from this call.
        let _ = std::fs::remove_dir_all(folder);
    }
    written
}

fn write_files(experiment: &Experiment, folder: &Path) -> Result<()> {
    let at = |name: &str| folder.join(name);
    let (training, validation) = (&experiment.split.training, &experiment.split.validation);
    utterances(training.as_ref(), &at("training.f32"), &at("training.i32"))?;
    utterances(
        validation.as_ref(),
        &at("validation.f32"),
        &at("validation.i32"),
    )?;
    if experiment.split.supervision != Supervision::FrameLabels {
        for (corpus, name) in [(training, "training"), (validation, "validation")] {
            let path = at(&format!("{name}.targets.jsonl"));
            targets(corpus.as_ref(), experiment.split.supervision, &path)?;
        }
    }
    let mut readme = create(&at("README.md"))?;
    readme.write_all(README.as_bytes())?;
    readme.flush()?;
    let mut batches = create(&at("batches.jsonl"))?;
    let mut longest = csv::Writer::from_writer(create(&at("longest.csv"))?);
    longest.write_record(["strategy", "seed", "epoch", "batches", "longest_frames"])?;
    let train = &experiment.config.train;
    for row in &experiment.config.strategy {
        for &seed in &train.seeds {
            let sampler = Sampler::new(row.strategy.clone(), seed)?;
            for epoch in 0..train.epochs {
                let plan = sampler.plan(training.lengths(), epoch)?;
                let line = json!({
                    "strategy": row.name, "seed": seed, "epoch": epoch, "batches": items(&plan),
                });
                writeln!(batches, "{line}")?;
                let frames: u64 = plan.batches().map(|batch| longest_frames(&batch)).sum();
                longest.serialize((&row.name, seed, epoch + 1, plan.len(), frames))?;
            }
        }
    }
    let fixed = experiment.validation_plan()?;
    writeln!(batches, "{}", json!({ "validation": items(&fixed) }))?;
    batches.flush()?;
    longest.flush()?;
    let about = json!({
        "config": experiment.config.written(),
        "dims": training.dims(),
        "classes": experiment.model().classes,
        "targets": training.target_set(),
        "training": training.lengths(),
        "validation": validation.lengths(),
        "training_ids": ids(training.as_ref()),
        "validation_ids": ids(validation.as_ref()),
    });
    // Written last: a folder with this file is complete.
    let mut file = create(&at("experiment.json"))?;
    writeln!(file, "{about}")?;
    file.flush()?;
    Ok(())
}

/// A file whose errors have its name.
struct NamedFile {
    path: PathBuf,
    file: File,
}

impl NamedFile {
    fn named<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let message = format!("cannot write {}: {error}", self.path.display());
            io::Error::new(error.kind(), message)
        })
    }
}

impl Write for NamedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.named(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.named(flushed)
    }
}

fn create(path: &Path) -> Result<BufWriter<NamedFile>> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let path = path.to_path_buf();
    Ok(BufWriter::new(NamedFile { path, file }))
}

/// Writes all frames and labels of a corpus.
fn utterances(corpus: &dyn Corpus, features_path: &Path, labels_path: &Path) -> Result<()> {
    let (mut features_file, mut labels_file) = (create(features_path)?, create(labels_path)?);
    let (mut features, mut labels) = (Vec::new(), Vec::new());
    for (utterance, &length) in corpus.lengths().iter().enumerate() {
        features.resize(length as usize * corpus.dims(), 0.0);
        labels.resize(length as usize, NO_LABEL);
        corpus.read_into(utterance, 0, &mut features, &mut labels)?;
        for value in &features {
            features_file.write_all(&value.to_le_bytes())?;
        }
        for label in &labels {
            labels_file.write_all(&label.to_le_bytes())?;
        }
    }
    features_file.flush()?;
    labels_file.flush()?;
    Ok(())
}

/// The ids of all utterances.
fn ids(corpus: &dyn Corpus) -> Vec<&str> {
    (0..corpus.len())
        .map(|utterance| corpus.id(utterance))
        .collect()
}

/// Writes the sequences that CTC is trained on.
fn targets(corpus: &dyn Corpus, supervision: Supervision, path: &Path) -> Result<()> {
    let mut file = create(path)?;
    for utterance in 0..corpus.len() {
        let sequence = match supervision {
            Supervision::Targets => corpus.targets(utterance)?,
            _ => without_repeats(&corpus.read(utterance)?.1),
        };
        writeln!(file, "{}", json!(sequence))?;
    }
    Ok(file.flush()?)
}

/// Length of the longest item in a batch, in frames.
fn longest_frames(batch: &Batch) -> u64 {
    batch.lengths().iter().copied().max().unwrap_or(0).into()
}

/// The batches of a plan, each a list of items.
fn items(plan: &Plan) -> Vec<Vec<Value>> {
    plan.batches()
        .map(|batch| {
            batch
                .items()
                .map(|item| json!([item.sequence, item.start, item.length]))
                .collect()
        })
        .collect()
}
