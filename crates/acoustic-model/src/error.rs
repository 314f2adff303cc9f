//! Errors of the acoustic model. Each message names the value and the remedy.

use std::path::{Path, PathBuf};

use padwise_model_config::{BackendChoice, Precision, SettingError};

/// An error of the acoustic model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// An invalid setting of the model, the optimiser or the schedule.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A batch that is inconsistent or does not fit the model.
    #[error("invalid batch: {part} {problem}")]
    Batch {
        /// The part of the batch.
        part: &'static str,
        /// The problem, with numbers.
        problem: String,
    },
    /// The batch has no labelled frame, so its mean loss would be NaN.
    #[error(
        "the batch has no labelled frame: all {frames} frames are padding or unlabelled; remove such batches"
    )]
    NothingLabelled {
        /// Frames in the batch, including padding.
        frames: usize,
    },
    /// A backend that was not compiled in.
    #[error("the {backend} backend is not in this build; build with --features {backend}")]
    NotCompiledIn {
        /// The backend, which is also the name of its cargo feature.
        backend: BackendChoice,
    },
    /// A backend without a driver or device on this machine.
    #[error("the {backend} backend cannot run on this machine: {reason}")]
    NoDevice {
        /// The backend.
        backend: BackendChoice,
        /// The message of the driver or the device.
        reason: String,
    },
    /// A precision that the backend or the device does not support.
    #[error("{precision} is not available on {device}: {reason}")]
    Precision {
        /// The precision.
        precision: Precision,
        /// The backend and, if it matters, its device.
        device: String,
        /// The reason and the alternative.
        reason: String,
    },
    /// A device error during computation.
    #[error("{backend} failed: {reason}")]
    Device {
        /// The backend.
        backend: BackendChoice,
        /// The message of the device.
        reason: String,
    },
    /// A weight file or a checkpoint that does not fit the model.
    #[error("{}: {problem}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// The mismatch, with names and shapes.
        problem: String,
    },
    /// A file that could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Sequence labels that CTC cannot use.
    #[error(transparent)]
    Ctc(#[from] crate::ctc::CtcError),
}

impl ModelError {
    /// An error in a part of a batch.
    pub(crate) fn batch(part: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::Batch { part, problem }
    }

    /// A mismatch in a weight file.
    pub(crate) fn weights(path: &Path, problem: impl Into<String>) -> Self {
        Self::Weights {
            path: path.to_owned(),
            problem: problem.into(),
        }
    }

    /// A file that could not be read or written.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}
