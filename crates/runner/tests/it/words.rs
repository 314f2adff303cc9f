//! `[measure.words]` and `padwise decode`: word error rates with a lexicon and a language model.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{corpus, fails_with_usage, in_folder, messages, padwise, succeeds, write};

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

const LEXICON: &str = "A low\nTONE high\nBELL high low\n";

const ARPA: &str = "\
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
fn experiment() -> (TempDir, String) {
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
fn words(out: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(out.join("words.csv")).expect("a record");
    let rows = reader.deserialize().collect::<Result<Vec<_>, csv::Error>>();
    let mut rows: Vec<BTreeMap<String, String>> = rows.expect("whole lines");
    for row in &mut rows {
        row.retain(|key, _| key != "decode_seconds" && key != "real_time_factor");
    }
    rows
}

/// What `padwise decode` prints about a row of `words.csv`.
fn expected_summary(row: &BTreeMap<String, String>) -> String {
    format!(
        "({} substituted, {} deleted, {} inserted)",
        row["substitutions"], row["deletions"], row["insertions"]
    )
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).expect("text")
}

fn json(path: PathBuf) -> Value {
    serde_json::from_str(&text(path)).expect("JSON")
}

/// Runs the experiment with more options; returns the results folder and what was printed.
fn run(folder: &TempDir, config: &str, options: &[&str]) -> (PathBuf, String) {
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
fn kept_posteriors_are_decoded_again_to_the_same_errors() {
    let (folder, config) = experiment();
    let keep = [
        "--set",
        "measure.words.keep-posteriors=true",
        "--set",
        "measure.words.lm-scale=2.0",
    ];
    let (out, _) = run(&folder, &config, &keep);
    let rows = words(&out);
    let pack = out.join("posteriors/1-1-test.pack").display().to_string();
    let [lexicon, lm] = ["lexicon.txt", "words.arpa"].map(|name| in_folder(&folder, name));
    let decode = [
        "decode",
        &pack,
        "--lexicon",
        &lexicon,
        "--lm",
        &lm,
        "--lm-scale",
        "2",
    ];
    let said = messages(&decode);
    assert!(
        said.contains(&expected_summary(&rows[0])),
        "{said} {rows:?}"
    );
    assert!(said.contains("6 utterances, 12 words: WER "), "{said}");
    assert!(said.contains("real-time factor"), "{said}");
    // The order of the posteriors is that of lengths, the order of hypotheses that of the corpus.
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(|line| line.trim_end().into()).collect();
        lines.sort();
        lines
    };
    let printed = succeeds(&decode);
    let hypotheses = text(out.join("hypotheses/1-1-test.txt"));
    assert_eq!(sorted(printed.clone()), sorted(hypotheses));
    let file = in_folder(&folder, "found.txt");
    let quiet = succeeds(&[&decode[..], &["--out", &file]].concat());
    assert_eq!((quiet.as_str(), text(&file)), ("", printed));

    // A lost row is decoded again from the kept posteriors.
    let csv = out.join("words.csv");
    let all = text(&csv);
    let kept: Vec<&str> = all.lines().take(2).collect();
    fs::write(&csv, kept.join("\n") + "\n").expect("writable");
    run(&folder, &config, &[&keep[..], &["--resume"]].concat());
    assert_eq!(words(&out), rows);
}

#[test]
fn posteriors_of_other_programs_need_names_and_durations() {
    let (folder, config) = experiment();
    let keep = ["--set", "measure.words.keep-posteriors=true"];
    run(
        &folder,
        &config,
        &[&keep[..], &["--set", "measure.words.lm-scale=2"]].concat(),
    );
    let [lexicon, lm] = ["lexicon.txt", "words.arpa"].map(|name| in_folder(&folder, name));
    // Features that are no posteriors, with two names for their 16 numbers.
    let pack = in_folder(&folder, "a.pack");
    let decode = ["decode", &pack, "--lexicon", &lexicon, "--lm", &lm];
    let refused = |options: &[&str]| fails_with_usage(&[&decode[..], options].concat());
    assert!(refused(&[]).contains("with --phones FILE"));
    let two = write(&folder, "two.txt", "SIL\nlow\n");
    let said = refused(&["--phones", &two]);
    assert!(
        said.contains("two.txt: 2 names, but frames have 16 numbers"),
        "{said}"
    );
    let names: Vec<String> = (0..14).map(|n| format!("p{n}")).collect();
    let phones = write(
        &folder,
        "phones.txt",
        &format!("SIL low {}", names.join("\n")),
    );
    assert!(refused(&["--phones", &phones]).contains("--durations FILE"));
    let durations = write(&folder, "durations.txt", "3 4\n0");
    let said = refused(&["--phones", &phones, "--durations", &durations]);
    assert!(
        said.contains("durations.txt:2: `0`: expected a number above 0"),
        "{said}"
    );
    let durations = write(&folder, "durations.txt", &"5\n".repeat(16));
    let known = ["--phones", &phones, "--durations", &durations];
    let said = refused(&known);
    assert!(
        said.contains("utterance u") && said.contains(", frame "),
        "{said}"
    );
    assert!(said.contains("which is at most 0"), "{said}");
    let priors = write(&folder, "priors.txt", &"0.5 ".repeat(16));
    let said = refused(&[&known[..], &["--priors", &priors]].concat());
    assert!(
        said.contains("priors.txt: the probabilities sum to 8"),
        "{said}"
    );
    let transcripts = write(&folder, "text", "u000 a tone\nu000 a\n");
    let said = refused(&["--transcripts", &transcripts]);
    assert!(
        said.contains("text:2: a second transcript of u000"),
        "{said}"
    );
    let said = refused(&["--max-active", "0"]);
    assert!(
        said.contains("--max-active is 0: it must be at least 1"),
        "{said}"
    );
    let said = refused(&["--out", &in_folder(&folder, "none/words.txt")]);
    assert!(said.contains("the folder does not exist"), "{said}");
    padwise()
        .args(decode)
        .args(["--beam", "-1"])
        .assert()
        .code(2);

    let own = in_folder(&folder, "out/posteriors/1-1-test.pack");
    let said = fails_with_usage(
        &[
            &["decode", &own, "--lexicon", &lexicon, "--lm", &lm],
            &known[..],
        ]
        .concat(),
    );
    assert!(
        said.contains("says what its classes are: remove --phones"),
        "{said}"
    );
}

