//! What a search guarantees for any corpus, and what it recommends for known ones.

use std::ops::ControlFlow;

use padwise_recommend::cost::{BatchShape, CostModel, MemoryCost, SizeCost};
use padwise_recommend::evidence::Verdict;
use padwise_recommend::{Advice, RecommendError, Request, Search, search};
use padwise_sampler::{Profile, Sampler};
use proptest::prelude::*;

fn cost() -> CostModel {
    let size = |items, frame_seconds| SizeCost {
        items,
        frame_seconds,
    };
    CostModel {
        step_seconds: 1.5e-3,
        item_seconds: 0.0,
        sizes: vec![size(1, 4e-6), size(16, 1.1e-5), size(64, 3.4e-5)],
        ragged_saving: 0.0,
        excess_seconds: 2e-7,
        memory: Some(MemoryCost {
            fixed_bytes: 3e8,
            frame_bytes: 7e4,
            square_bytes: 0.0,
        }),
    }
}

fn find(request: &Request) -> Result<Search, RecommendError> {
    search(request, &mut |_, _| ControlFlow::Continue(()))
}

#[test]
fn known_corpora_get_semi_sorted_batches() {
    for profile in [Profile::LibriSpeech, Profile::LjSpeech, Profile::Chime4] {
        let lengths = profile.lengths(profile.sequences());
        let cost = cost();
        let found =
            find(&Request::new(&lengths, &cost, 16)).expect("a corpus has a recommendation");
        let best = &found.predictions[found.recommended];
        assert_eq!(best.strategy.to_string(), "semi-sorted:lrf=0.1,batch=16");
        assert!(best.speed_up > 1.2, "{}", best.speed_up);
        assert!(Advice::new(&found).risk.contains("evidence is one corpus"));
    }
}

/// The noise of semi-sorted order grows with the range of lengths, so one very long utterance makes `lrf=0.1` nearly random.
#[test]
fn a_very_long_utterance_lowers_the_noise() {
    let profile = Profile::LibriSpeech;
    let mut lengths = profile.lengths(profile.sequences());
    lengths.push(40_000);
    let cost = cost();
    let found = find(&Request::new(&lengths, &cost, 16)).expect("a corpus has a recommendation");
    let best = &found.predictions[found.recommended];
    let usual = found
        .predictions
        .iter()
        .find(|prediction| prediction.strategy.to_string() == "semi-sorted:lrf=0.1,batch=16")
        .expect("the usual noise");
    assert_eq!(best.strategy.to_string(), "semi-sorted:lrf=0.013,batch=16");
    assert!(
        best.speed_up > 1.3 * usual.speed_up,
        "{} {}",
        best.speed_up,
        usual.speed_up
    );
    assert!(Advice::new(&found).risk.contains("as much noise"));
}

#[test]
fn equal_lengths_keep_random_batches() {
    let cost = cost();
    let found =
        find(&Request::new(&[500; 1000], &cost, 16)).expect("a corpus has a recommendation");
    assert_eq!(found.recommended, found.baseline);
    assert!(
        Advice::new(&found)
            .summary
            .starts_with("Keep random batches")
    );
}

#[test]
fn the_memory_limit_leads_to_a_smaller_batch_size() {
    let (cost, lengths) = (cost(), vec![1000; 64]);
    let limited = |memory| Request {
        memory: Some(memory),
        ..Request::new(&lengths, &cost, 16)
    };
    // 300 MB and 70 MB for every utterance.
    let error = find(&limited(900_000_000))
        .expect_err("sixteen utterances need more")
        .to_string();
    assert!(error.ends_with("use batches of 8"), "{error}");
    let error = find(&limited(100_000_000))
        .expect_err("one utterance needs more")
        .to_string();
    assert!(error.contains("longest utterance alone"), "{error}");
}

/// A frame budget would fit, but no record supports it.
#[test]
fn an_untested_strategy_is_never_recommended_for_its_memory() {
    let (cost, lengths) = (cost(), (1..400).map(|i| 10 * i).collect::<Vec<u32>>());
    let request = Request {
        memory: Some(3_000_000_000),
        ..Request::new(&lengths, &cost, 16)
    };
    let error = find(&request)
        .expect_err("sixteen long utterances need more")
        .to_string();
    assert!(error.contains("use batches of 9; `"), "{error}");
    assert!(error.ends_with("fits, but is untested"), "{error}");
}

#[test]
fn a_memory_limit_needs_a_profile_with_memory() {
    let (cost, lengths) = (
        CostModel {
            memory: None,
            ..cost()
        },
        vec![100; 20],
    );
    let found = find(&Request::new(&lengths, &cost, 4)).expect("a recommendation without memory");
    assert_eq!(found.predictions[found.recommended].peak_bytes, None);
    let request = Request {
        memory: Some(1),
        ..Request::new(&lengths, &cost, 4)
    };
    assert!(matches!(find(&request), Err(RecommendError::MemoryUnknown)));
}

