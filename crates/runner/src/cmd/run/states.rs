//! Learns the states of phones, or reads those of the run to resume.

use padwise_features::states::StateInventory;

use super::Run;
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::results_folder::{Identity, RecordError, read_states};
use crate::terminal::{count, say};

impl Run {
    /// Labels frames with the states that the config asks for.
    pub(super) fn with_states(&self, experiment: Experiment) -> Result<Experiment, Failure> {
        let states = match self.recorded_states(&experiment).map_err(Failure::usage)? {
            Some(states) => Some(states),
            None => experiment.learn_states().map_err(Failure::usage)?,
        };
        if let Some(states) = &states {
            say(describe(states));
        }
        experiment.with_states(states).map_err(Failure::usage)
    }

    /// The states of the run to resume. Learning them on another machine could differ in the last bits.
    fn recorded_states(
        &self,
        experiment: &Experiment,
    ) -> Result<Option<StateInventory>, RecordError> {
        if !self.resume {
            return Ok(None);
        }
        let folder = self.resumed_folder(&experiment.config.name);
        match Identity::read(&folder)? {
            Some(identity) => read_states(&folder, &identity),
            None => Ok(None),
        }
    }
}

fn describe(states: &StateInventory) -> String {
    let kind = if states.is_context_dependent() {
        "tied state"
    } else {
        "state"
    };
    format!(
        "{} of {}",
        count(states.len(), kind),
        count(states.phones().len(), "phone")
    )
}
