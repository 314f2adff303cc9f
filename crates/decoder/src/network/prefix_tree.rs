//! A prefix tree of pronunciations: words that begin with the same phones share them.

use std::collections::{BTreeMap, HashMap};

use super::{MAX_PHONES, NetworkError};
use crate::lexicon::Lexicon;

/// Longest pronunciation, in phones. The longest English words have about 30.
const LONGEST: usize = 200;

/// A prefix of pronunciations.
#[derive(Clone, Debug, Default)]
pub(super) struct Prefix {
    /// The prefixes that are one phone longer, by that phone.
    pub next: BTreeMap<u16, usize>,
    /// The words that end here.
    pub words: Vec<u32>,
}

/// All prefixes of the pronunciations of a lexicon. The first is empty.
#[derive(Clone, Debug)]
pub(super) struct PrefixTree {
    pub prefixes: Vec<Prefix>,
    /// Number of distinct words.
    pub words: usize,
}

impl PrefixTree {
    /// The pronunciations of the words that `is_known` accepts.
    ///
    /// `phones` are the names of the phones. Every pronunciation is checked, also that of unknown words.
    pub fn new(
        lexicon: &Lexicon,
        phones: &[String],
        is_known: impl Fn(u32) -> bool,
    ) -> Result<Self, NetworkError> {
        if phones.len() >= MAX_PHONES {
            return Err(NetworkError::TooManyPhones {
                phones: phones.len(),
            });
        }
        let numbers: HashMap<&str, u16> = phones
            .iter()
            .zip(0..)
            .map(|(phone, number)| (phone.as_str(), number))
            .collect();
        let mut prefixes = vec![Prefix::default()];
        let mut seen = vec![false; lexicon.words().len()];
        for pronunciation in lexicon.pronunciations() {
            let known = is_known(pronunciation.word);
            if pronunciation.phones.len() > LONGEST {
                return Err(NetworkError::TooLong {
                    lexicon: lexicon.path().into(),
                    line: pronunciation.line,
                    phones: pronunciation.phones.len(),
                });
            }
            let mut at = 0;
            for phone in pronunciation.phones {
                let Some(&number) = numbers.get(phone.as_str()) else {
                    return Err(NetworkError::UnknownPhone {
                        lexicon: lexicon.path().into(),
                        line: pronunciation.line,
                        phone: phone.clone(),
                        word: lexicon.words()[pronunciation.word as usize].clone(),
                        known: phones.join(" "),
                    });
                };
                if known {
                    let new = prefixes.len();
                    let next = *prefixes[at].next.entry(number).or_insert(new);
                    if next == new {
                        prefixes.push(Prefix::default());
                    }
                    at = next;
                }
            }
            if known && at != 0 {
                prefixes[at].words.push(pronunciation.word);
                seen[pronunciation.word as usize] = true;
            }
        }
        let words = seen.iter().filter(|&&seen| seen).count();
        if words == 0 {
            return Err(NetworkError::NoWords {
                lexicon: lexicon.path().into(),
            });
        }
        Ok(PrefixTree { prefixes, words })
    }

    /// The phones that words begin with, as bits.
    pub fn first_phones(&self) -> u128 {
        let first = self.prefixes[0].next.keys();
        first.fold(0, |set, &phone| set | 1 << phone)
    }
}
