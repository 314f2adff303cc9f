//! Runs a target on an input and detects panics, slow inputs and excessive memory.

pub mod memory;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

use crate::Target;

/// Inputs are below this size; a larger one may need more memory.
pub const LARGEST_INPUT: usize = 1 << 20;

/// The most memory that a target may need for an input.
pub const MOST_MEMORY: usize = 64 << 20;

/// The longest time for an input. Real time, because other processes may slow the machine down: without optimisation, the slowest valid
/// input takes about 5 seconds.
pub const LONGEST: Duration = Duration::from_secs(20);

/// After this time, an input does not end, and the process is aborted.
const ENDLESS: Duration = Duration::from_secs(60);

/// What a target must not do.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// A panic: its message and its place in the code.
    Panic {
        /// The message.
        message: String,
        /// File and line.
        place: String,
    },
    /// More memory than [`MOST_MEMORY`].
    Memory {
        /// The peak in bytes.
        bytes: usize,
    },
    /// More time than [`LONGEST`].
    Slow {
        /// The time in seconds.
        seconds: u64,
    },
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Panic { message, place } => write!(f, "panics at {place}: {message}"),
            Failure::Memory { bytes } => write!(f, "needs {} MB of memory", bytes >> 20),
            Failure::Slow { seconds } => write!(f, "takes {seconds} s"),
        }
    }
}

impl Failure {
    /// A file name that is the same for failures with the same cause, as far as one can tell.
    pub fn file_name(&self, target: &Target) -> String {
        let cause = match self {
            Failure::Panic { place, .. } => {
                let tail = place.rsplit('/').take(3).collect::<Vec<_>>();
                let tail = tail.into_iter().rev().collect::<Vec<_>>().join("-");
                format!("panic-{}", tail.replace(':', "-"))
            }
            Failure::Memory { bytes } => format!("memory-{}MB", (bytes >> 20).next_power_of_two()),
            Failure::Slow { .. } => "slow".into(),
        };
        format!("{}-{cause}", target.name)
    }
}

/// What a thread is doing.
struct Running {
    target: &'static str,
    input: Vec<u8>,
    since: Option<Instant>,
}

impl Running {
    fn refused_path(&self) -> PathBuf {
        let hash = xxh3_64(&self.input);
        failures().join(format!("{}-refused-memory-{hash:016x}", self.target))
    }
}

thread_local! {
    static REFUSED: Cell<Option<PathBuf>> = const { Cell::new(None) };
    static RUNNING: Arc<Mutex<Running>> = register();
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Every thread that runs targets.
static THREADS: Mutex<Vec<Arc<Mutex<Running>>>> = Mutex::new(Vec::new());

/// Where failing inputs are saved.
static FAILURES: OnceLock<PathBuf> = OnceLock::new();

/// Saves failing inputs in this folder. Only the first call has an effect.
pub fn save_failures_in(folder: impl Into<PathBuf>) {
    FAILURES.get_or_init(|| folder.into());
}

/// The folder of failing inputs.
fn failures() -> &'static Path {
    FAILURES.get_or_init(|| std::env::temp_dir().join("padwise-fuzz-failures"))
}

fn register() -> Arc<Mutex<Running>> {
    let running = Arc::new(Mutex::new(Running {
        target: "",
        input: Vec::new(),
        since: None,
    }));
    let threads = THREADS.lock();
    threads
        .unwrap_or_else(PoisonError::into_inner)
        .push(running.clone());
    running
}

/// Runs a target on an input.
pub fn run(target: &'static Target, input: &[u8]) -> Result<(), Failure> {
    prepare();
    let running = RUNNING.with(Arc::clone);
    let set = |since: Option<Instant>| {
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        running.target = target.name;
        running.since = since;
        if since.is_some() {
            running.input.clear();
            running.input.extend(input);
        }
    };
    let start = Instant::now();
    set(Some(start));
    IS_GUARDED.set(true);
    let mut outcome = Ok(());
    let bytes = memory::peak_of(|| {
        outcome = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    });
    IS_GUARDED.set(false);
    set(None);
    if let Some(path) = REFUSED.take() {
        let _ = fs::remove_file(path);
    }
    let seconds = start.elapsed();
    match outcome {
        Err(payload) => Err(Failure::Panic {
            message: message(payload.as_ref()),
            place: PLACE.take(),
        }),
        Ok(()) if bytes > MOST_MEMORY && input.len() <= LARGEST_INPUT => {
            Err(Failure::Memory { bytes })
        }
        Ok(()) if seconds > LONGEST => Err(Failure::Slow {
            seconds: seconds.as_secs(),
        }),
        Ok(()) => Ok(()),
    }
}

/// Saves the input of a failure, the shortest for each cause. Returns its path and whether the cause is new.
pub fn save(target: &Target, input: &[u8], failure: &Failure) -> (PathBuf, bool) {
    let path = failures().join(failure.file_name(target));
    let known = fs::metadata(&path).map(|file| file.len());
    if known.as_ref().is_err() || known.as_ref().is_ok_and(|&len| len > input.len() as u64) {
        write(&path, input);
    }
    (path, known.is_err())
}

fn write(path: &Path, input: &[u8]) {
    let written = fs::create_dir_all(failures()).and_then(|()| fs::write(path, input));
    if let Err(error) = written {
        eprintln!("cannot save {}: {error}", path.display());
    }
}

/// Saves the input that asked for far too much memory, because the process may abort. [`run`] removes it otherwise.
pub(crate) fn save_refused() {
    RUNNING.with(|running| {
        // The lock may be held while the input is copied.
        if let Ok(running) = running.try_lock() {
            let path = running.refused_path();
            if !path.exists() {
                write(&path, &running.input);
            }
            REFUSED.set(Some(path));
        }
    });
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_string()
}

/// Once per process: panics of targets are recorded instead of printed, and a thread aborts on endless inputs.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // libFuzzer's hook would abort even on panics that a reader catches.
        let _ = panic::take_hook();
        let default = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_GUARDED.get() {
                let place = info.location().map(ToString::to_string);
                PLACE.set(place.unwrap_or_default());
            } else {
                default(info);
            }
        }));
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
                for thread in threads.iter() {
                    let running = thread.lock().unwrap_or_else(PoisonError::into_inner);
                    if running.since.is_some_and(|since| since.elapsed() > ENDLESS) {
                        let path = failures().join(format!("{}-endless", running.target));
                        write(&path, &running.input);
                        eprintln!("{} does not end: {}", running.target, path.display());
                        std::process::abort();
                    }
                }
            }
        });
    });
}
