//! Word errors on a test set: reading them, and their tables, sentences and comparisons.

use std::path::Path;

use padwise_report::compare::{Comparison, Verdict};
use padwise_report::record::{Metric, Recorded};
use padwise_report::report::report;
use padwise_report::tables::{Style, SummaryWidth, legend_text, summary_table};
use padwise_report::{narrative, tables};

use crate::common::{changed, findings, fixture, opened, with_column};

#[test]
fn the_summary_has_the_rate_with_its_interval_next_to_the_papers() {
    let findings = findings("words");
    let rows = &findings.recorded.config.strategy;
    let shown = |width| {
        let table = summary_table(&findings.summary, rows, width);
        format!("{}\n{}", table.render(Style::Markdown), legend_text(&table))
    };
    insta::assert_snapshot!("words_compact", shown(SummaryWidth::Compact));
    insta::assert_snapshot!("words_wide", shown(SummaryWidth::Wide));
}

#[test]
fn tables_sentences_and_setup_have_word_error_rates() {
    let findings = findings("words");
    let papers = tables::papers(&findings).expect("figures from a paper");
    let learning = tables::learning(&findings);
    let answers = narrative::answers(&findings);
    let errors = answers
        .iter()
        .find(|answer| answer.heading == "Word error rate");
    let errors = errors.expect("an answer about errors");
    insta::assert_snapshot!(
        "words_tables",
        format!(
            "{}\n{}\n{}\n- {}\n\n{}",
            papers.to_markdown(),
            learning.to_markdown(),
            errors.answer,
            errors.each.join("\n- "),
            narrative::what_was_run(&findings).join("\n")
        )
    );
}

/// Sets the margin of equivalence in the fixture `words`, and returns the answer about errors and the verdicts.
fn with_margin(margin: &str) -> (Vec<String>, Vec<&'static str>) {
    let folder = changed("words", "config.toml", |text| {
        text.replace("[measure]\n", &format!("[measure]\nmargin = {margin}\n"))
    });
    let findings = opened(&folder);
    let answers = narrative::answers(&findings);
    let errors = answers
        .into_iter()
        .find(|answer| answer.heading == "Word error rate");
    let verdicts = findings.row_verdicts().into_iter();
    let labels = verdicts.map(|verdict| verdict.label()).collect();
    (errors.expect("an answer about errors").each, labels)
}

#[test]
fn an_interval_within_the_margin_means_equivalence() {
    let (each, verdicts) = with_margin("100.0");
    let others = each.iter().filter(|line| !line.contains("(baseline)"));
    for line in others {
        assert!(line.ends_with("; equivalent within ±100 points"), "{line}");
    }
    assert!(
        !verdicts.iter().any(|label| label.contains("error worse")),
        "{verdicts:?}"
    );
    let (each, narrow) = with_margin("0.001");
    assert!(
        !each.iter().any(|line| line.contains("equivalent")),
        "{each:?}"
    );
    assert_ne!(narrow, verdicts);
}

/// The fixture's `sorted` has a significantly higher rate. A margin that tolerates it does not make it lower.
#[test]
fn a_recommendation_within_the_margin_names_a_higher_rate() {
    let folder = changed("words", "config.toml", |text| {
        text.replace("[measure]\n", "[measure]\nmargin = 10.0\n")
    });
    let answer = &narrative::answers(&opened(&folder))[0].answer;
    let higher = "Its word error rate is 6.5 points higher (95 % CI +3.9 to +9.1 points, p < 0.001), but by less than the margin of 10 points.";
    assert!(answer.starts_with("Use sorted: "), "{answer}");
    assert!(answer.contains(higher), "{answer}");
}

#[test]
fn the_rate_is_the_mean_of_the_runs_and_csv_has_all_its_numbers() {
    let findings = findings("words");
    let runs = findings.by_seed(0, Metric::TestWordErrorPercent);
    assert_eq!(runs.len(), 3);
    let expected = runs.iter().map(|(_, rate)| rate).sum::<f64>() / 3.0;
    let mean = findings
        .mean(0, Metric::TestWordErrorPercent)
        .expect("a rate");
    assert!((mean - expected).abs() < 1e-9);
    let fields = tables::fields(&findings, 1);
    let field = |name: &str| {
        let field = fields.iter().find(|(known, _)| known == name);
        let value = field.map(|(_, value)| value.parse::<f64>());
        value.expect(name).unwrap_or(f64::NAN)
    };
    assert!(field("test_word_error_percent_ci95") > 0.0);
    assert!(field("test_word_error_percent_to_first") > 1.0);
    assert!(field("errors_against_baseline") > 0.0);
    assert!(field("errors_against_baseline_low") > 0.0);
    assert!(field("errors_against_baseline_p") < 0.05);
    assert_eq!(field("paper_word_error_percent"), 10.2);
}

#[test]
fn with_one_seed_the_interval_covers_utterances() {
    let one = changed("words", "words.csv", |text| {
        let lines = text.lines().filter(|line| !line.contains(",2,2,80,"));
        let lines = lines.filter(|line| !line.contains(",3,2,80,"));
        lines.map(|line| format!("{line}\n")).collect()
    });
    let config = one.path().join("config.toml");
    let text = std::fs::read_to_string(&config).expect("text");
    std::fs::write(&config, text.replace("seeds = [1, 2, 3]", "seeds = [1]")).expect("writable");
    let epochs = one.path().join("epochs.csv");
    let text = std::fs::read_to_string(&epochs).expect("text");
    let first = |line: &&str| {
        line.starts_with("strategy") || line.contains(",1,1,") || line.contains(",1,2,")
    };
    let kept: String = text
        .lines()
        .filter(first)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&epochs, kept).expect("writable");
    let findings = opened(&one);
    let interval = findings.interval(0, Metric::TestWordErrorPercent);
    assert!(interval.half_width.is_some_and(|half| half > 0.0));
    assert!(
        findings.rows[1]
            .errors
            .is_some_and(|change| change.tested.is_some())
    );
    let page = report(&[one.path().into()], Path::new("out")).expect("a report");
    let text: String = page
        .iter()
        .map(|file| String::from_utf8_lossy(&file.content))
        .collect();
    assert!(text.contains("With one seed, the test covers the choice of utterances only."));
    assert!(text.contains("by a bootstrap over utterances, because there is one seed"));
}

