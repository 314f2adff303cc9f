//! A bidirectional LSTM acoustic model with exact masking of padding, for CPU, CUDA and wgpu.
//!
//! Padding never affects a result: the reverse direction starts at each utterance's last frame, and losses
//! count labelled frames only. Changing the contents of the padding, even to NaN, changes no bit of any
//! output or gradient. A comparison of batching strategies depends on this.
//!
//! - [`BlstmConfig`] describes the model. [`network`] implements it, forward and backward, for any backend
//!   ([`KernelBackend`]).
//! - [`ctc`] is the CTC loss on the host.
//! - [`backend::trainer()`] returns a [`Trainer`] on the backend chosen at run time.
//! - [`weights`] exchanges parameters with PyTorch.
//!
//! ```
//! use padwise_model::{BackendChoice, BlstmConfig, PaddedBatch, Targets, TrainerConfig, backend};
//!
//! let model = BlstmConfig::new(2, 3).with_layers(1).with_hidden(4);
//! let mut trainer = backend::trainer(BackendChoice::Cpu, TrainerConfig::new(model))?;
//! // Two utterances of 3 and 1 frames, time-major, padded to 3 frames.
//! trainer.step(PaddedBatch {
//!     inputs: vec![0.5; 3 * 2 * 2],
//!     lengths: vec![3, 1],
//!     frames: 3,
//!     targets: Targets::Frames(vec![0, 2, 1, 0, 1, 0]),
//! })?;
//! let losses = trainer.take_losses()?;
//! assert_eq!(losses[0].counted, 4);
//! # Ok::<(), padwise_model::ModelError>(())
//! ```

pub mod backend;
pub mod batch;
pub mod benchmark;
pub mod ctc;
mod error;
pub mod kernels;
pub mod network;
pub mod profiler;
pub mod training;

pub use backend::trainer;
pub use batch::{BatchLayout, PaddedBatch, RowLayout, Targets};
pub use error::ModelError;
pub use kernels::KernelBackend;
pub use kernels::recurrence::{GateOrder, LayerOptions};
pub use network::blstm::Blstm;
pub use padwise_model_config::{
    BackendChoice, BlstmConfig, Objective, Optimiser, OptimiserConfig, Padding, ParameterSpec,
    Precision, Recurrence, Schedule, SettingError, TrainerConfig,
};
pub use training::{
    Description, Evaluation, Gradients, LossSum, Memory, OptimiserSnapshot, RunningAverages,
    Trainer, weights,
};

/// Runs the README's example as a test.
#[cfg(all(doctest, feature = "cpu"))]
#[doc = include_str!("../README.md")]
struct Readme;
