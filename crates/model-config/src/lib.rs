//! Configuration of a bidirectional LSTM acoustic model and its training: shape, backend, optimiser,
//! schedule.
//!
//! This is a separate crate so that tools can read configs and results without compiling a tensor library.
//! `padwise-model`, which trains the model, re-exports everything.
//!
//! ```
//! use padwise_model_config::BlstmConfig;
//!
//! let config = BlstmConfig::new(40, 1501).with_layers(5).with_hidden(320);
//! config.validate()?;
//! assert_eq!(config.parameter_count(), 11_739_741);
//! # Ok::<(), padwise_model_config::SettingError>(())
//! ```

mod choices;
mod error;
mod model;
mod optimiser;
mod schedule;
mod trainer;

pub use choices::{BackendChoice, Objective, Optimiser, Padding, Precision, Recurrence};
pub use error::SettingError;
pub use model::{BlstmConfig, ParameterSpec};
pub use optimiser::OptimiserConfig;
pub use schedule::Schedule;
pub use trainer::TrainerConfig;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
