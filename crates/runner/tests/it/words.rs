//! `[measure.words]`: word error rates with a lexicon and a language model.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{corpus, fails_with_usage, in_folder, messages, succeeds, write};

const CONFIG: &str = r#"
[corpus]
pack = "a.pack"
validation = { speakers = ["s0"] }
test = { speakers = ["s1"] }

[model]
layers = 1
hidden = 4

[train]
epochs = 1
batch-size = 8
backend = "cpu"

[measure]
warm-up-steps = 0

[measure.words]
lexicon = "lexicon.txt"
language-model = "words.arpa"

[[strategy]]
name = "random"
line = "random"

[[strategy]]
name = "sorted"
line = "sorted"
"#;

pub const LEXICON: &str = "A low\nTONE high\nBELL high low\n";

pub const ARPA: &str = "\
\\data\\
ngram 1=5
ngram 2=2

\\1-grams:
-99\t<s>\t-0.3
-1\t</s>
-0.5\ta\t-0.3
-0.7\ttone
-1.2\tbell

\\2-grams:
-0.2\t<s> a
-0.3\ta tone

\\end\\
";

/// A pack of 24 utterances, a lexicon, a language model and a config.
pub fn experiment() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = corpus(folder.path(), 24);
    let [labels, pack] = ["labels.ctm", "a.pack"].map(|name| in_folder(&folder, name));
    succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &pack]);
    write(&folder, "lexicon.txt", LEXICON);
    write(&folder, "words.arpa", ARPA);
    let config = write(&folder, "words.toml", CONFIG);
    (folder, config)
}

/// The rows of `words.csv`, without times.
pub fn words(out: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(out.join("words.csv")).expect("a record");
    let rows = reader.deserialize().collect::<Result<Vec<_>, csv::Error>>();
    let mut rows: Vec<BTreeMap<String, String>> = rows.expect("whole lines");
    for row in &mut rows {
        row.retain(|key, _| key != "decode_seconds" && key != "real_time_factor");
    }
    rows
}

/// What `padwise decode` prints about a row of `words.csv`.
pub fn expected_summary(row: &BTreeMap<String, String>) -> String {
    format!(
        "({} substituted, {} deleted, {} inserted)",
        row["substitutions"], row["deletions"], row["insertions"]
    )
}

pub fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).expect("text")
}

fn json(path: PathBuf) -> Value {
    serde_json::from_str(&text(path)).expect("JSON")
}

/// Runs the experiment with more options; returns the results folder and what was printed.
pub fn run(folder: &TempDir, config: &str, options: &[&str]) -> (PathBuf, String) {
    let out = in_folder(folder, "out");
    let printed = succeeds(&[&["run", config, "--out", &out], options].concat());
    (out.into(), printed)
}

#[test]
fn runs_decode_their_test_set_with_a_tuned_scale() {
    let (folder, config) = experiment();
    let (out, printed) = run(&folder, &config, &[]);
    assert!(printed.contains("WER %"), "{printed}");
    let rows = words(&out);
    assert_eq!(rows.len(), 2);
    for row in &rows {
        // A quarter of the utterances, two words each.
        assert_eq!(
            (row["utterances"].as_str(), row["words"].as_str()),
            ("6", "12")
        );
    }
    assert_eq!(text(out.join("test-utterances.csv")).lines().count(), 7);
    let decoding = json(out.join("decoding.json"));
    assert!(
        decoding["tuned"]
            .as_array()
            .is_some_and(|tried| tried.len() > 1)
    );
    for name in ["1-1-test.txt", "2-1-test.txt"] {
        let hypotheses = text(out.join("hypotheses").join(name));
        assert_eq!(hypotheses.lines().count(), 6, "{hypotheses}");
        assert!(hypotheses.lines().all(|line| line.starts_with('u')));
    }
    assert!(!out.join("posteriors").exists());
    succeeds(&["report", &out.display().to_string()]);
}

#[test]
fn errors_come_before_training() {
    let (folder, config) = experiment();
    let out = in_folder(&folder, "out");
    let refused = |options: &[&str]| {
        let said = fails_with_usage(&[&["run", &config, "--out", &out], options].concat());
        assert!(!Path::new(&out).exists(), "{said}");
        let checked = fails_with_usage(&[&["run", &config, "--check"], options].concat());
        assert_eq!(checked, said);
        said
    };
    let said = refused(&["--set", "measure.words.lexicon=none.txt"]);
    assert!(said.contains("none.txt"), "{said}");
    write(&folder, "wrong.txt", "A low\nTONE high\nBELL ding low\n");
    let said = refused(&["--set", "measure.words.lexicon=wrong.txt"]);
    assert!(
        said.contains("wrong.txt:3: phone `ding` of `bell`"),
        "{said}"
    );
    let cut = ARPA.split("-0.3\ta tone").next().expect("a part");
    write(&folder, "cut.arpa", cut);
    let said = refused(&["--set", "measure.words.language-model=cut.arpa"]);
    assert!(said.contains("cut.arpa:"), "{said}");
    let said = refused(&["--set", "corpus.test={ speakers = [\"s0\"] }"]);
    assert!(
        said.contains("speaker `s0` is also a validation speaker"),
        "{said}"
    );
    let manifest = write(
        &folder,
        "silent.csv",
        &text(in_folder(&folder, "manifest.csv")).replace("a tone", ""),
    );
    let [labels, pack] = ["labels.ctm", "silent.pack"].map(|name| in_folder(&folder, name));
    succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &pack]);
    let said = refused(&["--set", "corpus.pack=silent.pack"]);
    assert!(said.contains("has no transcript"), "{said}");
}

#[test]
fn characters_of_ctc_need_no_lexicon() {
    let (folder, config) = experiment();
    let [plain, pack] = ["a.pack", "chars.pack"].map(|name| in_folder(&folder, name));
    succeeds(&["prepare", &plain, "--targets", "chars", "--out", &pack]);
    let text = text(&config).replace("lexicon = \"lexicon.txt\"\n", "keep-posteriors = true\n");
    let config = write(&folder, "ctc.toml", &text);
    let sets = [
        "--set",
        "corpus.pack=chars.pack",
        "--set",
        "train.objective=ctc",
        "--set",
        "measure.words.lm-scale=1.5",
    ];
    let (out, printed) = run(&folder, &config, &sets);
    assert!(printed.contains("WER %"), "{printed}");
    let rows = words(&out);
    assert_eq!(rows.len(), 2);
    let pack = out.join("posteriors/2-1-test.pack").display().to_string();
    let lm = in_folder(&folder, "words.arpa");
    let said = messages(&["decode", &pack, "--lm", &lm, "--lm-scale", "1.5"]);
    assert!(
        said.contains(&expected_summary(&rows[1])),
        "{said} {rows:?}"
    );
}
