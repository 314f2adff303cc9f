//! Transcripts and pronunciation lexicons.

use padwise_features::corpus::TargetUnit;
use padwise_features::transcripts::{Lexicon, TargetRules, TextRules};

use crate::{Target, parts, scratch};

pub(super) const TRANSCRIPTS: Target = Target {
    name: "transcripts",
    run,
    words: &[
        "\n=====\n",
        "(2)",
        ";;;",
        "'",
        "\u{2019}",
        "\u{301}",
        "\u{200d}",
        "ß",
        "İ",
        "\u{feff}",
    ],
    repair: None,
    mutations: 8000,
};

/// A lexicon, and transcripts with one utterance per line.
fn run(input: &[u8]) {
    let parts = parts::split(input);
    let text = TextRules::default();
    let path = scratch::file("lexicon.txt", parts[0]);
    let lexicon = match Lexicon::read(&path, |word| text.normalise(word)) {
        Ok(lexicon) => Some(lexicon),
        Err(error) => {
            drop(error.to_string());
            None
        }
    };
    let texts = String::from_utf8_lossy(parts.get(1).unwrap_or(&parts[0]));
    for (unit, lexicon) in [
        (TargetUnit::Chars, None),
        (TargetUnit::Words, None),
        (TargetUnit::Phones, lexicon),
    ] {
        let rules = TargetRules {
            unit,
            text: text.clone(),
            lexicon,
            symbols: None,
        };
        let Ok(encoded) = rules.encode(texts.lines().map(Some)) else {
            continue;
        };
        let symbols = encoded.set.symbols.len();
        for sequence in encoded.sequences.into_iter().flatten() {
            assert!(!sequence.is_empty());
            assert!(sequence.iter().all(|&symbol| usize::from(symbol) < symbols));
        }
    }
}
