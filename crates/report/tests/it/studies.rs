//! Studies of the project's own records, to the byte as the scripts made them that came before.

use std::path::Path;

use padwise_report::splice::splice_text;

fn results() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn filled(source: &str) -> String {
    let text = format!("<!-- from {source} -->\n<!-- end -->\n");
    let spliced = splice_text(&text, Path::new("doc.md"), &results());
    let text = spliced.unwrap_or_else(|error| panic!("{error}")).text;
    let content = text.strip_prefix(&format!("<!-- from {source} -->\n"));
    let content = content.and_then(|rest| rest.strip_suffix("<!-- end -->\n"));
    content.expect("a block").to_owned()
}

#[test]
fn all_of_them() {
    for (source, file) in [
        ("results study bucket-cost", "findings/bucket-cost.md"),
        ("results study buckets", "findings/buckets.md"),
        ("results study by-time", "findings/by-time.md"),
        ("results study errors", "findings/errors.md"),
        (
            "results study last-utterances",
            "findings/last-utterances.md",
        ),
        ("results study lengths", "findings/lengths.md"),
        ("results study paper-batches", "findings/paper-batches.md"),
        ("results study rates", "findings/rates.md"),
        ("results study repeated-runs", "findings/repeated-runs.md"),
        (
            "results study shuffled-batches",
            "findings/shuffled-batches.md",
        ),
        ("results study steps", "findings/steps.md"),
        ("results study step-cost", "step-speed/step-cost.md"),
        (
            "results/doetsch-table2-librispeech peer results/peer/doetsch-table2-librispeech.csv",
            "peer/doetsch-table2-librispeech.md",
        ),
        ("results/step-speed/h200.jsonl steps", "step-speed/h200.md"),
        (
            "results/step-speed/h200.jsonl parts",
            "step-speed/h200-parts.md",
        ),
        (
            "results/step-speed/h200-again.jsonl steps",
            "step-speed/h200-again.md",
        ),
        (
            "results/step-speed/h200-again.jsonl parts",
            "step-speed/h200-again-parts.md",
        ),
        (
            "results/step-speed/h200-others.jsonl steps",
            "step-speed/h200-others.md",
        ),
        (
            "results/step-speed/h200-others.jsonl parts",
            "step-speed/h200-others-parts.md",
        ),
        (
            "results/step-speed/h200-memory.jsonl steps",
            "step-speed/h200-memory.md",
        ),
        (
            "results/step-speed/h200-burn-products.jsonl steps",
            "step-speed/h200-burn-products.md",
        ),
        ("results/step-speed/cpu.jsonl steps", "step-speed/cpu.md"),
        (
            "results/step-speed/cpu.jsonl parts",
            "step-speed/cpu-parts.md",
        ),
        ("results/learning-cpu summary", "learning-cpu/table.md"),
    ] {
        let before = std::fs::read_to_string(results().join("results").join(file)).expect(file);
        if filled(source) != before {
            println!("DIFF {source}\n{}\n{before}", filled(source));
        }
    }
    panic!("look");
}
