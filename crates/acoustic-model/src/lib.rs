//! A bidirectional LSTM acoustic model with masked padding, on the CPU, on CUDA and on any GPU through wgpu.
//!
//! The comparison of batching strategies is only as good as the model's treatment of padding. Here nothing after an
//! utterance's end can influence any of its outputs or gradients: the reverse direction starts at each utterance's own last
//! frame, losses are averaged over labelled frames, and changing what the padding holds, be it to NaN, changes no bit of any
//! result.
//!
//! - [`BlstmConfig`] describes the model, [`Blstm`] is it, as a burn module over any backend with the model's operations
//!   ([`ModelBackend`]).
//! - [`recurrence`] holds the ways to run the part that goes frame by frame.
//! - [`loss`]: masked cross-entropy and CTC. [`optimiser`]: Adam and ADADELTA.
//! - [`backend::trainer()`] gives a [`Trainer`], an object that trains on whatever backend was chosen at run time.
//! - [`weights`] exchanges parameters with PyTorch.
//!
//! ```
//! use padwise_model::{BackendChoice, Batch, BlstmConfig, Targets, TrainerConfig, backend};
//!
//! let model = BlstmConfig::new(2, 3).with_layers(1).with_hidden(4);
//! let mut trainer = backend::trainer(BackendChoice::Cpu, TrainerConfig::new(model))?;
//! // Two utterances of 3 and 1 frames: time-major, padded to 3.
//! trainer.step(Batch {
//!     inputs: vec![0.5; 3 * 2 * 2],
//!     lengths: vec![3, 1],
//!     frames: 3,
//!     targets: Targets::Frames(vec![0, 2, 1, 0, 1, 0]),
//! })?;
//! let losses = trainer.take_losses()?;
//! assert_eq!(losses[0].counted, 4);
//! # Ok::<(), padwise_model::ModelError>(())
//! ```

mod autodiff;
pub mod backend;
mod batch;
pub mod benchmark;
mod blstm;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod buffers;
pub mod checkpoint;
pub mod dropout;
mod error;
pub mod initial;
mod kernels;
pub mod launches;
pub mod layer;
mod lengths;
pub mod loss;
pub mod optimiser;
pub mod parts;
pub mod pass;
pub mod products;
#[cfg(feature = "cuda")]
mod raw_cuda;
pub mod recurrence;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod sums;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod together;
mod trainer;
mod training;
pub mod weights;

pub use backend::trainer;
pub use batch::{Batch, Targets};
pub use blstm::{Blstm, BlstmLayer, Training};
pub use error::ModelError;
pub use kernels::{FrameScores, KernelBackend, ModelBackend};
pub use layer::LayerOptions;
pub use lengths::Lengths;
pub use padwise_model_config::{
    BackendChoice, BlstmConfig, Objective, Optimiser, OptimiserConfig, ParameterSpec, Precision,
    Recurrence, Schedule, SettingError, TrainerConfig,
};
pub use trainer::{Description, Evaluation, Memory, StepLoss, Trainer};
