//! What the workers of this process start an epoch with.
//!
//! All workers start with the same parameters. Their optimisers are the same, too, unless each keeps its own.

use anyhow::Result;
use padwise_model::{OptimiserSnapshot, Trainer};

/// The models that the workers of this process start an epoch with.
pub struct Starts {
    /// The parameters.
    pub parameters: Vec<f32>,
    /// The optimisers, one per worker, or one for all of them. None if there is only one worker.
    pub optimisers: Vec<OptimiserSnapshot>,
}

impl Starts {
    /// Gives the trainer what worker number `at` of this process starts with.
    pub fn give(&self, at: usize, trainer: &mut dyn Trainer) -> Result<()> {
        trainer.set_parameters(&self.parameters)?;
        self.give_optimiser(at, trainer)
    }

    /// Gives the trainer the optimiser of worker number `at` of this process.
    pub fn give_optimiser(&self, at: usize, trainer: &mut dyn Trainer) -> Result<()> {
        if let Some(own) = self.optimisers.get(at).or(self.optimisers.first()) {
            trainer.set_optimiser(own.clone())?;
        }
        Ok(())
    }
}
