//! Compares the beam search with an exhaustive search on tiny vocabularies.
//!
//! The exhaustive search lists every sequence of words and fillers that fits into the frames, and aligns each on its own.

use padwise_decoder::{Ctc, Decoder, Hmm, LanguageModel, Network, Workspace};
use proptest::prelude::*;

use crate::task::{CLASSES, FILLERS, PHONES, Task, tasks};

/// A sequence of words and fillers: its phones and its words.
type Sequence = (Vec<usize>, Vec<u32>);

/// All sequences of at most `most` phones that end with a complete unit. `extend` lists the units that may follow.
fn sequences(most: usize, units: &[Sequence], empty: Sequence) -> Vec<Sequence> {
    let mut all = vec![empty];
    let mut at = 0;
    while at < all.len() {
        let (phones, words) = all[at].clone();
        for (more, word) in units {
            if phones.len() + more.len() <= most {
                let phones = [&phones[..], more].concat();
                all.push((phones, [&words[..], word].concat()));
            }
        }
        at += 1;
    }
    all
}

fn decode(network: &Network, model: &LanguageModel, task: &Task) -> (Vec<u32>, f64, bool) {
    let decoder = Decoder {
        network,
        model,
        settings: task.settings(),
    };
    let mut workspace = Workspace::default();
    let found = decoder.decode(task.frames(network.classes()), &mut workspace);
    // The same workspace serves the next utterance.
    let again = decoder.decode(task.frames(network.classes()), &mut workspace);
    assert_eq!(found, again);
    (found.words, found.score, found.complete)
}

