//! Moves all active nodes on by one frame, and notes the paths that leave them.

use super::{Active, Leaving, Search};
use crate::network::Topology;

impl Search<'_> {
    /// Moves paths from state to state within nodes. [`Search::expand`] moves the leaving paths to other nodes.
    pub(super) fn advance(&mut self) {
        match self.decoder.network.topology {
            Topology::Hmm => self.advance_hmm(),
            Topology::Ctc => self.advance_ctc(),
        }
    }

    fn advance_hmm(&mut self) {
        let nodes = &self.decoder.network.nodes;
        let acoustic = &self.space.acoustic[..];
        let lowest = -self.decoder.settings.beam;
        let leaving = &mut self.space.leaving;
        leaving.clear();
        let mut best = f32::NEG_INFINITY;
        for active in &mut self.space.active.list {
            let node = &nodes[active.node as usize];
            let [first, second, third] = active.scores;
            let leave = third + node.leave;
            // The best score of the last frame is in the acoustic scores of this one.
            if leave - self.last_best >= lowest {
                leaving.push(Leaving {
                    node: active.node,
                    history: active.history,
                    score: leave,
                    trace: active.traces[2],
                    same_score: leave,
                    same_trace: active.traces[2],
                });
            }
            step(active, 2, third + node.stay, second + node.leave);
            step(active, 1, second + node.stay, first + node.leave);
            active.scores[0] = first + node.stay;
            for (score, class) in active.scores.iter_mut().zip(node.classes) {
                *score += acoustic[usize::from(class)];
            }
            best = best.max(active.best());
        }
        self.best = best;
    }

    fn advance_ctc(&mut self) {
        let nodes = &self.decoder.network.nodes;
        let acoustic = &self.space.acoustic[..];
        let lowest = -self.decoder.settings.beam;
        let leaving = &mut self.space.leaving;
        leaving.clear();
        let mut best = f32::NEG_INFINITY;
        for active in &mut self.space.active.list {
            let node = &nodes[active.node as usize];
            let [symbol, blank, _] = active.scores;
            let [symbol_trace, blank_trace, _] = active.traces;
            let (score, trace) = if symbol > blank {
                (symbol, symbol_trace)
            } else {
                (blank, blank_trace)
            };
            if score - self.last_best >= lowest {
                leaving.push(Leaving {
                    node: active.node,
                    history: active.history,
                    score,
                    trace,
                    same_score: blank,
                    same_trace: blank_trace,
                });
            }
            step(active, 1, blank, symbol);
            for (score, class) in active.scores.iter_mut().zip(node.classes) {
                *score += acoustic[usize::from(class)];
            }
            best = best.max(active.best());
        }
        self.best = best;
    }
}

/// Sets a state to the better of the path that stays and the path from the state before.
#[inline]
fn step(active: &mut Active, state: usize, stays: f32, comes: f32) {
    if comes > stays {
        active.scores[state] = comes;
        active.traces[state] = active.traces[state - 1];
    } else {
        active.scores[state] = stays;
    }
}
