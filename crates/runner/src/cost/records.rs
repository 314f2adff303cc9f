//! Compares predicted with measured epochs of a record.

use std::path::{Path, PathBuf};

use padwise_model::{BlstmConfig, Objective, Padding};
use padwise_recommend::cost::{BatchShape, DeviceProfile};
use padwise_report::record::{EpochRow, ReadError, Recorded};
use padwise_report::statistics::median;
use padwise_sampler::{Plan, PlanError, Sampler};
use serde::Serialize;
use thiserror::Error;

use super::Subject;
use crate::corpora::CorporaError;
use crate::experiment::Experiment;

/// A record whose epochs cannot be predicted.
#[derive(Debug, Error)]
pub enum RecordError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Its corpus cannot be opened.
    #[error("{}", folder.display())]
    Corpus {
        /// The record.
        folder: PathBuf,
        /// The reason.
        source: CorporaError,
    },
    /// A strategy cannot be planned.
    #[error("{}", folder.display())]
    Plan {
        /// The record.
        folder: PathBuf,
        /// The reason.
        source: PlanError,
    },
    /// Its epochs are not those of its corpus.
    #[error("{}: epoch {epoch} of `{strategy}` has {recorded} batches, its plan {planned}; the corpus has changed", folder.display())]
    OtherCorpus {
        /// The record.
        folder: PathBuf,
        /// The strategy.
        strategy: String,
        /// The epoch.
        epoch: u64,
        /// Batches in the record.
        recorded: u64,
        /// Batches in the plan.
        planned: usize,
    },
    /// It was measured with another model.
    #[error("{}: the record trained {recorded}, the profile is for {profile}", folder.display())]
    OtherModel {
        /// The record.
        folder: PathBuf,
        /// The record's model.
        recorded: String,
        /// The profile's model.
        profile: String,
    },
}

/// Predicted and measured epochs of one strategy: medians over seeds and epochs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EpochPrediction {
    /// The record.
    pub record: String,
    /// The strategy's name.
    pub strategy: String,
    /// Batches per epoch.
    pub batches: u64,
    /// Items in the largest batch.
    pub most_items: usize,
    /// Predicted training time of an epoch.
    pub predicted_seconds: f64,
    /// Measured training time of an epoch.
    pub measured_seconds: f64,
    /// Predicted memory of the largest batch, if the profile has memory.
    pub predicted_bytes: Option<u64>,
    /// Measured peak memory.
    pub measured_bytes: Option<u64>,
}

impl EpochPrediction {
    /// Relative error of the time, in percent of the measured time.
    pub fn time_error_percent(&self) -> f64 {
        100.0 * (self.predicted_seconds / self.measured_seconds - 1.0)
    }

    /// Relative error of the memory, in percent of the measured memory.
    pub fn memory_error_percent(&self) -> Option<f64> {
        let measured = self.measured_bytes? as f64;
        Some(100.0 * (self.predicted_bytes? as f64 / measured - 1.0))
    }
}

/// Predicts the epochs of every strategy of a record. Paths in its config are relative to `configs`.
pub fn predict_epochs(
    folder: &Path,
    configs: &Path,
    profile: &DeviceProfile,
) -> Result<Vec<EpochPrediction>, RecordError> {
    let record = Recorded::open(folder)?;
    let experiment = open(&record, configs)?;
    let (model, objective) = (experiment.model(), record.config.train.objective);
    let padding = record.config.model.padding;
    if model != profile.model || objective != profile.objective || padding != profile.padding {
        return Err(RecordError::OtherModel {
            folder: folder.into(),
            recorded: describe(&model, objective, padding),
            profile: describe(&profile.model, profile.objective, profile.padding),
        });
    }
    let mut found = Vec::new();
    for row in record
        .config
        .strategy
        .iter()
        .filter(|row| row.workers.is_none())
    {
        let epochs = record.epochs.iter();
        let epochs: Vec<&EpochRow> = epochs
            .filter(|epoch| epoch.strategy == row.name && epoch.is_complete())
            .collect();
        let mut predicted = Vec::new();
        for epoch in &epochs {
            let plan = plan_of(&experiment, row, epoch).map_err(|source| RecordError::Plan {
                folder: folder.into(),
                source,
            })?;
            if plan.len() as u64 != epoch.batches {
                return Err(RecordError::OtherCorpus {
                    folder: folder.into(),
                    strategy: row.name.clone(),
                    epoch: epoch.epoch,
                    recorded: epoch.batches,
                    planned: plan.len(),
                });
            }
            predicted.push(Predicted::of(&plan, profile));
        }
        found.extend(summary(&record.name, &row.name, &epochs, &predicted));
    }
    Ok(found)
}

/// A model in words.
fn describe(model: &BlstmConfig, objective: Objective, padding: Padding) -> String {
    let BlstmConfig {
        inputs,
        layers,
        hidden,
        classes,
        dropout,
    } = model;
    let objective = objective.name();
    format!(
        "{layers} × BiLSTM-{hidden} with {inputs} inputs, {classes} classes, dropout {dropout}, {objective}, {padding} batches"
    )
}

/// What a record has measured. Paths in its config are relative to `configs`.
pub fn subject_of(folder: &Path, configs: &Path) -> Result<Subject, RecordError> {
    let experiment = open(&Recorded::open(folder)?, configs)?;
    Subject::of(&experiment).map_err(|source| RecordError::Corpus {
        folder: folder.into(),
        source,
    })
}

fn open(record: &Recorded, configs: &Path) -> Result<Experiment, RecordError> {
    let config = record.config.clone();
    Experiment::open_with_states(config, configs).map_err(|source| RecordError::Corpus {
        folder: record.folder.clone(),
        source,
    })
}

fn plan_of(
    experiment: &Experiment,
    row: &padwise_report::record::Row,
    epoch: &EpochRow,
) -> Result<Plan, PlanError> {
    let sampler = Sampler::new(row.strategy.clone(), epoch.seed)?;
    // Records count epochs from one, plans from zero.
    sampler.plan(
        experiment.split.training.lengths(),
        epoch.epoch.saturating_sub(1),
    )
}

struct Predicted {
    seconds: f64,
    bytes: Option<u64>,
    most_items: usize,
}

impl Predicted {
    fn of(plan: &Plan, profile: &DeviceProfile) -> Self {
        let cost = &profile.cost;
        let bytes = plan.batches().filter_map(|batch| {
            let memory = cost.memory?;
            Some(memory.bytes_of(&BatchShape::from(batch), profile.padding))
        });
        Self {
            seconds: cost.epoch(plan),
            bytes: bytes.max(),
            most_items: plan.batches().map(|batch| batch.len()).max().unwrap_or(0),
        }
    }
}

fn summary(
    record: &str,
    strategy: &str,
    epochs: &[&EpochRow],
    predicted: &[Predicted],
) -> Option<EpochPrediction> {
    let of = |seconds: Vec<f64>| median(&seconds);
    Some(EpochPrediction {
        record: record.into(),
        strategy: strategy.into(),
        batches: epochs.first()?.batches,
        most_items: predicted.iter().map(|plan| plan.most_items).max()?,
        predicted_seconds: of(predicted.iter().map(|plan| plan.seconds).collect()),
        measured_seconds: of(epochs.iter().map(|epoch| epoch.train_seconds).collect()),
        predicted_bytes: predicted.iter().filter_map(|plan| plan.bytes).max(),
        measured_bytes: epochs.iter().filter_map(|epoch| epoch.memory_bytes()).max(),
    })
}
