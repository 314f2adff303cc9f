//! A real model: its size, and its perplexity on real sentences.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;

use lzma_rust2::XzReader;
use padwise_decoder::{LanguageModel, Lexicon, ModelLimits};

use crate::librispeech::shared_data;

/// The transcripts in an archive of features.
fn transcripts(archive: PathBuf) -> Vec<String> {
    let file = BufReader::new(File::open(archive).expect("an archive"));
    let mut archive = tar::Archive::new(XzReader::new(file, true));
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        if entry.path().expect("a path").ends_with("text.tsv") {
            let mut text = String::new();
            entry.read_to_string(&mut text).expect("a text");
            let texts = text.lines().filter_map(|line| line.split_once('\t'));
            return texts.map(|(_, text)| text.to_lowercase()).collect();
        }
    }
    panic!("no text.tsv in the archive");
}

/// Perplexity with the ends of sentences, without words that the model does not have, and the percentage of those.
fn perplexity(model: &LanguageModel, lexicon: &Lexicon, texts: &[String]) -> (f64, f64) {
    let (mut sum, mut known, mut unknown) = (0.0, 0.0, 0.0);
    for text in texts {
        let mut state = model.start();
        for word in text.split(' ') {
            match lexicon.word(word) {
                Some(word) => {
                    let (score, next) = model.score(state, word);
                    sum += f64::from(score);
                    known += 1.0;
                    state = next;
                }
                None => {
                    unknown += 1.0;
                    state = 0;
                }
            }
        }
        sum += f64::from(model.end(state));
    }
    let scored = known + texts.len() as f64;
    let perplexity = (-sum / scored).exp();
    (perplexity, 100.0 * unknown / (known + unknown))
}

#[test]
fn the_perplexity_of_a_real_model_is_as_documented() {
    let test = "the_perplexity_of_a_real_model_is_as_documented";
    let model = shared_data(test, "lm/gutenberg-20k-3gram-pruned.arpa.gz");
    let lexicon = shared_data(test, "lm/lexicon-20k.txt.gz");
    let (Some(model), Some(lexicon)) = (model, lexicon) else {
        return;
    };
    let lexicon = Lexicon::read(lexicon, str::to_lowercase).expect("a lexicon");
    assert_eq!(lexicon.words().len(), 20_000);
    assert_eq!(lexicon.pronunciations().count(), 22_692);
    let limits = ModelLimits::default();
    let model = LanguageModel::read(model, &lexicon, str::to_lowercase, limits).expect("a model");
    assert_eq!((model.order(), model.skipped().count), (3, 0));
    // The probabilities after a history sum to 1.
    let states = [0, model.start(), model.states() as u32 / 2];
    let words: BTreeSet<u32> = (0..20_000).collect();
    for state in states {
        let of_words = words
            .iter()
            .map(|&word| f64::from(model.score(state, word).0).exp());
        let sum: f64 = of_words.sum::<f64>() + f64::from(model.end(state)).exp();
        assert!((sum - 1.0).abs() < 0.02, "{sum} after {state}");
    }
    for (set, expected) in [("dev-clean", 203.0), ("test-clean", 210.0)] {
        let halves = ["a", "b"].map(|half| format!("librispeech/{set}-{half}.tar.xz"));
        let halves = halves.map(|path| shared_data(test, &path));
        let [Some(first), Some(second)] = halves else {
            continue;
        };
        let texts = [transcripts(first), transcripts(second)].concat();
        let (found, unknown) = perplexity(&model, &lexicon, &texts);
        println!("{set}: perplexity {found:.2}, {unknown:.2} % unknown words");
        assert!((found - expected).abs() < 1.0, "{set}: {found}");
        assert!((unknown - 3.5).abs() < 0.5, "{set}: {unknown}");
    }
}
