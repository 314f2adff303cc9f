//! Lexicons and language models, plain or compressed with gzip, and the text files of `padwise decode`.

use std::path::Path;

use padwise::words::text_files::{parse_names, parse_numbers, parse_transcripts};
use padwise_decoder::{LanguageModel, Lexicon, ModelLimits};
use padwise_features::transcripts::TextRules;

use crate::{Target, parts};

pub(super) const LEXICON: Target = Target {
    name: "lexicon",
    run: lexicon,
    words: &[
        "(2)", ";;;", "#", "'", " 0.5 ", " 1 ", "\u{feff}", "\u{301}", "\n",
    ],
    repair: None,
    mutations: 8000,
};

pub(super) const ARPA: Target = Target {
    name: "arpa",
    run: arpa,
    words: &[
        "\\data\\",
        "\\1-grams:",
        "\\2-grams:",
        "\\3-grams:",
        "\\end\\",
        "ngram 3=",
        "4294967295",
        "<s>",
        "</s>",
        "<unk>",
        "-inf",
        "1e38",
        " one",
        " two",
        "\n",
    ],
    repair: None,
    mutations: 8000,
};

pub(super) const DECODE: Target = Target {
    name: "decode-texts",
    run: decode_texts,
    words: &[
        "\n=====\n",
        "<space>",
        "SIL",
        " ",
        "\t",
        "\r\n",
        "0.5",
        "1e999",
        "NaN",
        "-0",
        "\u{a0}",
        "\u{feff}",
    ],
    repair: None,
    mutations: 8000,
};

/// Names, numbers and transcripts.
fn decode_texts(input: &[u8]) {
    let files = parts::split(input);
    let file = |at: usize| String::from_utf8_lossy(files.get(at).unwrap_or(&files[0])).into_owned();
    let path = Path::new("a.txt");
    let mut count = 1;
    match parse_names(path, &file(0)) {
        Ok(names) => {
            count = names.len();
            assert!(names.iter().all(|name| !name.is_empty()));
        }
        Err(error) => drop(error.to_string()),
    }
    match parse_numbers(path, &file(1), count, "number") {
        Ok(numbers) => {
            assert_eq!(numbers.len(), count);
            assert!(
                numbers
                    .iter()
                    .all(|number| *number > 0.0 && number.is_finite())
            );
        }
        Err(error) => drop(error.to_string()),
    }
    match parse_transcripts(path, &file(2)) {
        Ok(transcripts) => assert!(transcripts.keys().all(|id| !id.is_empty())),
        Err(error) => drop(error.to_string()),
    }
}

fn lexicon(input: &[u8]) {
    let rules = TextRules::default();
    let lexicon = match Lexicon::parse(Path::new("a.txt"), input, |word| rules.normalise(word)) {
        Ok(lexicon) => lexicon,
        Err(error) => return drop(error.to_string()),
    };
    let words = lexicon.words();
    for (number, word) in (0..).zip(words) {
        assert_eq!(lexicon.word(word), Some(number));
        assert!(
            lexicon
                .phones(word)
                .is_some_and(|phones| !phones.is_empty())
        );
    }
    let phones = lexicon.phone_set();
    for pronunciation in lexicon.pronunciations() {
        assert!((pronunciation.word as usize) < words.len());
        let mut of_word = pronunciation.phones.iter();
        assert!(of_word.all(|phone| phones.contains(phone.as_str())));
    }
}

fn arpa(input: &[u8]) {
    let words = ["one", "two", "three", "em"].map(String::from);
    let (lexicon, rules) = (Lexicon::spelled(words), TextRules::default());
    let normalise = |word: &str| rules.normalise(word);
    let limits = ModelLimits { max_bytes: 1 << 24 };
    let model = LanguageModel::parse(Path::new("a.arpa"), input, &lexicon, normalise, limits);
    let model = match model {
        Ok(model) => model,
        Err(error) => return drop(error.to_string()),
    };
    let states = model.states() as u32;
    assert!(model.start() < states);
    for state in 0..states {
        assert!(!model.end(state).is_nan());
        assert!(
            model
                .backoff(state)
                .is_none_or(|(_, shorter)| shorter < state)
        );
        for word in 0..=4 {
            let (score, next) = model.score(state, word);
            assert!(!score.is_nan() && next < states);
            assert_eq!(score > f32::NEG_INFINITY, model.knows(word));
        }
        for successor in model.successors(state) {
            let expected = (successor.score, successor.next);
            assert_eq!(model.score(state, successor.word), expected);
        }
    }
}
