//! Sequence error rate: edit distance between the best class of each frame and the reference, both collapsed.
//!
//! Consecutive frames of one phone collapse to one symbol, and so do its consecutive states. The error rate is insertions, deletions
//! and substitutions divided by the reference length. If classes are phones, this is the phone error rate of greedy decoding without a
//! language model.

use padwise_model::{PaddedBatch, Targets};

/// Number of edits, and length of the references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequenceErrors {
    /// Insertions, deletions and substitutions.
    pub edits: u64,
    /// Symbols in the references.
    pub symbols: u64,
}

impl SequenceErrors {
    /// The error rate in percent; none without a reference.
    pub fn percent(&self) -> Option<f64> {
        (self.symbols > 0).then(|| 100.0 * self.edits as f64 / self.symbols as f64)
    }

    /// Adds an utterance.
    fn add(&mut self, reference: &[u32], found: &[u32]) {
        self.edits += strsim::generic_levenshtein(&reference.to_vec(), &found.to_vec()) as u64;
        self.symbols += reference.len() as u64;
    }
}

/// The references of a batch, kept while the trainer consumes the batch.
pub struct References {
    lengths: Vec<u32>,
    sequences: Vec<Vec<u32>>,
}

impl References {
    /// The references of a batch, as symbols.
    pub fn of(batch: &PaddedBatch, symbols: &[u32]) -> Self {
        let items = batch.len();
        let sequences = match &batch.targets {
            Targets::Frames(labels) => (0..items)
                .map(|column| {
                    let frames = labels.iter().skip(column).step_by(items);
                    let valid = frames.take(batch.lengths[column] as usize);
                    collapse(valid.copied(), symbols)
                })
                .collect(),
            Targets::Sequences { labels, lengths } => {
                let mut rest = labels.as_slice();
                lengths
                    .iter()
                    .map(|&length| {
                        let (own, others) = rest.split_at(length as usize);
                        rest = others;
                        collapse(own.iter().copied(), symbols)
                    })
                    .collect()
            }
        };
        References {
            lengths: batch.lengths.clone(),
            sequences,
        }
    }

    /// Adds the errors of a batch. `best` has the best class of every frame, time-major.
    pub fn count(&self, best: &[i32], symbols: &[u32], errors: &mut SequenceErrors) {
        let items = self.lengths.len();
        for (column, reference) in self.sequences.iter().enumerate() {
            let frames = best.iter().skip(column).step_by(items);
            let valid = frames.take(self.lengths[column] as usize);
            errors.add(reference, &collapse(valid.copied(), symbols));
        }
    }
}

/// Maps classes to symbols and removes repeats.
///
/// Classes without a symbol (CTC's blank, frames without a label) are removed. They separate two equal classes, but not two states of one
/// phone.
fn collapse(classes: impl Iterator<Item = i32>, symbols: &[u32]) -> Vec<u32> {
    let mut found: Vec<(i32, u32)> = Vec::new();
    let mut last = None;
    for class in classes {
        if last != Some(class)
            && let Some(&symbol) = usize::try_from(class).ok().and_then(|at| symbols.get(at))
        {
            let continues = found
                .last()
                .is_some_and(|&(before, same)| same == symbol && before != class);
            if continues {
                found.pop();
            }
            found.push((class, symbol));
        }
        last = Some(class);
    }
    found.into_iter().map(|(_, symbol)| symbol).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_and_states_collapse_and_blanks_separate() {
        // Classes 0, 1 and 2 are states of phone 7; 3 is phone 8; 4 is the blank.
        let symbols = [7, 7, 7, 8];
        let of = |classes: &[i32]| collapse(classes.iter().copied(), &symbols);
        assert_eq!(of(&[0, 0, 1, 2, 2, 3, 3]), [7, 8]);
        assert_eq!(of(&[0, 4, 1, 4, 2, 4, 3]), [7, 8]);
        assert_eq!(of(&[3, 4, 3]), [8, 8]);
        assert_eq!(of(&[3, -1, -1]), [8]);
        assert_eq!(of(&[4, 4]), Vec::<u32>::new());
    }

    #[test]
    fn errors_are_edits_over_the_reference() {
        let symbols = [0, 1, 2];
        let batch = PaddedBatch {
            inputs: vec![0.0; 6],
            lengths: vec![3, 2],
            frames: 3,
            // Time-major: the first utterance is 0 0 1, the second 2 2.
            targets: Targets::Frames(vec![0, 2, 0, 2, 1, -1]),
        };
        let references = References::of(&batch, &symbols);
        let mut errors = SequenceErrors::default();
        // Recognised: 0 2 1 (one insertion) and 1 1 (one substitution); padding does not count.
        references.count(&[0, 1, 2, 1, 1, 0], &symbols, &mut errors);
        assert_eq!((errors.edits, errors.symbols), (2, 3));
        assert_eq!(SequenceErrors::default().percent(), None);
    }
}
