//! Networks for hybrid models: three states per phone, whose classes may depend on the neighbouring phones.
//!
//! The classes of a phone in context (a triphone) are known once the next phone is known. A prefix of a word therefore becomes one node for
//! each distinct set of classes that its possible successors lead to. At the end of a word the successor is the first phone of the next word,
//! which [`Exit::allowed`] then restricts. The first phone of a word depends on the last phone of the word before, so there is a
//! root for each phone that may come before. Without context dependency all of this collapses into a plain prefix tree.

use std::collections::{BTreeMap, HashMap};

use super::prefix_tree::{Prefix, PrefixTree};
use super::{Child, Exit, NO_WORD, Network, NetworkError, Node, Span, Topology, WordEnd};
use crate::language_model::LanguageModel;
use crate::lexicon::Lexicon;

/// The shortest mean duration of a state, in frames. Shorter ones would forbid to stay.
const SHORTEST: f32 = 1.05;

/// A hybrid model: the phones, and the classes of their states.
pub struct Hmm<'a> {
    /// The names of the phones, fillers included.
    pub phones: &'a [String],
    /// The phones that are no part of words: silence and noise. The first one is the context at the beginning and end of an utterance.
    pub fillers: &'a [usize],
    /// Number of classes.
    pub classes: usize,
    /// Mean duration of each phone in frames.
    pub durations: &'a [f32],
    /// The classes of the three states of a phone, given the phone before and the phone after it.
    pub states: &'a dyn Fn(usize, usize, usize) -> [u16; 3],
}

impl Hmm<'_> {
    /// Builds the network of all words that the language model knows.
    pub fn network(
        &self,
        lexicon: &Lexicon,
        model: &LanguageModel,
    ) -> Result<Network, NetworkError> {
        self.check()?;
        let tree = PrefixTree::new(lexicon, self.phones, |word| model.knows(word))?;
        let mut network = Network::new(Topology::Hmm, self.classes, tree.words);
        let mut builder = Builder {
            hmm: self,
            boundary: self
                .fillers
                .iter()
                .fold(tree.first_phones(), |set, &filler| set | 1 << filler),
            tree: &tree,
            root_of: self.roots(&tree),
            first_nodes: HashMap::new(),
            network: &mut network,
        };
        builder.build();
        network.number_states();
        network.check_classes()?;
        network.add_look_ahead(model);
        Ok(network)
    }

    fn check(&self) -> Result<(), NetworkError> {
        let phones = self.phones.len();
        let wrong = |problem: String| Err(NetworkError::Inconsistent(problem));
        if phones >= super::MAX_PHONES {
            return Err(NetworkError::TooManyPhones { phones });
        }
        if self.durations.len() != phones {
            return wrong(format!(
                "{} mean durations for {phones} phones: give one for each",
                self.durations.len()
            ));
        }
        if let Some(duration) = self
            .durations
            .iter()
            .find(|duration| duration.is_nan() || **duration <= 0.0)
        {
            return wrong(format!(
                "a mean duration of {duration} frames: it must be above 0"
            ));
        }
        if self.fillers.is_empty() || self.fillers.iter().any(|&filler| filler >= phones) {
            return wrong("no silence phone: name at least one".into());
        }
        Ok(())
    }

    /// The root after each phone. Phones after which the first phones of words have the same classes share a root.
    fn roots(&self, tree: &PrefixTree) -> Vec<u32> {
        let mut known: HashMap<Vec<[u16; 3]>, u32> = HashMap::new();
        let pairs: Vec<(usize, usize)> = tree.prefixes[0]
            .next
            .keys()
            .flat_map(|&first| (0..self.phones.len()).map(move |next| (usize::from(first), next)))
            .collect();
        (0..self.phones.len())
            .map(|left| {
                let states = pairs
                    .iter()
                    .map(|&(phone, right)| (self.states)(left, phone, right));
                let new = known.len() as u32;
                *known.entry(states.collect()).or_insert(new)
            })
            .collect()
    }
}

/// The distinct classes of a phone, and the successors that lead to each.
type Cells = BTreeMap<[u16; 3], u128>;

/// A prefix, and the classes and successors of its last phone.
type CellsOfPrefix = (usize, Vec<([u16; 3], u128)>);

struct Builder<'a> {
    hmm: &'a Hmm<'a>,
    tree: &'a PrefixTree,
    /// The phones that may follow a word, as bits.
    boundary: u128,
    /// The root after each phone.
    root_of: Vec<u32>,
    /// The nodes of the first phones of words, which several roots may share.
    first_nodes: HashMap<CellsOfPrefix, Vec<u32>>,
    network: &'a mut Network,
}

