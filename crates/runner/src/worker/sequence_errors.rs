//! Error rates of greedy decoding: edit distance between the best class of each frame, collapsed, and the reference.
//!
//! | supervision | decoded | error rates |
//! | --- | --- | --- |
//! | frame labels | repeats of a phone and of its states are one symbol | phones |
//! | label sequences | the same, and CTC's blank is removed | phones |
//! | targets: characters | CTC: repeats are one symbol, then the blank is removed | characters, words |
//! | targets: words, phones | the same | words, or phones |
//!
//! An error rate is insertions, deletions and substitutions divided by the reference length. There is no language model.

use padwise_features::corpus::{TargetSet, TargetUnit};
use padwise_model::{PaddedBatch, Targets};
use padwise_report::record::EpochRow;

/// Number of edits, and length of the references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct EditCount {
    /// Insertions, deletions and substitutions.
    edits: u64,
    /// Symbols in the references.
    symbols: u64,
}

impl EditCount {
    /// The error rate in percent; none without a reference.
    fn percent(&self) -> Option<f64> {
        (self.symbols > 0).then(|| 100.0 * self.edits as f64 / self.symbols as f64)
    }

    /// Adds an utterance.
    fn add<T: PartialEq + Clone>(&mut self, reference: &[T], found: &[T]) {
        self.edits += strsim::generic_levenshtein(&reference.to_vec(), &found.to_vec()) as u64;
        self.symbols += reference.len() as u64;
    }
}

/// The errors of a validation pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SequenceErrors {
    phones: EditCount,
    characters: EditCount,
    words: EditCount,
}

impl SequenceErrors {
    /// Writes the error rates into a row.
    pub fn fill(&self, row: &mut EpochRow) {
        row.sequence_error_percent = self.phones.percent();
        row.character_error_percent = self.characters.percent();
        row.word_error_percent = self.words.percent();
    }
}

/// How the classes of frames are decoded.
#[derive(Clone, Copy, Debug)]
pub enum Decoding<'a> {
    /// Classes are states or phones: the symbol of each class.
    Labels(&'a [u32]),
    /// Classes are the symbols of targets; the blank follows them.
    Targets(&'a TargetSet),
}

impl Decoding<'_> {
    fn decode(&self, classes: impl Iterator<Item = i32>) -> Vec<i32> {
        match self {
            Decoding::Labels(symbols) => collapse(classes, symbols),
            Decoding::Targets(set) => {
                let mut last = None;
                let mut found: Vec<i32> = classes
                    .filter(|&class| last.replace(class) != Some(class))
                    .collect();
                found.retain(|&class| {
                    usize::try_from(class).is_ok_and(|class| class < set.symbols.len())
                });
                found
            }
        }
    }

    fn reference(&self, target: &[i32]) -> Vec<i32> {
        match self {
            Decoding::Labels(symbols) => collapse(target.iter().copied(), symbols),
            // A target keeps its repeats.
            Decoding::Targets(_) => target.to_vec(),
        }
    }

    fn count(&self, reference: &[i32], found: &[i32], errors: &mut SequenceErrors) {
        match self {
            Decoding::Targets(set) if set.unit == TargetUnit::Chars => {
                errors.characters.add(reference, found);
                let words = |sequence| -> Vec<String> {
                    let text = set.text(sequence);
                    text.split_whitespace().map(String::from).collect()
                };
                errors.words.add(&words(reference), &words(found));
            }
            Decoding::Targets(set) if set.unit == TargetUnit::Words => {
                errors.words.add(reference, found);
            }
            Decoding::Targets(_) | Decoding::Labels(_) => errors.phones.add(reference, found),
        }
    }
}

/// The references of a batch, kept while the trainer consumes the batch.
pub struct References {
    lengths: Vec<u32>,
    sequences: Vec<Vec<i32>>,
}

