//! Starts ranks and waits for them.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::programs::{OUT, PROGRAM};

/// One job at a time: ranks that wait for a core may miss a deadline.
static ONE_JOB: Mutex<()> = Mutex::new(());

/// A running job, which ends with this value. Its folder has the files that the ranks write.
pub struct Job {
    pub mpirun: Child,
    folder: tempfile::TempDir,
    _lock: MutexGuard<'static, ()>,
}

/// How a job ended.
pub struct Ended {
    pub code: Option<i32>,
    pub output: String,
    pub job: Job,
}

/// Whether `mpirun` exists; says so if not.
pub fn mpirun_exists() -> bool {
    let exists = version().is_some();
    if !exists {
        skipped("mpirun was not found; scripts/install_mpi.sh installs it");
    }
    exists
}

/// Whether `mpirun` can tell ranks that another one is lost (Open MPI 5).
pub fn tells_losses() -> bool {
    let supported = version().is_some_and(|version| version.contains("(Open MPI) 5"));
    if !supported {
        skipped("mpirun has no option --with-ft");
    }
    supported
}

/// Prints past the capture of the test runner.
fn skipped(reason: &str) {
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
}

fn version() -> Option<String> {
    let output = Command::new("mpirun").arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Starts `size` ranks of a program in `programs.rs`.
pub fn start(program: &str, size: usize, options: &[&str]) -> Job {
    let lock = ONE_JOB.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("temporary folder");
    let log = File::create(folder.path().join("log")).expect("log");
    let mpirun = Command::new("mpirun")
        .args(["-n", &size.to_string(), "--oversubscribe"])
        .args(options)
        .arg(std::env::current_exe().expect("path of this program"))
        .args([
            "--exact",
            "programs::run",
            "--nocapture",
            "--include-ignored",
        ])
        .env(PROGRAM, program)
        .env(OUT, folder.path())
        // Allows root, which CI often is.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        // Killed jobs leave their files in this folder.
        .env("TMPDIR", folder.path())
        .env("OMPI_MCA_btl_sm_backing_directory", folder.path())
        .env("OMPI_MCA_btl_vader_backing_directory", folder.path())
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("log"))
        .stderr(log)
        .spawn()
        .expect("mpirun starts");
    Job {
        mpirun,
        folder,
        _lock: lock,
    }
}

/// Runs a job to its end.
pub fn run(program: &str, size: usize, options: &[&str]) -> Ended {
    start(program, size, options).wait()
}

impl Job {
    /// Waits for the end.
    pub fn wait(mut self) -> Ended {
        let mut status = None;
        wait_until("mpirun ends", || {
            status = self.mpirun.try_wait().expect("status of mpirun");
            status.is_some()
        });
        Ended {
            code: status.and_then(|status| status.code()),
            output: read_text(&self.folder.path().join("log")),
            job: self,
        }
    }

    /// The contents of the files with this name of the given ranks, once all exist.
    pub fn files<const N: usize>(&self, name: &str, ranks: [usize; N]) -> [String; N] {
        let paths = ranks.map(|rank| self.path(name, rank));
        wait_until("ranks write files", || {
            paths.iter().all(|path| path.exists())
        });
        paths.map(|path| read_text(&path))
    }

    fn path(&self, name: &str, rank: usize) -> PathBuf {
        self.folder.path().join(format!("{name}-{rank}"))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // A test that fails leaves nothing behind either.
        let _ = self.mpirun.kill();
        let _ = self.mpirun.wait();
    }
}

impl Ended {
    /// The bytes that a rank wrote.
    pub fn file(&self, name: &str, rank: usize) -> Vec<u8> {
        fs::read(self.job.path(name, rank))
            .unwrap_or_else(|error| panic!("{name}-{rank}: {error}\n{}", self.output))
    }
}

fn read_text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).expect("file of a rank")).into_owned()
}

/// How long a test waits for what should come at once. On a busy machine, starting three processes may take a minute.
const LIMIT: Duration = Duration::from_secs(300);

pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < LIMIT, "not within {LIMIT:?}: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
