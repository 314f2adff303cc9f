//! Time-synchronous Viterbi beam search.
//!
//! A path is at a node of the network with a history of the language model. Paths that agree in both compete, and the best one wins.
//! Such a pair is an `Active` node. In every frame
//!
//! 1. all active nodes move on by one frame (`advance`),
//! 2. paths that leave a node enter its children, or end a word and enter a root (`expand`),
//! 3. active nodes far below the best one are removed (`pruning`).
//!
//! Scores are natural logarithms. A path's score is the sum of acoustic scores, transitions and scaled language model scores, plus the
//! look-ahead of its current node. The best score of each frame is subtracted from all, so 32 bits suffice for any length.
//!
//! The search follows Ney and Ortmanns (1999), "Dynamic programming search for continuous speech recognition".

mod acoustic_look_ahead;
mod active;
mod advance;
mod expand;
mod finish;
mod lm_cache;
mod pruning;
mod root_entries;

use acoustic_look_ahead::AcousticLookAhead;
use active::{Active, ActiveNodes, Leaving};
use lm_cache::LmCache;
use root_entries::RootEntries;

use crate::language_model::LanguageModel;
use crate::network::Network;

/// The lowest acoustic score. Lower ones, minus infinity and NaN count as this, so one bad frame does not end all paths.
const LOWEST: f32 = -1e4;

/// Marks the beginning of an utterance in a chain of words.
const NO_TRACE: u32 = u32::MAX;

/// The weights and limits of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// Factor for scores of the language model.
    pub lm_scale: f32,
    /// Subtracted for every word.
    pub word_penalty: f32,
    /// Paths whose score is further below the best one are removed. It must grow with the scale of the language model.
    pub beam: f32,
    /// At most about so many active nodes are kept per frame.
    pub max_active: usize,
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            lm_scale: 5.0,
            word_penalty: 0.0,
            beam: 70.0,
            max_active: 3_000,
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// The words, as numbers of the lexicon.
    pub words: Vec<u32>,
    /// The score of the best path.
    pub score: f64,
    /// Whether the best path ends with a complete word. If none does, `words` are those of the best incomplete path.
    pub complete: bool,
    /// Mean number of active nodes per frame.
    pub mean_active: f64,
}

/// A decoder for one network and language model. The same decoder serves all threads.
#[derive(Clone, Copy)]
pub struct Decoder<'a> {
    /// The network.
    pub network: &'a Network,
    /// The language model.
    pub model: &'a LanguageModel,
    /// Weights and limits.
    pub settings: SearchSettings,
}

/// A word in a chain of words.
#[derive(Clone, Copy, Debug)]
struct Trace {
    word: u32,
    before: u32,
}

/// The memory of a search, which is kept from one utterance to the next.
#[derive(Default)]
pub struct Workspace {
    active: ActiveNodes,
    leaving: Vec<Leaving>,
    entries: RootEntries,
    traces: Vec<Trace>,
    cache: LmCache,
    acoustic: Vec<f32>,
    ahead: AcousticLookAhead,
}

impl Decoder<'_> {
    /// Finds the best words for an utterance.
    ///
    /// `scores` has the acoustic score of every class in every frame, frame by frame.
    pub fn decode(&self, scores: &[f32], workspace: &mut Workspace) -> Decoded {
        let classes = self.network.classes();
        let mut search = Search {
            decoder: *self,
            space: workspace,
            best: f32::NEG_INFINITY,
            last_best: 0.0,
            entry_beam: self.settings.beam,
        };
        search.begin();
        let (mut total, mut active) = (0.0, 0);
        let count = scores.len() / classes;
        for at in 0..count {
            let (frame, next) = scores[at * classes..].split_at(classes);
            // The best score so far becomes zero.
            let best = if search.best.is_finite() {
                search.best
            } else {
                0.0
            };
            search.last_best = best;
            total += f64::from(best);
            search.space.acoustic.clear();
            let acoustic = frame.iter().map(|score| score.max(LOWEST) - best);
            search.space.acoustic.extend(acoustic);
            let space = &mut *search.space;
            space.ahead.prepare(self.network, &space.acoustic, next);
            search.frame();
            active += search.space.active.len();
        }
        let mut decoded = search.finish();
        decoded.score += total;
        decoded.mean_active = active as f64 / count.max(1) as f64;
        decoded
    }
}

/// A search in progress.
struct Search<'a> {
    decoder: Decoder<'a>,
    space: &'a mut Workspace,
    /// The best score in this frame.
    best: f32,
    /// The best score in the frame before.
    last_best: f32,
    /// The width of the beam for paths that enter nodes. It is below the beam while there are too many active nodes.
    entry_beam: f32,
}

impl Search<'_> {
    /// Starts at the beginning of an utterance.
    fn begin(&mut self) {
        self.space.active.clear();
        self.space.leaving.clear();
        self.space.traces.clear();
        self.space.entries.clear();
        self.space.cache.clear();
        self.best = f32::NEG_INFINITY;
        self.space.entries.begin(self.decoder.model.start());
    }

    /// Moves on by one frame.
    fn frame(&mut self) {
        self.best = f32::NEG_INFINITY;
        self.advance();
        self.expand();
        self.prune();
    }

    /// The score below which paths do not enter a node.
    #[inline]
    fn entry_threshold(&self) -> f32 {
        self.best - self.entry_beam
    }
}
