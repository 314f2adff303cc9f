//! Verdicts of a comparison: few seeds, wide intervals, zeros and broken runs.

use crate::common::{changed, findings, opened, rewrite, with_column};
use padwise_report::compare::{Comparison, Verdict, render};
use padwise_report::findings::Findings;
use padwise_report::tables::Style;
use tempfile::TempDir;

fn compared(old: &Findings, new: &Findings) -> Comparison {
    Comparison::of(old, new, 0.05).expect("the same task")
}

fn verdict(comparison: &Comparison, strategy: &str, measure: &str) -> Option<Verdict> {
    let mut metrics = comparison.compared.iter();
    metrics
        .find(|one| one.strategy == strategy && one.measure == measure)
        .map(|one| one.verdict)
}

/// The fixture `table2` with these phone error rates of random batches for seeds 1, 2 and 3.
fn with_errors(rates: [f64; 3]) -> TempDir {
    changed("table2", "epochs.csv", |text| {
        with_column(&text, "sequence_error_percent", |strategy, seed| {
            (strategy == "random").then(|| rates[seed as usize - 1].to_string())
        })
    })
}

/// The fixture `words` with these seeds only. Random batches have more word errors in every utterance.
fn with_word_errors(seeds: &str, more: u32) -> TempDir {
    let kept: Vec<String> = seeds.split(", ").map(str::to_owned).collect();
    let only_kept = |text: String| -> String {
        let is_kept = |line: &&str| {
            let seed = line.split(',').nth(1).expect("a seed");
            seed == "seed" || kept.iter().any(|kept| kept == seed)
        };
        let lines = text.lines().filter(is_kept);
        lines.map(|line| format!("{line}\n")).collect()
    };
    let folder = changed("words", "config.toml", |text| {
        text.replace("seeds = [1, 2, 3]", &format!("seeds = [{seeds}]"))
    });
    rewrite(&folder, "epochs.csv", only_kept);
    rewrite(&folder, "words.csv", |text| {
        let lines = only_kept(text);
        let lines = lines.lines().map(|line| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if cells[0] == "random" {
                let number = |text: &str| text.parse::<u32>().expect("a number");
                cells[5] = (number(&cells[5]) + 80 * more).to_string();
                let errors = cells[10].split(' ').map(|errors| number(errors) + more);
                let errors: Vec<String> = errors.map(|errors| errors.to_string()).collect();
                cells[10] = errors.join(" ");
            }
            cells.join(",") + "\n"
        });
        lines.collect()
    });
    folder
}

#[test]
fn one_seed_is_never_enough_for_a_verdict() {
    const WORDS: &str = "test_word_error_percent";
    let one = opened(&with_word_errors("1", 0));
    let more_errors = opened(&with_word_errors("1", 1));
    let comparison = compared(&one, &more_errors);
    assert_eq!(
        verdict(&comparison, "random", WORDS),
        Some(Verdict::Unclear)
    );
    assert!(!comparison.is_worse());
    // One common seed is not enough, either.
    let other = opened(&with_word_errors("1, 3", 1));
    let comparison = compared(&opened(&with_word_errors("1, 2", 0)), &other);
    assert_eq!(
        verdict(&comparison, "random", WORDS),
        Some(Verdict::Unclear)
    );
    assert_eq!(
        verdict(&comparison, "random", "validation_loss"),
        Some(Verdict::Unclear)
    );
    // Nor is a wide tolerance a proof of equality.
    let tolerant = Comparison::of(&one, &more_errors, 9.0).expect("the same task");
    assert_eq!(verdict(&tolerant, "random", WORDS), Some(Verdict::Unclear));
    // Two common seeds are tested.
    let comparison = compared(
        &opened(&with_word_errors("1, 2", 0)),
        &opened(&with_word_errors("1, 2", 1)),
    );
    assert_eq!(verdict(&comparison, "random", WORDS), Some(Verdict::Worse));
}

#[test]
fn the_order_of_seeds_does_not_matter() {
    let more_errors = opened(&with_word_errors("1, 2, 3", 1));
    let ratio = |seeds: &str| {
        let comparison = compared(&opened(&with_word_errors(seeds, 0)), &more_errors);
        let mut metrics = comparison.compared.iter();
        let found = metrics.find(|one| one.measure == "test_word_error_percent");
        found.and_then(|found| found.ratio)
    };
    assert!(ratio("1, 2, 3").is_some());
    assert_eq!(ratio("3, 1, 2"), ratio("1, 2, 3"));
}

