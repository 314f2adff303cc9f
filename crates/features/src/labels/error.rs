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
    /// Labels that are of different kinds, that are no set of classes, or that leave an utterance out.
    #[error("{0}")]
    Incomplete(String),
}
