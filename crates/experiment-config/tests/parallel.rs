//! The table `[train.parallel]`: refused values with their lines, and a row per number of workers.

use std::path::Path;

use padwise_experiment_config::{
    Average, ExperimentConfig, OptimiserState, ParallelEngine, read_text,
};

const CONFIG: &str = r#"name = "a"
[corpus]
pack = "a.pack"
[train]
seeds = [1]
[train.parallel]
workers = [1, 2, 4]
average = "epoch"
[measure]
baseline = "random"
[[strategy]]
name = "random"
line = "random"
[[strategy]]
name = "sorted"
line = "sorted"
"#;

fn read(text: &str) -> ExperimentConfig {
    read_text(text, Path::new("a.toml"), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The first line of the error after a replacement.
fn refused((from, to): (&str, &str)) -> String {
    assert!(CONFIG.contains(from), "{from}");
    let text = CONFIG.replacen(from, to, 1);
    let error = read_text(&text, Path::new("a.toml"), &[]).expect_err(to);
    let message = error.to_string();
    message.lines().next().unwrap_or_default().to_owned()
}

fn names(config: &ExperimentConfig) -> Vec<(&str, Option<u32>)> {
    let rows = config.strategy.iter();
    rows.map(|row| (row.name.as_str(), row.workers)).collect()
}

#[test]
fn impossible_values_are_refused_with_their_line() {
    let workers = "workers = [1, 2, 4]";
    let average = "average = \"epoch\"";
    let table = "[train.parallel]\nworkers = [1, 2, 4]\naverage = \"epoch\"\n";
    let messages = [
        (workers, "workers = 0"),
        (workers, "workers = [2, 0]"),
        (workers, "workers = -1"),
        (workers, "workers = 1025"),
        (workers, "workers = []"),
        (workers, "workers = [1, 2, 1]"),
        (workers, "workers = \"two\""),
        (workers, ""),
        (average, "average = \"batch\""),
        (average, "beta = -0.1"),
        (average, "beta = 1.0"),
        (average, "beta = nan"),
        (average, "average = \"step\"\nbeta = 0.0"),
        (average, "average = \"step\"\noptimiser-state = \"keep\""),
        (average, "optimiser-state = \"drop\""),
        (average, "engine = \"threads\""),
        (average, "deadline-seconds = 0.0"),
        (average, "deadline-seconds = 1e9"),
        (average, "worker = 2"),
        (table, "[[strategy]]\nline = \"smart\"\nworkers = 2\n"),
        ("line = \"sorted\"", "line = \"sorted\"\nworkers = 0"),
        ("line = \"sorted\"", "line = \"sorted\"\nworkers = 1025"),
        ("name = \"sorted\"", "name = \"random\""),
        (
            "name = \"sorted\"",
            "name = \"random, 2 workers\"\nworkers = 2",
        ),
        ("baseline = \"random\"", "baseline = \"random, 3 workers\""),
    ]
    .map(refused);
    insta::assert_snapshot!(messages.join("\n"), @r#"
    a.toml:7: workers is 0: it must be at least 1
    a.toml:7: workers is 0: it must be at least 1
    a.toml:7: workers must be a number, or a list of numbers such as [1, 2, 4]
    a.toml:7: workers is 1025: it must be at most 1024
    a.toml:7: workers is empty: set at least one number, for example workers = [1, 2]
    a.toml:7: duplicate number of workers 1: list it once
    a.toml:7: workers must be a number, or a list of numbers such as [1, 2, 4]
    a.toml:6: missing key `workers`
    a.toml:8: unknown value `batch`, expected `epoch` or `step`
    a.toml:8: beta is -0.1: it must be at least 0 and below 1
    a.toml:8: beta is 1: it must be at least 0 and below 1
    a.toml:8: beta is NaN: it must be at least 0 and below 1
    a.toml:9: `beta` has a use only with average = "epoch": remove it
    a.toml:9: `optimiser-state` has a use only with average = "epoch": remove it
    a.toml:8: unknown value `drop`, expected one of `reset`, `keep`, `average`
    a.toml:8: unknown value `threads`, expected `mpi` or `turns`
    a.toml:8: deadline-seconds is 0: it must be finite and above 0
    a.toml:8: deadline-seconds is 1000000000: it must be at most 86400
    a.toml:8: unknown key `worker`, did you mean `workers`?
    a.toml:8: a strategy with `workers` needs the table [train.parallel]
    a.toml:17: workers is 0: it must be at least 1
    a.toml:17: workers is 1025: it must be at most 1024
    a.toml:15: duplicate strategy name `random, 1 worker`: give every strategy a unique `name`
    a.toml:15: duplicate strategy name `random, 2 workers`: give every strategy a unique `name`
    a.toml:10: no strategy is named `random, 3 workers`; the strategies are `random, 1 worker`, `random, 2 workers`, `random, 4 workers`, `sorted, 1 worker`, `sorted, 2 workers`, `sorted, 4 workers`; did you mean `random, 2 workers`?
    "#);
}

#[test]
fn every_strategy_has_a_row_per_number_of_workers() {
    let config = read(CONFIG);
    assert_eq!(
        names(&config),
        [
            ("random, 1 worker", Some(1)),
            ("random, 2 workers", Some(2)),
            ("random, 4 workers", Some(4)),
            ("sorted, 1 worker", Some(1)),
            ("sorted, 2 workers", Some(2)),
            ("sorted, 4 workers", Some(4)),
        ]
    );
    let rows = &config.strategy;
    assert_eq!(rows[0].strategy, rows[2].strategy);
    assert_ne!(rows[0].strategy, rows[3].strategy);
}

#[test]
fn one_number_of_workers_keeps_the_names() {
    for workers in ["workers = 3", "workers = [3]"] {
        let config = read(&CONFIG.replace("workers = [1, 2, 4]", workers));
        let expected = [("random", Some(3)), ("sorted", Some(3))];
        assert_eq!(names(&config), expected, "{workers}");
        assert_eq!(config.measure.baseline.as_deref(), Some("random"));
    }
}

#[test]
fn a_strategy_with_its_own_number_has_one_row() {
    let config = read(&CONFIG.replace("line = \"sorted\"", "line = \"sorted\"\nworkers = 3"));
    assert_eq!(names(&config)[3..], [("sorted", Some(3))]);
}

#[test]
fn without_the_table_rows_have_no_workers() {
    let table = "[train.parallel]\nworkers = [1, 2, 4]\naverage = \"epoch\"\n";
    let config = read(&CONFIG.replace(table, ""));
    assert_eq!(names(&config), [("random", None), ("sorted", None)]);
    assert_eq!(config.train.parallel, None);
}

#[test]
fn a_baseline_becomes_its_first_row() {
    let baseline = |text: &str| read(text).measure.baseline;
    assert_eq!(baseline(CONFIG).as_deref(), Some("random, 1 worker"));
    // The first row, not the smallest number.
    let reversed = CONFIG.replace("[1, 2, 4]", "[4, 2]");
    assert_eq!(baseline(&reversed).as_deref(), Some("random, 4 workers"));
    let named = CONFIG.replace("baseline = \"random\"", "baseline = \"sorted, 2 workers\"");
    assert_eq!(baseline(&named).as_deref(), Some("sorted, 2 workers"));
}

#[test]
fn defaults_are_those_of_the_paper() {
    let parallel = read(CONFIG).train.parallel.expect("the table");
    assert_eq!(parallel.average, Average::Epoch);
    assert_eq!(parallel.beta(), 1e-5);
    assert_eq!(parallel.optimiser_state(), OptimiserState::Reset);
    assert_eq!(parallel.engine, ParallelEngine::Mpi);
    assert_eq!(parallel.deadline_seconds, 60.0);
}

#[test]
fn the_written_config_has_the_same_rows() {
    let with = |from: &str, to: &str| CONFIG.replace(from, to);
    for text in [
        CONFIG.to_owned(),
        with("[1, 2, 4]", "2"),
        with("[1, 2, 4]", "[2]"),
        with("line = \"sorted\"", "line = \"sorted\"\nworkers = 3"),
        with(
            "average = \"epoch\"",
            "average = \"step\"\nengine = \"turns\"",
        ),
        with(
            "average = \"epoch\"",
            "beta = 0.5\noptimiser-state = \"average\"",
        ),
    ] {
        let config = read(&text);
        for written in [config.to_toml(), config.to_complete_toml()] {
            let written = written.expect("TOML");
            let again = read(&written);
            assert_eq!(again.strategy, config.strategy, "{written}");
            assert_eq!(again.train.parallel, config.train.parallel, "{written}");
            assert_eq!(again.measure.baseline, config.measure.baseline);
        }
        assert_eq!(read(&config.to_toml().expect("TOML")), config);
    }
}
