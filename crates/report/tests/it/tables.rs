//! What tables and sentences say of known records.

use crate::common::{changed, findings};
use padwise_report::findings::Findings;
use padwise_report::record::Recorded;
use padwise_report::{narrative, tables};

fn said(findings: &Findings) -> String {
    let answers = narrative::answers(findings).into_iter();
    let text = answers.map(|answer| {
        let each: String = answer
            .each
            .iter()
            .map(|each| format!("  - {each}\n"))
            .collect();
        format!("{}\n  {}\n{each}", answer.question, answer.answer)
    });
    text.collect()
}

fn shown(findings: &Findings) -> String {
    let tables = tables::all(findings).into_iter();
    let text = tables.map(|table| format!("{}\n{}", table.title, table.to_markdown()));
    text.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_papers_table_with_three_seeds() {
    let findings = findings("table2");
    insta::assert_snapshot!("table2_tables", shown(&findings));
    insta::assert_snapshot!("table2_answers", said(&findings));
}

#[test]
fn buckets_against_none() {
    let findings = findings("buckets");
    insta::assert_snapshot!("buckets_tables", shown(&findings));
    insta::assert_snapshot!("buckets_answers", said(&findings));
}

#[test]
fn with_one_seed_nothing_is_tested() {
    let findings = findings("one-seed");
    let said = said(&findings);
    assert!(!said.contains("p ="), "{said}");
    assert!(!said.contains("p <"), "{said}");
    insta::assert_snapshot!("one_seed_answers", said);
}

/// Whoever looks at losses after the last epoch must be told when an earlier one was lower.
#[test]
fn losses_that_rose_are_told() {
    let findings = findings("overfitted");
    insta::assert_snapshot!("overfitted_tables", shown(&findings));
    insta::assert_snapshot!("overfitted_answers", said(&findings));
}

#[test]
fn what_went_wrong_is_shown_as_that() {
    let findings = findings("troubled");
    insta::assert_snapshot!("troubled_answers", said(&findings));
    insta::assert_snapshot!("troubled_runs", tables::runs(&findings).to_markdown());
}

#[test]
fn what_was_run_and_how_to_do_it_again() {
    let findings = findings("table2");
    let text = narrative::what_was_run(&findings).join("\n")
        + "\n\n"
        + &narrative::reproduce(&findings).join("\n");
    insta::assert_snapshot!("table2_about", text);
}

#[test]
fn a_record_without_a_finished_epoch_is_a_report_of_nothing() {
    let empty = changed("table2", "epochs.csv", |text| {
        text.lines().next().unwrap_or_default().to_owned() + "\n"
    });
    let findings = Findings::of(Recorded::open(empty.path()).expect("a record"));
    assert!(said(&findings).contains("Nothing yet"));
    assert!(shown(&findings).contains("3 of 3 not begun"));
}

/// Other programs read the CSV: what is in it is what was measured, a line a strategy.
#[test]
fn the_csv_has_what_the_summary_has() {
    let findings = findings("table2");
    let bytes = tables::csv(&findings).expect("a table");
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let names = reader.headers().expect("names").clone();
    let at = |name: &str| {
        let at = names.iter().position(|known| known == name);
        at.unwrap_or_else(|| panic!("no column {name}"))
    };
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("lines");
    assert_eq!(rows.len(), 6);
    let number = |row: usize, name: &str| rows[row][at(name)].parse::<f64>().expect("a number");
    assert_eq!(&rows[1][at("strategy")], "sorted");
    let ratio = number(1, "utterances_per_second") / number(0, "utterances_per_second");
    assert!((number(1, "utterances_per_second_to_first") - ratio).abs() < 1e-3);
    assert!((number(1, "speed_against_baseline") - ratio).abs() < 1e-3);
    assert!((number(1, "predicted_speed") - (1.0 - 0.005) / (1.0 - 0.32)).abs() < 1e-3);
    assert_eq!(number(1, "paper_utterances_per_second"), 10.2);
    assert_eq!(&rows[0][at("speed_against_baseline")], "");
}

/// A run that went on after a commit was not computed by two machines.
#[test]
fn versions_are_told_together() {
    let resumed = changed("one-seed", "environment.json", |text| {
        let one = text.trim().trim_start_matches('[').trim_end_matches(']');
        let other = one.replace("0123456789abcdef", "fedcba9876543210");
        format!("[{one},{other},{one}]")
    });
    let findings = Findings::of(Recorded::open(resumed.path()).expect("a record"));
    let said = narrative::what_was_run(&findings);
    insta::assert_snapshot!(said.last().expect("a machine"), @"Computed with cuda on NVIDIA H200: persistent recurrence, tf32 products; by padwise 0.1.0 at 0123456789 and padwise 0.1.0 at fedcba9876.");
}
