//! Reads n-grams from an ARPA file.
//!
//! ```text
//! \data\
//! ngram 1=4
//! ngram 2=1
//!
//! \1-grams:
//! -99   <s>   -0.3
//! -0.7  </s>
//! -0.5  one   -0.2
//! -0.9  two
//!
//! \2-grams:
//! -0.2  <s> one
//!
//! \end\
//! ```
//!
//! A line has the base-10 logarithm of a probability, the words, and a back-off weight, which is 0 if it is absent.

mod fields;
mod header;

use std::io::BufRead;
use std::path::Path;

use padwise_sampler::excerpt::excerpt;

use fields::{Numbers, fields};
use header::{check_size, header, too_large};

use super::SkippedWords;
use super::limits::ModelLimits;
use super::n_grams::{Duplicate, NGram, NGrams, Orphan};
use super::vocabulary::{Markers, SKIPPED, Vocabulary};
use crate::error::DecoderError;
use crate::lexicon::Lexicon;
use crate::lines::Lines;

/// Maximum length of a line in bytes.
const LONGEST_LINE: u64 = 64 << 10;

/// The longest n-grams that are read.
const MAX_ORDER: usize = 10;

/// Reads all n-grams whose words are in the lexicon.
pub(super) fn parse<N: Fn(&str) -> String>(
    name: &Path,
    reader: impl BufRead,
    lexicon: &Lexicon,
    normalise: N,
    limits: ModelLimits,
) -> Result<(NGrams, SkippedWords), DecoderError> {
    let mut lines = Lines::new(name, reader, LONGEST_LINE)?;
    let counts = header(&mut lines, limits)?;
    let mut parser = Parser {
        lines,
        markers: Markers::after(lexicon.words().len()),
        vocabulary: Vocabulary::new(lexicon, normalise),
        counts,
        limits,
    };
    let mut n_grams = NGrams::new(parser.unigrams()?);
    for order in 2..=parser.counts.len() {
        parser.section(order, &mut n_grams)?;
    }
    parser.end()?;
    Ok((n_grams, parser.vocabulary.skipped))
}

/// Reads the words of the unigrams, without the markers of sentences and unknown words. The rest of the file is not checked.
pub(super) fn words(
    name: &Path,
    reader: impl BufRead,
    limits: ModelLimits,
) -> Result<Vec<String>, DecoderError> {
    let mut lines = Lines::new(name, reader, LONGEST_LINE)?;
    let counts = header(&mut lines, limits)?;
    let mut words = Vec::new();
    while lines.advance()? && !lines.text().starts_with('\\') {
        if lines.text().is_empty() {
            continue;
        }
        let (_, [word, ..]) = fields(&lines, 1, counts.len())?;
        if words.len() as u64 == counts[0] {
            return Err(lines.error("more 1-grams than the header announces"));
        }
        if !matches!(word, "<s>" | "</s>" | "<unk>" | "<UNK>") {
            words.push(word.to_owned());
        }
    }
    Ok(words)
}
struct Parser<'a, N> {
    lines: Lines<'a>,
    markers: Markers,
    vocabulary: Vocabulary<'a, N>,
    counts: Vec<u64>,
    limits: ModelLimits,
}

