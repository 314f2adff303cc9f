//! The synthetic corpus: reproducible, self-consistent, and correlated with length as documented.

use std::collections::BTreeMap;

use padwise_features::{Synthetic, SyntheticConfig};
use padwise_sampler::Profile;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn corpus(utterances: usize, change: impl FnOnce(&mut SyntheticConfig)) -> Synthetic {
    let mut config = SyntheticConfig {
        utterances,
        ..SyntheticConfig::default()
    };
    change(&mut config);
    Synthetic::new(config).expect("a legal config")
}

/// FNV-1a over the bits of all features and labels.
fn checksum(corpus: &Synthetic, index: usize) -> u64 {
    let (features, labels) = corpus.generate(index).expect("an utterance");
    let words = features.as_slice().iter().map(|x| x.to_bits());
    let words = words.chain(labels.iter().map(|&label| label as u32));
    words
        .flat_map(u32::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

/// Results recorded on these corpora must stay comparable: never change these values.
#[test]
fn the_bytes_are_those_of_the_first_version() {
    let mut told = String::new();
    for profile in Profile::ALL {
        let corpus = corpus(1000, |config| config.profile = profile);
        for index in [0, 1, 999] {
            let frames = corpus.length(index);
            told += &format!(
                "{profile} {} {frames} {:016x}\n",
                corpus.id(index),
                checksum(&corpus, index)
            );
        }
    }
    let corpus = corpus(10, |config| {
        (config.dims, config.classes, config.speakers) = (40, 200, 1);
        (config.seed, config.language, config.noise) = (7, 9, 0.5);
    });
    told += &format!(
        "other {} {} {:016x}\n",
        corpus.id(3),
        corpus.length(3),
        checksum(&corpus, 3)
    );
    insta::assert_snapshot!(told, @"
    ljspeech s0041-000000 456 4795adfab710a195
    ljspeech s0016-000001 517 b8fcdfae3066bed5
    ljspeech s0009-000999 344 e995d197d7dc46f7
    chime4 s0041-000000 590 7fb1f67895fb2f55
    chime4 s0016-000001 672 2818deab48724e38
    chime4 s0009-000999 455 4fd96280bd658c3a
    librispeech s0041-000000 446 6bd7ff453d7b38fd
    librispeech s0016-000001 536 0de63f0c0ea853f7
    librispeech s0009-000999 320 372749f53678bfa1
    other s0000-000003 868 26f5ade41402c399
    ");
}

/// The same values rounded to thousandths. If only the test above fails, arithmetic differs in the last bits.
#[test]
fn the_values_are_those_of_the_first_version() {
    let corpus = corpus(10, |_| ());
    let (features, labels) = corpus.generate(4).expect("an utterance");
    let text = corpus.text(4);
    let rounded = |row: usize| -> Vec<i32> {
        features
            .row(row)
            .iter()
            .map(|x| (x * 1000.0).round() as i32)
            .collect()
    };
    let told = format!(
        "{}\n{:?}\n{:?}\n{:?}",
        &text[..40],
        &labels[100..110],
        rounded(0),
        rounded(100)
    );
    insta::assert_snapshot!(told, @"
    UW D AY G AO N D OW OY R UH F EH M UW UH
    [472, 485, 485, 485, 500, 749, 749, 761, 761, 773]
    [-139, 123, -176, -1521, 1269, -1437, -2807, 930, 1064, -94, 1502, -2972, 1263, -1382, 1263, 2567]
    [166, 608, -1714, 1548, 1782, -878, -56, 1225, 2352, 1840, 436, -755, -250, -733, 825, -173]
    ");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, rng_seed: RngSeed::Fixed(0), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_utterance_agrees_with_its_metadata(
        seed: u64,
        language in 0u64..3,
        profile in proptest::sample::select(Profile::ALL.to_vec()),
        dims in 1usize..40,
        classes in 123usize..3000,
        speakers in 1usize..200,
        index in 0usize..100_000_000,
    ) {
        let corpus = corpus(100_000_000, |config| {
            (config.seed, config.language, config.profile) = (seed, language, profile);
            (config.dims, config.classes, config.speakers) = (dims, classes, speakers);
        });
        let (features, labels) = corpus.generate(index).expect("an utterance");
        prop_assert_eq!(features.rows(), corpus.length(index) as usize);
        prop_assert_eq!(features.cols(), dims);
        prop_assert_eq!(features.rows(), labels.len());
        prop_assert!((corpus.speaker(index) as usize) < speakers);
        prop_assert!(features.as_slice().iter().all(|x| x.abs() < 20.0));
        // The class of every frame belongs to the phone of its span.
        let mut next = 0;
        let mut said = Vec::new();
        for span in corpus.phones(index) {
            prop_assert_eq!(span.start, next);
            next += span.frames;
            for &label in &labels[span.start as usize..next as usize] {
                prop_assert_eq!(corpus.phone_of(label as usize), Some(span.phone));
            }
            said.push(corpus.phone_names()[span.phone]);
        }
        prop_assert_eq!(next as usize, labels.len());
        prop_assert_eq!((said.first(), said.last()), (Some(&"SIL"), Some(&"SIL")));
        said.retain(|&name| name != "SIL");
        prop_assert_eq!(said.join(" "), corpus.text(index));
    }
}

#[test]
fn utterances_do_not_depend_on_order_or_thread() {
    let corpus = corpus(15, |_| ());
    let in_order: Vec<u64> = (0..15).map(|i| checksum(&corpus, i)).collect();
    let backwards: Vec<u64> = (0..15).rev().map(|i| checksum(&corpus, i)).collect();
    assert!(in_order.iter().eq(backwards.iter().rev()));
    let elsewhere = std::thread::scope(|scope| scope.spawn(|| checksum(&corpus, 7)).join());
    assert_eq!(elsewhere.expect("a thread"), in_order[7]);
}

#[test]
fn reused_buffers_do_not_change_the_result() {
    let corpus = corpus(3, |_| ());
    let (features, labels) = corpus.generate(2).expect("an utterance");
    let (mut dirty, mut dirty_labels) = (
        vec![f32::NAN; features.as_slice().len()],
        vec![-1; labels.len()],
    );
    corpus
        .read_into(2, &mut dirty, &mut dirty_labels)
        .expect("room");
    assert_eq!((features.as_slice(), labels), (&dirty[..], dirty_labels));
}

#[test]
fn a_small_corpus_is_a_prefix_of_a_large_one() {
    let (small, large) = (corpus(50, |_| ()), corpus(5000, |_| ()));
    assert_eq!(small.lengths(), large.lengths()[..50]);
    assert_eq!(checksum(&small, 49), checksum(&large, 49));
}

#[test]
fn seeds_change_the_content_and_languages_change_the_sounds() {
    let reference = corpus(20, |_| ());
    let other_seed = corpus(20, |config| config.seed = 1);
    let other_language = corpus(20, |config| config.language = 1);
    assert_ne!(reference.lengths(), other_seed.lengths());
    assert_eq!(reference.lengths(), other_language.lengths());
    assert_ne!(reference.text(0), other_language.text(0));
    let owners =
        |corpus: &Synthetic| -> Vec<_> { (0..1500).map(|class| corpus.phone_of(class)).collect() };
    assert_eq!(owners(&reference), owners(&other_seed));
    assert_ne!(checksum(&reference, 0), checksum(&other_seed, 0));
}

#[test]
fn nearly_all_classes_occur_in_a_few_hundred_utterances() {
    let corpus = corpus(400, |config| config.dims = 1);
    let mut seen = vec![false; corpus.classes()];
    for index in 0..corpus.len() {
        let (_, labels) = corpus.generate(index).expect("an utterance");
        labels.iter().for_each(|&label| seen[label as usize] = true);
    }
    let share = seen.iter().filter(|&&s| s).count() as f64 / seen.len() as f64;
    assert!(share > 0.99, "{share}");
}

#[test]
fn noise_has_the_configured_level() {
    let variance = |noise: f32| {
        let silent = corpus(1, |config| config.noise = 0.0);
        let noisy = corpus(1, |config| config.noise = noise);
        let (silent, _) = silent.generate(0).expect("an utterance");
        let (noisy, _) = noisy.generate(0).expect("an utterance");
        let differences = silent
            .as_slice()
            .iter()
            .zip(noisy.as_slice())
            .map(|(a, b)| (a - b) * (a - b));
        differences.sum::<f32>() / silent.as_slice().len() as f32
    };
    assert!((variance(1.0) - 1.0).abs() < 0.1, "{}", variance(1.0));
    assert!((variance(2.0) - 4.0).abs() < 0.4, "{}", variance(2.0));
}

/// The difference between the first and the last silence shows the accent, because the offsets of speaker and channel cancel
/// out. One half of the corpus gives the mean of each accent. Utterances of the other half are closer to the mean of their own.
#[test]
fn the_beginning_of_an_utterance_shows_the_accent() {
    let corpus = corpus(200, |_| ());
    let opening = |index: usize| -> Vec<f32> {
        let (features, _) = corpus.generate(index).expect("an utterance");
        let spans = corpus.phones(index);
        let mean = |at: usize, dim: usize| {
            let frames = spans[at].start as usize..(spans[at].start + spans[at].frames) as usize;
            frames.map(|frame| features.row(frame)[dim]).sum::<f32>() / spans[at].frames as f32
        };
        (0..corpus.dims())
            .map(|dim| mean(0, dim) - mean(spans.len() - 1, dim))
            .collect()
    };
    let mut direction = vec![0.0; corpus.dims()];
    for index in 0..100 {
        let sign = if corpus.accent(index) == 0 { 1.0 } else { -1.0 };
        direction
            .iter_mut()
            .zip(opening(index))
            .for_each(|(sum, x)| *sum += sign * x);
    }
    let told = |index: &usize| {
        let along: f32 = opening(*index)
            .iter()
            .zip(&direction)
            .map(|(x, d)| x * d)
            .sum();
        usize::from(along < 0.0) == corpus.accent(*index)
    };
    let right = (100..200).filter(told).count();
    assert!(right >= 95, "{right} of 100");
}

/// The fraction of variance explained by the groups.
fn explained(values: &[(u32, f64)]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let all: Vec<f64> = values.iter().map(|v| v.1).collect();
    let total: f64 = all.iter().map(|x| (x - mean(&all)).powi(2)).sum();
    let mut groups: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    values
        .iter()
        .for_each(|&(group, x)| groups.entry(group).or_default().push(x));
    let between: f64 = groups
        .values()
        .map(|g| g.len() as f64 * (mean(g) - mean(&all)).powi(2))
        .sum();
    between / total
}

#[test]
fn length_and_rate_depend_on_the_speaker() {
    let corpus = corpus(1000, |config| config.speakers = 20);
    let lengths: Vec<(u32, f64)> = (0..1000)
        .map(|i| (corpus.speaker(i), f64::from(corpus.length(i)).ln()))
        .collect();
    assert!(
        (0.2..0.5).contains(&explained(&lengths)),
        "{}",
        explained(&lengths)
    );
    let rate = |i| corpus.phones(i).len() as f64 / f64::from(corpus.length(i));
    let rates: Vec<(u32, f64)> = (0..1000).map(|i| (corpus.speaker(i), rate(i))).collect();
    assert!(explained(&rates) > 0.6, "{}", explained(&rates));
}

#[test]
fn length_correlates_with_the_phones() {
    let corpus = corpus(1000, |_| ());
    let phones = corpus.phone_names().len();
    let mut lengths: Vec<(u32, usize)> = corpus.lengths().into_iter().zip(0..).collect();
    lengths.sort_unstable();
    let shares = |utterances: &[(u32, usize)]| {
        let mut counts = vec![0.0; phones];
        utterances
            .iter()
            .flat_map(|&(_, i)| corpus.phones(i))
            .for_each(|span| counts[span.phone] += 1.0);
        let all: f64 = counts.iter().sum();
        counts
            .into_iter()
            .map(move |c| c / all)
            .collect::<Vec<f64>>()
    };
    let distance =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0;
    let (short, long) = (shares(&lengths[..250]), shares(&lengths[750..]));
    let (even, odd): (Vec<_>, Vec<_>) = lengths.iter().partition(|(_, i)| i % 2 == 0);
    assert!(
        distance(&short, &long) > 0.15,
        "{}",
        distance(&short, &long)
    );
    assert!(distance(&shares(&even), &shares(&odd)) < 0.03);
}
