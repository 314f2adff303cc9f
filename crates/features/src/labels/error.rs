//! What can be wrong with labels.

use thiserror::Error;

use super::fitting::Mismatch;
use crate::files::FileError;

/// Labels that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelError {
    /// A file of labels is at fault.
    #[error(transparent)]
    File(#[from] FileError),
    /// The labels are not as many as the frames.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// Labels that do not fit together: of different kinds, with a class twice, or without those of an utterance.
    #[error("{0}")]
    Inconsistent(String),
}
