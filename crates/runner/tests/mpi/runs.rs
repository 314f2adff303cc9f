//! Starts runs with MPI processes and waits for them.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::{learnt, write};
use crate::processes::{Process, descendants, has_ended, send};

/// An experiment with dropout, so that workers differ by more than their utterances.
pub const CONFIG: &str = r#"
[corpus]
validation = { fresh = 2 }

[corpus.synthetic]
utterances = 8
profile = "ljspeech"
classes = 123
dims = 4

[model]
layers = 1
hidden = 4
dropout = 0.2

[train]
epochs = 3
seeds = [1]
backend = "cpu"

[measure]
validation-batch = 2
warm-up-steps = 1

[[strategy]]
name = "random"
line = "random,chunk=20,batch=4"
"#;

/// How long a test waits for a run. On a busy machine, starting the workers may take a minute.
const LIMIT: Duration = Duration::from_secs(300);

/// One run at a time: workers that wait for a core may miss a deadline.
static ONE_RUN: Mutex<()> = Mutex::new(());

/// Whether `mpirun` exists; says so past the capture of the test runner if not.
pub fn mpirun_exists() -> bool {
    let exists = Command::new("mpirun").arg("--version").output().is_ok();
    if !exists {
        let test = std::thread::current();
        let test = test.name().unwrap_or("a test");
        let reason = "mpirun was not found; scripts/install_mpi.sh installs it";
        let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {reason}");
    }
    exists
}

/// A folder with a config, for runs one after the other.
pub struct Place {
    folder: TempDir,
    config: String,
    _lock: MutexGuard<'static, ()>,
}

/// A running `padwise run`. It and its workers end with this value.
pub struct Run {
    pub coordinator: Child,
    log: PathBuf,
}

/// How a run ended.
pub struct Ended {
    pub code: Option<i32>,
    pub said: String,
}

impl Place {
    pub fn new() -> Self {
        let lock = ONE_RUN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a folder");
        let config = write(&folder, "config.toml", CONFIG);
        Place {
            folder,
            config,
            _lock: lock,
        }
    }

    pub fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The recorded results of a run.
    pub fn learnt(&self, name: &str) -> Vec<String> {
        learnt(&self.out(name))
    }

    /// Starts a run, or resumes it if it exists.
    pub fn start(&self, name: &str, settings: &[&str]) -> Run {
        let out = self.out(name);
        let log = self.out(&format!("{name}.log"));
        let file = File::create(&log).expect("a log");
        let sets = settings.iter().flat_map(|setting| ["--set", setting]);
        let resume = out.join("config.toml").exists().then_some("--resume");
        let coordinator = Command::new(assert_cmd::cargo::cargo_bin("padwise"))
            .args(["run", &self.config, "--out"])
            .arg(&out)
            .args(sets)
            .args(resume)
            // Killed MPI processes leave their files in this folder.
            .env("TMPDIR", self.folder.path())
            .env("OMPI_MCA_btl_sm_backing_directory", self.folder.path())
            .env("OMPI_MCA_btl_vader_backing_directory", self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(file)
            // A terminal starts every command in its own group.
            .process_group(0)
            .spawn()
            .expect("the binary is built with the tests");
        Run { coordinator, log }
    }

    /// Runs or resumes to the end, with success.
    pub fn finish(&self, name: &str, settings: &[&str]) {
        let ended = self.start(name, settings).wait(LIMIT);
        assert_eq!(ended.code, Some(0), "{}", ended.said);
    }

    /// Waits until an epoch is recorded.
    pub fn wait_for_epoch(&self, name: &str, epoch: u32) {
        let path = self.out(name).join("epochs.csv");
        let line = format!("random,1,{epoch},");
        wait_until(&line, LIMIT, || {
            fs::read_to_string(&path).is_ok_and(|text| text.contains(&line))
        });
    }
}

impl Run {
    /// The processes that this run has started: `mpirun` and the workers.
    pub fn processes(&self) -> Vec<Process> {
        descendants(self.coordinator.id())
    }

    /// Waits for the end of the command. Returns its exit code and its messages.
    pub fn wait(mut self, limit: Duration) -> Ended {
        let mut status = None;
        wait_until("the command ends", limit, || {
            status = self.coordinator.try_wait().expect("a status");
            status.is_some()
        });
        Ended {
            code: status.and_then(|status| status.code()),
            said: self.said(),
        }
    }

    /// The messages so far.
    pub fn said(&self) -> String {
        fs::read_to_string(&self.log).expect("a log")
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // A test that fails leaves nothing behind either. A process that has ended may have given its number to another.
        if !matches!(self.coordinator.try_wait(), Ok(None)) {
            return;
        }
        let started = self.processes();
        let _ = self.coordinator.kill();
        let _ = self.coordinator.wait();
        for process in started.iter().filter(|process| !has_ended(process)) {
            send("-KILL", process.id);
        }
    }
}

pub fn wait_until(what: &str, limit: Duration, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < limit, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
