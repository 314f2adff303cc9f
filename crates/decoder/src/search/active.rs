//! The active nodes of a frame, found by node and history in constant time.

/// A node of the network with a history of the language model, and the best path into each of its states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Active {
    pub node: u32,
    /// State of the language model.
    pub history: u32,
    /// The score of each state.
    pub scores: [f32; 3],
    /// The last word of the path into each state.
    pub traces: [u32; 3],
}

impl Active {
    /// The score of its best state.
    pub fn best(&self) -> f32 {
        let [first, second, third] = self.scores;
        first.max(second).max(third)
    }
}

/// A path that leaves a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub node: u32,
    pub history: u32,
    /// The score and last word of the best path.
    pub score: f32,
    pub trace: u32,
    /// The same for paths that may continue with the same symbol. They differ with CTC only.
    pub same_score: f32,
    pub same_trace: u32,
}

/// The active nodes, with a hash table of their positions.
#[derive(Default)]
pub(super) struct ActiveNodes {
    pub list: Vec<Active>,
    table: Vec<Slot>,
    /// Slots with another stamp are empty.
    stamp: u32,
    shift: u32,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    node: u32,
    history: u32,
    at: u32,
    stamp: u32,
}

/// The smallest size of the hash table, as a power of two.
const SMALLEST: u32 = 12;

impl ActiveNodes {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.restart();
    }

    /// Empties the hash table.
    fn restart(&mut self) {
        if self.table.is_empty() || self.stamp == u32::MAX {
            self.table = vec![Slot::default(); self.table.len().max(1 << SMALLEST)];
            self.stamp = 0;
            self.shift = 64 - self.table.len().trailing_zeros();
        }
        self.stamp += 1;
    }

    /// The active node for this node and history. Adds one without paths if there is none.
    #[inline]
    pub fn entry(&mut self, node: u32, history: u32) -> &mut Active {
        if (self.list.len() + 1) * 2 > self.table.len() {
            self.grow();
        }
        let slot = self.slot(node, history);
        let at = if self.table[slot].stamp == self.stamp {
            self.table[slot].at as usize
        } else {
            let at = self.list.len();
            self.table[slot] = Slot {
                node,
                history,
                at: at as u32,
                stamp: self.stamp,
            };
            self.list.push(Active {
                node,
                history,
                scores: [f32::NEG_INFINITY; 3],
                traces: [super::NO_TRACE; 3],
            });
            at
        };
        &mut self.list[at]
    }

    /// The slot of a node and history, or the free slot where it belongs.
    #[inline]
    fn slot(&self, node: u32, history: u32) -> usize {
        let key = u64::from(node) << 32 | u64::from(history);
        // Fibonacci hashing.
        let mut slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        let mask = self.table.len() - 1;
        loop {
            let found = &self.table[slot];
            if found.stamp != self.stamp || (found.node == node && found.history == history) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self) {
        self.table = vec![Slot::default(); self.table.len() * 2];
        self.stamp = 0;
        self.shift = 64 - self.table.len().trailing_zeros();
        self.index();
    }

    /// Keeps the active nodes whose best state has at least this score.
    pub fn retain(&mut self, threshold: f32) {
        self.list.retain(|active| active.best() >= threshold);
        self.index();
    }

    /// Fills the hash table anew.
    fn index(&mut self) {
        self.restart();
        for at in 0..self.list.len() {
            let Active { node, history, .. } = self.list[at];
            let slot = self.slot(node, history);
            self.table[slot] = Slot {
                node,
                history,
                at: at as u32,
                stamp: self.stamp,
            };
        }
    }
}
