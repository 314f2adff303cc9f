//! Plans against a second implementation, `golden/plans.py`, that shares nothing with this one but the documentation.

use padwise_sampler::{Sampler, Strategy};

#[derive(serde::Deserialize)]
struct Golden {
    lengths: Vec<u32>,
    seed: u64,
    epoch: u64,
    plans: std::collections::BTreeMap<String, Vec<Vec<usize>>>,
}

#[test]
fn every_order_matches_the_independent_implementation() {
    let golden: Golden =
        serde_json::from_str(include_str!("golden/plans.json")).expect("the golden file");
    assert_eq!(golden.plans.len(), 13);
    for (line, expected) in &golden.plans {
        let strategy: Strategy = line.parse().expect("a strategy");
        let plan = Sampler::new(strategy, golden.seed)
            .map(|s| s.plan(&golden.lengths, golden.epoch))
            .expect("a sampler")
            .expect("a plan");
        let batches: Vec<Vec<usize>> = plan
            .batches()
            .map(|b| b.items().map(|i| i.utterance).collect())
            .collect();
        assert_eq!(&batches, expected, "{line}");
    }
}