impl Builder<'_> {
    fn build(&mut self) {
        let roots = self.root_of.iter().max().map_or(0, |&last| last + 1);
        // The nodes of fillers are the same for all roots.
        let mut fillers = Vec::new();
        for &filler in self.hmm.fillers {
            let silence = self.hmm.fillers[0];
            let classes = (self.hmm.states)(silence, filler, silence);
            let exit = self.network.exit(Exit {
                root: self.root_of[filler],
                allowed: u128::MAX,
                may_end: true,
            });
            let end = WordEnd {
                word: NO_WORD,
                exit,
                exit_same: exit,
            };
            let ends = Span::append(&mut self.network.ends, [end]);
            fillers.push(self.node(filler, classes, Span::default(), ends));
        }
        let first = &self.tree.prefixes[0];
        for root in 0..roots {
            let left = self.root_of.iter().position(|&of| of == root).unwrap_or(0);
            let mut nodes = fillers.clone();
            for (&phone, &prefix) in &first.next {
                nodes.extend(self.expand(left, usize::from(phone), prefix, true));
            }
            let children = nodes.iter().map(|&node| self.network.child(node)).collect();
            self.network.roots.push(children);
        }
        let silence = self.hmm.fillers[0];
        self.network.start = Exit {
            root: self.root_of[silence],
            allowed: u128::MAX,
            may_end: true,
        };
    }

    /// The nodes of a prefix whose last phone is `phone`, after `left`: one for each distinct set of classes.
    fn expand(&mut self, left: usize, phone: usize, prefix: usize, is_first: bool) -> Vec<u32> {
        let tree = self.tree;
        let Prefix { next, words } = &tree.prefixes[prefix];
        let mut cells = Cells::new();
        let mut add = |right: usize| {
            *cells
                .entry((self.hmm.states)(left, phone, right))
                .or_default() |= 1 << right;
        };
        next.keys().for_each(|&right| add(usize::from(right)));
        if !words.is_empty() {
            let boundary = self.boundary;
            let rights = (0..self.hmm.phones.len()).filter(|right| boundary >> right & 1 == 1);
            rights.for_each(add);
        }
        let key = (prefix, cells.clone().into_iter().collect());
        if is_first && let Some(known) = self.first_nodes.get(&key) {
            return known.clone();
        }
        let inner: Vec<(u16, Vec<u32>)> = if is_first {
            self.second_nodes(phone, next)
        } else {
            let next = next.iter();
            next.map(|(&right, &longer)| {
                (right, self.expand(phone, usize::from(right), longer, false))
            })
            .collect()
        };
        let nodes: Vec<u32> = cells
            .into_iter()
            .map(|(classes, rights)| {
                let follow = inner.iter().filter(|(right, _)| rights >> right & 1 == 1);
                let follow: Vec<Child> = follow
                    .flat_map(|(_, nodes)| nodes)
                    .map(|&node| self.network.child(node))
                    .collect();
                let children = Span::append(&mut self.network.children, follow);
                let ends = self.ends(phone, words, rights);
                self.node(phone, classes, children, ends)
            })
            .collect();
        if is_first {
            self.first_nodes.insert(key, nodes.clone());
        }
        nodes
    }

    /// The nodes after the first phone of a word. They do not depend on the word before, so all roots share them.
    fn second_nodes(&mut self, phone: usize, next: &BTreeMap<u16, usize>) -> Vec<(u16, Vec<u32>)> {
        next.iter()
            .map(|(&right, &longer)| {
                let key = (longer, Vec::new());
                if let Some(known) = self.first_nodes.get(&key) {
                    return (right, known.clone());
                }
                let nodes = self.expand(phone, usize::from(right), longer, false);
                self.first_nodes.insert(key, nodes.clone());
                (right, nodes)
            })
            .collect()
    }

    /// The ends of words whose next phone is in `rights`.
    fn ends(&mut self, phone: usize, words: &[u32], rights: u128) -> Span {
        let allowed = rights & self.boundary;
        if words.is_empty() || allowed == 0 {
            return Span::default();
        }
        let silence = self.hmm.fillers[0];
        let exit = self.network.exit(Exit {
            root: self.root_of[phone],
            // All that may follow, so that models without context dependency have one exit.
            allowed: if allowed == self.boundary {
                u128::MAX
            } else {
                allowed
            },
            may_end: allowed >> silence & 1 == 1,
        });
        let ends = words.iter().map(|&word| WordEnd {
            word,
            exit,
            exit_same: exit,
        });
        Span::append(&mut self.network.ends, ends)
    }

    fn node(&mut self, phone: usize, classes: [u16; 3], children: Span, ends: Span) -> u32 {
        let mean = (self.hmm.durations[phone] / 3.0).max(SHORTEST);
        self.network.nodes.push(Node {
            classes,
            states: 0,
            phone: phone as u16,
            stay: (1.0 - 1.0 / mean).ln(),
            leave: (1.0 / mean).ln(),
            look_ahead: 0.0,
            children,
            ends,
        });
        (self.network.nodes.len() - 1) as u32
    }
}
