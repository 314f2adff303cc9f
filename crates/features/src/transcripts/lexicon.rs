//! Pronunciation lexicons: one word per line, followed by its phones.
//!
//! The format is that of the CMU Pronouncing Dictionary and of Kaldi. Only the first pronunciation of a
//! word is used, because a target is one sequence. Further ones repeat the word or are marked `WORD(2)`. A line that starts with `;;;` is a comment, and
//! so is everything from a field that starts with `#` on.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use padwise_sampler::excerpt::excerpt;

use super::text_rules::TextRules;
use crate::files::{FileError, lines};

/// The first pronunciation of every word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexicon {
    path: PathBuf,
    words: HashMap<String, Vec<String>>,
}

impl Lexicon {
    /// Reads a lexicon. Its words are normalised like the transcripts, so their case need not agree.
    pub fn read(path: impl AsRef<Path>, rules: &TextRules) -> Result<Self, FileError> {
        let path = path.as_ref();
        let (mut words, mut respelt) = (HashMap::new(), HashMap::new());
        for line in lines(path)? {
            let (number, line) = line?;
            let line = line.trim();
            let mut fields = line
                .split_whitespace()
                .take_while(|field| !field.starts_with('#') && !field.starts_with(";;;"));
            let Some(word) = fields.next() else {
                continue;
            };
            let phones: Vec<String> = fields.map(String::from).collect();
            if phones.is_empty() {
                let reason = format!(
                    "no phones for `{}`: expected a word and its phones",
                    excerpt(word)
                );
                return Err(FileError::line(path, number, reason));
            }
            let word = without_variant(word);
            let normalised = rules.normalise(word);
            // `'em` becomes `em`. If the lexicon also lists `em`, that entry is the right one.
            let entries = if normalised.to_lowercase() == word.to_lowercase() {
                &mut words
            } else {
                &mut respelt
            };
            entries.entry(normalised).or_insert(phones);
        }
        for (word, phones) in respelt {
            // No word of a transcript is empty or has a space, as `x-ray` after normalisation.
            if !word.is_empty() && !word.contains(' ') {
                words.entry(word).or_insert(phones);
            }
        }
        if words.is_empty() {
            return Err(FileError::content(path, "no words in this lexicon"));
        }
        Ok(Lexicon {
            path: path.into(),
            words,
        })
    }

    /// The phones of a normalised word.
    pub fn phones(&self, word: &str) -> Option<&[String]> {
        self.words.get(word).map(Vec::as_slice)
    }

    /// All words, in alphabetical order.
    pub fn words(&self) -> BTreeSet<&str> {
        self.words.keys().map(String::as_str).collect()
    }

    /// All phones, in alphabetical order.
    pub fn phone_set(&self) -> BTreeSet<&str> {
        self.words.values().flatten().map(String::as_str).collect()
    }

    /// The file it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The word without the number of a further pronunciation: `READ(2)` is `READ`.
fn without_variant(word: &str) -> &str {
    let variant = word.strip_suffix(')').and_then(|word| word.split_once('('));
    match variant {
        Some((word, number)) if !word.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            word
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Lexicon, FileError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lexicon.txt");
        std::fs::write(&path, text).expect("writable");
        Lexicon::read(&path, &TextRules::default())
    }

    #[test]
    fn the_first_pronunciation_counts() {
        let text = ";;; a comment\n'EM AH M\nREAD  R IY D # a verb\nREAD(2) R EH D\nA(N) EY\n,COMMA K\nit's IH T S\nem EH M\nX-RAY X\n";
        let lexicon = read(text).expect("a lexicon");
        let phones = |word| lexicon.phones(word).map(|phones| phones.join(" "));
        assert_eq!(phones("read").as_deref(), Some("R IY D"));
        assert_eq!(phones("it's").as_deref(), Some("IH T S"));
        assert_eq!(phones("em").as_deref(), Some("EH M"));
        assert_eq!((phones("x-ray"), phones("x ray")), (None, None));
        assert_eq!(phones("READ"), None);
        let all: Vec<&str> = lexicon.phone_set().into_iter().collect();
        assert_eq!(all, ["D", "EH", "IH", "IY", "K", "M", "R", "S", "T"]);
    }

    #[test]
    fn lines_without_phones_are_refused() {
        let said = read("A EY\nB\n").expect_err("no phones").to_string();
        assert!(
            said.ends_with("lexicon.txt:2: no phones for `B`: expected a word and its phones"),
            "{said}"
        );
        let said = read("# nothing\n").expect_err("empty").to_string();
        assert!(said.ends_with("no words in this lexicon"), "{said}");
    }
}
