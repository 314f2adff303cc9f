//! An experiment written out for others: its utterances as plain numbers and its batches as lists, so that another program can
//! train on just what we train on. `scripts/peer.py` does so with PyTorch.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `experiment.json` | the resolved config, numbers a frame, classes, the frames of each utterance of both parts |
//! | `training.f32`, `validation.f32` | normalised features of all utterances one after the other, frame by frame, little-endian |
//! | `training.i32`, `validation.i32` | the label of every frame; -1 where there is none |
//! | `longest.csv` | a line for each strategy, seed and epoch: how long the longest utterances of its batches are, added up, which is where a recurrence can stop whatever its batch is padded to |
//! | `batches.jsonl` | a line for each strategy, seed and epoch: batches of items `[utterance, first frame, frames]`; the last line has the fixed validation batches |

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};
use padwise_features::Corpus;
use padwise_features::corpus::NO_LABEL;
use padwise_sampler::{Batch, Plan, Sampler};
use serde_json::{Value, json};

use crate::experiment::Experiment;

/// Writes an experiment, whose frames are [`Experiment::ready`], into a folder that is made for it.
pub fn export(experiment: &Experiment, folder: &Path) -> Result<()> {
    std::fs::create_dir(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let at = |name: &str| folder.join(name);
    let (training, held_out) = (&experiment.split.training, &experiment.split.validation);
    utterances(training.as_ref(), &at("training.f32"), &at("training.i32"))?;
    utterances(
        held_out.as_ref(),
        &at("validation.f32"),
        &at("validation.i32"),
    )?;
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
        "classes": training.classes(),
        "training": training.lengths(),
        "validation": held_out.lengths(),
    });
    // Last, so that a folder that has it is whole.
    let mut file = create(&at("experiment.json"))?;
    writeln!(file, "{about}")?;
    file.flush()?;
    Ok(())
}

fn create(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(BufWriter::new(file))
}

/// All frames and labels of a corpus.
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

/// Frames of the longest item of a batch.
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
