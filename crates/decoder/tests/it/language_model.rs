//! The automaton against a plain table of n-grams.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use padwise_decoder::{LanguageModel, Lexicon, ModelLimits};
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use proptest::test_runner::RngSeed;

/// Words of the lexicon. The model does not have the last one.
const WORDS: [&str; 5] = ["a", "b", "c", "d", "absent"];
/// Words that n-grams are made of. `mute` has no pronunciation.
const HISTORY: [&str; 7] = ["<s>", "A", "b", "C", "d", "mute", "<unk>"];

/// The definition of a back-off model, with base-10 logarithms in f64.
#[derive(Clone, Debug, Default)]
struct Table {
    order: usize,
    n_grams: HashMap<Vec<String>, (f64, f64)>,
}

impl Table {
    fn score(&self, history: &[String], word: &str) -> f64 {
        let history = &history[history.len().saturating_sub(self.order - 1)..];
        let n_gram: Vec<String> = history.iter().cloned().chain([word.into()]).collect();
        match (self.n_grams.get(&n_gram), history) {
            (Some((score, _)), _) => *score,
            (None, []) => f64::NEG_INFINITY,
            (None, [_, shorter @ ..]) => {
                let weight = self.n_grams.get(history).map_or(0.0, |found| found.1);
                weight + self.score(shorter, word)
            }
        }
    }

    /// The ARPA file, with the n-grams of each order in the order of `shuffle`.
    fn arpa(&self, shuffle: &[Index]) -> String {
        let mut text = String::from("\n\\data\\\n");
        let mut sections = String::new();
        for order in 1..=self.order {
            let of_order = self
                .n_grams
                .iter()
                .filter(|(words, _)| words.len() == order);
            let mut n_grams: Vec<_> = of_order.collect();
            n_grams.sort_by_key(|(words, _)| *words);
            for (at, other) in shuffle.iter().enumerate().take(n_grams.len()) {
                let other = other.index(n_grams.len());
                n_grams.swap(at, other);
            }
            writeln!(text, "ngram {order}={}", n_grams.len()).expect("a string");
            writeln!(sections, "\n\\{order}-grams:").expect("a string");
            for (words, (score, backoff)) in n_grams {
                write!(sections, "{score}\t{}", words.join(" ")).expect("a string");
                // An absent weight is 0.
                if *backoff != 0.0 {
                    write!(sections, "\t{backoff}").expect("a string");
                }
                sections.push('\n');
            }
        }
        text + &sections + "\n\\end\\\n"
    }
}

fn table() -> impl Strategy<Value = Table> {
    let mut all: Vec<Vec<String>> = Vec::new();
    let mut histories: Vec<Vec<String>> = vec![vec![]];
    for _ in 0..4 {
        let longer = |history: &Vec<String>, word: &str| {
            let mut words = history.clone();
            words.push(word.into());
            words
        };
        for history in &histories {
            let ends = HISTORY[1..].iter().chain(&["</s>"]);
            all.extend(ends.map(|word| longer(history, word)));
        }
        let grown = histories.iter().flat_map(|history| {
            let words = &HISTORY[usize::from(!history.is_empty())..];
            words.iter().map(move |word| longer(history, word))
        });
        histories = grown.collect();
    }
    let unigrams = |has_unknown: bool| {
        let all = HISTORY.into_iter().chain(["</s>"]);
        all.filter(move |&word| has_unknown || word != "<unk>")
    };
    let longest = all.iter().filter(|words| words.len() == 4).count();
    let shorter: Vec<Vec<String>> = all.iter().filter(|w| w.len() < 4).cloned().collect();
    let longest: Vec<Vec<String>> = all.drain(all.len() - longest..).collect();
    let numbers = prop::collection::vec((-4.0..0.0, prop_oneof![Just(0.0), -2.0..0.5]), 80);
    let chosen = (subsequence(shorter, 0..40), subsequence(longest, 0..20));
    (1_usize..=4, any::<bool>(), chosen, numbers).prop_map(
        move |(order, has_unknown, (shorter, longest), numbers)| {
            let unigrams = unigrams(has_unknown).map(|word| vec![word.to_owned()]);
            let is_usable = |words: &Vec<String>| {
                words.len() <= order && (has_unknown || !words.iter().any(|w| w == "<unk>"))
            };
            let chosen = shorter.into_iter().chain(longest).filter(is_usable);
            let with_numbers = unigrams.chain(chosen).zip(numbers.iter().cycle());
            let n_grams = with_numbers.map(|(words, &(score, backoff))| {
                let is_highest = words.len() == order;
                (words, (score, if is_highest { 0.0 } else { backoff }))
            });
            Table {
                order,
                n_grams: n_grams.collect(),
            }
        },
    )
}

fn lexicon() -> Lexicon {
    Lexicon::spelled(WORDS.map(String::from))
}

fn model(arpa: &str) -> LanguageModel {
    let (name, limits) = (Path::new("a.arpa"), ModelLimits::default());
    LanguageModel::parse(name, arpa.as_bytes(), &lexicon(), str::to_lowercase, limits)
        .expect("a model")
}

/// The same cases on every machine.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 512,
        rng_seed: RngSeed::Fixed(0),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn scores_are_those_of_the_definition(
        table in table(),
        shuffle in prop::collection::vec(any::<Index>(), 8),
        sentences in prop::collection::vec(prop::collection::vec(0_u32..5, 0..12), 12),
    ) {
        let model = model(&table.arpa(&shuffle));
        prop_assert_eq!(model.order(), table.order);
        prop_assert_eq!(model.skipped().count, 1);
        let has_unknown = table.n_grams.contains_key(&vec!["<unk>".to_owned()]);
        prop_assert_eq!(model.knows(4), has_unknown);
        for sentence in sentences {
            let mut history = vec!["<s>".to_owned()];
            let mut state = model.start();
            for word in sentence {
                let name = ["A", "b", "C", "d", "<unk>"][word as usize];
                let expected = table.score(&history, name) * std::f64::consts::LN_10;
                let (score, next) = model.score(state, word);
                prop_assert!(
                    f64::from(score) == expected || (f64::from(score) - expected).abs() < 1e-5,
                    "{} after {:?}: {} instead of {}", name, history, score, expected
                );
                if expected == f64::NEG_INFINITY {
                    break;
                }
                history.push(name.into());
                state = next;
                let expected = table.score(&history, "</s>") * std::f64::consts::LN_10;
                prop_assert!((f64::from(model.end(state)) - expected).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn successors_are_sorted_and_agree_with_scores(table in table()) {
        let model = model(&table.arpa(&[]));
        for state in 0..model.states() as u32 {
            let successors = model.successors(state);
            prop_assert!(successors.is_sorted_by(|a, b| a.word < b.word));
            for successor in successors {
                let expected = (successor.score, successor.next);
                prop_assert_eq!(model.score(state, successor.word), expected);
            }
            match model.backoff(state) {
                None => prop_assert_eq!(state, 0),
                Some((weight, shorter)) => {
                    prop_assert!(shorter < state);
                    // Other states would be useless.
                    let has_end = model.end(state) != weight + model.end(shorter);
                    let is_useful = weight != 0.0 || !successors.is_empty() || has_end;
                    let has_unknown = model.score(state, 4) != model.score(shorter, 4);
                    prop_assert!(is_useful || has_unknown);
                }
            }
        }
    }
}
