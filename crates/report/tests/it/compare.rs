//! Comparing two results folders.

use crate::common::{changed, findings};
use padwise_report::compare::{Comparison, Verdict, render};
use padwise_report::findings::Findings;
use padwise_report::record::Recorded;
use padwise_report::tables::Style;

#[test]
fn sorted_is_slower_on_another_machine() {
    let comparison =
        Comparison::of(&findings("table2"), &findings("slower"), 0.05).expect("the same task");
    assert!(comparison.is_worse());
    insta::assert_snapshot!("slower", render(&comparison, Style::Markdown));
    // In the other direction nothing is worse.
    let back =
        Comparison::of(&findings("slower"), &findings("table2"), 0.05).expect("the same task");
    assert!(!back.is_worse());
    assert_eq!(back.only_old, comparison.only_new);
}

#[test]
fn a_run_is_not_worse_than_itself() {
    for name in ["table2", "one-seed", "troubled"] {
        let comparison =
            Comparison::of(&findings(name), &findings(name), 0.0).expect("the same task");
        let compared = &comparison.compared;
        assert!(
            compared
                .iter()
                .all(|compared| compared.verdict == Verdict::Same),
            "{name}"
        );
        assert!(comparison.environment.is_empty() && comparison.config.is_empty());
    }
}

#[test]
fn changes_within_the_tolerance_are_ignored() {
    let worse = |tolerance| {
        Comparison::of(&findings("table2"), &findings("slower"), tolerance)
            .expect("the same task")
            .is_worse()
    };
    // 200,000 frames per second instead of 280,000.
    assert!(worse(0.25));
    assert!(!worse(0.35));
}

#[test]
fn a_diverged_run_is_worse() {
    let broken = changed("table2", "epochs.csv", |text| {
        text.replace("random,3,5,trained", "random,3,5,diverged")
    });
    let broken = Findings::of(Recorded::open(broken.path()).expect("a record"));
    let comparison = Comparison::of(&findings("table2"), &broken, 0.05).expect("the same task");
    assert!(comparison.is_worse());
    insta::assert_snapshot!(comparison.doubts.join("\n"));
}

#[test]
fn records_of_different_tasks_are_refused() {
    let told = |from: &str, to: &str| {
        let other = changed("table2", "config.toml", |text| text.replace(from, to));
        let other = Findings::of(Recorded::open(other.path()).expect("a record"));
        let refused = Comparison::of(&findings("table2"), &other, 0.05);
        refused.expect_err("another task").to_string()
    };
    insta::assert_snapshot!(told("utterances = 8738", "utterances = 100"));
    assert!(
        told("objective = \"frame-wise\"", "objective = \"ctc\"")
            .contains("train.objective is `frame-wise`")
    );
}

#[test]
fn a_speed_that_varies_too_much_is_named() {
    let noisy = changed("table2", "epochs.csv", |text| {
        let (header, _) = text.split_once('\n').expect("a header");
        let column = header.split(',').position(|name| name == "train_seconds");
        let column = column.expect("training times");
        let slower = |line: &str| {
            let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
            if line.starts_with("random,1,") {
                fields[column] = "999".into();
            }
            fields.join(",") + "\n"
        };
        text.lines().map(slower).collect()
    });
    let noisy = Findings::of(Recorded::open(noisy.path()).expect("a record"));
    let comparison = Comparison::of(&findings("table2"), &noisy, 0.05).expect("the same task");
    let doubts = comparison.doubts.join("\n");
    assert!(
        doubts.contains("the confidence interval of random's speed in the second run is wider"),
        "{doubts}"
    );
    assert!(!doubts.contains("in the first run"), "{doubts}");
}

#[test]
fn different_strategies_of_the_same_name_are_reported() {
    let other = changed("table2", "config.toml", |text| {
        text.replace("line = \"sorted\"", "line = \"sorted,shuffle-batches\"")
            .replace("hidden = 512", "hidden = 256")
    });
    let other = Findings::of(Recorded::open(other.path()).expect("a record"));
    let comparison = Comparison::of(&findings("table2"), &other, 0.05).expect("the same task");
    insta::assert_snapshot!(format!(
        "{:#?}\n{}",
        comparison.config,
        comparison.doubts.join("\n")
    ));
}
