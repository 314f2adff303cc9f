//! Grows decision trees: always splits the leaf with the largest likelihood gain over all trees.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use super::sums::Sums;
use super::tree::{Node, Tree};

/// Minimum number of training frames of a leaf that a split makes.
pub const MIN_FRAMES: u64 = 100;

/// A context of a third of a phone and its sums.
pub(super) struct Context {
    pub left: u16,
    pub right: u16,
    pub sums: Sums,
}

/// Trees, and what their splits gain.
pub(super) struct Grown {
    pub trees: Vec<Tree>,
    /// Log-likelihood gain of all splits.
    pub gain: f64,
}

/// What all trees share.
pub(super) struct Rules<'a> {
    /// Sorted sets of neighbours.
    pub questions: &'a [Vec<u16>],
    /// Smallest variance of each dimension.
    pub floors: &'a [f64],
    /// Number of neighbours that questions know.
    pub phones: usize,
}

/// Grows trees, one for each list of contexts, until they have `most` leaves or no split helps.
pub(super) fn grow(roots: Vec<Vec<Context>>, rules: &Rules<'_>, most: usize) -> Grown {
    #[cfg(feature = "rayon")]
    let roots = roots.into_par_iter();
    #[cfg(not(feature = "rayon"))]
    let roots = roots.into_iter();
    let roots: Vec<Leaf> = roots.map(|contexts| Leaf::new(contexts, rules)).collect();
    let mut trees: Vec<Vec<Branch>> = vec![vec![Branch::Leaf]; roots.len()];
    let mut queue: BinaryHeap<Queued> = roots
        .into_iter()
        .enumerate()
        .filter_map(|(tree, leaf)| Queued::new(tree, 0, leaf))
        .collect();
    let (mut leaves, mut gain) = (trees.len(), 0.0);
    while leaves < most
        && let Some(queued) = queue.pop()
    {
        gain += queued.split.gain;
        leaves += 1;
        let Queued {
            tree, place, split, ..
        } = queued;
        let (yes, no) = queued.leaf.divide(&split, rules);
        let branches = &mut trees[tree];
        let first = branches.len();
        branches[place] = Branch::Split {
            node: split.node,
            yes: first,
            no: first + 1,
        };
        branches.extend([Branch::Leaf; 2]);
        queue.extend(Queued::new(tree, first, yes));
        queue.extend(Queued::new(tree, first + 1, no));
    }
    Grown {
        trees: trees.iter().map(|branches| tree_of(branches)).collect(),
        gain,
    }
}

/// A node of a growing tree.
#[derive(Clone, Copy)]
enum Branch {
    Leaf,
    Split { node: Node, yes: usize, no: usize },
}

/// The finished tree, in preorder.
fn tree_of(branches: &[Branch]) -> Tree {
    let mut nodes = Vec::with_capacity(branches.len());
    let mut open = vec![0];
    while let Some(place) = open.pop() {
        match branches[place] {
            Branch::Leaf => nodes.push(Node::Leaf),
            Branch::Split { node, yes, no } => {
                nodes.push(node);
                open.extend([no, yes]);
            }
        }
    }
    Tree::from_preorder(nodes).unwrap_or_else(Tree::leaf)
}

/// A leaf: its contexts, and the best way to split it.
struct Leaf {
    contexts: Vec<Context>,
    split: Option<Split>,
}

/// A question and its gain.
#[derive(Clone, Copy)]
struct Split {
    node: Node,
    gain: f64,
}

impl Leaf {
    fn new(contexts: Vec<Context>, rules: &Rules<'_>) -> Self {
        Leaf {
            split: best_split(&contexts, rules),
            contexts,
        }
    }

    /// The leaves for the answers yes and no.
    fn divide(self, split: &Split, rules: &Rules<'_>) -> (Leaf, Leaf) {
        let is_yes = |context: &Context| match split.node {
            Node::Left(question) => contains(&rules.questions[usize::from(question)], context.left),
            Node::Right(question) => {
                contains(&rules.questions[usize::from(question)], context.right)
            }
            Node::Leaf => false,
        };
        let (yes, no): (Vec<_>, Vec<_>) = self.contexts.into_iter().partition(is_yes);
        #[cfg(feature = "rayon")]
        return rayon::join(|| Leaf::new(yes, rules), || Leaf::new(no, rules));
        #[cfg(not(feature = "rayon"))]
        (Leaf::new(yes, rules), Leaf::new(no, rules))
    }
}

fn contains(set: &[u16], phone: u16) -> bool {
    set.binary_search(&phone).is_ok()
}

/// The neighbour that a question is about.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn neighbour(self, context: &Context) -> usize {
        usize::from(match self {
            Side::Left => context.left,
            Side::Right => context.right,
        })
    }

    fn node(self, question: u16) -> Node {
        match self {
            Side::Left => Node::Left(question),
            Side::Right => Node::Right(question),
        }
    }
}

/// The question with the largest gain; the first one if several have it. `None` if every split makes a leaf of fewer
/// than [`MIN_FRAMES`] frames or gains nothing.
fn best_split(contexts: &[Context], rules: &Rules<'_>) -> Option<Split> {
    let dims = rules.floors.len();
    let mut all = Sums::new(dims);
    for context in contexts {
        all.add(&context.sums);
    }
    if all.frames() < 2 * MIN_FRAMES {
        return None;
    }
    let whole = all.log_likelihood(rules.floors);
    let mut best: Option<Split> = None;
    for side in [Side::Left, Side::Right] {
        let mut by_phone: Vec<Option<Sums>> = vec![None; rules.phones];
        for context in contexts {
            if let Some(sums) = by_phone.get_mut(side.neighbour(context)) {
                sums.get_or_insert_with(|| Sums::new(dims))
                    .add(&context.sums);
            }
        }
        for (number, set) in (0u16..).zip(rules.questions) {
            let mut yes = Sums::new(dims);
            for sums in set
                .iter()
                .filter_map(|&phone| by_phone[usize::from(phone)].as_ref())
            {
                yes.add(sums);
            }
            if yes.frames() < MIN_FRAMES || all.frames() - yes.frames() < MIN_FRAMES {
                continue;
            }
            let no = all.without(&yes);
            let gain = yes.log_likelihood(rules.floors) + no.log_likelihood(rules.floors) - whole;
            if gain.is_finite() && gain > best.map_or(0.0, |best| best.gain) {
                best = Some(Split {
                    node: side.node(number),
                    gain,
                });
            }
        }
    }
    best
}

/// A leaf that can be split. The queue's first is the one with the largest gain, then the lowest tree and place.
struct Queued {
    tree: usize,
    place: usize,
    leaf: Leaf,
    split: Split,
}

impl Queued {
    fn new(tree: usize, place: usize, leaf: Leaf) -> Option<Self> {
        let split = leaf.split?;
        Some(Queued {
            tree,
            place,
            leaf,
            split,
        })
    }
}

impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |queued: &Queued| Reverse((queued.tree, queued.place));
        let by_gain = self.split.gain.total_cmp(&other.split.gain);
        by_gain.then_with(|| place(self).cmp(&place(other)))
    }
}

impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Queued {}