impl<N: Fn(&str) -> String> Parser<'_, N> {
    /// Reads the unigrams. The result has one for each word of the lexicon and for each marker.
    fn unigrams(&mut self) -> Result<Vec<NGram>, DecoderError> {
        self.expect("\\1-grams:")?;
        let absent = |word| NGram {
            history: 0,
            word,
            score: f32::NEG_INFINITY,
            backoff: 0.0,
            line: 0,
        };
        let mut unigrams: Vec<NGram> = (0..=self.markers.end).map(absent).collect();
        let (mut found, mut bytes) = (0, 0);
        while self.next_line(1, &mut found)? {
            let (numbers, words) = fields(&self.lines, 1, self.counts.len())?;
            let line = self.lines.number();
            let number = self.vocabulary.add(words[0], line);
            let number = number.map_err(|reason| self.lines.error(reason))?;
            // Each word is stored twice.
            bytes += 2 * words[0].len() as u64;
            if bytes > self.limits.max_bytes {
                return Err(too_large(&self.lines, found, bytes, self.limits));
            }
            if let Some(unigram) = unigrams.get_mut(number as usize) {
                unigram.score = numbers.score;
                unigram.backoff = numbers.backoff;
                unigram.line = line as u32;
            }
        }
        let (finished, path) = (self.vocabulary.finish(), self.lines.path());
        finished.map_err(|(line, reason)| DecoderError::line(path, line, reason))?;
        for (marker, name) in [(self.markers.start, "<s>"), (self.markers.end, "</s>")] {
            if unigrams[marker as usize].line == 0 {
                let reason = format!("no unigram for `{name}`: train the model on whole sentences");
                return Err(self.lines.error(reason));
            }
        }
        Ok(unigrams)
    }

    /// Reads the n-grams of an order above 1.
    fn section(&mut self, order: usize, all: &mut NGrams) -> Result<(), DecoderError> {
        self.expect(&format!("\\{order}-grams:"))?;
        let announced = self.counts[order - 1];
        let (mut n_grams, mut orphans): (Vec<NGram>, Vec<Orphan>) = (Vec::new(), Vec::new());
        // Neighbouring lines often have the same history.
        let (mut last_history, mut last_index) = (Vec::new(), None);
        let mut found = 0;
        while self.next_line(order, &mut found)? {
            let (numbers, texts) = fields(&self.lines, order, self.counts.len())?;
            let words = self.numbers(&texts[..order])?;
            let words = &words[..order];
            if words.contains(&SKIPPED) {
                self.vocabulary.skipped.n_grams += 1;
                continue;
            }
            if !self.is_possible(words) {
                continue;
            }
            let (history, word) = (&words[..order - 1], words[order - 1]);
            if last_history != history {
                last_history.clear();
                last_history.extend_from_slice(history);
                last_index = all.find(history);
            }
            let Numbers { score, backoff } = numbers;
            let line = self.lines.number() as u32;
            match last_index {
                Some(history) => {
                    if n_grams.len() == n_grams.capacity() {
                        // The announced number may be wrong, so it only limits the growth.
                        let remaining = announced.saturating_sub(n_grams.len() as u64);
                        let remaining = usize::try_from(remaining).unwrap_or(usize::MAX);
                        n_grams.reserve_exact(n_grams.len().clamp(1024, 1 << 24).min(remaining));
                    }
                    n_grams.push(NGram {
                        history,
                        word,
                        score,
                        backoff,
                        line,
                    });
                }
                None => orphans.push(Orphan {
                    words: words.to_vec(),
                    score,
                    backoff,
                    line,
                }),
            }
        }
        self.check_orphans(order, orphans.len() as u64)?;
        all.add(n_grams, orphans)
            .map_err(|Duplicate { first, second }| {
                let reason = format!("the same {order}-gram as in line {first}: remove one");
                DecoderError::line(self.lines.path(), second.into(), reason)
            })
    }

    /// The numbers of words.
    fn numbers(&self, texts: &[&str]) -> Result<[u32; MAX_ORDER], DecoderError> {
        let mut words = [0; MAX_ORDER];
        for (word, text) in words.iter_mut().zip(texts) {
            *word = self.vocabulary.number(text).ok_or_else(|| {
                let text = excerpt(text);
                self.lines
                    .error(format!("`{text}` has no unigram: make the model again"))
            })?;
        }
        Ok(words)
    }

    /// Whether words can follow each other: none is before the start of a sentence or after its end.
    fn is_possible(&self, words: &[u32]) -> bool {
        let last = words.len() - 1;
        !words[1..].contains(&self.markers.start) && !words[..last].contains(&self.markers.end)
    }

    /// Checks that there is memory for histories that the file does not list.
    fn check_orphans(&self, order: usize, orphans: u64) -> Result<(), DecoderError> {
        let created = orphans.saturating_mul(order as u64 - 2);
        let mut counts = self.counts.clone();
        counts[1] = counts[1].saturating_add(created);
        check_size(&self.lines, &counts, self.limits)
    }

    /// Goes to the next n-gram; false at the end of its section.
    fn next_line(&mut self, order: usize, found: &mut u64) -> Result<bool, DecoderError> {
        let announced = self.counts[order - 1];
        loop {
            if !self.lines.advance()? {
                let reason = format!(
                    "the file ends within the {order}-grams, without `\\end\\`: copy or make it again"
                );
                return Err(self.lines.error(reason));
            }
            let text = self.lines.text();
            if text.is_empty() {
                continue;
            }
            let is_end = text.starts_with('\\');
            *found += u64::from(!is_end);
            if *found > announced || (is_end && *found < announced) {
                let (found, more) = match is_end {
                    true => (*found, ""),
                    false => (announced, "more than "),
                };
                let reason = format!(
                    "{more}{found} {order}-grams, but `\\data\\` announces {announced}: copy or make the model again"
                );
                return Err(self.lines.error(reason));
            }
            return Ok(!is_end);
        }
    }

    /// Checks that the current line is a marker.
    fn expect(&self, marker: &str) -> Result<(), DecoderError> {
        match self.lines.text() {
            text if text == marker => Ok(()),
            "" => Err(self.lines.error(format!("the file ends before `{marker}`"))),
            text => {
                let reason = format!("`{}`: expected `{marker}`", excerpt(text));
                Err(self.lines.error(reason))
            }
        }
    }

    /// Checks that nothing comes after the n-grams.
    fn end(&mut self) -> Result<(), DecoderError> {
        self.expect("\\end\\")?;
        while self.lines.advance()? {
            if !self.lines.text().is_empty() {
                let text = excerpt(self.lines.text());
                let reason = format!("`{text}` after `\\end\\`: a file has one model");
                return Err(self.lines.error(reason));
            }
        }
        Ok(())
    }
}
