//! A run that was interrupted in the middle of an epoch, for tests of resuming.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::common::{TINY, corpus, in_folder, learnt, succeeds, write};

/// Trains on a pack instead of a synthetic corpus.
pub const PACKED: &str = "[corpus]\npack = \"a.pack\"\nvalidation = { speakers = 1 }";

/// An interrupted run.
pub struct Interrupted {
    /// The folder of everything.
    pub folder: TempDir,
    /// The results folder.
    pub out: PathBuf,
    config: String,
}

impl Interrupted {
    /// Interrupts a run after its second epoch, within the third one if the machine is not very slow. A table in `change` replaces
    /// the table of the same name in the config, or extends `[train]`.
    pub fn new(change: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        if change == PACKED {
            let manifest = corpus(folder.path(), 10);
            let (labels, out) = (
                in_folder(&folder, "labels.ctm"),
                in_folder(&folder, "a.pack"),
            );
            succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &out]);
        }
        let config = write(&folder, "tiny.toml", &changed(change));
        let out = folder.path().join("out");
        let run = Interrupted {
            folder,
            out,
            config,
        };
        let mut arguments = run.resume();
        arguments.pop();
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("padwise"))
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary is built with the tests");
        wait_for(run.out.join("epochs.csv"), "random,1,2,");
        send("-INT", child.id());
        assert_eq!(child.wait().expect("an end").code(), Some(3));
        run
    }

    /// The arguments that resume it.
    pub fn resume(&self) -> Vec<&str> {
        let out = self.out.to_str().expect("text");
        vec!["run", &self.config, "--out", out, "--resume"]
    }

    /// The results of the same run without an interruption.
    pub fn clean(&self) -> Vec<String> {
        let clean = in_folder(&self.folder, "clean");
        succeeds(&["run", &self.config, "--out", &clean]);
        learnt(Path::new(&clean))
    }

    /// All checkpoints, sorted.
    pub fn checkpoints(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.out.join("checkpoints")).expect("a folder");
        let mut paths: Vec<PathBuf> = entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|kind| kind == "safetensors"))
            .collect();
        paths.sort();
        paths
    }

    /// The checkpoint that resuming uses: that of the unfinished epoch, if there is one.
    pub fn latest_checkpoint(&self) -> PathBuf {
        let mut paths = self.checkpoints().into_iter();
        let unfinished = paths.find(|path| path.to_string_lossy().contains("-batch"));
        unfinished.unwrap_or_else(|| self.finished_checkpoint())
    }

    /// The checkpoint of the last finished epoch.
    pub fn finished_checkpoint(&self) -> PathBuf {
        let mut paths = self.checkpoints().into_iter();
        let finished = paths.find(|path| !path.to_string_lossy().contains("-batch"));
        finished.expect("a finished epoch")
    }
}

fn changed(change: &str) -> String {
    let long = TINY
        .replace("random,chunk=60,frames=1200", "random,chunk=20,batch=1")
        .replace("epochs = 3", "epochs = 4")
        .replace("seeds = [1, 2]", "seeds = [1]");
    if change == PACKED {
        let model = long.find("[model]").unwrap_or_default();
        return format!("{change}\n\n{}", &long[model..]);
    }
    match change.strip_prefix("[train]") {
        Some(settings) => long.replace("[train]", &format!("[train]{settings}")),
        None => long,
    }
}

/// Waits until a file contains a text.
pub fn wait_for(path: impl AsRef<Path>, text: &str) {
    let start = Instant::now();
    while !fs::read_to_string(&path).is_ok_and(|found| found.contains(text)) {
        assert!(start.elapsed() < Duration::from_secs(300), "no `{text}`");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal to a process.
pub fn send(signal: &str, process: u32) {
    let sent = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
    assert!(sent.expect("kill").success());
}
