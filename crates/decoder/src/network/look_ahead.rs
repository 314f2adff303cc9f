//! Unigram look-ahead: the best unigram score of all words below a node.
//!
//! The language model scores a word at its end. Until then paths of likely and unlikely words would compete on equal terms, and the beam
//! would have to be wide. With look-ahead a path pays for its best possible word step by step (Steinbiss, Tran and Ney, 1994).

use super::{NO_WORD, Network};
use crate::language_model::LanguageModel;

impl Network {
    /// Fills in the look-ahead of all nodes and steps. Children precede their parents in the list of nodes.
    pub(super) fn add_look_ahead(&mut self, model: &LanguageModel) {
        let best = |scores: &mut dyn Iterator<Item = f32>| scores.fold(f32::NEG_INFINITY, f32::max);
        let words = self.ends.iter().filter(|end| end.word != NO_WORD);
        let root = best(&mut words.map(|end| model.unigram(end.word)));
        for at in 0..self.nodes.len() {
            let node = &self.nodes[at];
            let ends = node.ends.of(&self.ends).iter();
            let here = best(&mut ends.map(|end| match end.word {
                // Any word may follow a filler.
                NO_WORD => root,
                word => model.unigram(word),
            }));
            let children = node.children.of(&self.children).iter();
            let below = best(&mut children.map(|child| self.nodes[child.node as usize].look_ahead));
            self.nodes[at].look_ahead = here.max(below);
        }
        let Network {
            nodes,
            children,
            roots,
            ..
        } = self;
        for node in nodes.iter() {
            for child in node.children.of_mut(children) {
                child.look_ahead = nodes[child.node as usize].look_ahead - node.look_ahead;
            }
        }
        for child in roots.iter_mut().flatten() {
            child.look_ahead = nodes[child.node as usize].look_ahead;
        }
    }
}
