//! Normalisation of transcripts.
//!
//! The rules, in order:
//!
//! 1. Replacements (`&` by ` and `), each everywhere in the text.
//! 2. Unicode NFC: `e` with a combining accent becomes `é`.
//! 3. Lower or upper case.
//! 4. Punctuation and symbols become spaces. An apostrophe stays if it is between two letters or digits (`don't`), and `’`
//!    becomes `'`.
//! 5. Runs of white space become one space, and none is left at the ends.
//!
//! Digits stay as they are: `7` and `seven` are different targets.

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// What happens to the case of letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TextCase {
    /// All letters become lower case.
    #[default]
    Lower,
    /// All letters become upper case.
    Upper,
    /// Letters stay as they are.
    Keep,
}

/// What happens to punctuation and symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Punctuation {
    /// It becomes a space, except apostrophes inside words.
    #[default]
    Remove,
    /// It stays.
    Keep,
}

/// How transcripts are normalised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TextRules {
    /// Case of letters.
    pub case: TextCase,
    /// Punctuation and symbols.
    pub punctuation: Punctuation,
    /// Characters that stay even if punctuation is removed.
    pub keep: String,
    /// Replacements, applied first and in this order.
    pub replace: Vec<(String, String)>,
}

impl TextRules {
    /// The normalised text.
    ///
    /// ```
    /// use padwise_features::transcripts::TextRules;
    ///
    /// let rules = TextRules::default();
    /// assert_eq!(rules.normalise("“Don’t!”, she said -- twice"), "don't she said twice");
    /// ```
    pub fn normalise(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (from, to) in self.replace.iter().filter(|(from, _)| !from.is_empty()) {
            text = text.replace(from, to);
        }
        let text: String = text.nfc().collect();
        let text = match self.case {
            TextCase::Lower => text.to_lowercase(),
            TextCase::Upper => text.to_uppercase(),
            TextCase::Keep => text,
        };
        let text = match self.punctuation {
            Punctuation::Remove => self.without_punctuation(&text),
            Punctuation::Keep => text,
        };
        // Changing the case can leave combining characters, as in Turkish.
        let text: String = text.nfc().collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn without_punctuation(&self, text: &str) -> String {
        let is_letter = |c: char| c.is_alphanumeric() || is_combining_mark(c);
        // Joiners are invisible and stand inside words.
        let is_joiner = |&c: &char| matches!(c, '\u{200c}' | '\u{200d}');
        let characters: Vec<char> = text.chars().filter(|c| !is_joiner(c)).collect();
        let letter_at = |at: Option<usize>| {
            at.and_then(|at| characters.get(at))
                .is_some_and(|&c| is_letter(c))
        };
        let normalised = |(at, &c): (usize, &char)| match c {
            c if is_letter(c) || self.keep.contains(c) => c,
            '\'' | '’' if letter_at(at.checked_sub(1)) && letter_at(Some(at + 1)) => '\'',
            _ => ' ',
        };
        characters.iter().enumerate().map(normalised).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_normalised_by_default() {
        let rules = TextRules::default();
        for (text, expected) in [
            ("MISTER QUILTER'S MANNER", "mister quilter's manner"),
            ("  “It’s 5 o'clock,” he\tsaid.\n", "it's 5 o'clock he said"),
            ("'quoted' words' end", "quoted words end"),
            ("well-known e\u{301}tude — naïve", "well known étude naïve"),
            ("हिन्दी, தமிழ்!", "हिन्दी தமிழ்"),
            ("…?!", ""),
        ] {
            assert_eq!(rules.normalise(text), expected, "{text}");
            let again = rules.normalise(expected);
            assert_eq!(again, expected, "normalising twice changes nothing");
        }
    }

    #[test]
    fn rules_can_be_changed() {
        let rules = TextRules {
            case: TextCase::Upper,
            keep: "-".into(),
            replace: vec![("&".into(), " and ".into()), ("<noise>".into(), "".into())],
            ..TextRules::default()
        };
        assert_eq!(rules.normalise("R&B <noise> x-ray!"), "R AND B X-RAY");
        let rules = TextRules {
            case: TextCase::Keep,
            punctuation: Punctuation::Keep,
            ..TextRules::default()
        };
        assert_eq!(rules.normalise("Oh,  no!"), "Oh, no!");
    }
}
