//! Statistics and checks of a corpus: size, lengths, speakers, classes.

use std::collections::{BTreeMap, BTreeSet};

use padwise_features::corpus::NonFinite;
use padwise_features::normalisation::Moments;
use padwise_features::{Corpus, CorpusError};
use serde::Serialize;

use super::target_survey::TargetSurvey;
use super::{AudioFacts, Opened};

/// Statistics and checks of a corpus, computed over every frame.
#[derive(Clone, Debug, Serialize)]
pub struct Survey {
    /// Number of utterances.
    pub utterances: usize,
    /// Total number of frames.
    pub frames: u64,
    /// Total duration in hours, if the frame hop is known.
    pub hours: Option<f64>,
    /// Sample rates of the audio in Hz, the lowest first; empty if unknown.
    pub sample_rates: Vec<u32>,
    /// The sample rates in words.
    #[serde(skip)]
    pub rates_text: Option<String>,
    /// Features per frame.
    pub dims: usize,
    /// Number of speakers, if known.
    pub speakers: Option<usize>,
    /// Utterance lengths in frames: minimum, quartiles and maximum.
    pub length_quartiles: [u32; 5],
    /// Length of each utterance, in frames.
    #[serde(skip)]
    pub lengths: Vec<u32>,
    /// Frames per class, by name, the most frequent class first.
    pub class_frames: Vec<(String, u64)>,
    /// The targets, if there are any.
    pub targets: Option<TargetSurvey>,
    /// Utterances that cannot be read, which no other field includes.
    pub skipped: Vec<Skipped>,
    /// The checks and their results.
    pub checks: Vec<Check>,
}

/// An utterance that cannot be read, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Id of the utterance.
    pub id: String,
    /// Why it cannot be read.
    pub reason: String,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Whether the check passed.
    pub passed: bool,
    /// What the check found.
    pub finding: String,
}

impl Survey {
    /// Reads the whole corpus. Calls `progress` with the number of utterances read, after each one. With `keep_going`, skips
    /// utterances that cannot be read, in addition to those in `skipped`.
    pub fn of(
        opened: &Opened,
        keep_going: bool,
        mut skipped: Vec<Skipped>,
        mut progress: impl FnMut(usize),
    ) -> Result<Self, CorpusError> {
        let corpus = opened.corpus.as_ref();
        let all = corpus.len() + skipped.len();
        let mut read = Vec::with_capacity(corpus.len());
        let mut moments = Moments::new(corpus.dims());
        let mut classes: BTreeMap<i32, u64> = BTreeMap::new();
        let (mut not_finite, mut first_not_finite) = (0, None);
        for utterance in 0..corpus.len() {
            let (features, labels) = match corpus.read(utterance) {
                Ok(utterance) => utterance,
                Err(error) if keep_going => {
                    skipped.push(Skipped {
                        id: corpus.id(utterance).into(),
                        reason: error.to_string(),
                    });
                    progress(utterance + 1);
                    continue;
                }
                Err(error) => return Err(error),
            };
            read.push(utterance);
            match NonFinite::first_in(corpus, utterance, &features) {
                None => moments.accumulate(&features).map_err(CorpusError::other)?,
                Some(found) => {
                    not_finite += 1;
                    first_not_finite.get_or_insert(found);
                }
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
        let lengths: Vec<u32> = read.iter().map(|&i| corpus.lengths()[i]).collect();
        let frames: u64 = lengths.iter().map(|&n| u64::from(n)).sum();
        let speakers: BTreeSet<&str> = read.iter().filter_map(|&i| corpus.speaker(i)).collect();
        let mut checks = vec![
            finite(not_finite, first_not_finite.as_ref(), read.len()),
            distinct_ids(corpus),
            varying(&moments),
            used_classes(corpus, &classes),
        ];
        let targets = TargetSurvey::of(corpus, &read)?;
        checks.extend(targets.as_ref().map(TargetSurvey::check));
        let audio = AudioFacts::of(&opened.description);
        checks.extend(audio.mel_bins());
        if keep_going {
            checks.push(readable(&skipped, all));
        }
        Ok(Survey {
            utterances: read.len(),
            frames,
            rates_text: audio.rates_text(),
            sample_rates: audio.rates,
            skipped,
            hours: opened.hop_ms.map(|ms| frames as f64 * ms / 3_600_000.0),
            dims: corpus.dims(),
            speakers: (!speakers.is_empty()).then_some(speakers.len()),
            length_quartiles: quartiles(&lengths),
            lengths,
            class_frames,
            targets,
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

fn readable(skipped: &[Skipped], all: usize) -> Check {
    Check {
        passed: skipped.is_empty(),
        finding: if skipped.is_empty() {
            "all utterances can be read".into()
        } else {
            format!("{} of {all} utterances cannot be read", skipped.len())
        },
    }
}

fn finite(not_finite: usize, first: Option<&NonFinite>, utterances: usize) -> Check {
    Check {
        passed: first.is_none(),
        finding: match first {
            None => format!("all features of {utterances} utterances are finite"),
            Some(first) => format!(
                "{not_finite} utterances have NaN or infinite features, the first in {first}"
            ),
        },
    }
}

fn distinct_ids(corpus: &dyn Corpus) -> Check {
    let mut seen = BTreeSet::new();
    let duplicate = (0..corpus.len())
        .map(|i| corpus.id(i))
        .find(|id| !seen.insert(*id));
    Check {
        passed: duplicate.is_none(),
        finding: match duplicate {
            None => "all ids are unique".into(),
            Some(id) => format!("duplicate id {id}"),
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
            "no feature dimension is constant".into()
        } else {
            format!("constant feature dimensions: {}", constant.join(", "))
        },
    }
}

fn used_classes(corpus: &dyn Corpus, classes: &BTreeMap<i32, u64>) -> Check {
    let Some(known) = corpus.classes() else {
        return Check {
            passed: true,
            finding: match corpus.target_set() {
                Some(_) => "no frame labels; the targets are enough for CTC".into(),
                None => "no frame labels and no targets".into(),
            },
        };
    };
    let in_range = |&&class: &&i32| usize::try_from(class).is_ok_and(|class| class < known);
    let used = classes.keys().filter(in_range).count();
    let outside = classes.len() - used;
    Check {
        passed: outside == 0,
        finding: if outside == 0 {
            format!("{used} of {known} classes occur, and all labels are valid")
        } else {
            format!("{outside} labels are not among the {known} classes")
        },
    }
}
