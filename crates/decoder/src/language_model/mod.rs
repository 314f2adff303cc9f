//! Back-off language models: the probability of a word after the words before it.
//!
//! A [`LanguageModel`] is read from an ARPA file of any order up to 10. It is an automaton: a state is a history of words, and each
//! word leads to the next state. The words are those of a [`Lexicon`].
//!
//! The probability of a word after a history is that of the longest n-gram in the model (Katz, 1987). For every word by
//! which the history is shortened to find it, a back-off weight is added. Histories that have neither successors
//! nor a weight give the same scores as their shorter ones, so they are not states.

mod arpa;
mod automaton;
mod limits;
mod n_grams;
mod vocabulary;

use std::io::BufRead;
use std::path::Path;

pub use limits::ModelLimits;

use crate::error::DecoderError;
use crate::lexicon::Lexicon;
use crate::lines::open;

/// A history of words, as the number of a state.
pub type LmState = u32;

/// The state of the empty history.
const EMPTY: LmState = 0;

/// A back-off language model over the words of a lexicon. All scores are natural logarithms.
#[derive(Clone, Debug)]
pub struct LanguageModel {
    order: usize,
    start: LmState,
    /// In the order of their histories' lengths; the last is only the end of the successors.
    states: Vec<State>,
    successors: Vec<Successor>,
    /// The score after the empty history and the next state of each word. The score is −∞ for a word without a unigram.
    unigrams: Vec<(f32, LmState)>,
    /// N-grams that end with `<unk>`, by their history.
    unknown: Vec<(LmState, Successor)>,
    skipped: SkippedWords,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// Where its successors begin. They end where those of the next state begin.
    successors: u32,
    backoff: f32,
    backoff_state: LmState,
    /// The score of the end of a sentence, with back-off.
    end: f32,
}

/// A word that follows a history in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Successor {
    /// The word's number in the lexicon.
    pub word: u32,
    /// Natural logarithm of its probability.
    pub score: f32,
    /// The state after the word.
    pub next: LmState,
}

/// Words of a model that have no pronunciation, so they cannot be recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkippedWords {
    /// How many words.
    pub count: u64,
    /// How many n-grams contain one, the words themselves included.
    pub n_grams: u64,
    /// The first one and its line.
    pub first: Option<(String, u64)>,
}

impl LanguageModel {
    /// Reads an ARPA file, plain or compressed with gzip. Its words are normalised and looked up in the lexicon.
    ///
    /// N-grams with words that the lexicon does not have are [skipped](Self::skipped). If two words become the same word,
    /// the one that only changes its case is used; it is an error if there is no such difference.
    pub fn read(
        path: impl AsRef<Path>,
        lexicon: &Lexicon,
        normalise: impl Fn(&str) -> String,
        limits: ModelLimits,
    ) -> Result<Self, DecoderError> {
        let path = path.as_ref();
        LanguageModel::parse(path, open(path)?, lexicon, normalise, limits)
    }

    /// Reads an ARPA model from anything; `name` is for messages.
    pub fn parse(
        name: &Path,
        reader: impl BufRead,
        lexicon: &Lexicon,
        normalise: impl Fn(&str) -> String,
        limits: ModelLimits,
    ) -> Result<Self, DecoderError> {
        let (n_grams, skipped) = arpa::parse(name, reader, lexicon, normalise, limits)?;
        let words = lexicon.words().len();
        Ok(automaton::build(n_grams, words, skipped))
    }

    /// The normalised words of an ARPA file, each once, for a [lexicon that spells them](Lexicon::spelled).
    pub fn words(
        path: impl AsRef<Path>,
        normalise: impl Fn(&str) -> String,
        limits: ModelLimits,
    ) -> Result<Vec<String>, DecoderError> {
        let path = path.as_ref();
        let words = arpa::words(path, open(path)?, limits)?;
        let mut words: Vec<String> = words.iter().map(|word| normalise(word)).collect();
        words.retain(|word| !word.is_empty() && !word.contains(' '));
        words.sort_unstable();
        words.dedup();
        Ok(words)
    }

    /// The longest n-grams of the model.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The state at the start of a sentence, after `<s>`.
    pub fn start(&self) -> LmState {
        self.start
    }

    /// The score of a word after a history, and the next state.
    ///
    /// A word that the model does not have is scored as `<unk>`. Without `<unk>`, its score is −∞.
    pub fn score(&self, state: LmState, word: u32) -> (f32, LmState) {
        match self.unigram_entry(word) {
            Some(unigram) => self.follow(state, unigram, |state| self.successor(state, word)),
            None => self.score_unknown(state),
        }
    }

    /// The score of the end of a sentence, `</s>`, after a history.
    pub fn end(&self, state: LmState) -> f32 {
        self.states[state as usize].end
    }

    /// The score of a word after the empty history.
    pub fn unigram(&self, word: u32) -> f32 {
        self.score(EMPTY, word).0
    }

    /// Whether a word has a probability: its own, or that of `<unk>`.
    pub fn knows(&self, word: u32) -> bool {
        self.unigram(word) > f32::NEG_INFINITY
    }

    /// The weight and the state of the shorter history; none for the empty history.
    pub fn backoff(&self, state: LmState) -> Option<(f32, LmState)> {
        let found = &self.states[state as usize];
        (state != EMPTY).then_some((found.backoff, found.backoff_state))
    }

    /// The words that follow a history without back-off, sorted by number.
    pub fn successors(&self, state: LmState) -> &[Successor] {
        let state = state as usize;
        let (start, end) = (&self.states[state], &self.states[state + 1]);
        &self.successors[start.successors as usize..end.successors as usize]
    }

    /// The number of states. States are numbered from 0, the empty history.
    pub fn states(&self) -> usize {
        self.states.len() - 1
    }

    /// The words of the model that have no pronunciation.
    pub fn skipped(&self) -> &SkippedWords {
        &self.skipped
    }

    fn unigram_entry(&self, word: u32) -> Option<(f32, LmState)> {
        let unigram = self.unigrams.get(word as usize).copied();
        unigram.filter(|(score, _)| *score > f32::NEG_INFINITY)
    }

    fn successor(&self, state: LmState, word: u32) -> Option<Successor> {
        let successors = self.successors(state);
        let found = successors.binary_search_by_key(&word, |successor| successor.word);
        found.ok().map(|index| successors[index])
    }

    fn score_unknown(&self, state: LmState) -> (f32, LmState) {
        let successor = |state: LmState| {
            let found = self.unknown.binary_search_by_key(&state, |(from, _)| *from);
            found.ok().map(|index| self.unknown[index].1)
        };
        let unigram = successor(EMPTY).map_or((f32::NEG_INFINITY, EMPTY), |found| {
            (found.score, found.next)
        });
        self.follow(state, unigram, successor)
    }

    /// Shortens the history until it has a successor, which the empty one has.
    fn follow(
        &self,
        mut state: LmState,
        unigram: (f32, LmState),
        successor: impl Fn(LmState) -> Option<Successor>,
    ) -> (f32, LmState) {
        let mut weights = 0.0;
        while state != EMPTY {
            if let Some(found) = successor(state) {
                return (weights + found.score, found.next);
            }
            let State {
                backoff,
                backoff_state,
                ..
            } = self.states[state as usize];
            weights += backoff;
            state = backoff_state;
        }
        (weights + unigram.0, unigram.1)
    }
}
