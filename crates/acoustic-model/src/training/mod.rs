//! Training through one interface, [`Trainer`], and the files that it writes.

mod backend_trainer;
pub mod checkpoint;
mod loss;
pub mod optimiser;
mod pending;
mod placing;
mod step;
mod trainer;
pub mod weights;
#[cfg(any(feature = "cuda", test))]
mod wide_parameters;
#[cfg(any(feature = "cuda", test))]
mod widened;

pub(crate) use backend_trainer::BackendTrainer;
pub use trainer::{
    Description, Evaluation, Gradients, LossSum, Memory, OptimiserSnapshot, RunningAverages,
    Trainer,
};
#[cfg(any(feature = "cuda", test))]
pub(crate) use widened::WidenedTrainer;
