//! States of phones: exact small examples, properties of labels, planted dependencies, and real speech.

use std::sync::Arc;

use padwise_features::corpus::{NO_LABEL, ReadError};
use padwise_features::raw::RawCorpus;
use padwise_features::states::{MIN_FRAMES, StateInventory, StateKind, StateLabelled};
use padwise_features::{Corpus, CorpusError, SyntheticConfig, SyntheticCorpus};
use proptest::prelude::*;

use crate::support::{cases, shared_data};

/// A corpus in memory, one dimension per frame.
#[derive(Default)]
pub struct Made {
    names: Vec<String>,
    lengths: Vec<u32>,
    features: Vec<Vec<f32>>,
    labels: Vec<Vec<i32>>,
}

impl Made {
    pub fn new(names: &[&str]) -> Self {
        Made {
            names: names.iter().map(|&name| name.into()).collect(),
            ..Made::default()
        }
    }

    pub fn push(&mut self, features: Vec<f32>, labels: Vec<i32>) {
        self.lengths.push(labels.len() as u32);
        self.features.push(features);
        self.labels.push(labels);
    }

    pub fn of_labels(names: &[&str], labels: Vec<Vec<i32>>) -> Self {
        let mut corpus = Made::new(names);
        for labels in labels {
            // The label, and its place in the utterance.
            let features = (0u16..)
                .zip(&labels)
                .map(|(at, &label)| label as f32 + f32::from(at % 7) / 10.0);
            corpus.push(features.collect(), labels);
        }
        corpus
    }

    pub fn all(&self) -> Vec<usize> {
        (0..self.len()).collect()
    }
}

impl Corpus for Made {
    fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    fn dims(&self) -> usize {
        1
    }

    fn class_names(&self) -> Option<&[String]> {
        Some(&self.names)
    }

    fn id(&self, _: usize) -> &str {
        "made"
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        let (start, end) = (start as usize, start as usize + features.len());
        let past = || ReadError::PastTheEnd {
            id: "made".into(),
            start,
            frames: features.len(),
            length: self.lengths[utterance],
        };
        let all = self.features[utterance].get(start..end).ok_or_else(past)?;
        features.copy_from_slice(all);
        if !labels.is_empty() {
            labels.copy_from_slice(&self.labels[utterance][start..end]);
        }
        Ok(())
    }
}

pub fn learn(corpus: &Made, kind: StateKind) -> StateInventory {
    StateInventory::learn(corpus, &corpus.all(), kind).expect("states")
}

/// A tiny language in which `A` depends on the kind of its neighbours: its beginning on the left, its end on the right.
pub fn planted(repeats: usize) -> Made {
    let mut corpus = Made::new(&["SIL", "A", "B", "C", "D", "E"]);
    let centres = [0.0, 50.0, 10.0, 11.0, -10.0, -11.0f32];
    let shift = |phone: usize| centres[phone] / 5.0;
    for repeat in 0..repeats {
        for left in 2..6 {
            for right in 2..6 {
                let phones = [0, left, 1, right, 0];
                let (mut features, mut labels) = (Vec::new(), Vec::new());
                for (place, &phone) in phones.iter().enumerate() {
                    for frame in 0..6 {
                        let part = frame / 2;
                        let noise = ((repeat * 31 + left * 7 + right * 13 + place * 5 + frame * 3)
                            % 11) as f32
                            / 11.0;
                        let coarticulation = match (phone, part) {
                            (1, 0) => shift(left),
                            (1, 2) => shift(right),
                            _ => 0.0,
                        };
                        features.push(centres[phone] + coarticulation + noise);
                        labels.push(phone as i32);
                    }
                }
                corpus.push(features, labels);
            }
        }
    }
    corpus
}

