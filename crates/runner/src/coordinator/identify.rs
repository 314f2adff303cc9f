//! Establishes the identity of an experiment, or checks it against the recorded one.

use std::fs;
use std::io;

use crate::experiment::Experiment;
use crate::results_folder::{Identity, RecordError, ResultsFolder, STATES};

const NORMALISATION: &str = "normalisation.json";

/// Computes the normalisation statistics and writes them, the states and the identity of a new experiment. A resumed experiment must have the recorded
/// identity; `epochs` is whether it has finished any epoch.
pub fn identify(
    experiment: &Experiment,
    config: &str,
    folder: &ResultsFolder,
    epochs: bool,
) -> anyhow::Result<Identity> {
    let path = folder.path();
    let states = experiment.states.as_deref();
    let states = states.map(serde_json::to_vec).transpose()?;
    let Some(recorded) = Identity::read(path)? else {
        if epochs {
            return Err(RecordError::NoIdentity { path: path.into() }.into());
        }
        let statistics = serde_json::to_vec(&experiment.statistics()?)?;
        folder.replace(NORMALISATION, &statistics)?;
        if let Some(states) = &states {
            folder.replace(STATES, states)?;
        }
        let corpus = experiment.corpus_files();
        let identity = Identity::new(config, &statistics, states.as_deref(), corpus);
        identity.write(path)?;
        return Ok(identity);
    };
    recorded.check_config(path, config)?;
    experiment.check_corpus(&recorded)?;
    if let Some(states) = &states {
        // These are the recorded states, or they were learnt again because the file was lost.
        recorded.check_states(path, states)?;
        if !path.join(STATES).exists() {
            folder.replace(STATES, states)?;
        }
    }
    match fs::read(path.join(NORMALISATION)) {
        Ok(statistics) => recorded.check_normalisation(path, &statistics)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let statistics = serde_json::to_vec(&experiment.statistics()?)?;
            recorded.check_normalisation(path, &statistics)?;
            folder.replace(NORMALISATION, &statistics)?;
        }
        Err(error) => return Err(error.into()),
    }
    Ok(recorded)
}
