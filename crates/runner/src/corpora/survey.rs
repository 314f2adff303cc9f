//! What a corpus is like: how much, how long, who, which classes, and whether anything is wrong with it.

use std::collections::{BTreeMap, BTreeSet};

use padwise_features::normalisation::Moments;
use padwise_features::{Corpus, CorpusError};
use serde::Serialize;

/// The figures of a corpus. Every frame was read to find them.
#[derive(Clone, Debug, Serialize)]
pub struct Survey {
    /// Utterances.
    pub utterances: usize,
    /// Frames of all of them.
    pub frames: u64,
    /// How long that is, where the length of a frame is known.
    pub hours: Option<f64>,
    /// Numbers in a frame.
    pub dims: usize,
    /// How many people speak, where it is known who does.
    pub speakers: Option<usize>,
    /// The shortest utterance, the quartiles and the longest, in frames.
    pub length_quartiles: [u32; 5],
    /// Frames of each utterance.
    #[serde(skip)]
    pub lengths: Vec<u32>,
    /// Frames of each class, by name, the most frequent first.
    pub class_frames: Vec<(String, u64)>,
    /// What was looked at, and what was found.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Whether all is well.
    pub passed: bool,
    /// What was found, in a sentence.
    pub finding: String,
}

impl Survey {
    /// Reads a corpus from end to end. `progress` is told after each utterance.
    pub fn of(
        corpus: &dyn Corpus,
        hop_ms: Option<f64>,
        mut progress: impl FnMut(usize),
    ) -> Result<Self, CorpusError> {
        let lengths = corpus.lengths().to_vec();
        let frames: u64 = lengths.iter().map(|&n| u64::from(n)).sum();
        let mut moments = Moments::new(corpus.dims());
        let mut classes: BTreeMap<i32, u64> = BTreeMap::new();
        let mut not_finite = Vec::new();
        for utterance in 0..corpus.len() {
            let (features, labels) = corpus.read(utterance)?;
            if features.as_slice().iter().all(|x| x.is_finite()) {
                moments.accumulate(&features).map_err(CorpusError::other)?;
            } else {
                not_finite.push(corpus.id(utterance).to_string());
            }
            for label in labels {
                *classes.entry(label).or_default() += 1;
            }
            progress(utterance + 1);
        }
        let name = |class: i32| {
            let names = corpus.class_names();
            let name = usize::try_from(class)
                .ok()
                .and_then(|n| names?.get(n).cloned());
            name.unwrap_or_else(|| class.to_string())
        };
        let mut class_frames: Vec<(String, u64)> = classes
            .iter()
            .map(|(&class, &n)| (name(class), n))
            .collect();
        class_frames.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let speakers: BTreeSet<&str> = (0..corpus.len())
            .filter_map(|i| corpus.speaker(i))
            .collect();
        let checks = vec![
            finite(&not_finite, corpus.len()),
            distinct_ids(corpus),
            varying(&moments),
            used_classes(corpus, &classes),
        ];
        Ok(Survey {
            utterances: corpus.len(),
            frames,
            hours: hop_ms.map(|ms| frames as f64 * ms / 3_600_000.0),
            dims: corpus.dims(),
            speakers: (!speakers.is_empty()).then_some(speakers.len()),
            length_quartiles: quartiles(&lengths),
            lengths,
            class_frames,
            checks,
        })
    }
}

fn quartiles(lengths: &[u32]) -> [u32; 5] {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    [0, 1, 2, 3, 4].map(|quarter| sorted.get(last * quarter / 4).copied().unwrap_or(0))
}

fn finite(not_finite: &[String], utterances: usize) -> Check {
    Check {
        passed: not_finite.is_empty(),
        finding: match not_finite.first() {
            None => format!("all numbers of {utterances} utterances are finite"),
            Some(id) => format!(
                "{} utterances have numbers that are not finite, {id} first",
                not_finite.len()
            ),
        },
    }
}

fn distinct_ids(corpus: &dyn Corpus) -> Check {
    let mut seen = BTreeSet::new();
    let twice = (0..corpus.len())
        .map(|i| corpus.id(i))
        .find(|id| !seen.insert(*id));
    Check {
        passed: twice.is_none(),
        finding: match twice {
            None => "all ids are different".into(),
            Some(id) => format!("id {id} comes twice"),
        },
    }
}

fn varying(moments: &Moments) -> Check {
    let floor = 2.0 * padwise_features::normalisation::VARIANCE_FLOOR.sqrt();
    let constant: Vec<String> = (0..)
        .zip(moments.std())
        .filter(|&(_, std)| std < floor)
        .map(|(dim, _): (usize, f64)| dim.to_string())
        .collect();
    Check {
        passed: constant.is_empty(),
        finding: if constant.is_empty() {
            "every dimension varies".into()
        } else {
            format!("dimension {} never changes", constant.join(", "))
        },
    }
}

fn used_classes(corpus: &dyn Corpus, classes: &BTreeMap<i32, u64>) -> Check {
    let Some(known) = corpus.classes() else {
        return Check {
            passed: true,
            finding: "there are no labels".into(),
        };
    };
    let in_range = |&&class: &&i32| usize::try_from(class).is_ok_and(|class| class < known);
    let used = classes.keys().filter(in_range).count();
    let outside = classes.len() - used;
    Check {
        passed: outside == 0,
        finding: if outside == 0 {
            format!("{used} of {known} classes occur, and no label is outside them")
        } else {
            format!("{outside} labels are outside the {known} classes")
        },
    }
}
