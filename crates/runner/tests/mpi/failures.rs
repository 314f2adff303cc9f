//! Workers, `mpirun` and coordinators that are killed or stopped. Nothing is left running, and resuming loses nothing.

use std::time::{Duration, Instant};

use crate::processes::{Process, has_ended, rank, send, send_to_group};
use crate::runs::{Ended, Place, Run, mpirun_exists, wait_until};

/// Three workers with many short steps, so that a signal arrives in the middle of an epoch. Checkpoints have the most files.
const SETTINGS: [&str; 4] = [
    "train.parallel={workers=3,optimiser-state=\"keep\",deadline-seconds=12}",
    "train.epochs=4",
    "corpus.synthetic.utterances=60",
    "strategy.0.line=random,chunk=20,batch=1",
];

/// The deadline in these settings.
const DEADLINE: Duration = Duration::from_secs(12);

/// What the first Ctrl-C makes the command say.
const FINISHING: &str = "finishing the current batch";

/// The longest time until all processes have ended after a signal that ends them, on a very busy machine.
const SOON: Duration = Duration::from_secs(120);

/// Disturbs a run with `act` after its first epoch. Checks the end with `check`, that no process is left and that resuming gives the
/// results of a run that was left alone.
fn disturb(limit: Duration, act: impl Fn(&Run), check: impl Fn(&Ended)) {
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
    act(&run);
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
    let mut files: Vec<_> = files
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    files.sort();
    let locks = ["lock", "lock-worker1", "lock-worker2"];
    assert_eq!(files, locks, "files are left over");
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

fn mpirun(run: &Run) -> u32 {
    run.processes()[0].id
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
            SOON,
            |run| send("-KILL", workers(run)[number].id),
            |ended| failed_with(ended, &[&named]),
        );
    }
}

#[test]
fn a_stopped_worker_is_named_at_the_deadline() {
    for number in [0, 2] {
        let late = [
            format!("rank {number} did not arrive within 9 s"),
            // If it stops during a transfer, another rank may wait for it and be named instead.
            "arrived, but transferred nothing for 9 s".to_owned(),
        ];
        disturb(
            DEADLINE + SOON,
            |run| send("-STOP", workers(run)[number].id),
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
    disturb(
        SOON,
        |run| send("-KILL", mpirun(run)),
        |ended| failed_with(ended, &["signal: 9 (SIGKILL)"]),
    );
}

#[test]
fn a_stopped_mpirun_is_killed_at_the_deadline() {
    let expected = "mpirun passed on no sign of life of worker 0 for 12 s and was killed";
    disturb(
        DEADLINE + SOON,
        |run| send("-STOP", mpirun(run)),
        |ended| failed_with(ended, &[expected]),
    );
}

#[test]
fn a_killed_coordinator_ends_all_processes() {
    disturb(
        SOON,
        |run| send("-KILL", run.coordinator.id()),
        |ended| assert_eq!(ended.code, None),
    );
}

/// Ctrl-C in a terminal reaches all processes of the group.
#[test]
fn an_interrupted_run_stops_in_order_and_resumes() {
    disturb(
        SOON,
        |run| send_to_group("-INT", run.coordinator.id()),
        |ended| {
            failed_with(
                ended,
                &[FINISHING, "interrupted in `random`, seed 1, epoch"],
            );
        },
    );
}

#[test]
fn a_second_interrupt_ends_processes_that_hang() {
    disturb(
        SOON,
        |run| {
            send("-STOP", mpirun(run));
            send_to_group("-INT", run.coordinator.id());
            wait_until(FINISHING, SOON, || run.said().contains(FINISHING));
            send_to_group("-INT", run.coordinator.id());
        },
        |ended| assert_eq!(ended.code, Some(3), "{}", ended.said),
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
    send("-STOP", mpirun(&run));
    let ended = run.wait(DEADLINE + SOON);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    wait_until("no process is left", SOON, || started.iter().all(has_ended));
}
