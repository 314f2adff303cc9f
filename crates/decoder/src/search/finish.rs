//! The end of an utterance: the best path that ends with a complete word.

use super::{Decoded, NO_TRACE, Search};
use crate::network::{NO_WORD, Topology};

impl Search<'_> {
    /// Ends all paths and returns the best one. Its score is relative to the frames before the last one.
    pub(super) fn finish(&mut self) -> Decoded {
        let network = self.decoder.network;
        let settings = &self.decoder.settings;
        let model = self.decoder.model;
        let mut best: Option<(f32, u32, Option<u32>)> = None;
        // An utterance without frames has no words.
        for entry in &self.space.entries.list {
            let score = entry.score + settings.lm_scale * model.end(entry.history);
            best = Some((score, entry.trace, None));
        }
        for active in &self.space.active.list {
            let node = &network.nodes[active.node as usize];
            let (score, trace) = match network.topology {
                Topology::Hmm => (active.scores[2] + node.leave, active.traces[2]),
                Topology::Ctc if active.scores[0] > active.scores[1] => {
                    (active.scores[0], active.traces[0])
                }
                Topology::Ctc => (active.scores[1], active.traces[1]),
            };
            let score = score - settings.lm_scale * node.look_ahead;
            for end in node.ends.of(&network.ends) {
                if !network.exits[end.exit as usize].may_end {
                    continue;
                }
                let (score, word) = if end.word == NO_WORD {
                    (score + settings.lm_scale * model.end(active.history), None)
                } else {
                    let (own, next) = model.score(active.history, end.word);
                    let lm = settings.lm_scale * (own + model.end(next));
                    (score + lm - settings.word_penalty, Some(end.word))
                };
                if score.is_finite() && best.is_none_or(|(known, ..)| score > known) {
                    best = Some((score, trace, word));
                }
            }
        }
        let complete = best.is_some();
        let (score, trace, word) = best.unwrap_or_else(|| self.best_incomplete());
        Decoded {
            words: self.words(trace, word),
            score: f64::from(score),
            complete,
            mean_active: 0.0,
        }
    }

    /// The best path, although it is within a word. That word is dropped.
    fn best_incomplete(&self) -> (f32, u32, Option<u32>) {
        let mut best = (f32::NEG_INFINITY, NO_TRACE, None);
        for active in &self.space.active.list {
            for (&score, &trace) in active.scores.iter().zip(&active.traces) {
                if score > best.0 {
                    best = (score, trace, None);
                }
            }
        }
        best
    }

    /// The words of a path.
    fn words(&self, mut trace: u32, last: Option<u32>) -> Vec<u32> {
        let mut words: Vec<u32> = last.into_iter().collect();
        while let Some(at) = self.space.traces.get(trace as usize) {
            words.push(at.word);
            trace = at.before;
        }
        words.reverse();
        words
    }
}
