//! Strategies in their one-line form.

use padwise_sampler::{Sampler, Strategy, StreamSampler, pair_recurrence};

use crate::Target;

pub(super) const STRATEGY: Target = Target {
    name: "strategy",
    run,
    words: &[
        "random",
        "sorted",
        "alternated:bins=",
        "semi-sorted:lrf=",
        "bucketed:width=",
        "bucketed:count=",
        "bucketed:optimal=",
        "bucketed:mxnet",
        "smart",
        "batch=",
        "frames=",
        "dynamic=",
        "dynamic-overshoot=",
        "max-items=",
        "shuffle-batches",
        "shuffle-later",
        "short-first",
        "long-first",
        "drop-last",
        "pad=bucket",
        "pad=multiple:",
        "chunk=",
        "step=",
        "min-chunk=",
        ",",
        ":",
        "=",
    ],
    repair: None,
    mutations: 6000,
};

fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    match Strategy::parse(text, 16) {
        Err(error) => drop(error.to_string()),
        Ok(strategy) => {
            let printed = strategy.to_string();
            let again = Strategy::parse(&printed, 16).expect("a printed strategy can be parsed");
            assert_eq!(strategy, again, "{printed} reads differently");
            use_strategy(&strategy);
        }
    }
}

/// Plans two epochs and a stream.
pub(super) fn use_strategy(strategy: &Strategy) {
    let lengths: Vec<u32> = (0..100).map(|n| 1 + n * n % 331).collect();
    let Ok(sampler) = Sampler::new(strategy.clone(), 7) else {
        return;
    };
    let (Ok(plan), Ok(next)) = (sampler.plan(&lengths, 0), sampler.plan(&lengths, 1)) else {
        return;
    };
    let in_batches: usize = plan.batches().map(|batch| batch.len()).sum();
    let ledger = plan.ledger();
    assert_eq!(in_batches + ledger.dropped().len(), ledger.items());
    let _ = (plan.stats(), pair_recurrence(&plan, &next));
    let _ = plan.shard(1, 3).map(|shard| shard.batches().count());
    let Ok(mut stream) = StreamSampler::new(strategy.clone(), 7, 40) else {
        return;
    };
    for (id, &length) in (0..).zip(&lengths) {
        let _ = stream.push(id, length);
        while stream.pop().is_some() {}
    }
    stream.finish();
    while stream.pop().is_some() {}
}