#[test]
fn a_small_change_with_a_wide_interval_is_not_the_same() {
    let noisy = compared(
        &opened(&with_errors([20.0, 20.0, 20.0])),
        &opened(&with_errors([12.0, 20.0, 34.0])),
    );
    let mut metrics = noisy.compared.iter();
    let found = metrics.find(|one| one.measure == "sequence_error_percent");
    let ratio = found.and_then(|found| found.ratio).expect("a ratio");
    assert!((ratio.estimate - 1.0).abs() < 0.05);
    assert_eq!(
        verdict(&noisy, "random", "sequence_error_percent"),
        Some(Verdict::Unclear)
    );
    let precise = compared(
        &opened(&with_errors([20.0, 21.0, 22.0])),
        &opened(&with_errors([20.1, 21.0, 22.1])),
    );
    assert_eq!(
        verdict(&precise, "random", "sequence_error_percent"),
        Some(Verdict::Same)
    );
}

#[test]
fn rates_of_zero_are_tested_by_their_difference() {
    let judged = |old: [f64; 3], new: [f64; 3]| {
        let comparison = compared(&opened(&with_errors(old)), &opened(&with_errors(new)));
        verdict(&comparison, "random", "sequence_error_percent").expect("a verdict")
    };
    assert_eq!(judged([0.0, 0.5, 0.4], [0.1, 0.5, 0.4]), Verdict::Unclear);
    assert_eq!(judged([0.1, 0.5, 0.4], [0.0, 0.5, 0.4]), Verdict::Unclear);
    assert_eq!(judged([0.0, 0.5, 0.4], [3.1, 3.5, 3.3]), Verdict::Worse);
    assert_eq!(judged([3.1, 3.5, 3.3], [0.0, 0.0, 0.0]), Verdict::Better);
    assert_eq!(judged([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]), Verdict::Same);
    let comparison = compared(
        &opened(&with_errors([0.0, 0.5, 0.4])),
        &opened(&with_errors([3.1, 3.5, 3.3])),
    );
    let text = render(&comparison, Style::Compact);
    let mut lines = text.lines();
    insta::assert_snapshot!(
        lines
            .find(|line| line.starts_with("| random | PER"))
            .unwrap_or_default()
    );
}

#[test]
fn runs_that_broke_with_other_seeds_are_worse() {
    let broken = |seed: u64| {
        opened(&changed("table2", "epochs.csv", |text| {
            let (from, to) = ("trained", "diverged");
            let prefix = format!("random,{seed},5,");
            text.replace(&format!("{prefix}{from}"), &format!("{prefix}{to}"))
        }))
    };
    let comparison = compared(&broken(1), &broken(2));
    assert_eq!(
        verdict(&comparison, "random", "broken_runs"),
        Some(Verdict::Worse)
    );
    let doubts = comparison.doubts.join("\n");
    assert!(
        doubts.contains("random with seed 2 diverged or failed only in the second run"),
        "{doubts}"
    );
    let same = compared(&broken(1), &broken(1));
    assert_eq!(verdict(&same, "random", "broken_runs"), None);
    // A run that broke only in the first record is no proof of an improvement.
    let fixed = compared(&broken(1), &findings("table2"));
    assert_eq!(
        verdict(&fixed, "random", "broken_runs"),
        Some(Verdict::Unclear)
    );
}

#[test]
fn the_summary_gives_advice_for_each_reason() {
    let one_seed = compared(
        &opened(&with_word_errors("1", 0)),
        &opened(&with_word_errors("2", 0)),
    );
    let text = render(&one_seed, Style::Markdown);
    let advice = "train both with the same seeds, at least two and better five.";
    assert!(
        text.contains(&format!("too few seeds to test: 20; {advice}")),
        "{text}"
    );
    assert!(!text.contains("busy"), "{text}");
    let noisy = compared(
        &findings("table2"),
        &opened(&with_errors([2.0, 30.0, 60.0])),
    );
    let text = render(&noisy, Style::Markdown);
    assert!(
        text.contains("confidence interval too wide: 1; train both with more seeds."),
        "{text}"
    );
}

#[test]
fn wide_intervals_of_errors_are_named_with_advice() {
    let noisy = opened(&with_errors([2.0, 30.0, 60.0]));
    let doubts = compared(&findings("table2"), &noisy).doubts.join("\n");
    assert!(
        doubts.contains(
            "the confidence interval of random's PER % in the second run is wider than its mean: train with more seeds"
        ),
        "{doubts}"
    );
}
