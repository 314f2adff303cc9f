//! The paths that enter roots in a frame: the best one for each history and exit.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A path at the end of a word or filler.
#[derive(Clone, Copy, Debug)]
pub(super) struct RootEntry {
    /// State of the language model after the word.
    pub history: u32,
    /// The exit, or [`RootEntry::START`].
    pub exit: u32,
    /// The score without look-ahead.
    pub score: f32,
    /// The word that ends; none for a filler.
    pub word: Option<u32>,
    /// The words before it.
    pub trace: u32,
}

impl RootEntry {
    /// The exit at the beginning of an utterance.
    pub const START: u32 = u32::MAX;
}

/// A first node of words, with what a path gains by entering it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain {
    /// With the estimate of [`super::acoustic_look_ahead`].
    pub ahead: f32,
    /// In this frame.
    pub now: f32,
    pub node: u32,
    pub phone: u16,
}

/// The paths that enter roots.
#[derive(Default)]
pub(super) struct RootEntries {
    pub list: Vec<RootEntry>,
    positions: HashMap<u64, u32, BuildHasherDefault<Multiply>>,
    /// The best score of the paths that enter each root.
    best: Vec<f32>,
    /// The first nodes of each root that is in use, best first.
    gains: Vec<Vec<Gain>>,
}

impl RootEntries {
    pub fn clear(&mut self) {
        self.list.clear();
        self.positions.clear();
    }

    /// The path at the beginning of an utterance.
    pub fn begin(&mut self, history: u32) {
        self.list.push(RootEntry {
            history,
            exit: RootEntry::START,
            score: 0.0,
            word: None,
            trace: super::NO_TRACE,
        });
    }

    /// Adds a path. Of several with the same history and exit, the best one is kept.
    #[inline]
    pub fn add(&mut self, entry: RootEntry) {
        let key = u64::from(entry.exit) << 32 | u64::from(entry.history);
        let at = *self.positions.entry(key).or_insert(self.list.len() as u32) as usize;
        match self.list.get_mut(at) {
            None => self.list.push(entry),
            Some(known) if entry.score > known.score => *known = entry,
            Some(_) => {}
        }
    }

    /// Forgets the last frame and notes the best path into each root.
    pub fn begin_frame(&mut self, roots: usize, root_of: impl Fn(u32) -> u32) {
        self.gains.resize_with(roots, Vec::new);
        self.gains.iter_mut().for_each(Vec::clear);
        self.best.clear();
        self.best.resize(roots, f32::NEG_INFINITY);
        for entry in &self.list {
            let best = &mut self.best[root_of(entry.exit) as usize];
            *best = best.max(entry.score);
        }
    }

    /// The first nodes of a root that its best path can enter above `threshold`, best first.
    pub fn gains(
        &mut self,
        root: usize,
        threshold: f32,
        all: impl Iterator<Item = Gain>,
    ) -> &[Gain] {
        let (gains, best) = (&mut self.gains[root], self.best[root]);
        // Whatever the best path cannot enter, the others cannot.
        if gains.is_empty() && best > f32::NEG_INFINITY {
            gains.extend(all.filter(|gain| best + gain.ahead >= threshold));
            self.best[root] = f32::NEG_INFINITY;
            gains.sort_unstable_by(|one, other| {
                other
                    .ahead
                    .total_cmp(&one.ahead)
                    .then(one.node.cmp(&other.node))
            });
        }
        gains
    }
}

/// A fast hash of one 64-bit key.
#[derive(Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = (self.0 ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 32;
    }
}
