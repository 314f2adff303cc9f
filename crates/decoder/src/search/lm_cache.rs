//! A cache of language model scores. A word stays active at its end for several frames, and asks for the same score in each.

use crate::language_model::LanguageModel;

/// Number of scores in the cache, as a power of two.
const SIZE: u32 = 16;

#[derive(Clone, Copy)]
struct Cached {
    history: u32,
    word: u32,
    score: f32,
    next: u32,
}

/// Scores by history and word. A new score replaces an older one in its place.
#[derive(Default)]
pub(super) struct LmCache {
    scores: Vec<Cached>,
}

impl LmCache {
    /// Forgets all scores. The next utterance may have another model.
    pub fn clear(&mut self) {
        let empty = Cached {
            history: u32::MAX,
            word: u32::MAX,
            score: 0.0,
            next: 0,
        };
        self.scores.clear();
        self.scores.resize(1 << SIZE, empty);
    }

    /// The score of a word after a history, and the next history.
    #[inline]
    pub fn score(&mut self, model: &LanguageModel, history: u32, word: u32) -> (f32, u32) {
        let key = u64::from(history) << 32 | u64::from(word);
        let at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SIZE)) as usize;
        let cached = &mut self.scores[at];
        if cached.history != history || cached.word != word {
            let (score, next) = model.score(history, word);
            *cached = Cached {
                history,
                word,
                score,
                next,
            };
        }
        (cached.score, cached.next)
    }
}
