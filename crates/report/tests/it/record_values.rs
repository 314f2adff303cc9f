//! Values of `epochs.csv` that no run can have measured are refused, and no value makes a report panic.

use std::path::Path;

use crate::common::{changed, findings};
use padwise_report::findings::Findings;
use padwise_report::record::{Recorded, Status};
use padwise_report::report::report;
use padwise_report::{narrative, tables};
use proptest::prelude::*;

/// The columns of `epochs.csv`, from the first line of a fixture.
fn columns() -> Vec<String> {
    let folder = changed("one-seed", "epochs.csv", |text| text);
    let text = std::fs::read_to_string(folder.path().join("epochs.csv")).expect("text");
    let header = text.lines().next().unwrap_or_default();
    header.split(',').map(str::to_owned).collect()
}

/// The one-seed record with some fields replaced: row from 1, column by name, value.
fn with_fields(fields: &[(usize, &str, &str)]) -> tempfile::TempDir {
    let columns = columns();
    changed("one-seed", "epochs.csv", |text| {
        let lines = text.lines().enumerate().map(|(number, line)| {
            let mut cells: Vec<&str> = line.split(',').collect();
            for (row, column, value) in fields {
                let at = columns.iter().position(|name| name == column);
                if *row == number {
                    cells[at.expect("a column")] = value;
                }
            }
            cells.join(",") + "\n"
        });
        lines.collect()
    })
}

fn refused(column: &str, value: &str) -> String {
    let folder = with_fields(&[(2, column, value)]);
    let error = Recorded::open(folder.path()).expect_err(&format!("{column} {value}"));
    let message = error.to_string();
    message.replace(&folder.path().display().to_string(), "DIR")
}

#[test]
fn impossible_values_are_refused_with_their_line() {
    insta::assert_snapshot!(refused("train_seconds", "inf"), @"DIR/epochs.csv:3: invalid train_seconds `inf`: expected a number from 0.0 to 1000000000.0; the file was edited or damaged; restore it, or run again with another --out folder");
    insta::assert_snapshot!(refused("valid_frames", "9000000"), @"DIR/epochs.csv:3: invalid valid_frames `9000000`: expected at most 8995000, the number of padded_frames; the file was edited or damaged; restore it, or run again with another --out folder");
    for (column, values) in [
        ("train_seconds", &["NaN", "-1", "1e308", "", "1e10"][..]),
        ("wait_seconds", &["inf", "-0.5", "1000"]),
        ("warm_up_seconds", &["inf", "-1"]),
        ("validation_seconds", &["NaN", "1e308"]),
        ("zpr_percent", &["-1", "100.5", "inf", "NaN"]),
        ("abl", &["-1", "1e308"]),
        ("train_frame_error_percent", &["101", "NaN"]),
        ("frame_error_percent", &["-3", "101", "inf"]),
        ("sequence_error_percent", &["-3", "inf", "NaN"]),
        ("train_loss", &["inf", "NaN", "1e308"]),
        ("validation_loss", &["-inf", "NaN", "1e39"]),
        ("start_loss", &["inf"]),
        ("batches", &["18446744073709551615", "-1", "8739"]),
        ("utterances", &["8739"]),
        ("padded_frames", &["18446744073709551615", "5"]),
        ("largest_batch_frames", &["8995001"]),
        ("dropped", &["18446744073709551615"]),
        ("device_peak_bytes", &["18446744073709551615"]),
        ("epoch", &["0", "99", "18446744073709551616"]),
    ] {
        for value in values {
            let message = refused(column, value);
            assert!(message.starts_with("DIR/epochs.csv:3: "), "{message}");
            assert!(message.contains(column), "{column} {value}: {message}");
        }
    }
    let long = refused("batches", &"9".repeat(5000));
    assert!(long.len() < 600, "{} bytes", long.len());
}

#[test]
fn a_diverged_epoch_may_have_an_infinite_loss_and_sequence_errors_may_exceed_100() {
    let folder = with_fields(&[
        (3, "status", "diverged"),
        (3, "train_loss", "inf"),
        (2, "sequence_error_percent", "250"),
    ]);
    let recorded = Recorded::open(folder.path()).expect("a diverged run");
    assert_eq!(recorded.epochs[2].status, Status::Diverged);
    assert_eq!(recorded.epochs[2].train_loss, None);
}

#[test]
fn missing_and_duplicate_columns_are_named() {
    let header = |from: &'static str, to: &'static str| {
        let folder = changed("one-seed", "epochs.csv", |text| text.replacen(from, to, 1));
        let error = Recorded::open(folder.path()).expect_err("a wrong header");
        error.to_string()
    };
    let missing = header("validation_loss", "other");
    assert!(
        missing.contains("epochs.csv:1: missing column validation_loss;"),
        "{missing}"
    );
    let twice = header("start_loss", "note");
    assert!(twice.contains("column"), "{twice}");
}

/// Values at the limits of what is accepted, and beyond.
const VALUES: [&str; 20] = [
    "",
    "0",
    "1",
    "-1",
    "0.5",
    "1e-300",
    "100",
    "1e9",
    "1e38",
    "-1e38",
    "3",
    "inf",
    "-inf",
    "NaN",
    "1e308",
    "9007199254740992",
    "18446744073709551615",
    "x",
    "8995000",
    "trained",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    /// Any record is refused or reported.
    #[test]
    fn no_value_makes_a_report_panic(
        fields in prop::collection::vec((1..10usize, 3..28usize, 0..VALUES.len()), 1..4)
    ) {
        let columns = columns();
        let fields: Vec<_> = fields.into_iter()
            .map(|(row, column, value)| (row, columns[column].as_str(), VALUES[value]))
            .collect();
        let folder = with_fields(&fields);
        if let Ok(recorded) = Recorded::open(folder.path()) {
            let findings = Findings::of(recorded);
            let _ = narrative::answers(&findings);
            let _ = tables::all(&findings);
            report(&[folder.path().to_path_buf()], Path::new("out")).expect("a report");
        }
    }
}

/// Extremes that are accepted: every plot must cope with them.
#[test]
fn accepted_extremes_are_reported() {
    let every =
        |column: &'static str, value: &'static str| (1..=9).map(move |row| (row, column, value));
    let no_wait = || every("wait_seconds", "0");
    let no_time: Vec<_> = no_wait().chain(every("train_seconds", "0")).collect();
    let uneven = [(1, "train_seconds", "1e-300"), (2, "train_seconds", "1e9")];
    let uneven: Vec<_> = no_wait().chain(uneven).collect();
    for fields in [
        &no_time[..],
        &uneven,
        &[
            (3, "validation_loss", "3e38"),
            (6, "validation_loss", "-3e38"),
        ],
        &[
            (3, "validation_loss", "0"),
            (6, "validation_loss", "1e-300"),
        ],
        &[
            (3, "device_peak_bytes", "0"),
            (6, "device_peak_bytes", "1000000000000000000"),
        ],
        &[
            (1, "padded_frames", "9007199254740992"),
            (1, "utterances", "0"),
        ],
        &[
            (3, "zpr_percent", "100"),
            (3, "abl", "9007199254740992"),
            (3, "sequence_error_percent", "1e6"),
        ],
    ] {
        let folder = with_fields(fields);
        report(&[folder.path().to_path_buf()], Path::new("out")).expect("a report");
    }
    // The unchanged record is valid.
    assert_eq!(findings("one-seed").rows.len(), 3);
}
