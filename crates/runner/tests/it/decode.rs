//! `padwise decode`: posteriors of padwise and of other programs.

use std::fs;

use crate::common::{fails_with_usage, in_folder, messages, padwise, succeeds, write};
use crate::words::{ARPA, LEXICON, expected_summary, experiment, run, text, words};

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
