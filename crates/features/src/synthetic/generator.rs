//! The model behind the corpus: one utterance at a time, from its number alone.

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

/// A corpus that is made as it is read.
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

/// A phone of an utterance, and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhoneSpan {
    /// The phone's number: its name is in [`Synthetic::phone_names`].
    pub phone: usize,
    /// Its first frame.
    pub start: u32,
    /// How many frames it has.
    pub frames: u32,
}

impl fmt::Debug for Synthetic {
    /// Its config, which is all there is to tell: the tables follow from it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Synthetic").field(&self.config).finish()
    }
}

impl Synthetic {
    /// The corpus that a config describes. Makes the language's tables, some milliseconds' work, and no utterance.
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

    /// The number of utterances.
    pub fn len(&self) -> usize {
        self.config.utterances
    }

    /// Whether there are no utterances; there always are.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Numbers in a frame.
    pub fn dims(&self) -> usize {
        self.config.dims
    }

    /// Labels are below this.
    pub fn classes(&self) -> usize {
        self.config.classes
    }

    /// The frames of every utterance, without making any.
    pub fn lengths(&self) -> Vec<u32> {
        (0..self.len()).map(|index| self.length(index)).collect()
    }

    /// The frames of one utterance.
    ///
    /// This and what else is told about an utterance have an answer for any number: one past the end is an utterance
    /// of the larger corpus that this one is the beginning of. Only its features and labels are refused.
    pub fn length(&self, index: usize) -> u32 {
        self.speakers.facts(index).frames
    }

    /// The name of an utterance: the speaker's number, then its own.
    pub fn id(&self, index: usize) -> String {
        format!("s{:04}-{index:06}", self.speaker(index))
    }

    /// The number of the speaker of an utterance, below the number of speakers.
    pub fn speaker(&self, index: usize) -> u32 {
        self.speakers.facts(index).speaker
    }

    /// The accent of an utterance's speaker, 0 or 1. Features show it, labels do not.
    pub fn accent(&self, index: usize) -> usize {
        let facts = self.speakers.facts(index);
        self.speakers.voice(facts.speaker, self.dims()).accent
    }

    /// The topic of an utterance, from 0, which is mostly of short ones, to 3. Nothing but its phones shows it.
    pub fn topic(&self, index: usize) -> usize {
        self.speakers.facts(index).topic
    }

    /// The phones of an utterance by name, with spaces between and without silences.
    pub fn text(&self, index: usize) -> String {
        let (_, _, script) = self.prepare(index);
        let spoken = script.iter().filter(|spoken| spoken.phone != SILENCE);
        let names: Vec<&str> = spoken
            .map(|spoken| NAMES[usize::from(spoken.phone)])
            .collect();
        names.join(" ")
    }

    /// The phones of an utterance, silences too, one after the other from its first frame to its last.
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

    /// The names of all phones by number; silence is the first.
    pub fn phone_names(&self) -> &'static [&'static str] {
        &NAMES
    }

    /// The phone that a class is a state of, or none if there is no such class.
    pub fn phone_of(&self, class: usize) -> Option<usize> {
        let owner = self.tying.owners().get(class);
        owner.map(|&(phone, _)| usize::from(phone))
    }

    /// The features and the labels of an utterance, one label a frame.
    pub fn generate(&self, index: usize) -> Result<(Matrix, Vec<i32>), SyntheticError> {
        let frames = self.length(index) as usize;
        let mut features = Matrix::zeros(frames, self.dims());
        let mut labels = vec![0; frames];
        self.read_into(index, features.as_mut_slice(), &mut labels)?;
        Ok((features, labels))
    }

    /// Writes the features and the labels of an utterance to places of exactly their sizes.
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
            let room = features.len();
            let room = format!("features has room for {room} numbers instead of {numbers}");
            return Err(SyntheticError::Room { index, shape, room });
        }
        if labels.len() != frames {
            let shape = format!("{frames} frames");
            let room = format!("labels has room for {}", labels.len());
            return Err(SyntheticError::Room { index, shape, room });
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
