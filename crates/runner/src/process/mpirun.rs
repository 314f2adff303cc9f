//! Starts the workers of a run as MPI processes on this machine, with `mpirun`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use padwise_experiment_config::{ExperimentConfig, ParallelConfig, ParallelEngine};
use padwise_model::{BackendChoice, backend};

use super::existing_world::ExistingWorld;
use crate::machine::nvml;

/// The variable with the path of `mpirun`, if it is not on the search path.
const MPIRUN: &str = "MPIRUN";

/// What `mpirun` writes before the number of a worker that it lost.
const LOSS: &str = "noticed that process rank ";

/// Why workers cannot be started.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum MpirunError {
    /// The build has no MPI.
    #[error(
        "train.parallel.engine is \"mpi\", but this build has no MPI: build with --features mpi, or set engine = \"turns\""
    )]
    NotBuilt,
    /// There is no `mpirun`.
    #[error(
        "mpirun is not on the search path: install Open MPI, set {MPIRUN} to its path, or set train.parallel.engine = \"turns\""
    )]
    NotFound,
    /// Workers would share a GPU.
    #[error(
        "{workers} workers, but {gpus} GPUs: every worker needs a GPU of its own; use fewer workers, or set train.parallel.engine = \"turns\""
    )]
    TooFewGpus {
        /// Workers of a row.
        workers: u32,
        /// GPUs of this machine.
        gpus: usize,
    },
    /// The world that started this process has another size.
    #[error(
        "a row has {workers} workers, but this world has {size} ranks: start {workers} ranks, or start padwise without a launcher"
    )]
    OtherSize {
        /// Workers of a row.
        workers: u32,
        /// Ranks of the world.
        size: u32,
    },
    /// Every worker would use the same GPU.
    #[error(
        "the wgpu backend has no choice of GPU, so {workers} workers would share one: use the backend cuda or cpu, or set train.parallel.engine = \"turns\""
    )]
    SharedGpu {
        /// Workers of a row.
        workers: u32,
    },
}

/// The largest number of workers that run as MPI processes.
fn most_processes(config: &ExperimentConfig) -> Option<u32> {
    let parallel = config.train.parallel.as_ref()?;
    let workers = config.strategy.iter().filter_map(|row| row.workers).max()?;
    (parallel.engine == ParallelEngine::Mpi && workers > 1).then_some(workers)
}

/// Checks that all workers of an experiment can be started here.
pub fn check(config: &ExperimentConfig) -> anyhow::Result<()> {
    let Some(workers) = most_processes(config) else {
        return Ok(());
    };
    match ExistingWorld::of_environment()? {
        Some(ExistingWorld { size, .. }) => {
            let numbers = config.strategy.iter().filter_map(|row| row.workers);
            match numbers
                .filter(|&workers| workers > 1)
                .find(|&workers| workers != size)
            {
                Some(workers) => Err(MpirunError::OtherSize { workers, size }.into()),
                None => Ok(()),
            }
        }
        None => Ok(check_start(config, workers)?),
    }
}

/// Checks that `mpirun` can start this many workers on this machine.
fn check_start(config: &ExperimentConfig, workers: u32) -> Result<(), MpirunError> {
    if !padwise_parallel::HAS_MPI {
        return Err(MpirunError::NotBuilt);
    }
    find_mpirun()?;
    match backend::resolve(config.train.backend) {
        Ok(BackendChoice::Cuda) => {
            let gpus = nvml::visible_gpus().len();
            if gpus < workers as usize {
                return Err(MpirunError::TooFewGpus { workers, gpus });
            }
            Ok(())
        }
        Ok(BackendChoice::Wgpu) => Err(MpirunError::SharedGpu { workers }),
        _ => Ok(()),
    }
}

/// The command that starts `workers` processes of `program`.
pub fn command(
    program: &Path,
    workers: u32,
    parallel: &ParallelConfig,
    choice: BackendChoice,
) -> Result<Command, MpirunError> {
    let mut command = Command::new(find_mpirun()?);
    // Containers often run as root and have fewer cores than workers.
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .args(["--oversubscribe", "--bind-to", "none"]);
    // The terminal sends Ctrl-C to all processes of a group, and mpirun would end its workers at once. In its own group it does not
    // get the signal, and the coordinator asks the workers to stop in order.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let worker: [OsString; 5] = [
        program.into(),
        "worker".into(),
        "--mpi".into(),
        "--deadline".into(),
        parallel.deadline_seconds.to_string().into(),
    ];
    if matches!(backend::resolve(choice), Ok(BackendChoice::Cuda)) {
        // A part of the command line for each worker, which sees its own GPU only.
        for (worker_number, gpu) in (0..workers).zip(nvml::visible_gpus()) {
            if worker_number > 0 {
                command.arg(":");
            }
            command.args(["-n", "1", "-x"]);
            command.arg(format!("CUDA_VISIBLE_DEVICES={gpu}"));
            command.args(&worker);
        }
        return Ok(command);
    }
    if std::env::var_os("RAYON_NUM_THREADS").is_none() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (cores / workers as usize).max(1);
        command.env("RAYON_NUM_THREADS", threads.to_string());
    }
    command.args(["-n", &workers.to_string()]).args(&worker);
    Ok(command)
}

/// Which worker ended a run and how, from the last lines of `mpirun`.
pub fn lost_worker(lines: &[String]) -> Option<String> {
    // Open MPI 5 breaks this sentence into two lines.
    let text = lines.join(" ");
    let (_, rest) = text.split_once(LOSS)?;
    let worker: u32 = rest.split_whitespace().next()?.parse().ok()?;
    let (_, rest) = rest.split_once(" exited ")?;
    let (how, _) = rest.split_once('.')?;
    Some(format!("worker {worker} exited {how}"))
}

/// Whether `mpirun` says in a line that it lost a worker.
pub fn reports_loss(line: &str) -> bool {
    line.contains(LOSS)
}

fn find_mpirun() -> Result<PathBuf, MpirunError> {
    if let Some(path) = std::env::var_os(MPIRUN) {
        let path = PathBuf::from(path);
        return path.is_file().then_some(path).ok_or(MpirunError::NotFound);
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .map(|folder| folder.join("mpirun"))
        .find(|path| path.is_file())
        .ok_or(MpirunError::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lost_worker_is_named() {
        let lines = [
            "--------------------------------------------------------------------------",
            "Primary job  terminated normally, but 1 process returned",
            "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).",
        ]
        .map(String::from);
        let expected = Some("worker 1 exited on signal 9 (Killed)".to_owned());
        assert_eq!(lost_worker(&lines), expected);
        let broken = [
            "prterun noticed that process rank 1 with PID 19450 on node a.b exited on",
            "signal 9 (Killed).",
            "-----",
        ]
        .map(String::from);
        assert_eq!(lost_worker(&broken), expected);
        assert_eq!(lost_worker(&lines[..2]), None);
        assert_eq!(lost_worker(&["process rank x exited".to_owned()]), None);
    }
}