#[test]
fn thirds_of_a_segment_are_three_states_of_its_phone() {
    let corpus = Made::of_labels(
        &["SIL", "A"],
        vec![vec![0, 1, 1, 1, 1, NO_LABEL, 1, 1, 0, 0, 0, 0, 0]],
    );
    let states = Arc::new(learn(&corpus, StateKind::Thirds));
    assert_eq!(
        states.class_names().join(" "),
        "SIL.0 SIL.1 SIL.2 A.0 A.1 A.2"
    );
    assert!(!states.is_context_dependent());
    assert_eq!(states.classes(0, 1, 0), [3, 4, 5]);
    let corpus = StateLabelled::new(corpus, states).expect("the same phones");
    let (_, labels) = corpus.read(0).expect("an utterance");
    assert_eq!(labels, [0, 3, 3, 4, 5, NO_LABEL, 3, 4, 0, 0, 1, 1, 2]);
    assert_eq!(corpus.classes(), Some(6));
}

#[test]
fn phones_keep_their_labels() {
    let corpus = Made::of_labels(&["SIL", "A"], vec![vec![0, 1, 1, NO_LABEL]]);
    let states = learn(&corpus, StateKind::Phones);
    assert_eq!((states.classes(0, 1, 9), states.phone_of(1)), ([1; 3], 1));
    assert_eq!(states.class_names(), ["SIL", "A"]);
    let corpus = StateLabelled::new(corpus, Arc::new(states)).expect("the same phones");
    assert_eq!(corpus.read(0).expect("an utterance").1, [0, 1, 1, NO_LABEL]);
}

#[test]
fn trees_find_a_planted_dependency() {
    let corpus = planted(10);
    // 18 thirds and the two splits that matter.
    let states = learn(&corpus, StateKind::Tied(20));
    assert_eq!(states.len(), 20);
    assert!(
        states.is_context_dependent() && states.gain() > Some(0.05),
        "{:?}",
        states.gain()
    );
    let [b, c, d, e] = [2, 3, 4, 5];
    assert_eq!(states.classes(b, 1, d), states.classes(c, 1, e));
    assert_eq!(states.classes(d, 1, b), states.classes(e, 1, c));
    let (one, other) = (states.classes(b, 1, d), states.classes(d, 1, b));
    assert!(
        one[0] != other[0] && one[1] == other[1] && one[2] != other[2],
        "{one:?} {other:?}"
    );
    let names = one.map(|class| states.class_names()[class].as_str());
    assert_eq!(names.join(" "), "A.0[0] A.1 A.2[0]");
    // Silence has one state per third in any context.
    assert_eq!(states.classes(b, 0, c), [0, 1, 2]);
    assert_eq!(states.boundary(), 0);
}

#[test]
fn splits_leave_enough_frames_in_every_leaf_and_stop_when_none_is_left() {
    let corpus = planted(20);
    let states = Arc::new(learn(&corpus, StateKind::Tied(60_000)));
    assert!((20..200).contains(&states.len()), "{}", states.len());
    let mut frames = vec![0u64; states.len()];
    let all = corpus.all();
    let labelled = StateLabelled::new(corpus, states.clone()).expect("the same phones");
    for utterance in all {
        for label in labelled.read(utterance).expect("an utterance").1 {
            frames[label as usize] += 1;
        }
    }
    assert!(
        frames.iter().all(|&frames| frames >= MIN_FRAMES),
        "{frames:?}"
    );
    // Too few frames for any split.
    assert_eq!(learn(&planted(1), StateKind::Tied(100)).len(), 18);
}

#[test]
fn phones_without_frames_have_states() {
    let corpus = Made::of_labels(&["A", "unseen"], vec![vec![0; 5]]);
    let states = learn(&corpus, StateKind::Tied(6));
    assert_eq!(states.classes(0, 1, 0), [3, 4, 5]);
    // No phone is silence.
    assert_eq!(states.boundary(), 2);
    let nothing = StateInventory::learn(&corpus, &[], StateKind::Tied(10)).expect("states");
    assert_eq!((nothing.len(), nothing.gain()), (6, Some(0.0)));
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let config = SyntheticConfig {
        utterances: 150,
        classes: 123,
        ..SyntheticConfig::default()
    };
    let corpus = SyntheticCorpus::new(config).expect("a corpus");
    let all: Vec<usize> = (0..corpus.len()).collect();
    let learnt = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        let states = pool.install(|| StateInventory::learn(&corpus, &all, StateKind::Tied(600)));
        serde_json::to_string(&states.expect("states")).expect("JSON")
    };
    let one = learnt(1);
    assert!(one.contains("left"), "no tree has a split");
    assert!(one == learnt(2) && one == learnt(5));
}

