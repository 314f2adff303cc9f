//! Generates one utterance at a time, from its number alone.

use std::fmt;

use super::config::SyntheticConfig;
use super::draw::{Draw, Purpose};
use super::error::SyntheticError;
use super::facts::{Facts, Speakers, Voice};
use super::grammar::Grammar;
use super::phones::{NAMES, SILENCE};
use super::render::{self, Scene};
use super::script::{Spoken, script};
use super::sounds::Sounds;
use super::tying::Tying;
use crate::matrix::Matrix;

/// A corpus that is generated on demand.
///
/// ```
/// use padwise_features::{Synthetic, SyntheticConfig};
///
/// let corpus = Synthetic::new(SyntheticConfig { utterances: 1000, ..Default::default() })?;
/// let (features, labels) = corpus.generate(123)?;
/// assert_eq!(features.rows(), corpus.lengths()[123] as usize);
/// assert_eq!(features.rows(), labels.len());
/// assert!(labels.iter().all(|&label| (label as usize) < corpus.classes()));
/// # Ok::<(), padwise_features::SyntheticError>(())
/// ```
pub struct Synthetic {
    config: SyntheticConfig,
    speakers: Speakers,
    grammar: Grammar,
    tying: Tying,
    sounds: Sounds,
}

/// A phone of an utterance and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhoneSpan {
    /// Number of the phone; its name is in [`Synthetic::phone_names`].
    pub phone: usize,
    /// First frame.
    pub start: u32,
    /// Number of frames.
    pub frames: u32,
}

impl fmt::Debug for Synthetic {
    /// Prints only the config, which determines everything else.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Synthetic").field(&self.config).finish()
    }
}

impl Synthetic {
    /// Creates the corpus that `config` describes. Builds the tables of the language, which takes milliseconds, but no
    /// utterances.
    pub fn new(config: SyntheticConfig) -> Result<Self, SyntheticError> {
        config.validate()?;
        let grammar = Grammar::new(config.language);
        let tying = Tying::new(grammar.bigrams(), config.classes);
        Ok(Synthetic {
            speakers: Speakers::new(config.seed, config.profile, config.speakers),
            sounds: Sounds::new(config.language, config.dims, tying.owners()),
            grammar,
            tying,
            config,
        })
    }

    /// Number of utterances.
    pub fn len(&self) -> usize {
        self.config.utterances
    }

    /// Whether there are no utterances; always false.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Dimensions of a frame.
    pub fn dims(&self) -> usize {
        self.config.dims
    }

    /// Number of label classes.
    pub fn classes(&self) -> usize {
        self.config.classes
    }

    /// Lengths of all utterances in frames. Generates no frames.
    pub fn lengths(&self) -> Vec<u32> {
        (0..self.len()).map(|index| self.length(index)).collect()
    }

    /// Length of an utterance in frames.
    ///
    /// This and the other properties of an utterance are defined for any number. A number past the end refers to the
    /// larger corpus of which this one is a prefix. Only features and labels are limited to this corpus.
    pub fn length(&self, index: usize) -> u32 {
        self.speakers.facts(index).frames
    }

    /// Id of an utterance: the number of its speaker, then its own number.
    pub fn id(&self, index: usize) -> String {
        format!("s{:04}-{index:06}", self.speaker(index))
    }

    /// Number of the speaker of an utterance.
    pub fn speaker(&self, index: usize) -> u32 {
        self.speakers.facts(index).speaker
    }

    /// Accent of the speaker of an utterance, 0 or 1. It shows in the features, not in the labels.
    pub fn accent(&self, index: usize) -> usize {
        let facts = self.speakers.facts(index);
        self.speakers.voice(facts.speaker, self.dims()).accent
    }

    /// Topic of an utterance, from 0 (mostly short utterances) to 3. It shows only in the choice of phones.
    pub fn topic(&self, index: usize) -> usize {
        self.speakers.facts(index).topic
    }

    /// Names of the phones of an utterance, separated by spaces, without silence.
    pub fn text(&self, index: usize) -> String {
        let (_, _, script) = self.prepare(index);
        let spoken = script.iter().filter(|spoken| spoken.phone != SILENCE);
        let names: Vec<&str> = spoken
            .map(|spoken| NAMES[usize::from(spoken.phone)])
            .collect();
        names.join(" ")
    }

    /// Phones of an utterance including silence, from its first frame to its last.
    pub fn phones(&self, index: usize) -> Vec<PhoneSpan> {
        let (_, _, script) = self.prepare(index);
        let mut start = 0;
        script
            .iter()
            .map(|spoken| {
                let span = PhoneSpan {
                    phone: usize::from(spoken.phone),
                    start,
                    frames: spoken.total(),
                };
                start += span.frames;
                span
            })
            .collect()
    }

    /// Names of all phones by number; silence is the first.
    pub fn phone_names(&self) -> &'static [&'static str] {
        &NAMES
    }

    /// The phone that a class belongs to; `None` if there is no such class.
    pub fn phone_of(&self, class: usize) -> Option<usize> {
        let owner = self.tying.owners().get(class);
        owner.map(|&(phone, _)| usize::from(phone))
    }

    /// Generates the features of an utterance, and one label per frame.
    pub fn generate(&self, index: usize) -> Result<(Matrix, Vec<i32>), SyntheticError> {
        let frames = self.length(index) as usize;
        let mut features = Matrix::zeros(frames, self.dims());
        let mut labels = vec![0; frames];
        self.read_into(index, features.as_mut_slice(), &mut labels)?;
        Ok((features, labels))
    }

    /// Writes the features and labels of an utterance into buffers of exactly the right sizes.
    pub fn read_into(
        &self,
        index: usize,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), SyntheticError> {
        let utterances = self.len();
        if index >= utterances {
            return Err(SyntheticError::NoSuchUtterance { index, utterances });
        }
        let (facts, voice, script) = self.prepare(index);
        let (frames, dims) = (facts.frames as usize, self.dims());
        let numbers = frames * dims;
        if features.len() != numbers {
            let shape = format!("{frames} frames of {dims} dimensions");
            let found = features.len();
            let buffer = format!("the feature buffer holds {found} values instead of {numbers}");
            return Err(SyntheticError::BufferSize {
                index,
                shape,
                buffer,
            });
        }
        if labels.len() != frames {
            let shape = format!("{frames} frames");
            let buffer = format!("the label buffer holds {}", labels.len());
            return Err(SyntheticError::BufferSize {
                index,
                shape,
                buffer,
            });
        }
        render::labels(&self.tying, &script, labels);
        let scene = Scene {
            sounds: &self.sounds,
            voice: &voice,
            labels,
            opening: script.first().map_or(0, Spoken::total) as usize,
            noise: self.config.noise,
        };
        let mut draw = Draw::new(self.config.seed, index as u64, Purpose::NOISE);
        scene.render(&mut draw, features);
        Ok(())
    }

    fn prepare(&self, index: usize) -> (Facts, Voice, Vec<Spoken>) {
        let facts = self.speakers.facts(index);
        let voice = self.speakers.voice(facts.speaker, self.dims());
        let script = script(&self.grammar, self.config.seed, index, &facts, voice.rate);
        (facts, voice, script)
    }
}