/// Checks that the search found the best score, and words that reach it.
fn check(found: (Vec<u32>, f64, bool), all: Vec<(Vec<u32>, f32)>) -> Result<(), TestCaseError> {
    let (words, score, complete) = found;
    let possible: Vec<_> = all.iter().filter(|(_, score)| score.is_finite()).collect();
    let best = possible
        .iter()
        .map(|(_, score)| *score)
        .fold(f32::NEG_INFINITY, f32::max);
    prop_assert_eq!(complete, !possible.is_empty());
    if complete {
        prop_assert!(
            (score - f64::from(best)).abs() < 1e-3,
            "found {score}, the best is {best}"
        );
        let own = possible.iter().filter(|(other, _)| *other == words);
        let own = own
            .map(|(_, score)| *score)
            .fold(f32::NEG_INFINITY, f32::max);
        prop_assert!(
            own > best - 1e-3,
            "{words:?} reaches {own}, the best is {best}"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn hybrid_search_is_exact_with_a_wide_beam(task in tasks(), context in any::<bool>()) {
        let lexicon = task.lexicon();
        let model = task.model(&lexicon);
        let phones = PHONES.map(String::from);
        let durations = [9.0, 12.0, 4.0, 3.0, 7.5];
        let states = |left: usize, phone: usize, right: usize| -> [u16; 3] {
            // The fillers do not depend on their context.
            let (left, right) = if phone < 2 || !context { (0, 0) } else { (left, right) };
            let at = ((left * 5 + phone) * 5 + right) * 3;
            [0, 1, 2].map(|state| task.classes[at + state])
        };
        let hmm = Hmm {
            phones: &phones,
            fillers: &FILLERS,
            classes: CLASSES,
            durations: &durations,
            states: &states,
        };
        let network = hmm.network(&lexicon, &model).expect("a network");
        let units: Vec<Sequence> = FILLERS
            .map(|filler| (vec![filler], vec![]))
            .into_iter()
            .chain(task.lexicon.iter().map(|(word, phones)| {
                let number = lexicon.word(&format!("w{word}")).expect("known");
                (phones.iter().map(|phone| phone + 2).collect(), vec![number])
            }))
            .collect();
        let all = sequences(task.frames / 3, &units, (vec![], vec![]));
        let scored = all.iter().map(|(phones, words)| {
            let acoustic = align_hmm(task.frames(CLASSES), phones, &durations, states);
            (words.clone(), acoustic + task.sentence(&model, words))
        });
        check(decode(&network, &model, &task), scored.collect())?;
    }

    #[test]
    fn ctc_search_is_exact_with_a_wide_beam(task in tasks(), spaced in any::<bool>()) {
        let lexicon = task.lexicon();
        let model = task.model(&lexicon);
        let symbols = ["a", "b", "c", " "].map(String::from);
        let ctc = Ctc {
            symbols: if spaced { &symbols } else { &symbols[..3] },
            space: spaced.then_some(3),
            fillers: &[],
        };
        let network = ctc.network(&lexicon, &model).expect("a network");
        let words: Vec<Sequence> = task
            .lexicon
            .iter()
            .map(|(word, phones)| {
                let number = lexicon.word(&format!("w{word}")).expect("known");
                (phones.clone(), vec![number])
            })
            .collect();
        let frames = task.frames.min(6);
        let task = Task { frames, ..task };
        let all = if spaced { with_spaces(frames, &words) } else { sequences(frames, &words, (vec![], vec![])) };
        let blank = network.classes() - 1;
        let scored = all.iter().map(|(symbols, words)| {
            let acoustic = align_ctc(task.frames(network.classes()), symbols, blank);
            (words.clone(), acoustic + task.sentence(&model, words))
        });
        check(decode(&network, &model, &task), scored.collect())?;
    }
}

/// Sequences with a space between words, and optionally at both ends.
fn with_spaces(most: usize, words: &[Sequence]) -> Vec<Sequence> {
    let spaced: Vec<Sequence> = words
        .iter()
        .map(|(symbols, word)| ([&[3], &symbols[..]].concat(), word.clone()))
        .collect();
    // The first word, with and without a space before it; then words with a space before.
    let mut all = vec![(vec![], vec![]), (vec![3], vec![])];
    for first in words.iter().chain(&spaced) {
        if first.0.len() <= most {
            for (symbols, words) in sequences(most, &spaced, first.clone()) {
                all.push(([&symbols[..], &[3]].concat(), words.clone()));
                all.push((symbols, words));
            }
        }
    }
    all
}

/// The best alignment of phones to frames.
fn align_hmm(
    scores: &[f32],
    phones: &[usize],
    durations: &[f32],
    states: impl Fn(usize, usize, usize) -> [u16; 3],
) -> f32 {
    let mut chain = Vec::new();
    for (at, &phone) in phones.iter().enumerate() {
        let left = if at == 0 { 0 } else { phones[at - 1] };
        let right = phones.get(at + 1).copied().unwrap_or(0);
        let mean = (durations[phone] / 3.0).max(1.05);
        for class in states(left, phone, right) {
            chain.push((
                usize::from(class),
                (1.0 - 1.0 / mean).ln(),
                (1.0 / mean).ln(),
            ));
        }
    }
    let frames: Vec<&[f32]> = scores.chunks_exact(CLASSES).collect();
    if chain.is_empty() {
        return if frames.is_empty() {
            0.0
        } else {
            f32::NEG_INFINITY
        };
    }
    let mut best = vec![f32::NEG_INFINITY; chain.len()];
    for (time, frame) in frames.iter().enumerate() {
        for state in (0..chain.len()).rev() {
            let stay = best[state] + chain[state].1;
            let come = match (state, time) {
                (0, 0) => 0.0,
                (0, _) => f32::NEG_INFINITY,
                _ => best[state - 1] + chain[state - 1].2,
            };
            best[state] = stay.max(come) + frame[chain[state].0];
        }
    }
    best[chain.len() - 1] + chain[chain.len() - 1].2
}

/// The best alignment of symbols and blanks to frames.
fn align_ctc(scores: &[f32], symbols: &[usize], blank: usize) -> f32 {
    let classes = blank + 1;
    // Blank, symbol, blank, symbol, …, blank.
    let chain: Vec<usize> = symbols
        .iter()
        .flat_map(|&symbol| [blank, symbol])
        .chain([blank])
        .collect();
    let mut best = vec![f32::NEG_INFINITY; chain.len()];
    for (time, frame) in scores.chunks_exact(classes).enumerate() {
        for state in (0..chain.len()).rev() {
            let mut from = best[state];
            if state >= 1 {
                from = from.max(best[state - 1]);
            }
            if state >= 2 && chain[state] != blank && chain[state] != chain[state - 2] {
                from = from.max(best[state - 2]);
            }
            if time == 0 {
                from = if state < 2 { 0.0 } else { f32::NEG_INFINITY };
            }
            best[state] = from + frame[chain[state]];
        }
    }
    match (scores.len(), chain.len()) {
        (0, 1) => 0.0,
        (0, _) => f32::NEG_INFINITY,
        (_, 1) => best[0],
        (_, length) => best[length - 1].max(best[length - 2]),
    }
}
