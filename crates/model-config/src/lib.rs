//! What describes an acoustic model and its training: shapes, choices, optimisers, schedules.
//!
//! It is a separate crate so that configs and records can be read without compiling burn. `padwise-model`, which trains,
//! re-exports all of it.

mod choices;
mod error;
mod model;
mod optimiser;
mod schedule;
mod trainer;

pub use choices::{BackendChoice, Objective, Optimiser, Precision, Recurrence};
pub use error::SettingError;
pub use model::{BlstmConfig, ParameterSpec};
pub use optimiser::OptimiserConfig;
pub use schedule::Schedule;
pub use trainer::TrainerConfig;