#[test]
fn huge_batch_sizes_are_planned_or_refused() {
    let (cost, lengths) = (cost(), vec![100; 20]);
    for batch_size in [1 << 26, u32::MAX / 2, u32::MAX] {
        let _ = find(&Request::new(&lengths, &cost, batch_size));
    }
}

/// Even random batches of a small corpus repeat pairs.
#[test]
fn random_batches_are_always_random_enough() {
    let (cost, lengths) = (cost(), (100..120).collect::<Vec<u32>>());
    let request = Request {
        min_randomness: 1.0,
        ..Request::new(&lengths, &cost, 16)
    };
    let found = find(&request).expect("a recommendation");
    assert!(found.predictions[found.baseline].randomness < 1.0);
    let best = &found.predictions[found.recommended];
    assert!(best.randomness >= found.predictions[found.baseline].randomness);
}

#[test]
fn a_large_corpus_is_sampled_and_its_front_is_exact() {
    let lengths = Profile::LibriSpeech.lengths(250_000);
    let cost = cost();
    let found = find(&Request::new(&lengths, &cost, 16)).expect("a corpus has a recommendation");
    assert!(found.predictions.iter().any(|row| row.sampled));
    let named = [
        Some(found.baseline),
        Some(found.recommended),
        found.runner_up,
    ];
    for (index, row) in found.predictions.iter().enumerate() {
        if row.on_front || named.contains(&Some(index)) {
            assert!(!row.sampled, "{}", row.strategy);
        }
        if !row.sampled {
            let sampler = Sampler::new(row.strategy.clone(), 0).expect("the strategy is valid");
            let plan = sampler
                .plan(&lengths, 0)
                .expect("the corpus can be planned");
            assert_eq!(row.steps, plan.len(), "{}", row.strategy);
            assert_eq!(row.epoch_seconds, cost.epoch(&plan), "{}", row.strategy);
        }
    }
}

#[test]
fn a_search_can_be_interrupted() {
    let (cost, lengths) = (cost(), vec![10; 100]);
    let request = Request::new(&lengths, &cost, 4);
    let found = search(&request, &mut |done, _| match done {
        3 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(matches!(found, Err(RecommendError::Interrupted)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_front_has_no_strategy_that_another_beats(
        lengths in prop::collection::vec(1u32..3000, 1..300),
        batch_size in 1u32..40,
        with_chunks: bool,
    ) {
        let cost = cost();
        let request = Request { with_chunks, min_randomness: 0.0, ..Request::new(&lengths, &cost, batch_size) };
        let found = find(&request).expect("a corpus has a recommendation");
        for row in found.predictions.iter().filter(|row| row.on_front) {
            let beaten = found.predictions.iter().any(|other| {
                other.dropped == 0 && other.epoch_seconds < row.epoch_seconds && other.randomness >= row.randomness
            });
            prop_assert!(!beaten, "{}", row.strategy);
        }
        let best = &found.predictions[found.recommended];
        prop_assert!(matches!(best.evidence.verdict, Verdict::Baseline | Verdict::NoDifference));
        prop_assert!(best.epoch_seconds <= found.predictions[found.baseline].epoch_seconds * 1.02 + 1e-9);
        prop_assert!(!Advice::new(&found).summary.is_empty());
    }

    #[test]
    fn no_batch_of_any_epoch_exceeds_the_predicted_memory(
        lengths in prop::collection::vec(1u32..3000, 1..300),
        batch_size in 1u32..40,
        seed: u64,
    ) {
        let cost = cost();
        let found = find(&Request { min_randomness: 0.0, ..Request::new(&lengths, &cost, batch_size) })
            .expect("a corpus has a recommendation");
        for row in found.predictions.iter() {
            let sampler = Sampler::new(row.strategy.clone(), seed).expect("the strategy is valid");
            let plan = sampler.plan(&lengths, 5);
            let Ok(plan) = plan else { continue };
            for batch in plan.batches() {
                let needed = cost.memory.map(|memory| memory.bytes(batch.len(), batch.padded_length()));
                prop_assert!(needed <= row.peak_bytes, "{}: {needed:?} > {:?}", row.strategy, row.peak_bytes);
            }
        }
    }

    #[test]
    fn padding_never_makes_a_step_cheaper(items in 1usize..300, longest in 1u32..3000, more in 0u32..500) {
        let cost = cost();
        let shape = BatchShape::full(items, longest);
        let padded = BatchShape { padded_length: longest + more, ..shape };
        prop_assert!(cost.step(&padded) >= cost.step(&shape));
        prop_assert!(cost.step(&BatchShape::full(items + 1, longest)) >= cost.step(&shape) - 1e-12);
    }
}
