//! Networks for CTC models on characters or phones.
//!
//! A symbol lasts one frame or more. Blanks may stand anywhere and must stand between equal symbols. Models on characters have a symbol
//! for the space between words, which is required there and optional at the beginning and end.

use super::prefix_tree::PrefixTree;
use super::{Child, Exit, NO_WORD, Network, NetworkError, Node, Span, Topology, WordEnd};
use crate::language_model::LanguageModel;
use crate::lexicon::Lexicon;

/// A CTC model: its symbols. The blank is the class after them.
pub struct Ctc<'a> {
    /// The names of the symbols, in the order of classes.
    pub symbols: &'a [String],
    /// The symbol between words, if there is one.
    pub space: Option<usize>,
    /// Symbols that may stand between words: silence and noise.
    pub fillers: &'a [usize],
}

/// The root at which words begin.
const WORDS: u32 = 0;
/// The root between words of a model with a space.
const BETWEEN: u32 = 1;

impl Ctc<'_> {
    /// Builds the network of all words that the language model knows.
    pub fn network(
        &self,
        lexicon: &Lexicon,
        model: &LanguageModel,
    ) -> Result<Network, NetworkError> {
        let tree = PrefixTree::new(lexicon, self.symbols, |word| model.knows(word))?;
        if let Some(space) = self.space.filter(|&space| space >= self.symbols.len()) {
            return Err(NetworkError::Inconsistent(format!(
                "symbol {space} is the space, but there are {} symbols",
                self.symbols.len()
            )));
        }
        let mut network = Network::new(Topology::Ctc, self.symbols.len() + 1, tree.words);
        let roots = if self.space.is_some() { 2 } else { 1 };
        network.roots = vec![Vec::new(); roots];
        let first: Vec<u32> = tree.prefixes[0]
            .next
            .iter()
            .map(|(&symbol, &prefix)| self.expand(&mut network, &tree, symbol, prefix))
            .collect();
        let fillers: Vec<u32> = (self.fillers.iter())
            .map(|&filler| self.filler(&mut network, filler as u16, WORDS))
            .collect();
        let words: Vec<Child> = first
            .iter()
            .chain(&fillers)
            .map(|&node| network.child(node))
            .collect();
        network.roots[WORDS as usize] = words;
        // An utterance may begin with blanks, and with spaces.
        let blank = self.symbols.len() as u16;
        let start_root = network.roots.len() as u32;
        let leading = self.filler(&mut network, blank, start_root);
        let mut start = network.roots[WORDS as usize].clone();
        start.push(network.child(leading));
        if let Some(space) = self.space {
            let node = self.filler(&mut network, space as u16, WORDS);
            let child = network.child(node);
            network.roots[BETWEEN as usize].push(child);
            start.push(child);
        }
        network.start.root = start_root;
        network.roots.push(start);
        network.number_states();
        network.check_classes()?;
        network.add_look_ahead(model);
        Ok(network)
    }

    /// The node of a prefix, after those of longer prefixes.
    fn expand(&self, network: &mut Network, tree: &PrefixTree, symbol: u16, prefix: usize) -> u32 {
        let longer = tree.prefixes[prefix].next.iter();
        let longer: Vec<u32> = longer
            .map(|(&next, &prefix)| self.expand(network, tree, next, prefix))
            .collect();
        let follow: Vec<Child> = longer.iter().map(|&node| network.child(node)).collect();
        let children = Span::append(&mut network.children, follow);
        let words = tree.prefixes[prefix].words.iter();
        let ends: Vec<WordEnd> = words.map(|&word| self.end(network, symbol, word)).collect();
        let ends = Span::append(&mut network.ends, ends);
        self.node(network, symbol, children, ends)
    }

    /// The end of a word: before a space, or before any word that begins with another symbol.
    fn end(&self, network: &mut Network, symbol: u16, word: u32) -> WordEnd {
        let own = 1 << symbol;
        let (root, others, same) = match self.space {
            Some(_) => (BETWEEN, u128::MAX, u128::MAX),
            None => (WORDS, !own, own),
        };
        let exit = |allowed| Exit {
            root,
            allowed,
            may_end: true,
        };
        WordEnd {
            word,
            exit: network.exit(exit(others)),
            exit_same: network.exit(exit(same)),
        }
    }

    /// The node of a space, or of blanks at the beginning; `root` follows it.
    fn filler(&self, network: &mut Network, class: u16, root: u32) -> u32 {
        let exit = network.exit(Exit {
            root,
            allowed: u128::MAX,
            may_end: true,
        });
        let end = WordEnd {
            word: NO_WORD,
            exit,
            exit_same: exit,
        };
        let ends = Span::append(&mut network.ends, [end]);
        self.node(network, class, Span::default(), ends)
    }

    fn node(&self, network: &mut Network, symbol: u16, children: Span, ends: Span) -> u32 {
        let blank = self.symbols.len() as u16;
        network.nodes.push(Node {
            classes: [symbol, blank, blank],
            states: 0,
            phone: symbol,
            stay: 0.0,
            leave: 0.0,
            look_ahead: 0.0,
            children,
            ends,
        });
        (network.nodes.len() - 1) as u32
    }
}
