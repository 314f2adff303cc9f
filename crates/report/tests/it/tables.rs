//! Tables and sentences of known results folders.

use crate::common::{changed, findings, rewrite, with_column, without_the_third_seed};
use padwise_report::findings::Findings;
use padwise_report::record::{Metric, Recorded};
use padwise_report::{narrative, tables};

fn answers(findings: &Findings) -> String {
    let text = narrative::answers(findings).into_iter().map(|answer| {
        let each: String = answer
            .each
            .iter()
            .map(|each| format!("  - {each}\n"))
            .collect();
        let (heading, question) = (&answer.heading, &answer.question);
        format!("{heading} ({question})\n  {}\n{each}", answer.answer)
    });
    text.collect()
}

fn all_tables(findings: &Findings) -> String {
    let tables = tables::all(findings).into_iter();
    let text = tables.map(|table| format!("{}\n{}", table.title, table.to_markdown()));
    text.collect::<Vec<_>>().join("\n")
}

#[test]
fn three_seeds_with_figures_from_a_paper() {
    let findings = findings("table2");
    insta::assert_snapshot!("table2_tables", all_tables(&findings));
    insta::assert_snapshot!("table2_answers", answers(&findings));
}

#[test]
fn buckets_compared_with_one_bucket() {
    let findings = findings("buckets");
    insta::assert_snapshot!("buckets_tables", all_tables(&findings));
    insta::assert_snapshot!("buckets_answers", answers(&findings));
}

#[test]
fn with_one_seed_nothing_is_tested() {
    let findings = findings("one-seed");
    let answers = answers(&findings);
    assert!(!answers.contains("p ="), "{answers}");
    assert!(!answers.contains("p <"), "{answers}");
    insta::assert_snapshot!("one_seed_answers", answers);
}

/// Final losses can mislead if a strategy overfitted, so the report warns.
#[test]
fn overfitting_is_reported() {
    let findings = findings("overfitted");
    insta::assert_snapshot!("overfitted_tables", all_tables(&findings));
    insta::assert_snapshot!("overfitted_answers", answers(&findings));
}

#[test]
fn failed_and_unfinished_runs_are_reported() {
    let findings = findings("troubled");
    insta::assert_snapshot!("troubled_answers", answers(&findings));
    insta::assert_snapshot!("troubled_runs", tables::runs(&findings).to_markdown());
}

#[test]
fn setup_and_commands_to_reproduce_it() {
    let findings = findings("table2");
    let text = narrative::what_was_run(&findings).join("\n")
        + "\n\n"
        + &narrative::reproduce(&findings).join("\n");
    insta::assert_snapshot!("table2_about", text);
}

#[test]
fn missing_seeds_are_counted() {
    let partial = without_the_third_seed();
    let findings = Findings::of(Recorded::open(partial.path()).expect("a record"));
    assert!(answers(&findings).contains("Dunnett's test over 2 of 3 seeds"));
}

/// While the first run trains, its values so far are shown.
#[test]
fn values_of_a_first_run_are_shown_before_it_is_complete() {
    let partial = changed("table2", "epochs.csv", |text| {
        let begun = |line: &str| line.starts_with("strategy") || line.starts_with("random,1,1,");
        let lines = text.lines().filter(|line| begun(line));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    });
    let findings = Findings::of(Recorded::open(partial.path()).expect("a record"));
    let shown = findings.summary.rows[0].get(Metric::ValidationLoss).mean;
    assert!(shown.is_some());
    assert_eq!(findings.mean(0, Metric::ValidationLoss), None);
}

/// An unfinished run has a higher loss than at its end.
#[test]
fn final_losses_are_those_of_complete_runs() {
    let partial = changed("table2", "epochs.csv", |text| {
        let ends = ["random,3,2,", "random,3,3,", "random,3,4,", "random,3,5,"];
        let is_end = |line: &str| ends.iter().any(|end| line.starts_with(end));
        let lines = text.lines().filter(|line| !is_end(line));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    });
    let findings = Findings::of(Recorded::open(partial.path()).expect("a record"));
    let shown = findings.summary.rows[0].get(Metric::ValidationLoss).mean;
    assert_eq!(shown, findings.mean(0, Metric::ValidationLoss));
}

#[test]
fn packed_batches_are_named() {
    let packed = changed("table2", "config.toml", |text| {
        text.replacen("[model]", "[model]\npadding = \"packed\"", 1)
    });
    let findings = Findings::of(Recorded::open(packed.path()).expect("a record"));
    let text = narrative::what_was_run(&findings).join("\n");
    assert!(text.contains("per direction. Batches are packed"), "{text}");
}