#[test]
fn the_report_plots_speed_against_the_word_error_rate() {
    let files = report(&[fixture("words")], Path::new("out")).expect("a report");
    let markdown = files.iter().find(|file| file.path.ends_with("report.md"));
    let text = String::from_utf8_lossy(&markdown.expect("report.md").content).into_owned();
    for wanted in [
        "## Speed against word error rate",
        // Only greedy decoding has a rate after every epoch.
        "## Phone error rate over training time",
        "--set 'measure.words.language-model=\"../../configs/trigram.arpa.gz\"'",
        "language-model scale 11 (tuned on the validation set with the first run, 3 values)",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

#[test]
fn a_higher_word_error_rate_is_worse() {
    let worse = changed("words", "words.csv", |text| {
        let lines = text.lines().map(|line| match line.strip_prefix("random,") {
            None => format!("{line}\n"),
            // One more substitution in every utterance.
            Some(_) => {
                let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
                let substitutions: u64 = cells[5].parse().expect("a number");
                cells[5] = (substitutions + 80).to_string();
                let more =
                    |errors: &str| (errors.parse::<u32>().expect("a number") + 1).to_string();
                let errors: Vec<String> = cells[10].split(' ').map(more).collect();
                cells[10] = errors.join(" ");
                cells.join(",") + "\n"
            }
        });
        lines.collect()
    });
    let comparison =
        Comparison::of(&findings("words"), &opened(&worse), 0.05).expect("the same task");
    let judged = |strategy: &str| {
        let mut compared = comparison.compared.iter();
        compared
            .find(|one| one.strategy == strategy && one.measure == "test_word_error_percent")
            .map(|one| one.verdict)
    };
    assert_eq!(judged("random"), Some(Verdict::Worse));
    assert_eq!(judged("sorted"), Some(Verdict::Same));
}

#[test]
fn the_word_error_rate_counts_before_the_loss() {
    let lower = changed("words", "epochs.csv", |text| {
        with_column(&text, "validation_loss", |strategy, _| {
            (strategy != "random").then(|| "0.5".into())
        })
    });
    let findings = opened(&lower);
    let sorted = findings.row("sorted").expect("a row");
    assert!(
        findings.rows[sorted]
            .loss
            .is_some_and(|loss| loss.estimate < 0.0)
    );
    // By its loss alone, the faster `sorted` would be the best.
    let verdicts = findings.row_verdicts();
    assert_eq!(verdicts[sorted].label(), "faster, error worse");
    let answer = &narrative::answers(&findings)[0].answer;
    assert!(answer.starts_with("Keep random: "), "{answer}");
    let option = "The fastest that is not significantly worse, proposed (8 bins), trains 1.45× faster than random";
    assert!(answer.contains(option), "{answer}");
    let price = "its word error rate is 1.0 points higher, not significantly (95 % CI −1.5 to +3.5 points, p = 0.59, detectable: 3.3 points)";
    assert!(answer.contains(price), "{answer}");
}

#[test]
fn records_that_do_not_agree_are_refused_with_their_line() {
    let refused = |file: &str, from: &str, to: &str| {
        let folder = changed("words", file, |text| {
            assert!(text.contains(from), "{file}: {from}");
            text.replacen(from, to, 1)
        });
        let error = Recorded::open(folder.path()).expect_err(to);
        let message = error.to_string();
        let message = message.replace(&folder.path().display().to_string(), "DIR");
        message.replace(
            "; the file was edited or damaged; restore it, or run again with another --out folder",
            "",
        )
    };
    let messages = [
        refused("words.csv", "random,1,2,80,", "random,1,2,81,"),
        refused("words.csv", "random,1,2,80,1", "random,1,2,80,2"),
        refused("words.csv", "random,1,2,", "random,1,1,"),
        refused("words.csv", "random,1,2,", "rand,1,2,"),
        refused("words.csv", "random,2,2,", "random,1,2,"),
        refused("words.csv", "random,2,2,", "random,4,2,"),
        refused("words.csv", ",46.25,", ",inf,"),
        refused("words.csv", "0.125,", "0.125,7 "),
        refused("words.csv", "0.125,", "0.125,x"),
        refused("words.csv", "0.125,", "0.125,1"),
        refused("words.csv", ",errors", ",faults"),
        refused("test-utterances.csv", "utt-001", "utt-000"),
        refused("test-utterances.csv", "utt-079", "utt-079,1"),
        refused("decoding.json", "198.0", "-1"),
        refused("decoding.json", "\"beam\"", "\"bean\""),
    ];
    insta::assert_snapshot!("words_refused", messages.join("\n"));
}

#[test]
fn an_incomplete_last_line_is_ignored() {
    let torn = changed("words", "words.csv", |text| text + "random,3,2,80,1");
    assert_eq!(opened(&torn).recorded.words.rows.len(), 12);
}
