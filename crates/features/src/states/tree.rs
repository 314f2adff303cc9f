//! A decision tree: yes-no questions about the neighbours of a phone.

use serde::{Deserialize, Serialize};

/// A node as written in a file. A tree is a list of nodes in preorder: a split, its yes branch, its no branch.
///
/// No node refers to another by number, so every list is a tree or incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Node {
    /// Whether the left neighbour is in the question of this number.
    Left(u16),
    /// Whether the right neighbour is in the question of this number.
    Right(u16),
    /// A state.
    Leaf,
}

/// A tree in preorder, with the place of every no branch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// By node: the no branch of a split, the number of a leaf.
    values: Vec<u32>,
    leaves: usize,
}

impl Tree {
    /// A tree without splits.
    pub fn leaf() -> Self {
        Tree {
            nodes: vec![Node::Leaf],
            values: vec![0],
            leaves: 1,
        }
    }

    /// Reads a tree in preorder. `None` if branches are missing or nodes are left over.
    pub fn from_preorder(nodes: Vec<Node>) -> Option<Self> {
        let mut values = vec![0; nodes.len()];
        let mut open: Vec<usize> = Vec::new();
        let mut leaves = 0;
        for (place, node) in nodes.iter().enumerate() {
            if *node != Node::Leaf {
                open.push(place);
                continue;
            }
            values[place] = leaves;
            leaves += 1;
            let after = place + 1;
            match open.pop() {
                // The yes branch of the innermost open split ends here.
                Some(split) => values[split] = u32::try_from(after).ok()?,
                None if after == nodes.len() => {
                    return Some(Tree {
                        nodes,
                        values,
                        leaves: leaves as usize,
                    });
                }
                None => return None,
            }
        }
        None
    }

    /// The nodes in preorder.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The number of the leaf for a context. A neighbour in no question gets every answer "no".
    pub fn find(&self, questions: &[Vec<u16>], left: usize, right: usize) -> usize {
        let mut place = 0;
        loop {
            let (question, neighbour) = match self.nodes[place] {
                Node::Leaf => return self.values[place] as usize,
                Node::Left(question) => (question, left),
                Node::Right(question) => (question, right),
            };
            let set = questions.get(usize::from(question));
            let yes = set.is_some_and(|set| {
                u16::try_from(neighbour).is_ok_and(|phone| set.binary_search(&phone).is_ok())
            });
            place = if yes {
                place + 1
            } else {
                self.values[place] as usize
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Node::{Leaf, Left, Right};
    use super::*;

    #[test]
    fn a_tree_answers_questions_from_the_root_down() {
        let questions = [vec![0, 2], vec![1]];
        let tree = Tree::from_preorder(vec![Left(0), Right(1), Leaf, Leaf, Leaf]).expect("a tree");
        assert_eq!(tree.leaves(), 3);
        let contexts = [(0, 1, 0), (2, 1, 0), (2, 0, 1), (1, 1, 2), (99_999, 1, 2)];
        for (left, right, leaf) in contexts {
            assert_eq!(tree.find(&questions, left, right), leaf, "{left} {right}");
        }
        assert_eq!(Tree::leaf().find(&questions, 0, 0), 0);
    }

    #[test]
    fn incomplete_lists_and_nodes_after_the_end_are_no_trees() {
        for nodes in [
            vec![],
            vec![Left(0)],
            vec![Left(0), Leaf],
            vec![Leaf, Leaf],
            vec![Left(0), Leaf, Leaf, Right(0)],
        ] {
            assert_eq!(Tree::from_preorder(nodes.clone()), None, "{nodes:?}");
        }
        // A deep tree needs no recursion.
        let mut deep = vec![Left(0); 200_000];
        deep.extend(vec![Leaf; 200_001]);
        assert_eq!(
            Tree::from_preorder(deep).map(|tree| tree.leaves()),
            Some(200_001)
        );
    }
}