#[test]
fn a_run_without_a_completed_epoch_has_no_results() {
    let empty = changed("table2", "epochs.csv", |text| {
        text.lines().next().unwrap_or_default().to_owned() + "\n"
    });
    let findings = Findings::of(Recorded::open(empty.path()).expect("a record"));
    assert!(answers(&findings).contains("No results yet"));
    assert!(all_tables(&findings).contains("3 of 3 runs not started"));
}

/// Other programs read the CSV, so its columns and values are checked.
#[test]
fn the_csv_has_the_values_of_the_summary() {
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

/// Replaces the losses of some runs, which are given as `strategy,seed`, and sets the target.
fn with_losses(target: &str, losses: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = changed("table2", "epochs.csv", |text| {
        with_column(&text, "validation_loss", |strategy, seed| {
            let run = format!("{strategy},{seed}");
            let known = losses.iter().find(|(known, _)| *known == run);
            known.map(|(_, loss)| (*loss).to_owned())
        })
    });
    rewrite(&folder, "config.toml", |text| {
        let measure = format!("[measure]\ntarget-loss = {target}\n");
        text.replace("[measure]\n", &measure)
    });
    folder
}

fn time_to_loss(findings: &Findings) -> String {
    let mut answers = narrative::answers(findings).into_iter();
    let answer = answers.find(|answer| answer.heading.starts_with("Time to"));
    answer.expect("an answer about time").answer
}

/// One lucky seed does not make a strategy the first.
#[test]
fn a_strategy_that_reaches_the_target_with_one_seed_is_not_ranked() {
    let lucky = with_losses("1.2", &[("sorted,1", "1.0")]);
    let findings = Findings::of(Recorded::open(lucky.path()).expect("a record"));
    let sorted = findings.row("sorted").expect("a row");
    let fastest = findings.ranked(Metric::SecondsToLoss)[0].1;
    assert_eq!(
        fastest, sorted,
        "by the mean over the seeds that reached it"
    );
    assert_eq!(findings.rows[sorted].time_to_loss, None);
    let answer = time_to_loss(&findings);
    assert!(
        answer.starts_with("First: proposed (64 bins), after "),
        "{answer}"
    );
    let rest = "Not ranked, because only some seeds reached it: sorted (1 of 3 seeds).";
    assert!(answer.ends_with(rest), "{answer}");
    let table = tables::learning(&findings).to_markdown();
    assert!(table.contains("| 1 of 3 seeds |"), "{table}");
}

#[test]
fn without_a_strategy_that_always_reaches_the_target_none_is_first() {
    let lucky = with_losses("0.5", &[("sorted,1", "0.4")]);
    let findings = Findings::of(Recorded::open(lucky.path()).expect("a record"));
    assert_eq!(
        time_to_loss(&findings),
        "No strategy reached it with every seed. Not ranked, because only some seeds reached it: sorted (1 of 3 seeds)."
    );
}

/// A run that was resumed with a newer version ran on one machine, not on two.
#[test]
fn versions_on_one_machine_are_listed_together() {
    let resumed = changed("one-seed", "environment.json", |text| {
        let one = text.trim().trim_start_matches('[').trim_end_matches(']');
        let other = one.replace("0123456789abcdef", "fedcba9876543210");
        format!("[{one},{other},{one}]")
    });
    let findings = Findings::of(Recorded::open(resumed.path()).expect("a record"));
    let sentences = narrative::what_was_run(&findings);
    insta::assert_snapshot!(sentences.last().expect("a machine"), @"Hardware: NVIDIA H200, cuda backend. Recurrence: persistent. Precision: TF32 GEMMs. Computed by padwise 0.1.0 at commit 0123456789 and padwise 0.1.0 at commit fedcba9876.");
}

#[test]
fn a_whole_report_as_markdown() {
    for name in ["table2", "troubled"] {
        let report = padwise_report::report::markdown(&findings(name), &[]);
        insta::assert_snapshot!(format!("{name}_report"), report);
    }
}

/// The phone error rate is in the record, too.
#[test]
fn the_error_rate_in_sentences_is_the_one_that_is_compared() {
    let folder = changed("one-seed", "epochs.csv", |text| {
        let lines = text.lines().map(|line| match line.split(',').next() {
            Some("strategy") => format!("{line},character_error_percent\n"),
            Some("random") => format!("{line},20.0\n"),
            _ => format!("{line},23.0\n"),
        });
        lines.collect()
    });
    let findings = Findings::of(Recorded::open(folder.path()).expect("a record"));
    let change = findings.rows[1].errors.expect("a difference");
    assert_eq!(change.estimate, 3.0);
    let answers = answers(&findings);
    assert!(
        answers.contains("sorted: 23.0 %, 3.0 points higher"),
        "{answers}"
    );
}
