//! Times of parallel workers: reading them, and their tables, sentences and plots.

use std::path::Path;

use padwise_report::compare::Comparison;
use padwise_report::record::Recorded;
use padwise_report::tables::{SummaryWidth, legend_text, summary_table};
use padwise_report::{narrative, report, tables};

use crate::common::{changed, findings, fixture, opened};

#[test]
fn records_that_do_not_agree_are_refused_with_their_line() {
    let refused = |from: &str, to: &str| {
        let folder = changed("workers", "workers.csv", |text| {
            assert!(text.contains(from), "{from}");
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
    let two = "\"random, 2 workers\",1,1,2,";
    let messages = [
        refused(two, "\"random, 2 workers\",1,1,3,"),
        refused(two, "\"random, 3 workers\",1,1,2,"),
        refused(two, "\"random, 4 workers\",1,1,2,"),
        refused(two, "\"random, 2 workers\",5,1,2,"),
        refused(two, &format!("{two}inf ")),
        refused(two, &format!("{two}-")),
        refused(two, &format!("{two}x")),
        refused(two, &format!("{two} ")),
        refused(",0.0,0.0,0,0", ",0.0,NaN,0,0"),
        refused(",0.0,0.0,0,0", ",-1,0.0,0,0"),
        refused(",0.0,0.0,0,0", ",0.0,0.0,9007199254740993,0"),
        refused(",0.0,0.0,0,0", ",0.0,0.0,0"),
        refused(",worker_seconds", ",seconds"),
    ];
    insta::assert_snapshot!("workers_refused", messages.join("\n"));
    let plain = changed("workers", "config.toml", |text| {
        let text = text.replace(
            "[train.parallel]\nworkers = [1, 2, 3]\nengine = \"turns\"\n",
            "",
        );
        let lines = text.lines().filter(|line| !line.starts_with("workers = "));
        lines.map(|line| format!("{line}\n")).collect()
    });
    let error = Recorded::open(plain.path()).expect_err("no workers");
    let wanted = "workers.csv:2: epoch 1 of strategy `random, 1 worker`, seed 1: config.toml has no table [train.parallel]";
    assert!(error.to_string().contains(wanted), "{error}");
}

#[test]
fn torn_lines_and_lines_without_an_epoch_are_ignored() {
    let whole = findings("workers").recorded.workers.rows;
    assert_eq!(whole.len(), 36);
    let torn = changed("workers", "workers.csv", |text| {
        text + "\"random, 1 worker\",2,3,1,9"
    });
    assert_eq!(opened(&torn).recorded.workers.rows, whole);
    // The run was killed before it wrote its last epoch to epochs.csv.
    let killed = changed("workers", "epochs.csv", |text| {
        let lines: Vec<&str> = text.lines().collect();
        lines[..lines.len() - 1].join("\n") + "\n"
    });
    assert_eq!(opened(&killed).recorded.workers.rows, whole[..35]);
}

#[test]
fn the_last_line_of_an_epoch_counts() {
    let again = changed("workers", "workers.csv", |text| {
        text + "\"sorted, 3 workers\",2,3,3,1 2 3,0.5,0,0,0\n"
    });
    let rows = opened(&again).recorded.workers.rows;
    assert_eq!(rows.len(), 36);
    assert_eq!(rows[35].worker_seconds, [1.0, 2.0, 3.0]);
}

#[test]
fn tables_and_sentences_show_how_strategies_scale() {
    let findings = findings("workers");
    let scaling = findings
        .scaling
        .as_ref()
        .expect("several numbers of workers");
    let rows = &findings.recorded.config.strategy;
    let table = tables::workers(rows, scaling);
    let answers = narrative::answers(&findings);
    let mut answers = answers.iter();
    let answer = answers.find(|answer| answer.heading == "Scaling over workers");
    let answer = answer.expect("an answer about workers");
    insta::assert_snapshot!(
        "workers_table",
        format!(
            "{}\n{}\n{}\n\n{}\n- {}\n\n{}",
            table.title,
            table.to_markdown(),
            table.full_note(),
            answer.answer,
            answer.each.join("\n- "),
            narrative::what_was_run(&findings).join("\n")
        )
    );
}

/// Every table and sentence with a predicted time says so.
#[test]
fn predicted_times_are_marked() {
    let findings = findings("workers");
    let rows = &findings.recorded.config.strategy;
    for table in tables::all(&findings) {
        let title = table.title;
        assert!(table.full_note().contains("are predicted"), "{title}");
        for row in &table.cells.rows {
            let is_predicted = !row[0].contains("1 worker");
            assert_eq!(row[0].ends_with(" †"), is_predicted, "{title}: {}", row[0]);
        }
    }
    for width in [SummaryWidth::Compact, SummaryWidth::Wide] {
        let table = summary_table(&findings.summary, rows, width);
        assert!(legend_text(&table).contains("†: times of this row are predicted"));
    }
    assert!(
        tables::runs(&findings)
            .full_note()
            .contains("are predicted")
    );
    for row in 0..rows.len() {
        let sentence = narrative::verdict(&findings, row);
        let is_predicted = findings.time_is_predicted(row);
        assert_eq!(
            sentence.contains("predicted time"),
            is_predicted,
            "{sentence}"
        );
    }
    let same = Comparison::of(&findings, &findings, 0.05)
        .expect("the same task")
        .doubts;
    assert_eq!(same.len(), 4);
    assert_eq!(
        same[0],
        "times of random, 2 workers are predicted in both runs"
    );
}

#[test]
fn measured_times_are_not_marked() {
    let measured = changed("workers", "config.toml", |text| {
        text.replace("\"turns\"", "\"mpi\"")
    });
    let findings = opened(&measured);
    assert!(findings.scaling.is_some());
    let text = report::markdown(&findings, &[]);
    assert!(
        !text.contains('†') && !text.contains("predicted time"),
        "{text}"
    );
    assert!(!text.contains("are predicted"), "{text}");
}

#[test]
fn one_strategy_and_a_waiting_worker() {
    let one = changed("workers", "workers.csv", |text| {
        text.lines()
            .map(|line| line.replace(",0.0,0,0", ",0.5,0,0") + "\n")
            .collect()
    });
    let config = one.path().join("config.toml");
    let text = std::fs::read_to_string(&config).expect("text");
    let (text, _) = text
        .split_once("\n[[strategy]]\nname = \"sorted")
        .expect("two strategies");
    std::fs::write(&config, text).expect("writable");
    for file in ["epochs.csv", "workers.csv"] {
        let path = one.path().join(file);
        let text = std::fs::read_to_string(&path).expect("text");
        let kept = text.lines().filter(|line| !line.starts_with("\"sorted"));
        let kept: String = kept.map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, kept).expect("writable");
    }
    let findings = opened(&one);
    let scaling = findings
        .scaling
        .as_ref()
        .expect("several numbers of workers");
    let table = tables::workers(&findings.recorded.config.strategy, scaling);
    let column = table
        .cells
        .header
        .iter()
        .position(|name| name == "waiting %");
    assert_eq!(table.cells.rows[1][column.expect("a column")], "3.0");
    let answers = narrative::answers(&findings);
    let mut answers = answers.iter();
    let answer = answers.find(|answer| answer.heading == "Scaling over workers");
    let sentence = &answer.expect("an answer").answer;
    let wanted = "With 3 workers, random loses 3.0 % of the epoch to the slowest worker (95 % CI";
    assert!(sentence.starts_with(wanted), "{sentence}");
}

#[test]
fn csv_and_json_have_the_numbers() {
    let findings = findings("workers");
    let fields = tables::fields(&findings, 2);
    let field = |name: &str| {
        let field = fields.iter().find(|(known, _)| known == name);
        field.map(|(_, value)| value.clone()).expect(name)
    };
    assert_eq!(field("workers"), "3");
    assert_eq!(field("time_is_predicted"), "true");
    let speed_up: f64 = field("parallel_speed_up").parse().expect("a number");
    let efficiency: f64 = field("efficiency_percent").parse().expect("a number");
    assert!((efficiency - 100.0 * speed_up / 3.0).abs() < 1e-3);
    assert!(field("slowest_percent_ci95").parse::<f64>().is_ok());
    let summary = findings.summary.to_json();
    assert_eq!(summary[0]["time_is_predicted"], false);
    assert_eq!(summary[2]["time_is_predicted"], true);
    assert_eq!(summary[2]["workers"], 3);
    let plain = crate::common::findings("table2");
    assert!(plain.summary.to_json()[0].get("workers").is_none());
    assert!(plain.scaling.is_none());
    assert!(
        tables::fields(&plain, 0)
            .iter()
            .all(|(name, _)| name != "workers")
    );
}

#[test]
fn the_page_and_the_plots_say_which_times_are_predicted() {
    let files = report::report(&[fixture("workers")], Path::new("out")).expect("a report");
    let text = |name: &str| {
        let file = files.iter().find(|file| file.path.ends_with(name));
        String::from_utf8(file.expect(name).content.clone()).expect("text")
    };
    let page = text("report.html");
    for wanted in [
        "times of several workers are predicted, not measured",
        "<span class=\"soft\">predicted time</span>",
        "†: times of this row are predicted",
        "Validation loss by epoch and number of workers",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    for name in [
        "speed",
        "time-saved",
        "speed-against-loss",
        "loss-by-time",
        "workers-by-time",
    ] {
        let picture = text(&format!("plots/{name}.svg"));
        assert!(picture.contains("(predicted for 2+ workers)"), "{name}");
    }
    let by_epoch = text("plots/workers-by-epoch.svg");
    assert!(!by_epoch.contains("predicted"));
    for wanted in ["random", "sorted", "1 worker", "2 workers", "3 workers"] {
        assert_eq!(
            by_epoch.matches(&format!("\n{wanted}\n")).count(),
            1,
            "{wanted}"
        );
    }
}
