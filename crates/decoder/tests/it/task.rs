//! Random recognition tasks with tiny vocabularies.

use std::io::Cursor;
use std::path::Path;

use padwise_decoder::{LanguageModel, Lexicon, ModelLimits, SearchSettings};
use proptest::prelude::*;

pub const INFINITE: f32 = 1e9;
/// Phones: silence, noise, then those of words.
pub const PHONES: [&str; 5] = ["SIL", "NSN", "a", "b", "c"];
pub const FILLERS: [usize; 2] = [0, 1];

/// A random task.
#[derive(Clone, Debug)]
pub struct Task {
    /// The pronunciations of words `w0`, `w1`, …: phones as numbers from 0 to 2.
    pub lexicon: Vec<(usize, Vec<usize>)>,
    /// Log10 probabilities of the words and of the sentence's end, and back-off weights.
    pub unigrams: Vec<(f32, f32)>,
    pub bigrams: Vec<(usize, usize, f32, f32)>,
    pub trigrams: Vec<(usize, usize, usize, f32)>,
    /// Scores, more than needed.
    pub scores: Vec<f32>,
    /// Classes of states, by context.
    pub classes: Vec<u16>,
    pub frames: usize,
    pub scale: f32,
    pub penalty: f32,
}

pub const WORDS: usize = 3;
pub const CLASSES: usize = 7;
pub const LONGEST: usize = 10;

/// Numbers of a range. proptest's own ranges of `f32` sometimes fail an assertion inside proptest.
pub fn between(low: f32, high: f32) -> impl Strategy<Value = f32> {
    const STEPS: u32 = 999_983;
    (0..STEPS).prop_map(move |step| low + (high - low) * step as f32 / STEPS as f32)
}

pub fn tasks() -> impl Strategy<Value = Task> {
    let score = || (-300_i32..0).prop_map(|score| score as f32 / 100.0);
    let lexicon = prop::collection::vec((0..WORDS, prop::collection::vec(0..3_usize, 1..3)), 1..5);
    // The position `WORDS` is the end of a sentence.
    let bigram = (0..=WORDS, 0..=WORDS, score(), score());
    let trigram = (0..=WORDS, 0..WORDS, 0..=WORDS, score());
    (
        lexicon,
        prop::collection::vec((score(), score()), WORDS + 1),
        prop::collection::vec(bigram, 0..8),
        prop::collection::vec(trigram, 0..8),
        prop::collection::vec(score(), CLASSES * LONGEST),
        prop::collection::vec(0..CLASSES as u16, 125 * 3),
        0..=LONGEST,
        between(0.1, 3.0),
        between(-1.0, 1.0),
    )
        .prop_map(
            |(lexicon, unigrams, bigrams, trigrams, scores, classes, frames, scale, penalty)| {
                Task {
                    lexicon,
                    unigrams,
                    bigrams,
                    trigrams,
                    scores,
                    classes,
                    frames,
                    scale,
                    penalty,
                }
            },
        )
}

impl Task {
    pub fn lexicon(&self) -> Lexicon {
        let lines = self.lexicon.iter().map(|(word, phones)| {
            let phones: Vec<&str> = phones.iter().map(|&phone| PHONES[phone + 2]).collect();
            format!("w{word} {}\n", phones.join(" "))
        });
        let text: String = lines.collect();
        Lexicon::parse(Path::new("lexicon.txt"), Cursor::new(text), str::to_owned)
            .expect("a lexicon")
    }

    /// The model as an ARPA file. The history `WORDS` is the start of a sentence.
    pub fn model(&self, lexicon: &Lexicon) -> LanguageModel {
        let word = |word: usize| match word {
            WORDS => "</s>".to_owned(),
            word => format!("w{word}"),
        };
        let history = |word: usize| match word {
            WORDS => "<s>".to_owned(),
            word => format!("w{word}"),
        };
        let mut sections: [Vec<(String, String)>; 3] = Default::default();
        sections[0].push(("<s>".into(), "-99\t<s>\t-0.3\n".into()));
        for (at, (score, backoff)) in self.unigrams.iter().enumerate() {
            let name = word(at);
            sections[0].push((name.clone(), format!("{score}\t{name}\t{backoff}\n")));
        }
        for &(first, second, score, backoff) in &self.bigrams {
            let name = format!("{} {}", history(first), word(second));
            let line = match second {
                WORDS => format!("{score}\t{name}\n"),
                _ => format!("{score}\t{name}\t{backoff}\n"),
            };
            sections[1].push((name, line));
        }
        for &(first, second, third, score) in &self.trigrams {
            let name = format!("{} {} {}", history(first), word(second), word(third));
            // A trigram needs the bigram of its history.
            let before = format!("{} {}", history(first), word(second));
            if sections[1].iter().any(|(known, _)| *known == before) {
                sections[2].push((name.clone(), format!("{score}\t{name}\n")));
            }
        }
        let mut text = String::from("\\data\\\n");
        for section in &mut sections {
            section.sort();
            section.dedup_by(|one, other| one.0 == other.0);
        }
        for (order, section) in (1..).zip(&sections) {
            text += &format!("ngram {order}={}\n", section.len());
        }
        for (order, section) in (1..).zip(&sections) {
            text += &format!("\n\\{order}-grams:\n");
            section.iter().for_each(|(_, line)| text += line);
        }
        text += "\n\\end\\\n";
        LanguageModel::parse(
            Path::new("lm.arpa"),
            Cursor::new(text),
            lexicon,
            str::to_owned,
            ModelLimits::default(),
        )
        .expect("a model")
    }

    pub fn settings(&self) -> SearchSettings {
        SearchSettings {
            lm_scale: self.scale,
            word_penalty: self.penalty,
            beam: INFINITE,
            max_active: usize::MAX,
        }
    }

    pub fn frames(&self, classes: usize) -> &[f32] {
        &self.scores[..self.frames * classes]
    }

    /// The language model's score of a sentence.
    pub fn sentence(&self, model: &LanguageModel, words: &[u32]) -> f32 {
        let (mut state, mut sum) = (model.start(), 0.0);
        for &word in words {
            let (score, next) = model.score(state, word);
            sum += self.scale * score - self.penalty;
            state = next;
        }
        sum + self.scale * model.end(state)
    }
}
