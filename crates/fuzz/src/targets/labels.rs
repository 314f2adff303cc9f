//! Intervals with labels: CTM and TextGrid.

use padwise_features::labels::{Alignments, FrameLabels, FrameTiming};

use crate::{Target, scratch};

pub(super) const CTM: Target = Target {
    name: "ctm",
    run: ctm,
    words: &["utt-1 1 ", " 0.10 ", " -0.004 ", ";;", "3.6e9", "\n", "sil"],
    repair: None,
    mutations: 8000,
};

pub(super) const TEXTGRID: Target = Target {
    name: "textgrid",
    run: textgrid,
    words: &[
        "\"ooTextFile\"",
        "\"TextGrid\"",
        "<exists>",
        "\"IntervalTier\"",
        "\"TextTier\"",
        "\"phones\"",
        "1e15",
        "3.6e9",
        "\"\"",
        "!",
    ],
    repair: None,
    mutations: 8000,
};

fn ctm(input: &[u8]) {
    let path = scratch::file("labels.ctm", input);
    let labels = FrameLabels::read(&path, "sil");
    use_labels(Alignments::read_ctm(&path), labels);
}

fn textgrid(input: &[u8]) {
    let path = scratch::file("a.TextGrid", input);
    let labels = FrameLabels::read_each([("a", path.as_path())], "phones", "sil");
    use_labels(Alignments::read_textgrid(&path, "a", "phones"), labels);
}

fn use_labels<E: ToString>(alignments: Result<Alignments, E>, labels: Result<FrameLabels, E>) {
    let (alignments, labels) = match (alignments, labels) {
        (Ok(alignments), Ok(labels)) => (alignments, labels),
        (Err(error), _) | (_, Err(error)) => return drop(error.to_string()),
    };
    let counted = FrameTiming::counted(0.01).expect("a valid hop");
    let windows = FrameTiming::windows(0.01, 0.025).expect("a valid hop");
    for id in alignments.ids() {
        let _ = (labels.fingerprint(id), labels.end_seconds(id));
        for timing in [counted, windows] {
            for frames in [1, 30] {
                let _ = labels.ends_early_by(id, frames, timing);
                if let Ok(of) = labels.of(id, frames, timing) {
                    assert_eq!(of.len(), frames as usize);
                    let classes = labels.class_names().len() as i32;
                    assert!(of.iter().all(|label| (0..classes).contains(label)));
                }
            }
        }
    }
}
