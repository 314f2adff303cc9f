//! One MPI process of a run: it gets the task of rank 0 and trains its own worker.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result};
use padwise_parallel::{join, launched};

use super::parallel::{self, Team};
use super::{read_task, watch_standard_input};
use crate::process::protocol::Task;
use crate::process::silence::send_signs_of_life;

/// Joins the world, gets the task and trains. `deadline` is the longest time without progress of another process.
pub(super) fn main(deadline: Duration) -> Result<()> {
    let launch = launched()?.context("no launch variables: `padwise run` starts this command")?;
    if launch.rank == 0 {
        send_signs_of_life(deadline);
    }
    let world = join(&launch, Team::operation_deadline(deadline))?;
    let mut team = Team::member(world, deadline);
    // Standard input reaches rank 0 only.
    let (text, stop) = if team.leads() {
        let text = serde_json::to_string(&read_task()?)?;
        (text, watch_standard_input())
    } else {
        (String::new(), Arc::new(AtomicBool::new(false)))
    };
    match serde_json::from_str(&team.broadcast(text)?)? {
        Task::Train(job) => match parallel::train(&job, &stop, &mut team)? {
            true => Ok(team.finish()?),
            false => team.abort(0),
        },
        Task::Probe(_) => anyhow::bail!("a step is probed in one process only"),
    }
}