/// A NumPy file of float32 numbers.
fn npy(rows: &[[f32; 3]]) -> Vec<u8> {
    let header = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 3), }}",
        rows.len()
    );
    let length = (10 + header.len() + 1).next_multiple_of(64);
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(((length - 10) as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.resize(length - 1, b' ');
    file.push(b'\n');
    file.extend(
        rows.iter()
            .flatten()
            .flat_map(|number| number.to_le_bytes()),
    );
    file
}

/// Frames whose most probable classes are these.
fn frames(classes: &[usize]) -> Vec<[f32; 3]> {
    let row = |&class: &usize| {
        let mut row = [0.02_f32.ln(); 3];
        row[class] = 0.96_f32.ln();
        row
    };
    classes.iter().map(row).collect()
}

#[test]
fn folders_of_npy_files_are_decoded() {
    let folder = tempfile::tempdir().expect("a folder");
    let posteriors = folder.path().join("posteriors");
    fs::create_dir(&posteriors).expect("a folder");
    // SIL, low, high: "a tone", then "a".
    let classes = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0];
    fs::write(posteriors.join("one.npy"), npy(&frames(&classes))).expect("writable");
    fs::write(posteriors.join("two.npy"), npy(&frames(&classes[..7]))).expect("writable");
    let path = posteriors.display().to_string();
    let lexicon = write(&folder, "lexicon.txt", LEXICON);
    let lm = write(&folder, "words.arpa", ARPA);
    let phones = write(&folder, "phones.txt", "SIL low high");
    let durations = write(&folder, "durations.txt", "4 4 4");
    let decode = [
        "decode",
        &path,
        "--lm",
        &lm,
        "--lm-scale",
        "1",
        "--phones",
        &phones,
    ];
    let hybrid = ["--lexicon", &lexicon, "--durations", &durations];
    let args = [&decode[..], &hybrid].concat();
    assert_eq!(succeeds(&args), "one a tone\ntwo a\n");
    let said = messages(&args);
    assert!(
        said.contains("2 utterances\n") && !said.contains("WER"),
        "{said}"
    );
    let transcripts = write(&folder, "text", "two\ta tone\none A TONE!\nthree a\n");
    let said = messages(&[&args[..], &["--transcripts", &transcripts]].concat());
    assert!(
        said.contains("WER 25.00 % (0 substituted, 1 deleted, 0 inserted)"),
        "{said}"
    );
    // The last class is CTC's blank.
    let symbols = write(&folder, "symbols.txt", "low\nhigh\n");
    let ctc = [
        "decode",
        &path,
        "--lm",
        &lm,
        "--lm-scale",
        "1",
        "--phones",
        &symbols,
    ];
    let ctc = [&ctc[..], &["--ctc", "--lexicon", &lexicon]].concat();
    assert!(succeeds(&ctc).starts_with("one "));
    let mut wrong = frames(&classes);
    wrong[3][2] = 0.5;
    fs::write(posteriors.join("one.npy"), npy(&wrong)).expect("writable");
    let said = fails_with_usage(&args);
    assert!(
        said.contains("utterance one, frame 3, class 2: 0.5: expected"),
        "{said}"
    );
    wrong[3][2] = f32::NAN;
    fs::write(posteriors.join("one.npy"), npy(&wrong)).expect("writable");
    let said = fails_with_usage(&args);
    assert!(
        said.contains("one.npy") || said.contains("utterance one"),
        "{said}"
    );
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
