//! Checkpoints of several workers.
//!
//! Worker 0 saves the averaged model. If every worker keeps its own optimiser state, the others save theirs in separate files, before
//! worker 0 does. So whenever the averaged model of an epoch is on disk, all states that belong to it are, too.

use anyhow::Result;
use padwise_model::Trainer;

use super::starts::Starts;
use super::team::Team;
use crate::checkpoints::{CheckpointTag, Position};
use crate::process::protocol::Job;
use crate::worker::run;

/// Loads the checkpoint that the run starts from. Returns what this process's workers start with; the trainer has the first one's.
pub fn load(job: &Job, trainer: &mut dyn Trainer, team: &Team, keeps: bool) -> Result<Starts> {
    run::load(job, trainer)?;
    let mut starts = Starts {
        parameters: trainer.parameters()?,
        optimisers: Vec::new(),
    };
    if team.size() == 1 {
        return Ok(starts);
    }
    if !keeps || job.start == Position::default() {
        starts.optimisers.push(trainer.optimiser()?);
        return Ok(starts);
    }
    for worker in team.own() {
        if worker > 0 {
            let path = job.run.worker_checkpoint(&job.results, job.start, worker);
            let tag = trainer.load(&path)?;
            CheckpointTag::check(&tag, &job.run, job.start)
                .map_err(|problem| anyhow::anyhow!("{}: {problem}", path.display()))?;
        }
        starts.optimisers.push(trainer.optimiser()?);
    }
    starts.give(0, trainer)?;
    Ok(starts)
}

/// Saves the models of this process's workers, except worker 0.
pub fn save_own(
    job: &Job,
    trainer: &mut dyn Trainer,
    starts: &Starts,
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
    for (at, worker) in team.own().enumerate().filter(|(_, worker)| *worker > 0) {
        starts.give_optimiser(at, trainer)?;
        let path = job.run.worker_checkpoint(&job.results, position, worker);
        trainer.save(&path, &tag.to_text()?)?;
    }
    starts.give_optimiser(0, trainer)
}
