//! Makes the automaton of a language model from its n-grams.
//!
//! States are made order by order, so that everything about shorter histories is complete when a longer one needs it.

use super::n_grams::{NGram, NGrams};
use super::vocabulary::Markers;
use super::{EMPTY, LanguageModel, LmState, SkippedWords, State, Successor};

/// Marks an n-gram that is not the history of a state.
const NONE: LmState = LmState::MAX;

/// The automaton for n-grams over this many words.
pub(super) fn build(n_grams: NGrams, words: usize, skipped: SkippedWords) -> LanguageModel {
    let markers = Markers::after(words);
    let order = n_grams.levels.len();
    let mut model = LanguageModel {
        order,
        start: EMPTY,
        states: vec![State {
            successors: 0,
            backoff: 0.0,
            backoff_state: EMPTY,
            end: f32::NEG_INFINITY,
        }],
        successors: Vec::new(),
        unigrams: vec![(f32::NEG_INFINITY, EMPTY); words],
        unknown: Vec::new(),
        skipped,
    };
    // The state of each n-gram one level below.
    let mut histories = vec![EMPTY];
    let mut levels = n_grams.levels.into_iter().peekable();
    while let Some(level) = levels.next() {
        let longer = levels.peek();
        let mut states = Vec::with_capacity(longer.map_or(0, |_| level.n_grams.len()));
        for (index, &history) in histories.iter().enumerate() {
            if history != NONE {
                model.open(history);
            }
            for n_gram in level.after(index) {
                let number = states.len();
                let has_successors = longer.is_some_and(|longer| !longer.after(number).is_empty());
                let is_state = longer.is_some()
                    && n_gram.score != f32::NEG_INFINITY
                    && n_gram.word != markers.end
                    && (has_successors || n_gram.backoff != 0.0);
                let state = model.add(history, n_gram, is_state, &markers);
                if longer.is_some() {
                    states.push(state);
                }
            }
        }
        histories = states;
    }
    model.successors.shrink_to_fit();
    model.states.push(State {
        successors: model.successors.len() as u32,
        ..model.states[0]
    });
    model.states.shrink_to_fit();
    model
}

impl LanguageModel {
    /// Starts the successors of a state. Until `</s>` is among them, the sentence ends by back-off.
    fn open(&mut self, state: LmState) {
        let shorter = self.states[state as usize].backoff_state;
        let end = self.states[shorter as usize].end;
        let successors = self.successors.len() as u32;
        let opened = &mut self.states[state as usize];
        opened.successors = successors;
        opened.end = opened.backoff + end;
    }

    /// Adds an n-gram to the state of its history. Returns its own state, if it gets one.
    fn add(
        &mut self,
        history: LmState,
        n_gram: &NGram,
        is_state: bool,
        markers: &Markers,
    ) -> LmState {
        let &NGram { word, backoff, .. } = n_gram;
        if n_gram.score == f32::NEG_INFINITY {
            return NONE;
        }
        // The score and the state without the first word of the history.
        let (weight, shorter) = match self.backoff(history) {
            None => (0.0, (0.0, EMPTY)),
            Some((weight, _)) if word == markers.end => (weight, (0.0, EMPTY)),
            Some((weight, state)) if word == markers.unknown => (weight, self.score_unknown(state)),
            Some((weight, state)) => (weight, self.score(state, word)),
        };
        let score = if n_gram.score.is_nan() {
            weight + shorter.0
        } else {
            n_gram.score
        };
        let own = if is_state {
            self.states.push(State {
                successors: 0,
                backoff,
                backoff_state: shorter.1,
                end: f32::NEG_INFINITY,
            });
            self.states.len() as LmState - 1
        } else {
            NONE
        };
        let next = if is_state { own } else { shorter.1 };
        let successor = Successor { word, score, next };
        if word == markers.start {
            self.start = next;
        } else if word == markers.end {
            self.states[history as usize].end = score;
        } else if word == markers.unknown {
            self.unknown.push((history, successor));
        } else {
            if history == EMPTY {
                self.unigrams[word as usize] = (score, next);
            }
            self.successors.push(successor);
        }
        own
    }
}