/// Some utterances of phones 0 to 4 in segments of 1 to 12 frames; 5 stands for unlabelled frames.
fn utterances() -> impl Strategy<Value = Vec<Vec<i32>>> {
    let segment = (0..6i32, 1..12usize);
    let utterance = prop::collection::vec(segment, 1..20).prop_map(|segments| {
        let frames = segments.iter().flat_map(|&(label, frames)| {
            let label = if label == 5 { NO_LABEL } else { label };
            std::iter::repeat_n(label, frames)
        });
        frames.collect()
    });
    prop::collection::vec(utterance, 1..40)
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn labels_keep_their_phone_and_parts_follow_each_other(
        phones in utterances(),
        kind in prop::sample::select(vec![StateKind::Thirds, StateKind::Tied(15), StateKind::Tied(400)]),
        cuts in prop::collection::vec(0.0..1.0f64, 0..4),
    ) {
        let corpus = Made::of_labels(&["sp", "A", "B", "C", "D"], phones.clone());
        let states = Arc::new(learn(&corpus, kind));
        let part: Vec<usize> = states.class_names().iter().map(|name| {
            let place = name.find('.').expect("a part") + 1;
            name[place..place + 1].parse().expect("a part")
        }).collect();
        let corpus = StateLabelled::new(corpus, states.clone()).expect("the same phones");
        for (utterance, phones) in phones.iter().enumerate() {
            let (features, labels) = corpus.read(utterance).expect("an utterance");
            for (frame, (&label, &phone)) in labels.iter().zip(phones).enumerate() {
                let Ok(class) = usize::try_from(label) else {
                    prop_assert_eq!(phone, NO_LABEL);
                    continue;
                };
                prop_assert_eq!(states.phone_of(class) as i32, phone);
                let is_first = frame == 0 || phones[frame - 1] != phone;
                let before = if is_first { 0 } else { part[labels[frame - 1] as usize] };
                prop_assert!(part[class] == 0 || (!is_first && part[class] - before <= 1));
                prop_assert!(is_first || part[class] >= before);
            }
            // Any chunks, read in any order, have the same labels.
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| (cut * phones.len() as f64) as usize).collect();
            cuts.extend([0, phones.len()]);
            cuts.sort_unstable();
            for pair in cuts.windows(2).rev() {
                let (mut frames, mut chunk) = (vec![0.0; pair[1] - pair[0]], vec![0; pair[1] - pair[0]]);
                corpus.read_into(utterance, pair[0] as u32, &mut frames, &mut chunk).expect("a chunk");
                prop_assert_eq!(&chunk[..], &labels[pair[0]..pair[1]]);
                prop_assert_eq!(&frames[..], &features.as_slice()[pair[0]..pair[1]]);
            }
        }
    }
}

#[test]
fn tied_states_of_real_speech_fit_better_than_thirds() {
    let test = "tied_states_of_real_speech_fit_better_than_thirds";
    let Some(path) = shared_data(test, "librispeech/dev-clean-a.tar.xz") else {
        return;
    };
    let corpus = RawCorpus::open(path).expect("a corpus");
    let all: Vec<usize> = (0..corpus.len()).collect();
    let states = StateInventory::learn(&corpus, &all, StateKind::Tied(1500)).expect("states");
    let gain = states.gain().expect("a gain");
    assert_eq!(states.len(), 1500);
    assert!(gain > 0.5, "{gain}");
    // Vowels differ most between contexts; silence has 3 states.
    let states_of = |name: &str| {
        let phone = states
            .phones()
            .iter()
            .position(|phone| phone == name)
            .expect("a phone");
        (0..states.len())
            .filter(|&class| states.phone_of(class) == phone)
            .count()
    };
    assert_eq!((states_of("SIL"), states_of("+NSN+")), (3, 3));
    assert!(states_of("AH") > states_of("ZH"));
}
