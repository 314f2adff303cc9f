//! Word errors: the fewest substitutions, deletions and insertions that turn a reference into what was recognised.

use std::ops::AddAssign;

/// The word errors of one utterance or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordErrors {
    /// Words in the reference.
    pub words: u64,
    /// Words that were replaced by others.
    pub substitutions: u64,
    /// Words of the reference without a match.
    pub deletions: u64,
    /// Words found that are not in the reference.
    pub insertions: u64,
}

impl WordErrors {
    /// Compares what was found with the reference.
    ///
    /// Their sum is the Levenshtein distance. Of several ways to reach it, the one with the most substitutions counts.
    ///
    /// ```
    /// use padwise_decoder::WordErrors;
    ///
    /// let errors = WordErrors::between(&["one", "two", "three"], &["won", "two"]);
    /// assert_eq!((errors.substitutions, errors.deletions), (1, 1));
    /// assert_eq!(errors.percent(), Some(200.0 / 3.0));
    /// ```
    pub fn between<T: Eq>(reference: &[T], found: &[T]) -> WordErrors {
        // One row of the table: for each prefix of `found`, the errors of the reference's words so far.
        let insertions = (0..=found.len() as u64).map(|insertions| WordErrors {
            insertions,
            ..WordErrors::default()
        });
        let mut row: Vec<WordErrors> = insertions.collect();
        for word in reference {
            let mut diagonal = row[0];
            row[0].words += 1;
            row[0].deletions += 1;
            for (index, other) in found.iter().enumerate() {
                let (mut substituted, mut deleted, mut inserted) =
                    (diagonal, row[index + 1], row[index]);
                substituted.words += 1;
                substituted.substitutions += u64::from(word != other);
                deleted.words += 1;
                deleted.deletions += 1;
                inserted.insertions += 1;
                diagonal = row[index + 1];
                // The first of equals is the minimum.
                let ways = [substituted, deleted, inserted];
                row[index + 1] = ways
                    .into_iter()
                    .min_by_key(WordErrors::edits)
                    .unwrap_or(substituted);
            }
        }
        row[found.len()]
    }

    /// All errors.
    pub fn edits(&self) -> u64 {
        self.substitutions + self.deletions + self.insertions
    }

    /// The word error rate: errors as a percentage of the reference's words. None without words.
    pub fn percent(&self) -> Option<f64> {
        (self.words > 0).then(|| 100.0 * self.edits() as f64 / self.words as f64)
    }
}

impl AddAssign for WordErrors {
    fn add_assign(&mut self, other: WordErrors) {
        self.words += other.words;
        self.substitutions += other.substitutions;
        self.deletions += other.deletions;
        self.insertions += other.insertions;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;

    fn errors(reference: &str, found: &str) -> (u64, u64, u64) {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let found = WordErrors::between(&words(reference), &words(found));
        (found.substitutions, found.deletions, found.insertions)
    }

    #[test]
    fn errors_are_told_apart() {
        assert_eq!(errors("the cat sat", "the cat sat"), (0, 0, 0));
        assert_eq!(errors("the cat sat", "a cat sat"), (1, 0, 0));
        assert_eq!(errors("the cat sat", "cat sat"), (0, 1, 0));
        assert_eq!(errors("the cat sat", "the big cat sat"), (0, 0, 1));
        assert_eq!(errors("the cat sat down", "a big cat sat"), (1, 1, 1));
        assert_eq!(errors("a b", "b c"), (2, 0, 0));
    }

    #[test]
    fn rates_are_of_the_references_words() {
        let mut all = WordErrors::between(&[1, 2, 3, 4], &[1, 2, 3]);
        assert_eq!(all.percent(), Some(25.0));
        all += WordErrors::between(&[], &[7, 7]);
        assert_eq!((all.words, all.deletions, all.insertions), (4, 1, 2));
        assert_eq!(all.percent(), Some(75.0));
        assert_eq!(WordErrors::default().percent(), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(0),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn edits_are_the_levenshtein_distance(
            reference in prop::collection::vec(0_u8..4, 0..12),
            found in prop::collection::vec(0_u8..4, 0..12),
        ) {
            let errors = WordErrors::between(&reference, &found);
            let distance = strsim::generic_levenshtein(&reference, &found) as u64;
            prop_assert_eq!(errors.edits(), distance);
            prop_assert_eq!(errors.words, reference.len() as u64);
            let lengths = errors.words - errors.deletions + errors.insertions;
            prop_assert_eq!(lengths, found.len() as u64);
            let reversed = WordErrors::between(&found, &reference);
            prop_assert_eq!(reversed.edits(), distance);
        }
    }
}
