//! From a plan to padded batches, on several threads, in exactly the plan's order.
//!
//! Thread `w` of `n` puts together batches `w`, `w + n`, `w + 2n`, … of those that are asked for, each thread with a short queue of its own; whoever trains takes
//! from the queues in turn. So nothing has to be put back into order, no thread runs far ahead, and memory stays bounded by
//! the queues.

mod assemble;

use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use padwise_features::{Corpus, CorpusError};
use padwise_model::PaddedBatch;
use padwise_sampler::Plan;

pub use assemble::{Teach, assemble};

/// Batches that a thread may have waiting.
const AHEAD: usize = 2;

/// Batches in the plan's order, and how long one has waited for them.
pub struct Loader {
    queues: Vec<Receiver<Result<PaddedBatch, CorpusError>>>,
    next: usize,
    batches: usize,
    waited: Duration,
}

impl Loader {
    /// How long [`Iterator::next`] has waited for batches that were not ready.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

impl Iterator for Loader {
    type Item = Result<PaddedBatch, CorpusError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next == self.batches {
            return None;
        }
        let queue = &self.queues[self.next % self.queues.len()];
        let start = Instant::now();
        let batch = queue.recv().ok();
        self.waited += start.elapsed();
        self.next += 1;
        batch
    }
}

/// Loads the batches of a plan from `first` on while `train` takes them. Whatever `train` leaves is not loaded.
pub fn with_batches<R>(
    corpus: &dyn Corpus,
    plan: &Plan,
    first: usize,
    teach: Teach,
    threads: usize,
    train: impl FnOnce(&mut Loader) -> R,
) -> R {
    let batches = plan.batches_from(first).len();
    let threads = threads.clamp(1, batches.max(1));
    std::thread::scope(|scope| {
        let queues = (0..threads)
            .map(|thread| {
                let (send, receive) = sync_channel(AHEAD);
                scope.spawn(move || {
                    for batch in plan.batches_from(first).skip(thread).step_by(threads) {
                        // Whoever trained has stopped, as they do when they are interrupted.
                        if send.send(assemble(corpus, &batch, teach)).is_err() {
                            return;
                        }
                    }
                });
                receive
            })
            .collect();
        let mut loader = Loader {
            queues,
            next: 0,
            batches,
            waited: Duration::ZERO,
        };
        let result = train(&mut loader);
        // Before the scope waits for the threads: they may be waiting for room in a queue.
        drop(loader);
        result
    })
}

#[cfg(test)]
mod tests {
    use padwise_features::{SyntheticConfig, SyntheticCorpus};
    use padwise_model::Targets;
    use padwise_sampler::{Sampler, Strategy};

    use super::*;

    fn corpus() -> SyntheticCorpus {
        SyntheticCorpus::new(SyntheticConfig {
            utterances: 40,
            ..SyntheticConfig::default()
        })
        .expect("a corpus")
    }

    fn plan(corpus: &dyn Corpus, line: &str) -> Plan {
        let strategy: Strategy = line.parse().expect("a strategy");
        let sampler = Sampler::new(strategy, 3).expect("valid");
        sampler.plan(corpus.lengths(), 0).expect("a plan")
    }

    #[test]
    fn batches_come_in_the_plans_order_with_any_number_of_threads() {
        let corpus = corpus();
        for line in ["random,batch=3", "random,frames=900,chunk=50"] {
            let plan = plan(&corpus, line);
            let expected: Vec<PaddedBatch> = plan
                .batches()
                .map(|batch| assemble(&corpus, &batch, Teach::Frames).expect("readable"))
                .collect();
            for threads in [1, 2, 3, 7, 100] {
                for first in [0, 1, expected.len() - 1, expected.len()] {
                    let loaded: Vec<PaddedBatch> =
                        with_batches(&corpus, &plan, first, Teach::Frames, threads, |loader| {
                            loader.map(|batch| batch.expect("readable")).collect()
                        });
                    assert!(
                        loaded == expected[first..],
                        "{line} on {threads} threads from {first} on"
                    );
                }
            }
        }
    }

    #[test]
    fn a_loader_can_be_left_early() {
        let corpus = corpus();
        let plan = plan(&corpus, "random,batch=1");
        let first = with_batches(&corpus, &plan, 0, Teach::Frames, 4, |loader| {
            loader.next().map(|batch| batch.expect("readable").len())
        });
        assert_eq!(first, Some(1));
    }

    #[test]
    fn frames_lie_time_major_and_padding_has_no_label() {
        let corpus = corpus();
        let plan = plan(&corpus, "random,batch=3");
        let batch = plan.batch(0).expect("a batch");
        let padded = assemble(&corpus, &batch, Teach::Frames).expect("readable");
        let Targets::Frames(labels) = &padded.targets else {
            panic!("frames were asked for");
        };
        let dims = corpus.dims();
        for (b, item) in batch.items().enumerate() {
            let (features, expected) = corpus.read(item.utterance).expect("readable");
            for t in 0..padded.frames {
                let row = t * padded.len() + b;
                let label = expected.get(t).copied().unwrap_or(-1);
                assert_eq!(labels[row], label);
                if t < item.length as usize {
                    let frame = &features.as_slice()[t * dims..(t + 1) * dims];
                    assert_eq!(&padded.inputs[row * dims..(row + 1) * dims], frame);
                }
            }
        }
    }

    #[test]
    fn sequences_are_labels_without_repeats() {
        let corpus = corpus();
        let plan = plan(&corpus, "random,batch=2");
        let batch = plan.batch(0).expect("a batch");
        let padded = assemble(&corpus, &batch, Teach::Sequences).expect("readable");
        let Targets::Sequences { labels, lengths } = &padded.targets else {
            panic!("sequences were asked for");
        };
        let item = batch.items().next().expect("an item");
        let (_, mut expected) = corpus.read(item.utterance).expect("readable");
        expected.dedup();
        assert_eq!(&labels[..lengths[0] as usize], expected);
        assert_eq!(labels.len(), lengths.iter().sum::<u32>() as usize);
    }
}
