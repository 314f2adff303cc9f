//! Writes the posteriors of a trained model: one feature pack, whose features are the log probabilities of classes.
//!
//! A pack is checksummed, complete or absent, and every tool here reads it. Its header has the [`Units`] of the model.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result, anyhow};
use padwise_features::pack::{Dtype, PackError, PackWriter, Setup, Utterance};
use padwise_features::{Corpus, Matrix};
use padwise_model::Trainer;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Units, WordsError};
use crate::checkpoints::RunId;
use crate::corpora::{Supervision, evaluation_plan};
use crate::loader::with_batches;

/// The folder of posteriors in a results folder.
pub const FOLDER: &str = "posteriors";

/// The name of the test set in file names.
pub const TEST: &str = "test";

/// The name of the validation set in file names.
pub const VALIDATION: &str = "validation";

/// The file with the posteriors of a run on a set of utterances.
pub fn path(results: &Path, run: &RunId, set: &str) -> PathBuf {
    let name = format!("{}-{}-{set}.pack", run.row + 1, run.seed);
    results.join(FOLDER).join(name)
}

/// How posteriors are computed and described.
pub struct PosteriorWriter<'a> {
    /// The classes of the model.
    pub units: &'a Units,
    /// Duration of a frame in milliseconds.
    pub hop_ms: f64,
    /// Utterances per batch.
    pub batch: u32,
    /// Threads that load batches.
    pub threads: usize,
}

impl PosteriorWriter<'_> {
    /// Computes and writes the posteriors of a corpus. Returns false, and leaves no file, if `should_continue` does.
    pub fn write(
        &self,
        path: &Path,
        trainer: &mut dyn Trainer,
        corpus: &dyn Corpus,
        should_continue: impl Fn() -> bool,
    ) -> Result<bool> {
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let plan = evaluation_plan(corpus, self.batch)?;
        let order = plan
            .batches()
            .flat_map(|batch| batch.items().map(|item| item.sequence).collect::<Vec<_>>());
        let utterances = order.map(|utterance| Utterance {
            id: corpus.id(utterance).into(),
            speaker: corpus.speaker(utterance).map(String::from),
            text: corpus.text(utterance).map(String::from),
            ..Utterance::default()
        });
        let classes = self.units.classes();
        let setup = Setup {
            dims: u32::try_from(classes)?,
            dtype: Dtype::F16,
            class_names: None,
            targets: None,
            front_end: json!({ "kind": "log-posteriors", "hop-ms": self.hop_ms, "units": self.units }),
        };
        // What an interrupted attempt left behind is from another state of the model.
        remove(path);
        let writer = PackWriter::create(path, setup, utterances.collect())?;
        // The device computes a batch while another thread writes the one before.
        let (sender, receiver) = mpsc::sync_channel(1);
        let (writer, finished) = thread::scope(|scope| {
            let writing = scope.spawn(|| append_all(writer, receiver));
            let computed = with_batches(
                corpus,
                &plan,
                0,
                Supervision::FrameLabels,
                self.threads,
                |loader| {
                    for batch in loader {
                        if !should_continue() {
                            return Ok(false);
                        }
                        let scores = trainer.log_probabilities(batch?)?;
                        let of_utterance = |values| Matrix::from_rows(classes, values);
                        let utterances: Vec<_> = scores.into_iter().map(of_utterance).collect();
                        // The other thread ends early only with an error, which follows.
                        if sender.send(utterances).is_err() {
                            break;
                        }
                    }
                    anyhow::Ok(true)
                },
            );
            drop(sender);
            let writer = writing
                .join()
                .map_err(|_| anyhow!("writing posteriors failed"))??;
            anyhow::Ok((writer, computed?))
        })?;
        if finished {
            writer.finish()?;
        } else {
            writer.abandon();
        }
        Ok(finished)
    }
}

/// Appends the utterances of all batches to a pack.
fn append_all(
    mut writer: PackWriter,
    batches: mpsc::Receiver<Vec<Matrix>>,
) -> Result<PackWriter, PackError> {
    for utterances in batches {
        writer.append_all(&utterances)?;
    }
    Ok(writer)
}

/// Removes posteriors, also unfinished ones.
pub fn remove(path: &Path) {
    for file in [path.to_path_buf(), path.with_extension("pack.partial")] {
        let _ = std::fs::remove_file(file);
    }
}

/// The units that posteriors were written with, from the `front_end` in their header; none if another program wrote them.
pub fn units(path: &Path, front_end: &Value) -> Result<Option<Units>, WordsError> {
    let Some(units) = front_end.get("units") else {
        return Ok(None);
    };
    let units = Units::deserialize(units).map_err(|error| {
        WordsError::Unsuitable(format!(
            "{}: the header has no valid units of the model: {error}",
            path.display()
        ))
    })?;
    Ok(Some(units))
}
