//! The text stored in a checkpoint: which run it belongs to, how far that run was, and what it had measured.

use padwise_report::record::{EpochRow, WorkersRow};
use serde::{Deserialize, Serialize};

use super::{EpochProgress, Position, RunId};

/// The tag of a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckpointTag {
    /// The run.
    pub run: RunId,
    /// The position of the run.
    pub position: Position,
    /// The row of the epoch that has just finished.
    pub row: Option<Box<EpochRow>>,
    /// The times of its workers, if training is parallel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<Box<WorkersRow>>,
    /// The progress of the unfinished epoch.
    pub progress: Option<EpochProgress>,
}

impl CheckpointTag {
    /// The tag as text.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Reads the tag of a checkpoint that should belong to this run and position.
    pub fn check(text: &str, run: &RunId, position: Position) -> Result<Self, String> {
        let tag: CheckpointTag =
            serde_json::from_str(text).map_err(|error| format!("its tag is invalid ({error})"))?;
        if tag.run.experiment != run.experiment {
            return Err("it belongs to another experiment".into());
        }
        if (tag.run.row, tag.run.seed) != (run.row, run.seed) {
            return Err(format!(
                "it belongs to strategy number {} with seed {}",
                tag.run.row + 1,
                tag.run.seed
            ));
        }
        if tag.position != position {
            return Err(format!(
                "it was written after epoch {}{}",
                tag.position.epoch,
                match tag.position.batch {
                    Some(batch) => format!(" and {batch} batches"),
                    None => String::new(),
                }
            ));
        }
        Ok(tag)
    }
}
