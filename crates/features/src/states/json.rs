//! State inventories as JSON.

use serde::{Deserialize, Serialize};

use super::PARTS;
use super::error::StateError;
use super::inventory::{Phones, StateInventory, Trees};
use super::kind::StateKind;
use super::learn::MOST_PHONES;
use super::tree::{Node, Tree};

/// An inventory as written in a file, not yet checked.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Written {
    kind: StateKind,
    phones: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tying: Option<WrittenTrees>,
}

/// The trees of tied states.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenTrees {
    /// Log-likelihood gain per training frame.
    gain: f64,
    /// Sets of phones, by number.
    questions: Vec<Vec<u16>>,
    /// Three per phone, in preorder.
    trees: Vec<Vec<Node>>,
}

impl From<StateInventory> for Written {
    fn from(states: StateInventory) -> Self {
        let tying = states.trees().map(|trees| WrittenTrees {
            gain: trees.gain,
            questions: trees.questions.clone(),
            trees: trees
                .trees
                .iter()
                .map(|tree| tree.nodes().to_vec())
                .collect(),
        });
        Written {
            kind: states.kind(),
            phones: states.phones().to_vec(),
            tying,
        }
    }
}

impl TryFrom<Written> for StateInventory {
    type Error = StateError;

    fn try_from(written: Written) -> Result<Self, StateError> {
        if written.phones.is_empty() {
            return damaged("no phones".into());
        }
        let phones = Phones::new(written.phones)?;
        let trees = match (written.kind, written.tying) {
            (StateKind::Tied(_), Some(tying)) => Some(checked(tying, &phones)?),
            (StateKind::Phones | StateKind::Thirds, None) => None,
            (StateKind::Tied(_), None) => return damaged("tied states without trees".into()),
            (_, Some(_)) => return damaged("only tied states have trees".into()),
        };
        let states = StateInventory::new(written.kind, phones, trees)?;
        match states.kind() {
            StateKind::Tied(most) if states.len() > most as usize => {
                damaged(format!("{} tied states, more than {most}", states.len()))
            }
            _ => Ok(states),
        }
    }
}

fn damaged<T>(reason: String) -> Result<T, StateError> {
    Err(StateError::Damaged(reason))
}

fn checked(tying: WrittenTrees, phones: &Phones) -> Result<Trees, StateError> {
    if phones.len() > MOST_PHONES {
        return Err(StateError::TooManyPhones {
            classes: phones.len(),
            most: MOST_PHONES,
        });
    }
    if !tying.gain.is_finite() || tying.gain < 0.0 {
        return damaged(format!("a gain of {}", tying.gain));
    }
    for (number, set) in tying.questions.iter().enumerate() {
        let is_phone = |phone: &u16| usize::from(*phone) < phones.len();
        if !set.is_sorted_by(|a, b| a < b) || !set.iter().all(is_phone) {
            return damaged(format!("question {number} is not a sorted list of phones"));
        }
    }
    let expected = PARTS * phones.len();
    if tying.trees.len() != expected {
        return damaged(format!("{} trees, not {expected}", tying.trees.len()));
    }
    let questions = tying.questions.len();
    let mut trees = Vec::with_capacity(expected);
    for (number, nodes) in tying.trees.into_iter().enumerate() {
        let unknown = nodes.iter().find_map(|node| match *node {
            Node::Left(question) | Node::Right(question) => {
                (usize::from(question) >= questions).then_some(question)
            }
            Node::Leaf => None,
        });
        if let Some(unknown) = unknown {
            return damaged(format!(
                "tree {number} asks question {unknown}, but there are {questions}, numbered from 0"
            ));
        }
        if nodes.len() > 1 && phones.is_silence(number / PARTS) {
            return damaged(format!(
                "tree {number} belongs to silence but has questions"
            ));
        }
        match Tree::from_preorder(nodes) {
            Some(tree) => trees.push(tree),
            None => {
                return damaged(format!(
                    "tree {number} is incomplete or has nodes after its end"
                ));
            }
        }
    }
    Ok(Trees {
        gain: tying.gain,
        questions: tying.questions,
        trees,
    })
}
