//! Reproduces the papers' numbers on their corpora.

mod common;

use common::{chime4_train, librispeech, ljspeech_train, plan};
use padwise_sampler::{Profile, Sampler, Strategy, optimal_boundaries};

/// Ge et al. (2021), tables 1 and 2: strategy, ZPR in percent, ABL.
const GE_TABLE_1: [(&str, f64, f64); 5] = [
    ("random", 32.03, 773.5),
    ("sorted", 0.16, 526.1),
    ("semi-sorted:lrf=0.1", 6.26, 556.2),
    ("bucketed:count=1024", 6.12, 553.1),
    ("alternated:bins=58", 6.14, 552.4),
];

/// The mean over twenty seeds of ZPR in percent, ABL and the number of batches.
fn means(line: &str, lengths: &[u32]) -> (f64, f64, f64) {
    let seeds = 20;
    let (mut zpr, mut abl, mut batches) = (0.0, 0.0, 0.0);
    for seed in 0..seeds {
        let stats = plan(line, lengths, seed, 0).stats();
        zpr += 100.0 * stats.zpr.expect("a batch");
        abl += stats.abl.expect("a batch");
        batches += stats.batches as f64;
    }
    let n = seeds as f64;
    (zpr / n, abl / n, batches / n)
}

#[test]
fn padding_on_ljspeech_matches_the_paper() {
    let Some(lengths) = ljspeech_train("padding_on_ljspeech_matches_the_paper") else {
        return;
    };
    for (line, zpr, abl) in GE_TABLE_1 {
        let (measured_zpr, measured_abl, batches) = means(line, &lengths);
        assert!(
            (measured_zpr - zpr).abs() <= 0.15,
            "{line}: ZPR {measured_zpr}"
        );
        assert!(
            (measured_abl - abl).abs() <= 1.5,
            "{line}: ABL {measured_abl}"
        );
        assert_eq!(batches, 655.0, "{line}");
    }
}

/// Ge et al. (2021), section 4, report 606 / 449 / 419 batches. The strict limit of their formula gives more batches.
/// Closing a batch with the item that exceeds the limit gives nearly these numbers.
#[test]
fn dynamic_batch_counts_on_ljspeech() {
    let Some(lengths) = ljspeech_train("dynamic_batch_counts_on_ljspeech") else {
        return;
    };
    for (line, expected) in [
        ("random,dynamic=16", 644.0),
        ("semi-sorted:lrf=0.1,dynamic=16", 463.0),
        ("sorted,dynamic=16", 438.0),
        ("random,dynamic-overshoot=16", 607.0),
        ("semi-sorted:lrf=0.1,dynamic-overshoot=16", 441.0),
        ("sorted,dynamic-overshoot=16", 418.0),
    ] {
        let (_, _, batches) = means(line, &lengths);
        assert!(
            (batches / expected - 1.0).abs() <= 0.01,
            "{line}: {batches}"
        );
    }
}

#[test]
fn the_ljspeech_profile_matches_the_paper_too() {
    let profile = Profile::LjSpeech;
    let lengths = profile.lengths(profile.sequences());
    for (line, zpr, abl) in GE_TABLE_1 {
        let (measured_zpr, measured_abl, _) = means(line, &lengths);
        assert!(
            (measured_zpr - zpr).abs() <= 0.4,
            "{line}: ZPR {measured_zpr}"
        );
        assert!(
            (measured_abl - abl).abs() <= 3.0,
            "{line}: ABL {measured_abl}"
        );
    }
}

