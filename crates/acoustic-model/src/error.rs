//! What can go wrong between a batch and a training step, each in a sentence that names the value and the remedy.

use std::path::PathBuf;

/// An error of the acoustic model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A setting of the model, the optimiser or the schedule that no model can have.
    #[error("{setting} is {value}: {remedy}")]
    Setting {
        /// The setting's name.
        setting: &'static str,
        /// Its value as given.
        value: String,
        /// What would be valid.
        remedy: &'static str,
    },
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
    #[error("the {backend} backend is not in this build; build with --features {feature}")]
    NotCompiledIn {
        /// The backend asked for.
        backend: &'static str,
        /// The cargo feature that brings it.
        feature: &'static str,
    },
    /// A backend that is in this build, but has no driver or device on this machine.
    #[error("the {backend} backend cannot run on this machine: {reason}")]
    NoDevice {
        /// The backend asked for.
        backend: &'static str,
        /// What the driver or the device said.
        reason: String,
    },
    /// A precision that the backend or the device does not have.
    #[error("{precision} is not available on {backend}: {reason}")]
    Precision {
        /// The precision asked for.
        precision: &'static str,
        /// The backend.
        backend: String,
        /// Why not, and what is.
        reason: String,
    },
    /// The device failed while computing.
    #[error("{backend} failed: {reason}")]
    Device {
        /// The backend.
        backend: String,
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
    Ctc(#[from] crate::loss::CtcError),
}
