//! Frame labels from intervals, and the messages for mismatches.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{cases, golden, message};
use padwise_features::FileError;
use padwise_features::labels::*;
use proptest::prelude::*;
use tempfile::TempDir;

fn timing() -> FrameTiming {
    FrameTiming::windows(0.010, 0.025).unwrap()
}

fn ctm(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("x.ctm");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_frame_has_the_label_of_its_middle() {
    let folder = TempDir::new().unwrap();
    // The middles of frames 0 to 4 are at 12.5, 22.5, 32.5, 42.5 and 52.5 ms.
    let path = ctm(
        folder.path(),
        ";; a comment\nutt 1 0.0225 0.010 B 0.9\nutt 1 0.00 0.0225 A\n\nutt 1 0.045 0.03 A\n",
    );
    let alignments = Alignments::read_ctm(path).unwrap();
    let classes = LabelSet::sorted(alignments.names().iter().map(String::as_str), "SIL").unwrap();
    assert_eq!(classes.names(), ["A", "B", "SIL"]);
    let labels = alignments.frame_labels("utt", 5, timing(), &classes);
    // A boundary at the middle belongs to the interval that starts there. Gaps are silence.
    assert_eq!(labels.unwrap(), [0, 1, 2, 2, 0]);
}

#[test]
fn the_set_of_classes_does_not_depend_on_the_order_of_names() {
    let forwards = LabelSet::sorted(["b", "a", "b", "c"], "sil").unwrap();
    let backwards = LabelSet::sorted(["c", "sil", "b", "a"], "sil").unwrap();
    assert_eq!(forwards, backwards);
    let given = LabelSet::given(vec!["sil".into(), "b".into(), "a".into()], "sil").unwrap();
    assert_eq!(
        (given.number("a"), given.silence(), given.number("c")),
        (Some(2), 0, None)
    );
    let wrong = |names: &[&str]| {
        let names = names.iter().map(|name| name.to_string()).collect();
        LabelSet::given(names, "sil").unwrap_err().to_string()
    };
    insta::assert_snapshot!([wrong(&["a", "b"]), wrong(&["sil", "a", "sil"])].join("\n"), @r"
        silence class `sil` is not one of the 2 classes
        duplicate class `sil`: numbers 0 and 2
        ");
}

#[test]
fn ctm_errors_have_line_numbers() {
    let folder = TempDir::new().unwrap();
    let mut said = Vec::new();
    for text in [
        "utt 1 0.0 0.1\n",
        "utt 1 0.0 0.1 A\nutt 1 zero 0.1 A\n",
        "utt 1 0.0 -0.1 A\n",
        "utt 1 NaN 0.1 A\n",
        "utt 1 1e300 0.1 A\n",
        "utt 1 0.0 0.04 A\nutt 1 0.06 0.01 B\nutt 1 0.03 0.02 C\n",
        "utt 1 -0.005 0.02 A\n",
        "other 1 0.0 0.1 A\n",
        "utt 1 0.0 0.05 A\nutt 1 0.05 0.05 A\n",
        "utt 1 0.0 0.05 Q\n",
    ] {
        let classes = LabelSet::sorted(["A", "B", "C"], "SIL").unwrap();
        let result = Alignments::read_ctm(ctm(folder.path(), text))
            .and_then(|alignments| alignments.frame_labels("utt", 5, timing(), &classes));
        said.push(message(result.unwrap_err(), folder.path()));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
        x.ctm:1: expected: utterance channel start duration label
        x.ctm:2: invalid start `zero`: expected seconds
        x.ctm:1: invalid duration `-0.1`: expected seconds
        x.ctm:1: invalid start `NaN`: expected seconds
        x.ctm:1: invalid start `1e300`: expected seconds
        x.ctm:3: utterance utt: the interval overlaps the one on line 1 by 0.010 s
        x.ctm:1: utterance utt: the interval starts at -0.005 s: times must not be negative
        x.ctm: no labels for utterance utt
        x.ctm:2: utterance utt: labels end at 0.100 s, but its 5 frames end at 0.085 s: check that both belong together
        x.ctm:1: unknown label `Q`: not one of the 4 classes
        ");
}

#[test]
fn long_and_short_textgrids_are_equivalent() {
    let read = |name: &str| Alignments::read_textgrid(golden("labels").join(name), "utt", "phones");
    let long = read("long.TextGrid").unwrap();
    let classes = LabelSet::sorted(long.names().iter().map(String::as_str), "sil").unwrap();
    assert_eq!(classes.names(), ["a \"b\"", "sil", "ʃ"]);
    let labels = |alignments: &Alignments| {
        alignments
            .frame_labels("utt", 8, timing(), &classes)
            .unwrap()
    };
    assert_eq!(labels(&long), [0, 0, 1, 1, 2, 2, 2, 2]);
    assert_eq!(labels(&read("short.TextGrid").unwrap()), labels(&long));
    assert_eq!(labels(&read("utf16.TextGrid").unwrap()), labels(&long));
}

#[test]
fn textgrid_errors_have_line_numbers() {
    let folder = TempDir::new().unwrap();
    let whole = fs::read_to_string(golden("labels").join("long.TextGrid")).unwrap();
    let read = |text: &str, tier: &str| {
        let path = folder.path().join("x.TextGrid");
        fs::write(&path, text).unwrap();
        let error = Alignments::read_textgrid(&path, "utt", tier).unwrap_err();
        message(error, folder.path())
    };
    insta::assert_snapshot!([
        read(&whole, "words"),
        read(&whole, "events"),
        read(&whole.replace("TextGrid", "Sound"), "phones"),
        read(&whole.replace("xmax = 0.03 ", "xmax = 0.03x "), "phones"),
        read(&whole.replace("\"ʃ\"", "\"ʃ"), "phones"),
        read(&whole[..200], "phones"),
    ].join("\n"), @r#"
        x.TextGrid: no interval tier `words`; available tiers: `events`, `phones`
        x.TextGrid: no interval tier `events`; available tiers: `events`, `phones`
        x.TextGrid:2: not a TextGrid: expected `TextGrid`, found `Sound`
        x.TextGrid:27: expected an end time, found Text("a \"b\"")
        x.TextGrid:35: unterminated quoted text
        x.TextGrid:12: expected a time, found the end of the file
        "#);
}

#[test]
fn one_frame_is_fixed_and_two_are_a_mismatch() {
    let fitted = |labels: &[i32], frames| {
        let mut labels = labels.to_vec();
        fit("utt", &mut labels, frames).map(|what| (what, labels))
    };
    assert_eq!(fitted(&[1, 2], 2), Ok((Fitted::Exact, vec![1, 2])));
    assert_eq!(fitted(&[1, 2], 3), Ok((Fitted::Repeated, vec![1, 2, 2])));
    assert_eq!(fitted(&[1, 2], 1), Ok((Fitted::Cut, vec![1])));
    assert!(fitted(&[], 1).is_err(), "there is no last label to repeat");
    insta::assert_snapshot!(fitted(&[1, 2], 4).unwrap_err(), @"utterance utt has 2 labels but 4 frames: check that both use the same hop and the same audio");
}

#[test]
fn counted_times_give_the_original_frames() {
    let folder = TempDir::new().unwrap();
    let frames = [2, 2, 0, 1, 1, 1, 3, 0];
    let names = ["A", "B", "C", "SIL"];
    let lines: String = (0..)
        .zip(frames)
        .map(|(t, label)| format!("utt 1 {:.2} 0.01 {}\n", f64::from(t) * 0.01, names[label]))
        .collect();
    let alignments = Alignments::read_ctm(ctm(folder.path(), &lines)).unwrap();
    let classes = LabelSet::given(names.map(String::from).to_vec(), "SIL").unwrap();
    let counted = FrameTiming::counted(0.01).unwrap();
    let labels = alignments
        .frame_labels("utt", 8, counted, &classes)
        .unwrap();
    assert_eq!(labels, frames.map(|label| label as i32));
    let past = alignments.frame_labels("utt", 5, counted, &classes);
    assert!(matches!(
        past,
        Err(LabelError::File(FileError::Line { line: 7, .. }))
    ));
}

/// Times that are rounded to 10 ms overlap, start early or end late by less than half a frame.
#[test]
fn rounding_below_half_a_frame_is_no_error() {
    let folder = TempDir::new().unwrap();
    let classes = LabelSet::sorted(["A", "B"], "SIL").unwrap();
    let counted = FrameTiming::counted(0.01).unwrap();
    let labels = |text: &str| {
        let alignments = Alignments::read_ctm(ctm(folder.path(), text)).unwrap();
        alignments.frame_labels("utt", 4, counted, &classes)
    };
    let expected = [0, 0, 1, 1];
    for text in [
        "utt 1 0.0 0.0249 A\nutt 1 0.020 0.020 B\n",
        "utt 1 -0.0049 0.0249 A\nutt 1 0.020 0.020 B\n",
        // One frame after the end was always allowed; rounding adds to it.
        "utt 1 0.0 0.020 A\nutt 1 0.020 0.0349 B\n",
        // A short interval inside another one.
        "utt 1 0.0 0.020 A\nutt 1 0.010 0.004 B\nutt 1 0.020 0.020 B\n",
    ] {
        assert_eq!(labels(text).unwrap(), expected, "{text}");
    }
    for text in [
        "utt 1 0.0 0.025 A\nutt 1 0.020 0.020 B\n",
        "utt 1 -0.005 0.025 A\n",
        "utt 1 0.0 0.055 A\n",
        // The overlap is with an earlier interval than the previous one.
        "utt 1 0.0 0.030 A\nutt 1 0.001 0.001 B\nutt 1 0.020 0.020 B\n",
    ] {
        assert!(labels(text).is_err(), "{text}");
    }
}

#[test]
fn frame_timing_rejects_invalid_times() {
    for (hop, window) in [
        (0.0, 0.025),
        (-0.01, 0.025),
        (0.01, -1.0),
        (f64::NAN, 0.0),
        (1e300, 0.0),
    ] {
        assert_eq!(FrameTiming::windows(hop, window), None, "{hop} {window}");
    }
}

proptest! {
    #![proptest_config(cases(200))]

    /// Compared with a direct implementation of the rule: for each frame, search all intervals.
    #[test]
    fn frames_follow_the_rule(
        pieces in prop::collection::vec((0u32..60, 1u32..90, 0usize..3), 0..12),
        hop in 1u32..20,
        window in 0u32..40,
    ) {
        let folder = TempDir::new().unwrap();
        let names = ["A", "B", "C"];
        let mut intervals = Vec::new();
        let mut now = 0;
        for (gap, length, name) in pieces {
            intervals.push((now + gap, now + gap + length, name));
            now += gap + length;
        }
        let lines: String = intervals.iter().map(|(start, end, name)| {
            format!("u 1 {:.3} {:.3} {}\n", f64::from(*start) / 1e3, f64::from(end - start) / 1e3, names[*name])
        }).collect();
        let path = ctm(folder.path(), &(lines + "u 1 0 0 A\n"));
        let classes = LabelSet::given(["A", "B", "C", "SIL"].map(String::from).to_vec(), "SIL").unwrap();
        let timing = FrameTiming::windows(f64::from(hop) / 1e3, f64::from(window) / 1e3).unwrap();
        let frames = now / hop + 2;
        let labels = Alignments::read_ctm(path).unwrap().frame_labels("u", frames, timing, &classes).unwrap();
        for (frame, label) in (0..frames).zip(labels) {
            let middle = 2 * frame * hop + window;
            let inside = intervals.iter().find(|(start, end, _)| (2 * start..2 * end).contains(&middle));
            prop_assert_eq!(label, inside.map_or(3, |(_, _, name)| *name as i32));
        }
    }
}
