//! What can go wrong between a batch and a training step, each in a sentence that names the value and the remedy.

use std::path::{Path, PathBuf};

use padwise_model_config::{BackendChoice, Precision, SettingError};

/// An error of the acoustic model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A setting of the model, the optimiser or the schedule that no model can have.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A batch whose parts do not fit each other or the model.
    #[error("the batch's {part} {problem}")]
    Batch {
        /// Which part of the batch.
        part: &'static str,
        /// What is wrong with it, with the numbers.
        problem: String,
    },
    /// Nothing in the batch can be learned from: averaging over no frames would give NaN.
    #[error(
        "the batch has no labelled frame: all {frames} are padding or unlabelled; leave such a batch out"
    )]
    NothingLabelled {
        /// Frames in the batch, padding included.
        frames: usize,
    },
    /// A backend that this build does not contain.
    #[error("the {backend} backend is not in this build; build with --features {backend}")]
    NotCompiledIn {
        /// The backend asked for, and the cargo feature that brings it.
        backend: BackendChoice,
    },
    /// A backend that is in this build, but has no driver or device on this machine.
    #[error("the {backend} backend cannot run on this machine: {reason}")]
    NoDevice {
        /// The backend asked for.
        backend: BackendChoice,
        /// What the driver or the device said.
        reason: String,
    },
    /// A precision that the backend or the device does not have.
    #[error("{precision} is not available on {device}: {reason}")]
    Precision {
        /// The precision asked for.
        precision: Precision,
        /// The backend, and its device where there are several kinds.
        device: String,
        /// Why not, and what is.
        reason: String,
    },
    /// The device failed while computing.
    #[error("{backend} failed: {reason}")]
    Device {
        /// The backend.
        backend: BackendChoice,
        /// What the device said.
        reason: String,
    },
    /// A file of weights or a checkpoint that does not fit this model.
    #[error("{}: {problem}", path.display())]
    Weights {
        /// The file.
        path: PathBuf,
        /// What does not fit, with names and shapes.
        problem: String,
    },
    /// A file that could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Sequence labels that CTC cannot use.
    #[error(transparent)]
    Ctc(#[from] crate::ctc::CtcError),
}

impl ModelError {
    /// A part of a batch, and what is wrong with it.
    pub(crate) fn batch(part: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self::Batch { part, problem }
    }

    /// A file of weights, and what does not fit.
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
