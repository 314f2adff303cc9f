//! The symbols of target sequences: what a model learns to write, without times.

use serde::{Deserialize, Serialize};

/// The unit of a target sequence.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetUnit {
    /// Characters, with a space between words.
    Chars,
    /// Words.
    Words,
    /// Phones of a pronunciation lexicon.
    Phones,
}

impl TargetUnit {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            TargetUnit::Chars => "chars",
            TargetUnit::Words => "words",
            TargetUnit::Phones => "phones",
        }
    }
}

/// The symbols of target sequences. A target is a list of positions in `symbols`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSet {
    /// What a symbol is.
    pub unit: TargetUnit,
    /// The symbols by number. Between the words of [`TargetUnit::Chars`] the symbol is a space.
    pub symbols: Vec<String>,
}

impl TargetSet {
    /// Writes a sequence as text: characters without a separator, other units with spaces. Unknown numbers are left out.
    pub fn text(&self, sequence: &[i32]) -> String {
        let symbol = |&number: &i32| self.symbols.get(usize::try_from(number).ok()?);
        let symbols = sequence.iter().filter_map(symbol).map(String::as_str);
        let separator = match self.unit {
            TargetUnit::Chars => "",
            TargetUnit::Words | TargetUnit::Phones => " ",
        };
        symbols.collect::<Vec<_>>().join(separator)
    }
}

/// The number of frames that CTC needs for a target: one per symbol, and a blank between two equal symbols.
pub fn ctc_frames(target: &[i32]) -> usize {
    target.len() + target.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_symbols_need_a_frame_for_the_blank_between_them() {
        assert_eq!(ctc_frames(&[]), 0);
        assert_eq!(ctc_frames(&[1, 2, 1]), 3);
        assert_eq!(ctc_frames(&[1, 1, 1, 2, 2]), 8);
    }

    #[test]
    fn characters_are_joined_without_spaces_and_words_with() {
        let set = |unit| TargetSet {
            unit,
            symbols: vec![" ".into(), "a".into(), "b".into()],
        };
        assert_eq!(set(TargetUnit::Chars).text(&[1, 0, 2, 2]), "a bb");
        assert_eq!(set(TargetUnit::Words).text(&[1, 2, 9, -1]), "a b");
    }
}
