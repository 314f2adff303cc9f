//! Times of parallel workers in a results folder: `workers.csv`.

use padwise_report::record::{EpochRow, ExperimentConfig, WorkerTimes, WorkersRow, read_workers};

use super::{RecordError, ResultsFolder};

pub(super) const WORKERS: &str = "workers.csv";

impl ResultsFolder {
    /// The times of workers recorded so far, checked against the config. Only completed epochs count.
    pub fn worker_times(
        &self,
        config: &ExperimentConfig,
        epochs: &[EpochRow],
    ) -> Result<WorkerTimes, RecordError> {
        Ok(read_workers(&self.path, config, epochs)?)
    }

    /// Appends the times of the workers in an epoch to `workers.csv` and syncs them to disk.
    ///
    /// Append them before the epoch itself: a line without an epoch is ignored, and a later line for the same epoch replaces it.
    pub fn append_worker_times(&self, row: &WorkersRow) -> Result<(), RecordError> {
        self.append_line(WORKERS, row)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const CONFIG: &str = r#"
        [corpus]
        pack = "a.pack"
        [train]
        epochs = 2
        seeds = [1]
        [train.parallel]
        workers = [1, 2]
        [[strategy]]
        name = "a"
        line = "random"
    "#;

    fn epoch(epoch: u64) -> EpochRow {
        EpochRow {
            strategy: "a, 2 workers".into(),
            seed: 1,
            epoch,
            ..EpochRow::default()
        }
    }

    fn times(epoch: u64, averaging_seconds: f64) -> WorkersRow {
        WorkersRow {
            strategy: "a, 2 workers".into(),
            seed: 1,
            epoch,
            workers: 2,
            worker_seconds: vec![0.1 + 0.2, 4.0],
            averaging_seconds,
            waiting_seconds: 1e-9,
            repeated: 1,
            dropped: 0,
        }
    }

    #[test]
    fn times_are_read_back_the_last_line_of_an_epoch_counts_and_torn_lines_are_dropped() {
        let temporary = tempfile::tempdir().expect("a folder");
        let path = temporary.path().join("run");
        let (folder, epochs) = ResultsFolder::open(&path, CONFIG, false).expect("a new folder");
        let config = padwise_experiment_config::read_text(CONFIG, "a.toml".as_ref(), &[]);
        let config = config.expect("a config");
        let none = folder.worker_times(&config, &epochs).expect("none");
        assert_eq!(none, WorkerTimes::default());
        for row in [times(1, 0.5), times(1, 0.25), times(2, 0.75)] {
            folder.append_worker_times(&row).expect("writable");
        }
        drop(folder);
        let file = path.join(WORKERS);
        let text = fs::read_to_string(&file).expect("readable");
        fs::write(&file, format!("{text}\"a, 2 workers\",1,2,2,0.3")).expect("writable");
        let (folder, _) = ResultsFolder::open(&path, CONFIG, true).expect("resumable");
        assert_eq!(fs::read_to_string(&file).expect("readable"), text);
        let of = |epochs: &[EpochRow]| folder.worker_times(&config, epochs).expect("valid").rows;
        assert_eq!(of(&[epoch(1)]), [times(1, 0.25)]);
        let both = [times(1, 0.25), times(2, 0.75)];
        assert_eq!(of(&[epoch(1), epoch(2)]), both);
        insta::assert_snapshot!(text, @r#"
        strategy,seed,epoch,workers,worker_seconds,averaging_seconds,waiting_seconds,repeated,dropped
        "a, 2 workers",1,1,2,0.30000000000000004 4,0.5,1e-9,1,0
        "a, 2 workers",1,1,2,0.30000000000000004 4,0.25,1e-9,1,0
        "a, 2 workers",1,2,2,0.30000000000000004 4,0.75,1e-9,1,0
        "#);
    }

    #[test]
    fn times_of_another_experiment_are_not_mixed_with_new_ones() {
        let temporary = tempfile::tempdir().expect("a folder");
        fs::write(temporary.path().join(WORKERS), "").expect("writable");
        let error = ResultsFolder::open(temporary.path(), CONFIG, false).err();
        let message = error.map(|error| error.to_string()).unwrap_or_default();
        let wanted = "workers.csv is not from a run in this folder";
        assert!(message.contains(wanted), "{message}");
    }
}
