//! Errors of frame labels.

use thiserror::Error;

use super::fitting::Mismatch;
use crate::files::FileError;

/// Labels that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelError {
    /// A label file is invalid.
    #[error(transparent)]
    File(#[from] FileError),
    /// The numbers of labels and frames differ.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// Labels of different kinds, a duplicate class, or an utterance without labels.
    #[error("{0}")]
    Inconsistent(String),
}
