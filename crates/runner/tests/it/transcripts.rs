//! Training on transcripts: `prepare --targets`, then CTC with character and word error rates.

use std::path::Path;

use crate::common::{corpus, epochs, fails_with_usage, in_folder, messages, succeeds, write};

const CTC: &str = r#"
[corpus]
pack = "tones.pack"
validation = { speakers = 1 }

[model]
layers = 1
hidden = 4

[train]
objective = "ctc"
epochs = 2
batch-size = 4
backend = "cpu"

[[strategy]]
name = "random"
line = "random"
"#;

/// A corpus of tones with transcripts, and its folder.
fn tones() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = corpus(folder.path(), 12);
    (folder, manifest)
}

#[test]
fn transcripts_alone_are_enough_to_train() {
    let (folder, manifest) = tones();
    let pack = in_folder(&folder, "tones.pack");
    let printed = messages(&["prepare", &manifest, "--targets", "chars", "--out", &pack]);
    assert!(
        printed.contains("targets: chars (6 symbols): ␣ a e n o t"),
        "{printed}"
    );
    let file = write(&folder, "ctc.toml", CTC);
    let out = in_folder(&folder, "results");
    let printed = succeeds(&["run", &file, "--out", &out]);
    for heading in ["CER %", "greedy WER %"] {
        assert!(printed.contains(heading), "{heading}: {printed}");
    }
    assert!(!printed.contains("PER %"), "{printed}");
    let rows = epochs(Path::new(&out));
    assert_eq!(rows.len(), 2);
    for row in rows {
        for key in ["character_error_percent", "word_error_percent"] {
            let value: f64 = row[key].parse().unwrap_or(f64::NAN);
            assert!((0.0..=1e4).contains(&value), "{key}: {row:?}");
        }
        assert_eq!(row["sequence_error_percent"], "");
        assert_eq!(row["frame_error_percent"], "");
    }
    let page = succeeds(&["report", &out]);
    assert!(page.contains("report.html"), "{page}");
    // Frame-wise training needs labels.
    let refused = fails_with_usage(&["run", &file, "--set", "train.objective=frame-wise"]);
    assert!(
        refused.contains("the corpus has targets but no frame labels"),
        "{refused}"
    );
    let chunks = ["--set", "strategy.0.line=random,chunk=20"];
    let refused = fails_with_usage(&[&["run", &file], &chunks[..]].concat());
    assert!(
        refused
            .contains("strategy `random` trains on chunks, but targets belong to whole utterances"),
        "{refused}"
    );
}

#[test]
fn words_and_phones_are_measured_in_their_own_units() {
    let (folder, manifest) = tones();
    let lexicon = write(&folder, "lexicon.txt", "A AH\nTONE T OW N\n");
    let file = write(&folder, "ctc.toml", CTC);
    for (unit, column, classes) in [
        ("words", "word_error_percent", "3 classes"),
        ("phones", "sequence_error_percent", "5 classes"),
    ] {
        let pack = in_folder(&folder, &format!("{unit}.pack"));
        let options = ["--targets", unit, "--lexicon", &lexicon, "--out", &pack];
        succeeds(&[&["prepare", &manifest], &options[..]].concat());
        let out = in_folder(&folder, unit);
        let set = format!("corpus.pack={pack}");
        let checked = succeeds(&["run", &file, "--set", &set, "--check"]);
        assert!(checked.contains(classes), "{checked}");
        succeeds(&["run", &file, "--set", &set, "--out", &out]);
        let rows = epochs(Path::new(&out));
        assert!(rows.iter().all(|row| !row[column].is_empty()), "{rows:?}");
        assert!(
            rows.iter()
                .all(|row| row["character_error_percent"].is_empty())
        );
    }
}

#[test]
fn words_outside_the_lexicon_are_counted_and_nothing_is_left_behind() {
    let (folder, manifest) = tones();
    let lexicon = write(&folder, "lexicon.txt", "A AH\n");
    let pack = in_folder(&folder, "tones.pack");
    let options = ["--targets", "phones", "--lexicon", &lexicon, "--out", &pack];
    let refused = fails_with_usage(&[&["prepare", &manifest], &options[..]].concat());
    for expected in [
        "warning: 1 word without a symbol, in 12 utterances: tone (12×)",
        "utterance u000: word not in the lexicon: tone\nFix the problem, or add --keep-going",
    ] {
        assert!(refused.contains(expected), "{refused}");
    }
    assert!(!Path::new(&(pack + ".partial")).exists());
}

#[test]
fn a_pack_gets_targets_from_its_own_texts_and_shares_symbols() {
    let (folder, manifest) = tones();
    let [plain, first, second] =
        ["plain.pack", "tones.pack", "b.pack"].map(|n| in_folder(&folder, n));
    succeeds(&["prepare", &manifest, "--out", &plain]);
    let file = write(&folder, "ctc.toml", CTC);
    let set = format!("corpus.pack={plain}");
    let refused = fails_with_usage(&["run", &file, "--set", &set]);
    assert!(refused.contains("with --targets chars"), "{refused}");
    let list = write(&folder, "symbols.txt", "<space>\na\nt\no\nn\ne\nz\n");
    let options = ["--targets", "chars", "--symbols", &list, "--out", &first];
    succeeds(&[&["prepare", &plain], &options[..]].concat());
    // The same symbols, in the same order; what they do not have is reported.
    let replaced = |replacement: &str, out: &str| {
        let symbols = ["--targets", "chars", "--symbols", &first];
        let options = ["--text-replace", replacement, "--out", out];
        messages(&[&["prepare", &plain], &symbols[..], &options[..]].concat())
    };
    replaced("a tone=zoo tone", &second);
    let validation = format!("corpus.validation={{ pack = {second:?} }}");
    let checked = succeeds(&["run", &file, "--check", "--set", &validation]);
    assert!(checked.contains("8 classes"), "{checked}");
    let third = in_folder(&folder, "c.pack");
    let printed = replaced("a=x", &third);
    assert!(
        printed.contains("warning: characters outside the symbols were left out: x (12×)"),
        "{printed}"
    );
}

#[test]
fn utterances_too_short_for_their_target_are_listed_and_skipped() {
    let (folder, manifest) = tones();
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let long = "a tone ".repeat(60);
    let text = text.replacen("u003.wav,s3,a tone", &format!("u003.wav,s3,{long}"), 1);
    let manifest = write(&folder, "long.csv", &text);
    let pack = in_folder(&folder, "tones.pack");
    succeeds(&["prepare", &manifest, "--targets", "chars", "--out", &pack]);
    let file = write(&folder, "ctc.toml", CTC);
    let out = in_folder(&folder, "results");
    let printed = messages(&["run", &file, "--out", &out]);
    assert!(
        printed.contains("skipped 1 utterance that is too short for its target: u003 (")
            && printed.contains("frames, needs 419)"),
        "{printed}"
    );
    let log = std::fs::read_to_string(Path::new(&out).join("log.txt")).expect("a log");
    assert!(log.contains("u003"), "{log}");
}
