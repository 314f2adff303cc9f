//! What the classes of a model are: states of phones, or symbols of CTC.

use padwise_decoder::{Ctc, Hmm, LanguageModel, Lexicon, Network};
use padwise_features::corpus::TargetUnit;
use padwise_features::states::{StateInventory, is_silence};
use serde::{Deserialize, Serialize};

use super::{ClassStatistics, WordsError};
use crate::corpora::Supervision;
use crate::experiment::Experiment;

/// The largest count of frames. The sum of all counts fits 64 bits.
const MOST_FRAMES: u64 = 1 << 42;

/// The classes of a model. Stored with its posteriors, so that they can be decoded later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Units {
    /// Phones or their states, in a hybrid model.
    States {
        /// The names of the phones.
        phones: Vec<String>,
        /// Frames of classes and durations of phones in the training set.
        statistics: ClassStatistics,
        /// The states of phones; none if each phone is one class.
        states: Option<Box<StateInventory>>,
    },
    /// Symbols of CTC; the blank follows them.
    Symbols {
        /// The names of the symbols.
        symbols: Vec<String>,
        /// Whether they are characters, which spell words.
        spell: bool,
    },
}

impl Units {
    /// The units of an experiment. A hybrid model needs the statistics of its classes.
    pub fn of(experiment: &Experiment) -> Result<Self, WordsError> {
        let split = &experiment.split;
        let corpus = split.training.as_ref();
        let unnamed = || {
            WordsError::Unsuitable(
                "the classes of the corpus have no names, so no pronunciation can be matched: prepare it with named labels, or remove [measure.words]"
                    .into(),
            )
        };
        match (split.supervision, corpus.target_set()) {
            (Supervision::Targets, Some(set)) => match set.unit {
                TargetUnit::Words => Err(WordsError::Unsuitable(
                    "targets are words, which need no lexicon: prepare the corpus with --targets chars or phones, or remove [measure.words]"
                        .into(),
                )),
                unit => Ok(Units::Symbols {
                    symbols: set.symbols.clone(),
                    spell: unit == TargetUnit::Chars,
                }),
            },
            (Supervision::FrameLabels, _) => Ok(Units::States {
                phones: match &experiment.states {
                    Some(states) => states.phones().to_vec(),
                    None => corpus.class_names().ok_or_else(unnamed)?.to_vec(),
                },
                statistics: ClassStatistics::of(split)?,
                states: experiment.states.as_deref().cloned().map(Box::new),
            }),
            (Supervision::LabelSequences | Supervision::Targets, _) => Ok(Units::Symbols {
                symbols: corpus.class_names().ok_or_else(unnamed)?.to_vec(),
                spell: false,
            }),
        }
    }

    /// Checks that the parts fit each other and frames of `dims` numbers. Units from a file need it.
    pub fn check(&self, dims: usize) -> Result<(), WordsError> {
        let wrong = |problem: String| Err(WordsError::Unsuitable(problem));
        if self.classes() != dims {
            return wrong(format!(
                "frames have {dims} numbers, but the model has {} classes: they are not its posteriors",
                self.classes()
            ));
        }
        if dims > usize::from(u16::MAX) {
            return wrong(format!("{dims} classes, the limit is {}", u16::MAX));
        }
        let Units::States {
            phones,
            statistics,
            states,
        } = self
        else {
            return Ok(());
        };
        let classes = match states {
            Some(states) if states.phones() == phones => states.len(),
            Some(_) => return wrong("the states belong to other phones".into()),
            None => phones.len(),
        };
        let (frames, segments) = (&statistics.phone_frames, &statistics.segments);
        if classes != dims || frames.len() != phones.len() || segments.len() != phones.len() {
            return wrong(format!(
                "{dims} classes and the durations of {} phones, but {classes} states of {} phones",
                segments.len(),
                phones.len()
            ));
        }
        let counts = statistics.frames.iter().chain(frames).chain(segments);
        if let Some(count) = counts.into_iter().find(|&&count| count > MOST_FRAMES) {
            return wrong(format!(
                "a count of {count} frames, the limit is {MOST_FRAMES}"
            ));
        }
        Ok(())
    }

    /// Number of classes, CTC's blank included.
    pub fn classes(&self) -> usize {
        match self {
            Units::States { statistics, .. } => statistics.frames.len(),
            Units::Symbols { symbols, .. } => symbols.len() + 1,
        }
    }

    /// Whether words are spelled by characters.
    pub fn spell(&self) -> bool {
        matches!(self, Units::Symbols { spell: true, .. })
    }

    /// The names of phones or symbols.
    pub fn names(&self) -> &[String] {
        match self {
            Units::States { phones, .. } => phones,
            Units::Symbols { symbols, .. } => symbols,
        }
    }

    /// The logarithms of class priors; none for CTC, whose posteriors are used as they are.
    pub fn log_priors(&self) -> Option<Vec<f32>> {
        match self {
            Units::States { statistics, .. } => Some(statistics.log_priors()),
            Units::Symbols { .. } => None,
        }
    }

    /// The search network of a lexicon and a language model.
    pub fn network(&self, lexicon: &Lexicon, model: &LanguageModel) -> Result<Network, WordsError> {
        let names = self.names();
        let silences =
            (0..names.len()).filter(|&name| names[name] != " " && is_silence(&names[name]));
        let fillers: Vec<usize> = silences.collect();
        match self {
            Units::States {
                phones,
                statistics,
                states,
            } => {
                let classes = |left, phone, right| match states {
                    Some(states) => states.classes(left, phone, right).map(|class| class as u16),
                    None => [phone as u16; 3],
                };
                let hmm = Hmm {
                    phones,
                    fillers: &fillers,
                    classes: statistics.frames.len(),
                    durations: &statistics.durations(),
                    states: &classes,
                };
                Ok(hmm.network(lexicon, model)?)
            }
            Units::Symbols { symbols, spell } => {
                let space = symbols.iter().position(|symbol| symbol == " ");
                let ctc = Ctc {
                    symbols,
                    space,
                    fillers: if *spell { &[] } else { &fillers },
                };
                Ok(ctc.network(lexicon, model)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(units: &Units, dims: usize) -> String {
        units.check(dims).expect_err("wrong units").to_string()
    }

    #[test]
    fn units_from_a_file_must_fit_together() {
        let phones = ["SIL", "a"].map(String::from).to_vec();
        let states = |statistics| Units::States {
            phones: phones.clone(),
            statistics,
            states: None,
        };
        let statistics = ClassStatistics::given(&[0.5, 0.5], &[3.0, 4.0]);
        let units = states(statistics.clone());
        assert!(units.check(2).is_ok());
        assert!(problem(&units, 3).starts_with("frames have 3 numbers, but the model has 2"));
        let mut wrong = statistics.clone();
        wrong.segments.pop();
        assert!(problem(&states(wrong), 2).contains("durations of 1 phones"));
        let mut wrong = statistics;
        wrong.frames[0] = u64::MAX;
        assert!(problem(&states(wrong), 2).contains("a count of 18446744073709551615 frames"));
        let symbols = Units::Symbols {
            symbols: phones,
            spell: false,
        };
        assert!(symbols.check(3).is_ok() && symbols.check(2).is_err());
    }
}
