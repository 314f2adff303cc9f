//! Tied states: which states in context share a class.
//!
//! A state sounds different in different contexts. There are 192,000 states in context, and most are rare. So they are
//! tied into classes, as a decision tree would do. Each state of each phone has about the same number of classes. Each
//! class is a set of similar contexts, and the classes of a state are about equally likely. The beginning of a phone is
//! divided by its left neighbour first, the end by its right neighbour. The middle is divided by the kind of its left
//! neighbour, then by its right neighbour. Silence does not depend on context.

use super::phones::{PHONES, SILENCE, SPOKEN, STATES, kind};

/// The class of every state in context.
pub(super) struct Tying {
    /// By (phone, state, left, right).
    classes: Vec<u32>,
    /// Phone and state of each class.
    owners: Vec<(u8, usize)>,
}

impl Tying {
    /// Ties the states of a language with these bigram probabilities into `classes` classes.
    pub(super) fn new(bigrams: &[[f64; PHONES]], classes: usize) -> Self {
        let unigrams = stationary(bigrams);
        let mut tying = Tying {
            classes: vec![0; PHONES * STATES * PHONES * PHONES],
            owners: Vec::with_capacity(classes),
        };
        for state in 0..STATES {
            let start = place(SILENCE, state, 0, 0);
            tying.classes[start..start + PHONES * PHONES].fill(state as u32);
            tying.owners.push((SILENCE, state));
        }
        let groups = SPOKEN * STATES;
        let to_share = classes.saturating_sub(STATES);
        let orders: [Vec<Context>; STATES] = std::array::from_fn(contexts_by_similarity);
        for group in 0..groups {
            let (phone, state) = ((1 + group / STATES) as u8, group % STATES);
            let leaves = to_share / groups + usize::from(group < to_share % groups);
            let contexts = orders[state].iter().filter(|context| context.is_of(phone));
            let weighed: Vec<(Context, f64)> = contexts
                .map(|&context| (context, context.probability(phone, bigrams, &unigrams)))
                .collect();
            tying.divide(phone, state, &weighed, leaves);
        }
        tying
    }

    /// The class of a state of a phone between two others.
    pub(super) fn class(&self, phone: u8, state: usize, left: u8, right: u8) -> u32 {
        self.classes[place(phone, state, left, right)]
    }

    /// The phone and state of each class.
    pub(super) fn owners(&self) -> &[(u8, usize)] {
        &self.owners
    }

    /// Divides contexts, sorted by similarity, into this many classes of about equal probability. Each class has at least
    /// one context.
    fn divide(&mut self, phone: u8, state: usize, contexts: &[(Context, f64)], leaves: usize) {
        let mut probability_left: f64 = contexts.iter().map(|(_, probability)| probability).sum();
        let mut in_leaf = 0.0;
        let mut leaves_left = leaves;
        let first = self.owners.len();
        self.owners
            .extend(std::iter::repeat_n((phone, state), leaves));
        for (at, (context, probability)) in contexts.iter().enumerate() {
            let class = first + leaves - leaves_left;
            self.classes[place(phone, state, context.left, context.right)] = class as u32;
            in_leaf += probability;
            let contexts_left = contexts.len() - at - 1;
            let full = in_leaf * leaves_left as f64 >= probability_left;
            if leaves_left > 1 && (full || contexts_left < leaves_left) {
                probability_left -= in_leaf;
                in_leaf = 0.0;
                leaves_left -= 1;
            }
        }
    }
}

/// The neighbours of a phone.
#[derive(Clone, Copy)]
struct Context {
    left: u8,
    right: u8,
}

impl Context {
    /// Sort key: contexts with close keys sound similar in this state.
    fn similarity(&self, state: usize) -> (usize, u8, u8) {
        match state {
            0 => (0, self.left, self.right),
            1 => (kind(self.left), self.right, self.left),
            _ => (0, self.right, self.left),
        }
    }

    /// Whether a phone can occur in this context: no phone follows itself.
    fn is_of(&self, phone: u8) -> bool {
        self.left != phone && self.right != phone
    }

    fn probability(&self, phone: u8, bigrams: &[[f64; PHONES]], unigrams: &[f64; PHONES]) -> f64 {
        let [left, centre, right] = [self.left, phone, self.right].map(usize::from);
        unigrams[left] * bigrams[left][centre] * bigrams[centre][right]
    }
}

/// All contexts, sorted by similarity for this state.
fn contexts_by_similarity(state: usize) -> Vec<Context> {
    let phones = 0..PHONES as u8;
    let pairs = phones
        .clone()
        .flat_map(|left| phones.clone().map(move |right| (left, right)));
    let mut contexts: Vec<Context> = pairs.map(|(left, right)| Context { left, right }).collect();
    contexts.sort_by_key(|context| context.similarity(state));
    contexts
}

/// Stationary distribution of the phones.
fn stationary(bigrams: &[[f64; PHONES]]) -> [f64; PHONES] {
    let mut shares = [1.0 / PHONES as f64; PHONES];
    for _ in 0..64 {
        let mut next = [0.0; PHONES];
        for (share, row) in shares.iter().zip(bigrams) {
            for (sum, p) in next.iter_mut().zip(row) {
                *sum += share * p;
            }
        }
        shares = next;
    }
    shares
}

fn place(phone: u8, state: usize, left: u8, right: u8) -> usize {
    ((usize::from(phone) * STATES + state) * PHONES + usize::from(left)) * PHONES
        + usize::from(right)
}

#[cfg(test)]
mod tests {
    use super::super::config::{MAX_CLASSES, MIN_CLASSES};
    use super::super::grammar::Grammar;
    use super::*;

    #[test]
    fn every_class_has_a_context_and_belongs_to_one_state_of_one_phone() {
        let grammar = Grammar::new(0);
        for classes in [MIN_CLASSES, 500, 1500, 1501, 9000, MAX_CLASSES] {
            let tying = Tying::new(grammar.bigrams(), classes);
            assert_eq!(tying.owners().len(), classes);
            let mut reached = vec![false; classes];
            for phone in 0..PHONES as u8 {
                for state in 0..STATES {
                    for left in (0..PHONES as u8).filter(|&p| p != phone) {
                        for right in (0..PHONES as u8).filter(|&p| p != phone) {
                            let class = tying.class(phone, state, left, right) as usize;
                            assert_eq!(tying.owners()[class], (phone, state));
                            reached[class] = true;
                        }
                    }
                }
            }
            assert!(reached.iter().all(|&r| r), "{classes}");
        }
    }

    #[test]
    fn classes_of_a_state_are_about_equally_likely() {
        let grammar = Grammar::new(0);
        let tying = Tying::new(grammar.bigrams(), 1500);
        let unigrams = stationary(grammar.bigrams());
        let mut mass = vec![0.0; 1500];
        for context in contexts_by_similarity(0) {
            if context.is_of(9) {
                let class = tying.class(9, 0, context.left, context.right) as usize;
                mass[class] += context.probability(9, grammar.bigrams(), &unigrams);
            }
        }
        let used: Vec<f64> = mass.into_iter().filter(|&m| m > 0.0).collect();
        let mean = used.iter().sum::<f64>() / used.len() as f64;
        assert!((12..=13).contains(&used.len()));
        assert!(
            used.iter().all(|m| (0.4 * mean..2.0 * mean).contains(m)),
            "{used:?}"
        );
    }
}