impl References {
    /// The references of a batch.
    pub fn of(batch: &PaddedBatch, decoding: Decoding) -> Self {
        let items = batch.len();
        let sequences = match &batch.targets {
            Targets::Frames(labels) => (0..items)
                .map(|column| {
                    let frames = labels.iter().skip(column).step_by(items);
                    let valid = frames.take(batch.lengths[column] as usize);
                    decoding.decode(valid.copied())
                })
                .collect(),
            Targets::Sequences { labels, lengths } => {
                let mut rest = labels.as_slice();
                lengths
                    .iter()
                    .map(|&length| {
                        let (own, others) = rest.split_at(length as usize);
                        rest = others;
                        decoding.reference(own)
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
    pub fn count(&self, best: &[i32], decoding: Decoding, errors: &mut SequenceErrors) {
        let items = self.lengths.len();
        for (column, reference) in self.sequences.iter().enumerate() {
            let frames = best.iter().skip(column).step_by(items);
            let valid = frames.take(self.lengths[column] as usize);
            decoding.count(reference, &decoding.decode(valid.copied()), errors);
        }
    }
}

/// Maps classes to symbols and removes repeats.
///
/// Classes without a symbol (CTC's blank, frames without a label) are removed. They separate two equal classes, but not two states of one
/// phone.
fn collapse(classes: impl Iterator<Item = i32>, symbols: &[u32]) -> Vec<i32> {
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
    let symbols = found.into_iter().map(|(_, symbol)| symbol.cast_signed());
    symbols.collect()
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
        assert_eq!(of(&[4, 4]), [0; 0]);
    }

    #[test]
    fn errors_are_edits_over_the_reference() {
        let decoding = Decoding::Labels(&[0, 1, 2]);
        let batch = PaddedBatch {
            inputs: vec![0.0; 6],
            lengths: vec![3, 2],
            frames: 3,
            // Time-major: the first utterance is 0 0 1, the second 2 2.
            targets: Targets::Frames(vec![0, 2, 0, 2, 1, -1]),
        };
        let references = References::of(&batch, decoding);
        let mut errors = SequenceErrors::default();
        // Recognised: 0 2 1 (one insertion) and 1 1 (one substitution); padding does not count.
        references.count(&[0, 1, 2, 1, 1, 0], decoding, &mut errors);
        assert_eq!((errors.phones.edits, errors.phones.symbols), (2, 3));
        let mut row = EpochRow::default();
        errors.fill(&mut row);
        assert_eq!(row.sequence_error_percent, Some(200.0 / 3.0));
        assert_eq!(
            (row.character_error_percent, row.word_error_percent),
            (None, None)
        );
    }

    /// Decodes `best` (one class per frame) against `target` and returns the error rates of phones, characters and words.
    fn rates(unit: TargetUnit, target: &[i32], best: &[i32]) -> [Option<f64>; 3] {
        let symbols = [" ", "a", "b"].map(String::from).to_vec();
        let set = TargetSet { unit, symbols };
        let decoding = Decoding::Targets(&set);
        let batch = PaddedBatch {
            inputs: vec![0.0; best.len()],
            lengths: vec![best.len() as u32],
            frames: best.len(),
            targets: Targets::Sequences {
                labels: target.to_vec(),
                lengths: vec![target.len() as u32],
            },
        };
        let references = References::of(&batch, decoding);
        let (mut errors, mut row) = (SequenceErrors::default(), EpochRow::default());
        references.count(best, decoding, &mut errors);
        errors.fill(&mut row);
        [
            row.sequence_error_percent,
            row.character_error_percent,
            row.word_error_percent,
        ]
    }

    #[test]
    fn characters_give_character_and_word_errors_and_repeats_count() {
        // "aab ba", where class 3 is the blank.
        let target = [1, 1, 2, 0, 2, 1];
        let right = [1, 3, 1, 1, 2, 3, 3, 0, 0, 2, 1, 3];
        assert_eq!(
            rates(TargetUnit::Chars, &target, &right),
            [None, Some(0.0), Some(0.0)]
        );
        // Without a blank between them the two a are one: one of six characters and one of two words is wrong.
        let merged = [1, 1, 1, 2, 0, 2, 1];
        let found = rates(TargetUnit::Chars, &target, &merged);
        assert_eq!(found, [None, Some(100.0 / 6.0), Some(50.0)]);
        assert_eq!(
            rates(TargetUnit::Chars, &target, &[3, 3]),
            [None, Some(100.0), Some(100.0)]
        );
    }

    #[test]
    fn words_and_phones_give_their_own_errors() {
        let found = rates(TargetUnit::Words, &[1, 1, 2], &[1, 3, 1, 0]);
        assert_eq!(found, [None, None, Some(100.0 / 3.0)]);
        let found = rates(TargetUnit::Phones, &[1, 2], &[1, 2, 2, 1]);
        assert_eq!(found, [Some(50.0), None, None]);
    }
}
