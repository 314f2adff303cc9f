//! `padwise run` as a rank of a world that `mpirun` or `srun` started.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, anyhow};
use padwise_experiment_config::{ExperimentConfig, ParallelEngine};
use padwise_model::{BackendChoice, backend};
use padwise_parallel::{HAS_MPI, Launch, launched, watch_parent};

use crate::failure::Failure;
use crate::launched;
use crate::machine::nvml;
use crate::process::existing_world::ExistingWorld;
use crate::process::own_program;

/// Marks a rank that sees only its own GPU.
const HAS_OWN_GPU: &str = "PADWISE_OWN_GPU";

/// Trains as a rank, if a launcher started this process as one of several. Returns the exit code.
pub(super) fn run(config: &ExperimentConfig) -> Result<Option<i32>, Failure> {
    if ExistingWorld::of_environment()
        .map_err(Failure::Usage)?
        .is_some()
    {
        return Ok(None);
    }
    let Some(launch) = launched()
        .map_err(Failure::usage)?
        .filter(|launch| launch.size > 1)
    else {
        return Ok(None);
    };
    let size = launch.size;
    let parallel = config.train.parallel.as_ref();
    let parallel = parallel.filter(|parallel| parallel.engine == ParallelEngine::Mpi);
    let Some(parallel) = parallel else {
        return Err(Failure::Usage(anyhow!(
            "started as one of {size} ranks, but the config has no [train.parallel] with engine = \"mpi\": add it, or start padwise directly"
        )));
    };
    if !HAS_MPI {
        return Err(Failure::Usage(anyhow!(
            "started as one of {size} ranks, but this build has no MPI: build with --features mpi"
        )));
    }
    watch_parent().map_err(Failure::runtime)?;
    if matches!(
        backend::resolve(config.train.backend),
        Ok(BackendChoice::Cuda)
    ) {
        see_own_gpu(&launch)?;
    }
    let deadline = Duration::try_from_secs_f64(parallel.deadline_seconds);
    let code = launched::run(&launch, deadline.map_err(Failure::usage)?);
    code.map(Some).map_err(Failure::Runtime)
}

/// Starts this program again in the same process, with only its own GPU visible.
fn see_own_gpu(launch: &Launch) -> Result<(), Failure> {
    if std::env::var_os(HAS_OWN_GPU).is_some() {
        return Ok(());
    }
    let gpus = nvml::visible_gpus();
    let place = launch.local_rank.unwrap_or(launch.rank);
    let Some(gpu) = gpus.get(place) else {
        return Err(Failure::Usage(anyhow!(
            "rank {} is number {place} on this machine, which has {} GPUs: start at most one rank per GPU",
            launch.rank,
            gpus.len()
        )));
    };
    let mut command = Command::new(own_program().map_err(Failure::Runtime)?);
    command.args(std::env::args_os().skip(1));
    command
        .env("CUDA_VISIBLE_DEVICES", gpu)
        .env(HAS_OWN_GPU, "1");
    let error = Err(command.exec()).context("cannot start padwise again with one GPU");
    error.map_err(Failure::Runtime)
}
