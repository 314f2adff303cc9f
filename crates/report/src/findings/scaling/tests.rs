//! Tests of speed-up, efficiency and lost time.

use super::*;

const CONFIG: &str = r#"
    [corpus]
    pack = "a.pack"
    [train]
    epochs = 2
    seeds = [1]
    [train.parallel]
    workers = [4, 2]
    [[strategy]]
    name = "a"
    line = "random"
    [[strategy]]
    name = "b"
    line = "random"
    [[strategy]]
    name = "b with more"
    line = "random"
    workers = 8
"#;

fn config(text: &str) -> ExperimentConfig {
    padwise_experiment_config::read_text(text, "a.toml".as_ref(), &[]).expect("a config")
}

fn epoch(strategy: &str, epoch: u64, train_seconds: f64) -> EpochRow {
    EpochRow {
        strategy: strategy.into(),
        seed: 1,
        epoch,
        train_seconds,
        validation_loss: Some(1.5),
        ..EpochRow::default()
    }
}

fn times(strategy: &str, epoch: u64, seconds: &[f64], averaging_seconds: f64) -> WorkersRow {
    WorkersRow {
        strategy: strategy.into(),
        seed: 1,
        epoch,
        workers: seconds.len() as u64,
        worker_seconds: seconds.to_vec(),
        averaging_seconds,
        ..WorkersRow::default()
    }
}

#[test]
fn speed_up_and_efficiency_are_relative_to_the_fewest_workers_of_the_strategy() {
    let (two, four) = ("a, 2 workers", "a, 4 workers");
    let epochs = [
        epoch(two, 1, 12.0),
        epoch(two, 2, 12.0),
        epoch(four, 1, 8.0),
        epoch(four, 2, 8.0),
        epoch("b, 2 workers", 1, 1.0),
    ];
    let times = WorkerTimes {
        rows: vec![
            times(two, 1, &[8.0, 11.0], 1.0),
            times(two, 2, &[10.0, 10.0], 2.0),
            times(four, 1, &[3.0, 3.0, 3.0, 7.0], 1.0),
        ],
    };
    let scaling = Scaling::of(&config(CONFIG), &epochs, &times).expect("two numbers");
    assert_eq!(scaling.counts(), [2, 4, 8]);
    let [a, b, other] = scaling.strategies.as_slice() else {
        panic!("three strategies: {scaling:?}");
    };
    let names = [&a.name, &b.name, &other.name];
    assert_eq!(names, ["a", "b", "b with more"]);
    let [two, four] = a.rows.as_slice() else {
        panic!("two numbers of workers: {a:?}");
    };
    let close = |found: Option<f64>, expected: f64| {
        assert!(
            (found.expect("a number") - expected).abs() < 1e-9,
            "{found:?}"
        );
    };
    assert_eq!((two.workers, four.workers), (2, 4));
    close(two.speed_up.map(|change| change.estimate), 1.0);
    close(two.efficiency_percent, 100.0);
    close(four.speed_up.map(|change| change.estimate), 1.5);
    close(four.efficiency_percent, 75.0);
    // 1.5 of 24 seconds: in the second epoch both workers take the same time.
    close(two.slowest_percent.first().map(|one| one.1), 6.25);
    close(two.averaging_percent.first().map(|one| one.1), 12.5);
    // Only the first epoch has times of workers.
    close(four.slowest_percent.first().map(|one| one.1), 37.5);
    assert_eq!(four.validation_loss.mean, Some(1.5));
    // The run is not complete, and its strategy has no other measured row.
    assert_eq!(b.rows[0].validation_loss.mean, None);
    close(b.rows[0].speed_up.map(|change| change.estimate), 1.0);
    assert_eq!(b.rows[1].speed_up, None);
    assert!(
        !four.time_is_predicted,
        "MPI processes run at the same time"
    );
}

#[test]
fn only_several_workers_that_take_turns_have_a_predicted_time() {
    let turns = CONFIG.replace("[4, 2]", "[1, 2]\nengine = \"turns\"");
    let scaling = Scaling::of(&config(&turns), &[], &WorkerTimes::default());
    let scaling = scaling.expect("two numbers");
    let predicted: Vec<(u32, bool)> = scaling
        .rows()
        .map(|row| (row.workers, row.time_is_predicted))
        .collect();
    assert_eq!(
        predicted,
        [(1, false), (2, true), (1, false), (2, true), (8, true)]
    );
}

#[test]
fn one_number_of_workers_has_nothing_to_compare() {
    let one = CONFIG.replace("[4, 2]", "8");
    let none = WorkerTimes::default();
    assert_eq!(Scaling::of(&config(&one), &[], &none), None);
}