/// Every profile stays close to the real lengths of its corpus.
#[test]
fn profiles_match_the_real_lengths() {
    let name = "profiles_match_the_real_lengths";
    let corpora = [
        (Profile::LjSpeech, ljspeech_train(name)),
        (Profile::LibriSpeech, librispeech(name)),
        (Profile::Chime4, chime4_train(name)),
    ];
    for (profile, lengths) in corpora {
        let Some(mut lengths) = lengths else { continue };
        assert_eq!(profile.sequences(), lengths.len());
        lengths.sort_unstable();
        let mut from_profile = profile.lengths(lengths.len());
        from_profile.sort_unstable();
        let total = |l: &[u32]| l.iter().map(|&l| f64::from(l)).sum::<f64>();
        let ratio = total(&from_profile) / total(&lengths);
        assert!((ratio - 1.0).abs() < 0.001, "{profile}: {ratio}");
        // A table of 513 points cannot represent each of the shortest and longest sequences, which differ widely.
        let outermost = lengths.len().div_ceil(512);
        let inner = outermost..lengths.len() - outermost;
        for (i, (real, ours)) in lengths.iter().zip(&from_profile).enumerate() {
            let tolerance = 2 + real / if inner.contains(&i) { 20 } else { 8 };
            assert!(
                real.abs_diff(*ours) <= tolerance,
                "{profile}: {real} {ours}"
            );
        }
    }
}

/// Khomenko et al. (2016): no other choice of the same number of boundaries needs less padding. MXNet's buckets drop the
/// longest sequences, so only the kept ones are compared.
#[test]
fn optimal_buckets_never_lose_on_three_corpora() {
    let name = "optimal_buckets_never_lose_on_three_corpora";
    let or_profile = |lengths: Option<Vec<u32>>, profile: Profile| {
        lengths.unwrap_or_else(|| profile.lengths(profile.sequences()))
    };
    let corpora = [
        or_profile(ljspeech_train(name), Profile::LjSpeech),
        or_profile(librispeech(name), Profile::LibriSpeech),
        or_profile(chime4_train(name), Profile::Chime4),
    ];
    for lengths in corpora {
        for other in [
            "bucketed:width=50",
            "bucketed:width=100",
            "bucketed:width=250",
            "bucketed:count=256",
            "bucketed:count=1024",
            "bucketed:count=2000",
            "bucketed:mxnet",
        ] {
            let other = plan(&format!("{other},batch=8,pad=bucket"), &lengths, 0, 0);
            let mut widths: Vec<u32> = other.batches().map(|b| b.padded_length()).collect();
            widths.sort_unstable();
            widths.dedup();
            let kept: Vec<u32> = other
                .batches()
                .flat_map(|b| b.items())
                .map(|i| i.length)
                .collect();
            let strategy = format!("bucketed:optimal={},batch=8,pad=bucket", widths.len());
            let strategy: Strategy = strategy.parse().expect("a strategy");
            let optimal = Sampler::new(strategy, 0)
                .expect("legal")
                .plan(&kept, 0)
                .expect("a plan");
            let (ours, theirs) = (optimal.stats(), other.stats());
            assert_eq!(ours.valid_frames, theirs.valid_frames);
            assert!(ours.padded_frames <= theirs.padded_frames);
        }
    }
}

/// The boundaries as in figure 2 of Khomenko et al., for this corpus. The snapshot detects changes.
#[test]
fn six_optimal_buckets_of_the_ljspeech_profile() {
    let mut lengths = Profile::LjSpeech.lengths(Profile::LjSpeech.sequences());
    lengths.sort_unstable();
    let histogram: Vec<(u32, u64)> = lengths
        .chunk_by(|a, b| a == b)
        .map(|run| (run[0], run.len() as u64))
        .collect();
    insta::assert_compact_debug_snapshot!(optimal_boundaries(&histogram, 6), @"[296, 418, 521, 623, 712, 807]");
}

/// Anderson (2020): all batches are full except the last, and contain similar lengths.
#[test]
fn smart_batches_are_full_and_tight() {
    let lengths = Profile::LibriSpeech.lengths(1003);
    let smart = plan("smart", &lengths, 0, 0);
    let short: Vec<usize> = smart
        .batches()
        .map(|b| b.len())
        .filter(|&n| n < 16)
        .collect();
    assert_eq!(short, [1003 % 16]);
    let zpr = |line| plan(line, &lengths, 0, 0).stats().zpr.expect("a batch");
    assert!(zpr("smart") < 0.25 * zpr("random"), "{}", zpr("smart"));
}
