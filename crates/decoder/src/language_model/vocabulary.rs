//! The words of an ARPA file and their numbers in the lexicon.

use std::collections::HashMap;

use padwise_sampler::excerpt::excerpt;

use super::SkippedWords;
use crate::lexicon::{Lexicon, is_respelt};

/// The number of a word that the lexicon does not have.
pub(super) const SKIPPED: u32 = u32::MAX;

/// Numbers of the words that are not in a lexicon. They follow those of the lexicon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Markers {
    /// `<unk>`: any word that the model does not have.
    pub unknown: u32,
    /// `<s>`: the start of a sentence.
    pub start: u32,
    /// `</s>`: the end of a sentence.
    pub end: u32,
}

impl Markers {
    pub fn after(words: usize) -> Markers {
        let words = words as u32;
        Markers {
            unknown: words,
            start: words + 1,
            end: words + 2,
        }
    }
}

/// The words of a file, as they are written there.
pub(super) struct Vocabulary<'a, N> {
    lexicon: &'a Lexicon,
    normalise: N,
    markers: Markers,
    numbers: HashMap<Box<str>, u32>,
    /// Which word of the file has a number.
    owners: HashMap<u32, Owner>,
    pub skipped: SkippedWords,
}

struct Owner {
    word: Box<str>,
    line: u64,
    is_respelt: bool,
    /// Other respelt words that become the same one, with their lines.
    rivals: Vec<(Box<str>, u64)>,
}

impl<'a, N: Fn(&str) -> String> Vocabulary<'a, N> {
    pub fn new(lexicon: &'a Lexicon, normalise: N) -> Self {
        Vocabulary {
            lexicon,
            normalise,
            markers: Markers::after(lexicon.words().len()),
            numbers: HashMap::new(),
            owners: HashMap::new(),
            skipped: SkippedWords::default(),
        }
    }

    /// The number of a word that has a unigram, [`SKIPPED`] if it has no pronunciation.
    pub fn number(&self, word: &str) -> Option<u32> {
        self.numbers.get(word).copied()
    }

    /// Adds a word from the unigrams and returns its number, or what is wrong with it.
    pub fn add(&mut self, word: &str, line: u64) -> Result<u32, String> {
        let (number, is_respelt) = match word {
            "<s>" => (Some(self.markers.start), false),
            "</s>" => (Some(self.markers.end), false),
            "<unk>" | "<UNK>" => (Some(self.markers.unknown), false),
            word => {
                let normalised = (self.normalise)(word);
                let is_respelt = is_respelt(word, &normalised);
                (self.lexicon.word(&normalised), is_respelt)
            }
        };
        let mut number = number.unwrap_or(SKIPPED);
        if let Some(owner) = self.owners.get_mut(&number) {
            match (owner.is_respelt, is_respelt) {
                // The unigrams have `em` and `'em`, which is not in the lexicon then.
                (false, true) => number = SKIPPED,
                (true, false) => {
                    let respelt = [(owner.word.clone(), owner.line)];
                    for (word, line) in respelt.into_iter().chain(owner.rivals.drain(..)) {
                        skip(&mut self.skipped, &word, line);
                        self.numbers.insert(word, SKIPPED);
                    }
                    self.owners.remove(&number);
                }
                (true, true) if *owner.word != *word => owner.rivals.push((word.into(), line)),
                _ => return Err(same(owner, word)),
            }
        }
        if self.numbers.insert(word.into(), number).is_some() {
            return Err(format!(
                "a second unigram for `{}`: remove one",
                excerpt(word)
            ));
        }
        if number == SKIPPED {
            skip(&mut self.skipped, word, line);
        } else {
            self.owners.entry(number).or_insert_with(|| Owner {
                word: word.into(),
                line,
                is_respelt,
                rivals: Vec::new(),
            });
        }
        Ok(number)
    }

    /// After the last unigram: the line and the problem of two words that become the same one.
    pub fn finish(&mut self) -> Result<(), (u64, String)> {
        let owners = std::mem::take(&mut self.owners).into_values();
        let rivals = owners.filter_map(|owner| {
            let (word, line) = owner.rivals.first()?;
            Some((*line, same(&owner, word)))
        });
        rivals.min().map_or(Ok(()), Err)
    }
}

fn skip(skipped: &mut SkippedWords, word: &str, line: u64) {
    skipped.count += 1;
    skipped.n_grams += 1;
    let first = skipped.first.as_ref();
    if first.is_none_or(|(_, first)| line < *first) {
        skipped.first = Some((word.into(), line));
    }
}

fn same(owner: &Owner, word: &str) -> String {
    let (first, line) = (excerpt(&owner.word), owner.line);
    if *owner.word == *word {
        return format!("a second unigram for `{first}`, after line {line}: remove one");
    }
    format!(
        "`{}` and `{first}` in line {line} are the same word after normalisation: remove one, or normalise less",
        excerpt(word)
    )
}
