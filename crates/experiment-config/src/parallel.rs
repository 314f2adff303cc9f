//! The table `[train.parallel]`: training by several workers whose models are averaged.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::KeyError;
use crate::limits::{MAX_DEADLINE_SECONDS, MAX_WORKERS, above_zero, count, number};

/// Data-parallel training: every worker trains a copy of the model on a part of the corpus, and the copies are averaged.
///
/// ```toml
/// [train.parallel]
/// workers = [1, 2, 4]
/// average = "epoch"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ParallelConfig {
    /// Number of workers. With a list, every strategy runs once with each number, and each is a row.
    pub workers: Workers,
    /// What is averaged: parameters after each epoch, or gradients at each step. Default: `"epoch"`.
    #[serde(default)]
    pub average: Average,
    /// Weight decay at each averaging of parameters: this times the last averaged parameters is subtracted. Default: `1e-5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub beta: Option<f64>,
    /// What happens to the optimiser's state when parameters are averaged. Default: `"reset"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimiser_state: Option<OptimiserState>,
    /// How workers run: as MPI processes, or one after the other in one process. Default: `"mpi"`.
    #[serde(default)]
    pub engine: ParallelEngine,
    /// Seconds without progress of a worker after which the run fails. Default: `60.0`.
    #[serde(default = "default_deadline_seconds")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = MAX_DEADLINE_SECONDS))]
    pub deadline_seconds: f64,
}

/// The default of [`ParallelConfig::beta`], as in Khomenko et al. (2016).
const BETA: f64 = 1e-5;

fn default_deadline_seconds() -> f64 {
    60.0
}

/// One number of workers, or several to compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "workers must be a number, or a list of numbers such as [1, 2, 4]"
)]
pub enum Workers {
    /// One number.
    One(#[schemars(range(min = 1, max = MAX_WORKERS))] u32),
    /// Several numbers.
    Several(#[schemars(length(min = 1), extend("uniqueItems" = true))] Vec<u32>),
}

impl Workers {
    /// The numbers of workers to compare.
    pub fn counts(&self) -> &[u32] {
        match self {
            Workers::One(count) => std::slice::from_ref(count),
            Workers::Several(counts) => counts,
        }
    }
}

/// What workers average, and how often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Average {
    /// Parameters, after each epoch (Khomenko et al., 2016).
    #[default]
    Epoch,
    /// Gradients, at each step.
    Step,
}

/// What happens to the optimiser's state when parameters are averaged. One worker always keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OptimiserState {
    /// It starts anew.
    #[default]
    Reset,
    /// Every worker keeps its own.
    Keep,
    /// It is averaged like the parameters.
    Average,
}

/// How workers run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParallelEngine {
    /// Each worker is an MPI process.
    #[default]
    Mpi,
    /// One process trains the parts one after the other, with the same results. Its parallel time is a prediction.
    Turns,
}

impl ParallelConfig {
    /// The weight decay: the one that is set, or its default.
    pub fn beta(&self) -> f64 {
        self.beta.unwrap_or(BETA)
    }

    /// What happens to the optimiser's state: the choice that is set, or its default.
    pub fn optimiser_state(&self) -> OptimiserState {
        self.optimiser_state.unwrap_or_default()
    }

    /// Whether workers have different optimiser states between epochs, if there are this many.
    pub fn keeps_own_states(&self, workers: usize) -> bool {
        workers > 1
            && self.average == Average::Epoch
            && self.optimiser_state() == OptimiserState::Keep
    }

    /// Checks the ranges of all values.
    pub(crate) fn check(&self) -> Result<(), KeyError> {
        let key = |name: &str| format!("train.parallel.{name}");
        let counts = self.workers.counts();
        if counts.is_empty() {
            let problem = "workers is empty: set at least one number, for example workers = [1, 2]";
            return Err(KeyError::new(key("workers"), problem));
        }
        let mut seen = BTreeSet::new();
        for &workers in counts {
            count(&key("workers"), workers.into(), 1..=MAX_WORKERS)?;
            if !seen.insert(workers) {
                let problem = format!("duplicate number of workers {workers}: list it once");
                return Err(KeyError::new(key("workers"), problem));
            }
        }
        if !(0.0..1.0).contains(&self.beta()) {
            let problem = format!("beta is {}: it must be at least 0 and below 1", self.beta());
            return Err(KeyError::new(key("beta"), problem));
        }
        if self.average == Average::Step {
            let unused = [
                ("beta", self.beta.is_some()),
                ("optimiser-state", self.optimiser_state.is_some()),
            ];
            if let Some((name, _)) = unused.into_iter().find(|&(_, is_set)| is_set) {
                let problem =
                    format!("`{name}` has a use only with average = \"epoch\": remove it");
                return Err(KeyError::new(key(name), problem));
            }
        }
        let deadline = self.deadline_seconds;
        above_zero(&key("deadline-seconds"), Some(deadline), "")?;
        number(
            &key("deadline-seconds"),
            deadline,
            0.0..=MAX_DEADLINE_SECONDS,
        )
    }
}
