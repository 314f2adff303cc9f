//! The top of the report page: verdicts, the card, the summary table, the commands.

use std::path::{Path, PathBuf};

use padwise_report::findings::Findings;
use padwise_report::narrative;
use padwise_report::record::Recorded;
use padwise_report::report::report;

use crate::common::{changed, findings, fixture, without_the_third_seed};

fn page(folder: PathBuf) -> String {
    let files = report(&[folder], Path::new("out")).expect("a report");
    let page = files
        .into_iter()
        .find(|file| file.path.ends_with("report.html"));
    String::from_utf8(page.expect("a page").content).expect("text")
}

fn verdicts(findings: &Findings) -> Vec<(String, &'static str)> {
    let verdicts = findings.row_verdicts().into_iter().enumerate();
    verdicts
        .map(|(row, verdict)| (findings.name(row).to_owned(), verdict.label()))
        .collect()
}

/// The text of the first element of a class, without tags.
fn text_of(page: &str, class: &str) -> String {
    let from = page
        .split(&format!("class=\"{class}\""))
        .nth(1)
        .expect(class);
    let element = from.split("</p>").next().unwrap_or_default();
    let pieces = element
        .split('<')
        .map(|piece| piece.split_once('>').map_or(piece, |piece| piece.1));
    pieces.collect::<String>().replace("&#60;", "<")
}

#[test]
fn the_fastest_strategy_without_a_worse_error_is_recommended() {
    insta::assert_debug_snapshot!(verdicts(&findings("table2")));
    insta::assert_snapshot!(text_of(&page(fixture("table2")), "answer"));
}

#[test]
fn a_diverged_or_failed_strategy_is_not_recommended() {
    insta::assert_debug_snapshot!(verdicts(&findings("troubled")));
    let page = page(fixture("troubled"));
    insta::assert_snapshot!(text_of(&page, "answer"));
    insta::assert_snapshot!(text_of(&page, "caveats"));
}

/// The baseline overfitted, so its final loss is easy to beat; its lowest loss is not.
#[test]
fn overfitting_recommends_nothing() {
    let verdicts = verdicts(&findings("overfitted"));
    assert!(
        verdicts.iter().all(|(_, label)| *label != "recommended"),
        "{verdicts:?}"
    );
    assert!(text_of(&page(fixture("overfitted")), "caveats").contains("overfitting"));
}

/// A record of a fixture without its error rates.
fn without_error_rates(fixture: &str) -> tempfile::TempDir {
    changed(fixture, "epochs.csv", |text| {
        let mut lines = text.lines();
        let header = lines.next().expect("a header");
        let at = |name: &str| header.split(',').position(|known| known == name);
        let rates = [at("frame_error_percent"), at("sequence_error_percent")];
        let blanked = lines.map(|line| {
            let fields = line.split(',').enumerate();
            let kept = fields.map(|(index, field)| match rates.contains(&Some(index)) {
                true => "",
                false => field,
            });
            kept.collect::<Vec<_>>().join(",")
        });
        let lines: Vec<String> = std::iter::once(header.to_owned()).chain(blanked).collect();
        lines.join("\n") + "\n"
    })
}

/// Its final loss is lower, so the sentence must name the lowest loss, which is not.
#[test]
fn an_overfitted_baseline_is_compared_by_its_lowest_loss() {
    let without = without_error_rates("overfitted");
    let findings = Findings::of(Recorded::open(without.path()).expect("a record"));
    assert_eq!(verdicts(&findings)[1].1, "faster, loss worse");
    let answer = text_of(&page(without.path().into()), "answer");
    let price =
        "but its lowest validation loss is 0.151 higher (95 % CI +0.096 to +0.205, p = 0.018).";
    assert!(answer.ends_with(price), "{answer}");
}

#[test]
fn without_error_rates_the_loss_is_compared() {
    let without = without_error_rates("table2");
    let page = page(without.path().into());
    assert!(text_of(&page, "answer").contains("validation loss"));
    assert!(page.contains("change in loss"));
    assert!(!page.contains("phone error rate"));
}

#[test]
fn details_are_closed_and_a_record_without_results_has_a_card() {
    assert!(!page(fixture("table2")).contains("<details open"));
    let empty = changed("table2", "epochs.csv", |text| {
        text.lines().next().unwrap_or_default().to_owned() + "\n"
    });
    let findings = Findings::of(Recorded::open(empty.path()).expect("a record"));
    assert!(
        verdicts(&findings)[1..]
            .iter()
            .all(|(_, label)| *label == "not run")
    );
    assert!(text_of(&page(empty.path().into()), "answer").contains("No results yet"));
}

#[test]
fn commands_name_the_packs_from_the_folder_of_the_record() {
    let page_of = |name: &str| {
        let page = page(fixture(name));
        let commands = page
            .split("<pre class=\"commands\">")
            .nth(1)
            .expect("commands");
        let commands = commands.split("</pre>").next().unwrap_or_default();
        commands.replace("&#34;", "\"").replace("&#39;", "'")
    };
    insta::assert_snapshot!(page_of("table2"));
    let packs = changed("one-seed", "config.toml", |text| {
        let (before, rest) = text.split_once("[corpus]").expect("a corpus");
        let (_, after) = rest.split_once("[model]").expect("a model");
        format!(
            "{before}[corpus]\npack = \"../datasets/a.pack\"\nvalidation = {{ speakers = 2 }}\n\n[model]{after}"
        )
    });
    let page = page(packs.path().into());
    assert!(
        page.contains("--set &#39;corpus.pack=&#34;../../datasets/a.pack&#34;&#39;"),
        "{page}"
    );
    assert!(page.contains("<code>datasets/a.pack</code>"));
}

#[test]
fn the_page_and_the_text_recommend_the_same() {
    for name in [
        "table2",
        "words",
        "overfitted",
        "troubled",
        "one-seed",
        "workers",
    ] {
        let findings = findings(name);
        let answers = narrative::answers(&findings);
        assert_eq!(answers[0].heading, "Recommendation", "{name}");
        let card = text_of(&page(fixture(name)), "answer");
        let text = &answers[0].answer;
        assert!(text.starts_with(card.trim()), "{name}: {card} / {text}");
    }
}

#[test]
fn missing_seeds_are_a_caveat() {
    let partial = without_the_third_seed();
    let caveats = text_of(&page(partial.path().into()), "caveats");
    assert!(caveats.contains("2 of 3 seeds: only large"), "{caveats}");
}
