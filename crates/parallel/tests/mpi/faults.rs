//! Ranks that end, stop or call something else, and a killed launcher.

use rustix::process::{Pid, test_kill_process};

use crate::programs::{DEADLINE, FAILED};
use crate::start::{mpirun_exists, run, start, tells_losses, wait_until};

/// The message of a rank's error, and the ranks at fault.
fn split(error: &str) -> (&str, &str) {
    let (message, ranks) = error.split_once('\n').expect("two lines");
    (message, ranks.trim())
}

fn assert_all_ended(pids: &[String]) {
    for pid in pids {
        let pid = Pid::from_raw(pid.parse().expect("process ID")).expect("process ID");
        wait_until("ranks end", || {
            test_kill_process(pid).is_err() || is_zombie(pid)
        });
    }
}

/// A process that has ended, in a container whose first process does not reap others.
fn is_zombie(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    stat.is_ok_and(|stat| {
        stat.rsplit(')')
            .next()
            .is_some_and(|rest| rest.starts_with(" Z"))
    })
}

#[test]
fn a_late_rank_is_named_at_the_deadline() {
    if !mpirun_exists() {
        return;
    }
    for program in ["sleeps", "stops"] {
        let job = start(program, 3, &[]);
        let pids = job.files("pid", [0, 1, 2]);
        let ended = job.wait();
        assert_eq!(ended.code, Some(FAILED), "{}", ended.output);
        for (rank, error) in [0, 2].into_iter().zip(ended.job.files("error", [0, 2])) {
            let (message, ranks) = split(&error);
            assert!(
                message.starts_with(&format!("MPI: mean failed on rank {rank} after ")),
                "{message}"
            );
            let reason = format!(
                "rank 1 did not arrive within {DEADLINE} s; see the output of that rank, or raise the deadline"
            );
            assert!(message.ends_with(&reason), "{message}");
            assert_eq!(ranks, "[1]");
        }
        assert_all_ended(&pids);
    }
}

#[test]
fn a_rank_that_stops_in_a_mean_is_named() {
    if !mpirun_exists() {
        return;
    }
    let job = start("stops-in-a-mean", 2, &[]);
    let pids = job.files("pid", [0, 1]);
    let ended = job.wait();
    assert_eq!(ended.code, Some(FAILED), "{}", ended.output);
    let [error] = ended.job.files("error", [0]);
    let (message, ranks) = split(&error);
    assert!(
        message.contains(&format!("within {DEADLINE} s"))
            || message.contains(&format!("for {DEADLINE} s")),
        "{message}"
    );
    assert_eq!(ranks, "[1]");
    assert_all_ended(&pids);
}

#[test]
fn a_rank_that_ends_ends_the_job() {
    if !mpirun_exists() {
        return;
    }
    for program in ["exits", "killed"] {
        let job = start(program, 3, &[]);
        let pids = job.files("pid", [0, 1, 2]);
        let ended = job.wait();
        assert_ne!(ended.code, Some(0), "{program}: {}", ended.output);
        assert_all_ended(&pids);
    }
}

#[test]
fn a_lost_rank_is_named_if_mpi_tells() {
    if !mpirun_exists() || !tells_losses() {
        return;
    }
    // This mpirun does not always end, so nothing waits for it.
    let job = start("killed", 3, &["--with-ft", "ulfm"]);
    let pids = job.files("pid", [0, 1, 2]);
    for error in job.files("error", [0, 2]) {
        let (message, ranks) = split(&error);
        assert!(message.contains("lost rank 1"), "{message}");
        assert_eq!(ranks, "[1]");
    }
    assert_all_ended(&pids);
}

#[test]
fn different_calls_are_errors_on_all_ranks() {
    if !mpirun_exists() {
        return;
    }
    let nan = "rank 1 has weight NaN; weights must be finite and not negative";
    for (program, at_0, at_1) in [
        (
            "differs",
            "rank 1 called sum of length 5 as call 2, but this rank called mean of length 5 as call 2",
            "rank 0 called mean of length 5 as call 2, but this rank called sum of length 5 as call 2",
        ),
        (
            "lengths",
            "rank 1 called mean of length 4 as call 2, but this rank called mean of length 5 as call 2",
            "rank 0 called mean of length 5 as call 2, but this rank called mean of length 4 as call 2",
        ),
        ("weights", nan, nan),
    ] {
        let ended = run(program, 2, &[]);
        assert_eq!(ended.code, Some(FAILED), "{}", ended.output);
        let errors = ended.job.files("error", [0, 1]);
        for (rank, expected) in [at_0, at_1].into_iter().enumerate() {
            let (message, _) = split(&errors[rank]);
            assert!(message.ends_with(expected), "rank {rank}: {message}");
        }
    }
}

#[test]
fn a_rank_that_finishes_early_is_an_error() {
    if !mpirun_exists() {
        return;
    }
    let ended = run("leaves", 2, &[]);
    assert_ne!(ended.code, Some(0), "{}", ended.output);
    let [error] = ended.job.files("error", [0]);
    let (message, ranks) = split(&error);
    assert!(
        message.contains("rank 1 called finish of length 0 as call 2"),
        "{message}"
    );
    assert_eq!(ranks, "[1]");
}

#[test]
fn a_world_of_another_library_is_an_error() {
    if !mpirun_exists() {
        return;
    }
    let ended = run("another-library", 1, &[]);
    assert_eq!(ended.code, Some(FAILED), "{}", ended.output);
    let message = "launched as rank 1 of 3, but the engine reports rank 0 of 1";
    assert!(ended.output.contains(message), "{}", ended.output);
}

#[test]
fn a_killed_mpirun_leaves_no_rank() {
    if !mpirun_exists() {
        return;
    }
    let mut job = start("waits", 3, &[]);
    let pids = job.files("pid", [0, 1, 2]);
    job.mpirun.kill().expect("kill mpirun");
    job.mpirun.wait().expect("mpirun ends");
    assert_all_ended(&pids);
}
