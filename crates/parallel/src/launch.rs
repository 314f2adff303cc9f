//! The rank of this process, from the environment variables of its launcher.

/// A program that starts the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Launcher {
    /// mpirun of Open MPI.
    OpenMpi,
    /// mpirun of MPICH or Intel MPI, or another launcher with the PMI protocol.
    Pmi,
    /// srun of Slurm.
    Slurm,
    /// torchrun of PyTorch.
    Torchrun,
}

/// How this process was launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// What launched it.
    pub launcher: Launcher,
    /// Its rank among all processes.
    pub rank: usize,
    /// The number of processes.
    pub size: usize,
    /// Its rank among the processes on this machine, if the launcher tells. Use it to choose a GPU.
    pub local_rank: Option<usize>,
}

/// Launch variables that are wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// A value is not a number.
    #[error("{variable}={value:?} is not a whole number; launch again, or unset it")]
    Number {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// A variable is missing.
    #[error("{set} is set, but {missing} is not; launch again, or unset {set}")]
    Missing {
        /// The variable that is set.
        set: &'static str,
        /// The variable that should be set, too.
        missing: &'static str,
    },
    /// A rank is too large.
    #[error("{variable}={rank}, but there are only {size} ranks; launch again, or unset it")]
    Rank {
        /// The variable.
        variable: &'static str,
        /// Its value.
        rank: usize,
        /// The number of ranks.
        size: usize,
    },
}

/// Slurm's step IDs from here on are shells: of `sbatch`, and of `salloc` with an interactive step.
const FIRST_SPECIAL_STEP: usize = 0xFFFF_FFF0;

/// Reads how this process was launched from its environment. `None` if no launcher is known.
///
/// # Errors
///
/// Returns an error if a variable of a launcher is malformed or missing.
pub fn launched() -> Result<Option<Launch>, LaunchError> {
    launched_with(|name| {
        let value = std::env::var_os(name)?;
        Some(value.to_string_lossy().into_owned())
    })
}

/// [`launched`] with other variables than those of the process.
///
/// Open MPI and PMI come before Slurm, because their launchers also run inside a Slurm job. RANK and WORLD_SIZE come last, and count
/// only if both are set, because their names are common.
///
/// # Errors
///
/// Returns an error if a variable of a launcher is malformed or missing.
pub fn launched_with(
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<Option<Launch>, LaunchError> {
    let variables = Variables(&lookup);
    if let Some(launch) = variables.launch(
        Launcher::OpenMpi,
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        &["OMPI_COMM_WORLD_LOCAL_RANK"],
    )? {
        return Ok(Some(launch));
    }
    let local = ["MPI_LOCALRANKID", "PMI_LOCAL_RANK"];
    if let Some(launch) = variables.launch(Launcher::Pmi, "PMI_RANK", "PMI_SIZE", &local)? {
        // With `srun --mpi=pmi2`, only Slurm knows the local rank.
        let slurm = variables.slurm()?;
        let same = slurm.filter(|slurm| (slurm.rank, slurm.size) == (launch.rank, launch.size));
        let local_rank = launch
            .local_rank
            .or_else(|| same.and_then(|slurm| slurm.local_rank));
        return Ok(Some(Launch {
            local_rank,
            ..launch
        }));
    }
    if let Some(launch) = variables.slurm()? {
        return Ok(Some(launch));
    }
    if lookup("RANK").is_some() && lookup("WORLD_SIZE").is_some() {
        return variables.launch(Launcher::Torchrun, "RANK", "WORLD_SIZE", &["LOCAL_RANK"]);
    }
    Ok(None)
}

struct Variables<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    fn number(&self, variable: &'static str) -> Result<Option<usize>, LaunchError> {
        let Some(value) = (self.0)(variable) else {
            return Ok(None);
        };
        match value.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(LaunchError::Number { variable, value }),
        }
    }

    fn launch(
        &self,
        launcher: Launcher,
        rank_name: &'static str,
        size_name: &'static str,
        local_names: &[&'static str],
    ) -> Result<Option<Launch>, LaunchError> {
        let (rank, size) = match (self.number(rank_name)?, self.number(size_name)?) {
            (Some(rank), Some(size)) => (rank, size),
            (None, None) => return Ok(None),
            (rank, _) => {
                let (set, missing) = match rank {
                    Some(_) => (rank_name, size_name),
                    None => (size_name, rank_name),
                };
                return Err(LaunchError::Missing { set, missing });
            }
        };
        let below_size = |variable, rank| match rank < size {
            true => Ok(rank),
            false => Err(LaunchError::Rank {
                variable,
                rank,
                size,
            }),
        };
        let mut local_rank = None;
        for &name in local_names {
            if local_rank.is_none() {
                let number = self.number(name)?;
                local_rank = number.map(|rank| below_size(name, rank)).transpose()?;
            }
        }
        Ok(Some(Launch {
            launcher,
            rank: below_size(rank_name, rank)?,
            size,
            local_rank,
        }))
    }

    /// The rank in a job step of `srun`.
    ///
    /// The shells of `sbatch` and `salloc` have most of the same variables, but no step, or one with a special ID. A step of one task
    /// is often a shell, too: `srun --pty bash`.
    fn slurm(&self) -> Result<Option<Launch>, LaunchError> {
        let step = self.number("SLURM_STEP_ID")?;
        if step.is_none_or(|step| step >= FIRST_SPECIAL_STEP) {
            return Ok(None);
        }
        let tasks = match self.number("SLURM_STEP_NUM_TASKS")? {
            Some(_) => "SLURM_STEP_NUM_TASKS",
            None => "SLURM_NTASKS",
        };
        if self.number(tasks)?.is_none_or(|tasks| tasks <= 1) {
            return Ok(None);
        }
        self.launch(Launcher::Slurm, "SLURM_PROCID", tasks, &["SLURM_LOCALID"])
    }
}
