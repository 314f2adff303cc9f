//! Moves paths that leave a node into the next nodes, and applies the language model where a word ends.

use super::root_entries::{Gain, RootEntry};
use super::{Leaving, Search, Trace};
use crate::network::{Exit, NO_WORD, Node};

/// The beam for ends of words, as a share of the beam. Each end of a word begins a new copy of the whole tree.
const WORD_END_BEAM: f32 = 0.7;

impl Search<'_> {
    /// Moves all leaving paths on.
    pub(super) fn expand(&mut self) {
        let leaving = std::mem::take(&mut self.space.leaving);
        let network = self.decoder.network;
        for path in &leaving {
            let node = &network.nodes[path.node as usize];
            self.enter_children(path, node);
            if path.score >= self.last_best - WORD_END_BEAM * self.entry_beam {
                self.end_words(path, node);
            }
        }
        self.space.leaving = leaving;
        self.enter_roots();
    }

    /// Enters the children that are within the beam, given their acoustic score in this frame.
    #[inline]
    fn enter_children(&mut self, path: &Leaving, node: &Node) {
        let network = self.decoder.network;
        let scale = self.decoder.settings.lm_scale;
        for child in node.children.of(&network.children) {
            let (score, trace) = if child.phone == node.phone {
                (path.same_score, path.same_trace)
            } else {
                (path.score, path.trace)
            };
            let score = score + scale * child.look_ahead;
            let entering = self.space.ahead.of(child.states);
            if score + entering.ahead >= self.entry_threshold() {
                self.enter(child.node, path.history, score + entering.now, trace);
            }
        }
    }

    /// Enters the first state of a node.
    #[inline]
    fn enter(&mut self, node: u32, history: u32, score: f32, trace: u32) {
        let active = self.space.active.entry(node, history);
        if score > active.scores[0] {
            active.scores[0] = score;
            active.traces[0] = trace;
            self.best = self.best.max(score);
        }
    }

    /// Ends words and fillers, and notes which roots they lead to.
    #[inline]
    fn end_words(&mut self, path: &Leaving, node: &Node) {
        let network = self.decoder.network;
        let settings = &self.decoder.settings;
        let ends = node.ends.of(&network.ends);
        if ends.is_empty() {
            return;
        }
        // A word that begins in this frame adds at least the look-ahead of the roots.
        let without = settings.lm_scale * node.look_ahead;
        for end in ends {
            let (score, history, word) = if end.word == NO_WORD {
                (0.0, path.history, None)
            } else {
                let model = self.decoder.model;
                let (score, next) = self.space.cache.score(model, path.history, end.word);
                let score = settings.lm_scale * score - settings.word_penalty;
                (score, next, Some(end.word))
            };
            let mut note = |exit, path_score: f32, trace| {
                self.space.entries.add(RootEntry {
                    history,
                    exit,
                    score: path_score - without + score,
                    word,
                    trace,
                });
            };
            note(end.exit, path.score, path.trace);
            if end.exit_same != end.exit {
                note(end.exit_same, path.same_score, path.same_trace);
            }
        }
    }

    /// Enters the first nodes of words and fillers.
    fn enter_roots(&mut self) {
        let mut entries = std::mem::take(&mut self.space.entries);
        let network = self.decoder.network;
        let scale = self.decoder.settings.lm_scale;
        let exit_of = |exit| match exit {
            RootEntry::START => network.start,
            exit => network.exits[exit as usize],
        };
        entries.begin_frame(network.roots.len(), |exit| exit_of(exit).root);
        for at in 0..entries.list.len() {
            let entry = entries.list[at];
            let Exit { root, allowed, .. } = exit_of(entry.exit);
            let ahead = &self.space.ahead;
            let first_nodes = network.roots[root as usize].iter().map(|child| {
                let entering = ahead.of(child.states);
                let look_ahead = scale * child.look_ahead;
                Gain {
                    ahead: look_ahead + entering.ahead,
                    now: look_ahead + entering.now,
                    node: child.node,
                    phone: child.phone,
                }
            });
            let gains = entries.gains(root as usize, self.entry_threshold(), first_nodes);
            let mut trace = None;
            for gain in gains {
                if entry.score + gain.ahead < self.entry_threshold() {
                    break;
                }
                if allowed >> gain.phone & 1 == 0 {
                    continue;
                }
                let trace = *trace.get_or_insert_with(|| match entry.word {
                    None => entry.trace,
                    Some(word) => {
                        let before = entry.trace;
                        self.space.traces.push(Trace { word, before });
                        (self.space.traces.len() - 1) as u32
                    }
                });
                self.enter(gain.node, entry.history, entry.score + gain.now, trace);
            }
        }
        entries.clear();
        self.space.entries = entries;
    }
}
