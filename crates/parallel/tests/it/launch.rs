//! Launch variables.

use padwise_parallel::{Launch, LaunchError, Launcher, launched_with};

fn launch(variables: &str) -> Result<Option<Launch>, LaunchError> {
    launched_with(|name| {
        let mut pairs = variables
            .split_whitespace()
            .filter_map(|pair| pair.split_once('='));
        pairs
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.to_owned())
    })
}

#[test]
fn variables_of_launchers_are_read() {
    let cases = [
        (
            "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1",
            (Launcher::OpenMpi, 3, 4, Some(1)),
        ),
        ("PMI_RANK=1 PMI_SIZE=2", (Launcher::Pmi, 1, 2, None)),
        (
            "PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=0",
            (Launcher::Pmi, 1, 2, Some(0)),
        ),
        (
            "PMI_RANK=1 PMI_SIZE=2 PMI_LOCAL_RANK=1",
            (Launcher::Pmi, 1, 2, Some(1)),
        ),
        // srun --mpi=pmi2.
        (
            "PMI_RANK=3 PMI_SIZE=4 SLURM_STEP_ID=0 SLURM_NTASKS=4 SLURM_PROCID=3 SLURM_LOCALID=1",
            (Launcher::Pmi, 3, 4, Some(1)),
        ),
        // mpirun of MPICH, which starts one helper per machine with srun.
        (
            "PMI_RANK=3 PMI_SIZE=8 SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_PROCID=1 SLURM_LOCALID=0",
            (Launcher::Pmi, 3, 8, None),
        ),
        (
            "SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=1",
            (Launcher::Slurm, 5, 8, Some(1)),
        ),
        // A step that uses a part of the job.
        (
            "SLURM_STEP_ID=2 SLURM_PROCID=1 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=2",
            (Launcher::Slurm, 1, 2, None),
        ),
        (
            "RANK=0 WORLD_SIZE=2 LOCAL_RANK=0",
            (Launcher::Torchrun, 0, 2, Some(0)),
        ),
        // mpirun in a Slurm job.
        (
            "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=2",
            (Launcher::OpenMpi, 0, 1, None),
        ),
    ];
    for (variables, expected) in cases {
        let found = launch(variables).expect(variables).expect(variables);
        let found = (found.launcher, found.rank, found.size, found.local_rank);
        assert_eq!(found, expected, "{variables}");
    }
}

#[test]
fn shells_are_no_launchers() {
    for variables in [
        "",
        "HOME=/root",
        // The script of sbatch -n 4.
        "SLURM_JOB_ID=7 SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_LOCALID=0",
        // salloc -n 4 with an interactive step, and the batch step.
        "SLURM_STEP_ID=4294967290 SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_LOCALID=0",
        "SLURM_STEP_ID=4294967291 SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_LOCALID=0",
        // srun --pty bash.
        "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_LOCALID=0",
        // One of two common names.
        "RANK=captain",
        "WORLD_SIZE=4",
    ] {
        assert_eq!(launch(variables), Ok(None), "{variables}");
    }
}

#[test]
fn malformed_variables_are_errors() {
    for (variables, message) in [
        (
            "OMPI_COMM_WORLD_RANK=x OMPI_COMM_WORLD_SIZE=2",
            "OMPI_COMM_WORLD_RANK=\"x\" is not a whole number; launch again, or unset it",
        ),
        (
            "OMPI_COMM_WORLD_RANK=-1 OMPI_COMM_WORLD_SIZE=2",
            "OMPI_COMM_WORLD_RANK=\"-1\" is not a whole number; launch again, or unset it",
        ),
        (
            "OMPI_COMM_WORLD_RANK=0",
            "OMPI_COMM_WORLD_RANK is set, but OMPI_COMM_WORLD_SIZE is not; launch again, or unset OMPI_COMM_WORLD_RANK",
        ),
        (
            "PMI_SIZE=2",
            "PMI_SIZE is set, but PMI_RANK is not; launch again, or unset PMI_SIZE",
        ),
        (
            "PMI_RANK=2 PMI_SIZE=2",
            "PMI_RANK=2, but there are only 2 ranks; launch again, or unset it",
        ),
        (
            "RANK=0 WORLD_SIZE=0",
            "RANK=0, but there are only 0 ranks; launch again, or unset it",
        ),
        (
            "RANK=0 WORLD_SIZE=2 LOCAL_RANK=2",
            "LOCAL_RANK=2, but there are only 2 ranks; launch again, or unset it",
        ),
        (
            "SLURM_STEP_ID=0 SLURM_NTASKS=2",
            "SLURM_NTASKS is set, but SLURM_PROCID is not; launch again, or unset SLURM_NTASKS",
        ),
        (
            "RANK=\u{1b}[31m WORLD_SIZE=2",
            "RANK=\"\\u{1b}[31m\" is not a whole number; launch again, or unset it",
        ),
    ] {
        let error = launch(variables).expect_err(variables);
        assert_eq!(error.to_string(), message);
    }
}
