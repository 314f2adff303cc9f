//! Compares plans with those of a second, independent implementation, `golden/plans.py`.

use std::collections::BTreeMap;

use padwise_sampler::{Plan, Sampler, Strategy};

#[derive(serde::Deserialize)]
struct Golden {
    lengths: Vec<u32>,
    seed: u64,
    epoch: u64,
    plans: BTreeMap<String, Vec<GoldenBatch>>,
    /// Plans of epoch 0.
    first_epoch: BTreeMap<String, Vec<GoldenBatch>>,
    /// The batches of each of four ranks.
    shards: BTreeMap<String, Vec<Vec<usize>>>,
}

#[derive(Debug, PartialEq, serde::Deserialize)]
struct GoldenBatch {
    /// Sequence and first frame of each item.
    items: Vec<(usize, u32)>,
    padded: u32,
}

impl Golden {
    fn read() -> Self {
        serde_json::from_str(include_str!("golden/plans.json")).expect("the golden file")
    }

    fn plan(&self, line: &str, epoch: u64) -> Plan {
        let strategy: Strategy = line.parse().expect("a strategy");
        Sampler::new(strategy, self.seed)
            .map(|s| s.plan(&self.lengths, epoch))
            .expect("a sampler")
            .expect("a plan")
    }
}

#[test]
fn every_order_matches_the_independent_implementation() {
    let golden = Golden::read();
    assert_eq!((golden.plans.len(), golden.first_epoch.len()), (19, 2));
    let later = golden.plans.iter().map(|plan| (golden.epoch, plan));
    let first = golden.first_epoch.iter().map(|plan| (0, plan));
    for (epoch, (line, expected)) in later.chain(first) {
        let batches: Vec<GoldenBatch> = golden
            .plan(line, epoch)
            .batches()
            .map(|b| GoldenBatch {
                items: b.items().map(|i| (i.sequence, i.start)).collect(),
                padded: b.padded_length(),
            })
            .collect();
        assert_eq!(&batches, expected, "{line}, epoch {epoch}");
    }
}

#[test]
fn every_shard_matches_the_independent_implementation() {
    let golden = Golden::read();
    assert_eq!(golden.shards.len(), 3);
    for (line, ranks) in &golden.shards {
        let plan = golden.plan(line, golden.epoch);
        for (rank, expected) in ranks.iter().enumerate() {
            let shard = plan.shard(rank, ranks.len()).expect("a rank");
            assert_eq!(shard.batch_indices(), expected, "{line}, rank {rank}");
        }
    }
}
