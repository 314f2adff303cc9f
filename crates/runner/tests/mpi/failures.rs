//! Workers, `mpirun` and coordinators that are killed or stopped. Nothing is left running, and resuming loses nothing.

use std::time::{Duration, Instant};

use crate::processes::{Process, has_ended, rank, send};
use crate::runs::{Ended, Place, Run, mpirun_exists, wait_until};

/// Three workers with many short steps, so that a signal arrives in the middle of an epoch. Checkpoints have the most files.
const SETTINGS: [&str; 4] = [
    "train.parallel={workers=3,optimiser-state=\"keep\",deadline-seconds=4}",
    "train.epochs=4",
    "corpus.synthetic.utterances=60",
    "strategy.0.line=random,chunk=20,batch=1",
];

/// The longest time until all processes have ended after a signal that ends them.
const SOON: Duration = Duration::from_secs(5);

/// Sends a signal to one process of a run after its first epoch. Checks the end with `check`, that no process is left and that resuming
/// gives the results of a run that was left alone.
fn disturb(signal: &str, limit: Duration, choose: impl Fn(&Run) -> u32, check: impl Fn(&Ended)) {
    if !mpirun_exists() {
        return;
    }
    let place = Place::new();
    // The same settings in one process are faster, and they have the same results.
    place.finish(
        "clean",
        &[&SETTINGS[..], &["train.parallel.engine=turns"]].concat(),
    );
    let run = place.start("out", &SETTINGS);
    place.wait_for_epoch("out", 1);
    let started = run.processes();
    assert_eq!(workers(&run).len(), 3, "workers in {started:?}");
    send(signal, choose(&run));
    let sent = Instant::now();
    let ended = run.wait(limit);
    wait_until(
        "no process is left",
        limit.saturating_sub(sent.elapsed()),
        || started.iter().all(has_ended),
    );
    let recorded = place.learnt("out");
    let is_complete = |line: &String| line.starts_with("random 1 4 trained");
    assert!(
        !recorded.iter().any(is_complete),
        "the signal came too late"
    );
    check(&ended);
    place.finish("out", &SETTINGS);
    let mut found = place.learnt("out");
    found.retain(|line| !line.contains(" failed "));
    assert_eq!(found, place.learnt("clean"));
    let files = std::fs::read_dir(place.out("out").join("checkpoints")).expect("a folder");
    let files: Vec<_> = files
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(files, ["lock"], "files are left over");
}

/// The workers, in the order of their numbers.
fn workers(run: &Run) -> Vec<Process> {
    let processes = run.processes();
    let mut ranks: Vec<_> = processes
        .into_iter()
        .filter_map(|process| Some((rank(&process)?, process)))
        .collect();
    ranks.sort_by_key(|(rank, _)| *rank);
    ranks.into_iter().map(|(_, process)| process).collect()
}

fn failed_with(ended: &Ended, expected: &[&str]) {
    assert_eq!(ended.code, Some(3), "{}", ended.said);
    for text in expected.iter().chain(&["--resume"]) {
        assert!(ended.said.contains(text), "no `{text}` in {}", ended.said);
    }
}

#[test]
fn a_killed_worker_is_named() {
    for number in [0, 1] {
        let named = format!("worker {number} exited on signal 9 (Killed)");
        disturb(
            "-KILL",
            SOON,
            |run| workers(run)[number].id,
            |ended| failed_with(ended, &[&named]),
        );
    }
}

#[test]
fn a_stopped_worker_is_named_at_the_deadline() {
    let limit = Duration::from_secs(4) + SOON;
    for number in [0, 2] {
        let late = [
            format!("rank {number} did not arrive within 3 s"),
            format!("rank {number} arrived, but transferred nothing for 3 s"),
        ];
        disturb(
            "-STOP",
            limit,
            |run| workers(run)[number].id,
            |ended| {
                failed_with(ended, &[]);
                let is_named = late.iter().any(|text| ended.said.contains(text));
                assert!(is_named, "{}", ended.said);
            },
        );
    }
}

#[test]
fn a_killed_mpirun_ends_all_workers() {
    let mpirun = |run: &Run| run.processes()[0].id;
    disturb("-KILL", SOON, mpirun, |ended| {
        failed_with(ended, &["signal: 9 (SIGKILL)"])
    });
}

#[test]
fn a_killed_coordinator_ends_all_processes() {
    disturb(
        "-KILL",
        SOON,
        |run| run.coordinator.id(),
        |ended| assert_eq!(ended.code, None),
    );
}

#[test]
fn an_interrupted_run_resumes() {
    disturb(
        "-INT",
        SOON,
        |run| run.coordinator.id(),
        |ended| {
            failed_with(
                ended,
                &[
                    "finishing the current batch",
                    "interrupted in `random`, seed 1, epoch",
                ],
            );
        },
    );
}

/// The results are complete, so the command waits no longer than the deadline.
#[test]
fn processes_that_stop_after_the_last_epoch_are_ended() {
    if !mpirun_exists() {
        return;
    }
    let place = Place::new();
    let run = place.start("out", &SETTINGS);
    place.wait_for_epoch("out", 4);
    let started = run.processes();
    send("-STOP", started[0].id);
    let ended = run.wait(Duration::from_secs(4) + SOON);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    wait_until("no process is left", SOON, || started.iter().all(has_ended));
}
