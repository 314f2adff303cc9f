//! Encodes the transcripts of a corpus as target sequences.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use padwise_decoder::Lexicon;
use padwise_sampler::excerpt::excerpt;
use serde_json::json;

use super::error::TargetError;
use super::text_rules::TextRules;
use crate::corpus::{TargetSet, TargetUnit};
use crate::labels::MOST_CLASSES;

/// How transcripts become target sequences.
#[derive(Clone, Debug)]
pub struct TargetRules {
    /// What a symbol is.
    pub unit: TargetUnit,
    /// Normalisation of the text.
    pub text: TextRules,
    /// Pronunciations, required for phones. For words it fixes the set of words.
    pub lexicon: Option<Lexicon>,
    /// The symbols, if they are given, for example those of another pack. Otherwise all that occur.
    pub symbols: Option<Vec<String>>,
}

/// The target sequences of a corpus.
#[derive(Debug)]
pub struct Encoded {
    /// The symbols.
    pub set: TargetSet,
    /// For each utterance its target, or why it has none.
    pub sequences: Vec<Result<Vec<u16>, TargetError>>,
    /// Characters or words without a symbol, with how often they occur. Characters were left out; an utterance with such a
    /// word has no target.
    pub outside: BTreeMap<String, u64>,
    /// The rules, for the description of a pack.
    pub description: serde_json::Value,
}

impl TargetRules {
    /// Encodes the transcripts of all utterances; `None` is an utterance without one.
    pub fn encode<'a>(
        &self,
        texts: impl Iterator<Item = Option<&'a str>> + Clone,
    ) -> Result<Encoded, TargetError> {
        if self.unit == TargetUnit::Phones && self.lexicon.is_none() {
            let reason = "phones need a pronunciation lexicon: pass --lexicon FILE";
            return Err(TargetError::Rules(reason.into()));
        }
        if self.unit == TargetUnit::Chars && self.lexicon.is_some() {
            let reason = "characters need no lexicon: remove --lexicon, or use words or phones";
            return Err(TargetError::Rules(reason.into()));
        }
        if self.unit == TargetUnit::Words && self.lexicon.is_some() && self.symbols.is_some() {
            let reason = "--symbols already fixes the words: remove --lexicon";
            return Err(TargetError::Rules(reason.into()));
        }
        let symbols = self.symbols(texts.clone())?;
        let numbers: HashMap<&str, u16> = (0..=u16::MAX)
            .zip(&symbols)
            .map(|(number, symbol)| (symbol.as_str(), number))
            .collect();
        if numbers.len() != symbols.len() {
            let reason = format!("the {} symbols contain duplicates", symbols.len());
            return Err(TargetError::Rules(reason));
        }
        let mut outside = BTreeMap::new();
        let sequences = texts
            .map(|text| self.sequence(text, &numbers, &mut outside))
            .collect();
        drop(numbers);
        Ok(Encoded {
            sequences,
            outside,
            description: json!({
                "unit": self.unit,
                "text": self.text,
                "lexicon": self.lexicon.as_ref().map(|lexicon| lexicon.path().file_name().unwrap_or_default().to_string_lossy()),
            }),
            set: TargetSet {
                unit: self.unit,
                symbols,
            },
        })
    }

    /// The symbols: given, of the lexicon, or all that occur.
    fn symbols<'a>(
        &self,
        texts: impl Iterator<Item = Option<&'a str>>,
    ) -> Result<Vec<String>, TargetError> {
        let owned = |symbols: BTreeSet<&str>| symbols.into_iter().map(String::from).collect();
        let symbols: Vec<String> = match (&self.symbols, &self.lexicon) {
            (Some(symbols), _) => symbols.clone(),
            (None, Some(lexicon)) => {
                let words = lexicon.words().iter().map(String::as_str);
                match self.unit {
                    // Those of further pronunciations occur in no target.
                    TargetUnit::Phones => {
                        let phones = words.filter_map(|word| lexicon.phones(word)).flatten();
                        owned(phones.map(String::as_str).collect())
                    }
                    _ => owned(words.collect()),
                }
            }
            (None, None) => {
                let mut found = BTreeSet::new();
                for text in texts.flatten() {
                    let text = self.text.normalise(text);
                    match self.unit {
                        TargetUnit::Chars => found.extend(text.chars().map(String::from)),
                        _ => found.extend(text.split(' ').map(String::from)),
                    }
                    if found.len() > MOST_CLASSES + 1 {
                        break;
                    }
                }
                // Of an empty text.
                found.remove("");
                found.into_iter().collect()
            }
        };
        match symbols.len() {
            0 => Err(TargetError::Rules(
                "no transcript has any text: nothing to make targets of".into(),
            )),
            1..=MOST_CLASSES => Ok(symbols),
            _ => Err(TargetError::Rules(format!(
                "more than {MOST_CLASSES} different {}: use --targets chars",
                self.unit.name()
            ))),
        }
    }

    fn sequence(
        &self,
        text: Option<&str>,
        numbers: &HashMap<&str, u16>,
        outside: &mut BTreeMap<String, u64>,
    ) -> Result<Vec<u16>, TargetError> {
        let text = text.ok_or(TargetError::NoTranscript)?;
        let normalised = self.text.normalise(text);
        let (mut sequence, mut unknown) = (Vec::new(), Vec::new());
        // Whether the lexicon, if there is one, has all words.
        let mut in_lexicon = true;
        match self.unit {
            TargetUnit::Chars => {
                let mut buffer = [0; 4];
                let mut kept = String::with_capacity(normalised.len());
                for c in normalised.chars() {
                    match numbers.get(&*c.encode_utf8(&mut buffer)) {
                        Some(_) => kept.push(c),
                        None => *outside.entry(c.to_string()).or_default() += 1,
                    }
                }
                // Without its characters, a word leaves two spaces.
                let kept = kept.split_whitespace().collect::<Vec<_>>().join(" ");
                let number = |c: char| numbers.get(&*c.encode_utf8(&mut buffer)).copied();
                sequence.extend(kept.chars().filter_map(number));
            }
            TargetUnit::Words => {
                for word in normalised.split_whitespace() {
                    match numbers.get(word) {
                        Some(&number) => sequence.push(number),
                        None => {
                            in_lexicon &= self.lexicon.is_none();
                            unknown.push(excerpt(word));
                        }
                    }
                }
            }
            TargetUnit::Phones => {
                for word in normalised.split_whitespace() {
                    let phones = self.lexicon.as_ref().and_then(|l| l.phones(word));
                    in_lexicon &= phones.is_some();
                    let phones = phones.map(|phones| {
                        phones
                            .iter()
                            .map(|phone| numbers.get(phone.as_str()).copied())
                            .collect::<Option<Vec<u16>>>()
                    });
                    match phones.flatten() {
                        Some(phones) => sequence.extend(phones),
                        None => unknown.push(excerpt(word)),
                    }
                }
            }
        }
        if !unknown.is_empty() {
            for word in &unknown {
                *outside.entry(word.clone()).or_default() += 1;
            }
            let (words, list) = (
                unknown,
                if in_lexicon {
                    "list of symbols"
                } else {
                    "lexicon"
                },
            );
            return Err(TargetError::UnknownWords { words, list });
        }
        if sequence.is_empty() {
            let text = excerpt(text);
            return Err(TargetError::Empty { text });
        }
        Ok(sequence)
    }
}
