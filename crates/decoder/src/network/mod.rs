//! The search network: every pronunciation as a path of nodes, with common beginnings shared.
//!
//! A node is a phone in its context, or a symbol of CTC. Words that begin alike share nodes, so the network is a tree, apart from the
//! first phone of words whose states depend on the word before. The language model is not part of the network. The search applies it at
//! the end of each word, and `look_ahead` spreads its unigrams over the tree.
//!
//! The network is built by [`Hmm`] or [`Ctc`]. The search is the same for both.

mod ctc;
mod error;
mod hmm;
mod look_ahead;
mod prefix_tree;

use std::collections::HashMap;

pub use ctc::Ctc;
pub use error::NetworkError;
pub use hmm::Hmm;

/// Phones or symbols are fewer than this, because sets of them are bit masks.
pub const MAX_PHONES: usize = 128;

/// Marks the end of a filler, which is no word.
pub(crate) const NO_WORD: u32 = u32::MAX;

/// How the states of a node follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topology {
    /// Three states in a row, each for one frame or more.
    Hmm,
    /// The symbol for one frame or more, then any number of blanks. Equal symbols in a row need a blank between them.
    Ctc,
}

/// A node of the network.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The class of each state: three states of an HMM, or symbol and blank.
    pub classes: [u16; 3],
    /// The same as a position in [`Network::state_classes`].
    pub states: u32,
    /// The phone or symbol.
    pub phone: u16,
    /// Score of staying in a state.
    pub stay: f32,
    /// Score of leaving a state.
    pub leave: f32,
    /// Best unigram score of the words below.
    pub look_ahead: f32,
    /// Its part of [`Network::children`].
    pub children: Span,
    /// Its part of [`Network::ends`].
    pub ends: Span,
}

/// A part of a list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Appends to a list and returns the new part.
    fn append<T>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Self {
        let start = list.len() as u32;
        list.extend(items);
        let end = list.len() as u32;
        Span { start, end }
    }

    pub fn of<T>(self, list: &[T]) -> &[T] {
        &list[self.start as usize..self.end as usize]
    }

    fn of_mut<T>(self, list: &mut [T]) -> &mut [T] {
        &mut list[self.start as usize..self.end as usize]
    }
}

/// A step from a node or a root to a node, with what the search needs to decide about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub node: u32,
    /// The classes of its states, as a position in [`Network::state_classes`].
    pub states: u32,
    pub phone: u16,
    /// From a node: the change of look-ahead. From a root: the look-ahead.
    pub look_ahead: f32,
}

/// A word or filler that ends at a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordEnd {
    /// The word, or [`NO_WORD`].
    pub word: u32,
    /// Where the path continues.
    pub exit: u32,
    /// With CTC, where a path continues with the same symbol. It must have passed a blank.
    pub exit_same: u32,
}

/// Where a path continues after a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    /// The root.
    pub root: u32,
    /// The phones that may follow, as bits.
    pub allowed: u128,
    /// Whether an utterance may end here.
    pub may_end: bool,
}

/// A search network.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) topology: Topology,
    pub(crate) nodes: Vec<Node>,
    pub(crate) children: Vec<Child>,
    pub(crate) ends: Vec<WordEnd>,
    pub(crate) exits: Vec<Exit>,
    /// The first nodes of words and fillers. Which root applies may depend on the phone before.
    pub(crate) roots: Vec<Vec<Child>>,
    /// Where an utterance begins.
    pub(crate) start: Exit,
    /// The distinct classes of nodes.
    pub(crate) state_classes: Vec<[u16; 3]>,
    classes: usize,
    words: usize,
}

impl Network {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Number of classes of the acoustic model.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Number of words that can be recognised.
    pub fn words(&self) -> usize {
        self.words
    }

    fn new(topology: Topology, classes: usize, words: usize) -> Self {
        Network {
            topology,
            nodes: Vec::new(),
            children: Vec::new(),
            ends: Vec::new(),
            exits: Vec::new(),
            roots: Vec::new(),
            start: Exit {
                root: 0,
                allowed: u128::MAX,
                may_end: true,
            },
            state_classes: Vec::new(),
            classes,
            words,
        }
    }

    /// Lists the distinct classes of nodes, and notes them in nodes and steps.
    fn number_states(&mut self) {
        let mut known = HashMap::new();
        for node in &mut self.nodes {
            node.states = *known.entry(node.classes).or_insert_with(|| {
                self.state_classes.push(node.classes);
                self.state_classes.len() as u32 - 1
            });
        }
        for child in self
            .children
            .iter_mut()
            .chain(self.roots.iter_mut().flatten())
        {
            child.states = self.nodes[child.node as usize].states;
        }
    }

    /// Checks that every class of a node is one of the model.
    fn check_classes(&self) -> Result<(), NetworkError> {
        let mut classes = self.state_classes.iter().flatten();
        match classes.find(|&&class| usize::from(class) >= self.classes) {
            None => Ok(()),
            Some(class) => Err(NetworkError::Inconsistent(format!(
                "a state has class {class}, but the model has {} classes",
                self.classes
            ))),
        }
    }

    /// The number of an exit, which is added if it is new.
    fn exit(&mut self, exit: Exit) -> u32 {
        let known = self.exits.iter().position(|known| *known == exit);
        known.unwrap_or_else(|| {
            self.exits.push(exit);
            self.exits.len() - 1
        }) as u32
    }

    /// A step to a node. Its classes and look-ahead are filled in later.
    fn child(&self, node: u32) -> Child {
        Child {
            node,
            states: 0,
            phone: self.nodes[node as usize].phone,
            look_ahead: 0.0,
        }
    }
}
