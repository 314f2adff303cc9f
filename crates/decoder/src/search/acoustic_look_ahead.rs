//! Acoustic look-ahead: what entering a node costs in this frame and the next ones.
//!
//! A phone lasts three frames or more. A path that enters a node therefore passes all of its states within three frames at best. The scores of
//! the second and third state, relative to the best class, tell early that the path will fall out of the beam. Scores
//! of paths do not change, only the decision whether to enter (Ortmanns et al., 1997, "Look-ahead techniques for fast beam search").

use crate::network::{Network, Topology};

/// The score of entering a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entering {
    /// In this frame.
    pub now: f32,
    /// In this frame and the next two.
    pub ahead: f32,
}

/// The scores of entering nodes in a frame, by the classes of their states.
#[derive(Default)]
pub(super) struct AcousticLookAhead {
    entering: Vec<Entering>,
    /// The best score of the next two frames.
    best: [f32; 2],
}

impl AcousticLookAhead {
    #[inline]
    pub fn of(&self, states: u32) -> Entering {
        self.entering[states as usize]
    }

    /// Prepares a frame. `frame` has its acoustic scores, `next` those of the frames after it.
    pub fn prepare(&mut self, network: &Network, frame: &[f32], next: &[f32]) {
        self.entering.clear();
        let states = network.state_classes.iter();
        if network.topology == Topology::Ctc {
            let entering = states.map(|classes| {
                let now = frame[usize::from(classes[0])];
                Entering { now, ahead: now }
            });
            self.entering.extend(entering);
            return;
        }
        let mut next = next.chunks_exact(network.classes());
        let next: [&[f32]; 2] = std::array::from_fn(|_| next.next().unwrap_or_default());
        self.best = next.map(|frame| frame.iter().copied().fold(super::LOWEST, f32::max));
        let entering = states.map(|classes| {
            let [first, later @ ..] = classes.map(usize::from);
            let now = frame[first];
            let mut ahead = now;
            for ((class, frame), best) in later.into_iter().zip(next).zip(self.best) {
                ahead += frame
                    .get(class)
                    .map_or(0.0, |score| score.max(super::LOWEST) - best);
            }
            Entering { now, ahead }
        });
        self.entering.extend(entering);
    }
}
