//! Checkpoints of several workers.
//!
//! Worker 0 saves the averaged model. If every worker keeps its own optimiser state, the others save theirs in separate files, before
//! worker 0 does. So whenever the averaged model of an epoch is on disk, all states that belong to it are, too.

use anyhow::Result;
use padwise_model::{Trainer, TrainerState};

use super::team::Team;
use crate::checkpoints::{CheckpointTag, Position};
use crate::process::protocol::Job;
use crate::worker::run;

/// Loads the checkpoint that the run starts from. Returns the states of this process's workers.
pub fn load(
    job: &Job,
    trainer: &mut dyn Trainer,
    team: &Team,
    keeps: bool,
) -> Result<Vec<TrainerState>> {
    run::load(job, trainer)?;
    let averaged = trainer.state()?;
    let mut states = Vec::new();
    for worker in team.own() {
        if keeps && worker > 0 && job.start != Position::default() {
            let path = job.run.worker_checkpoint(&job.results, job.start, worker);
            let tag = trainer.load(&path)?;
            CheckpointTag::check(&tag, &job.run, job.start)
                .map_err(|problem| anyhow::anyhow!("{}: {problem}", path.display()))?;
            states.push(trainer.state()?);
        } else {
            states.push(averaged.clone());
        }
    }
    trainer.set_state(states[0].clone())?;
    Ok(states)
}

/// Saves the states of this process's workers, except worker 0.
pub fn save_own(
    job: &Job,
    trainer: &mut dyn Trainer,
    states: &[TrainerState],
    team: &Team,
    epoch: u64,
) -> Result<()> {
    let position = Position { epoch, batch: None };
    let tag = CheckpointTag {
        run: job.run.clone(),
        position,
        row: None,
        times: None,
        progress: None,
    };
    for (worker, state) in team.own().zip(states).filter(|(worker, _)| *worker > 0) {
        trainer.set_state(state.clone())?;
        let path = job.run.worker_checkpoint(&job.results, position, worker);
        trainer.save(&path, &tag.to_text()?)?;
    }
    Ok(trainer.set_state(states[0].clone())?)
}
