//! Loads the batches of a plan on several threads, in the plan's order.
//!
//! Thread `w` of `n` assembles batches `w`, `w + n`, `w + 2n`, … into a short queue. The trainer takes from the queues in turn. So
//! batches never need reordering, no thread runs far ahead, and the queues bound the memory.

mod assemble;

use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use padwise_features::{Corpus, CorpusError};
use padwise_model::PaddedBatch;
use padwise_sampler::{Batch, Plan};

use crate::corpora::Supervision;

pub use assemble::assemble;

/// Capacity of each thread's queue, in batches.
const AHEAD: usize = 2;

/// An iterator over batches in the plan's order, which measures how long it waits for them.
pub struct Loader {
    queues: Vec<Receiver<Result<PaddedBatch, CorpusError>>>,
    next: usize,
    batches: usize,
    waited: Duration,
}

impl Loader {
    /// Total time that [`Iterator::next`] waited for batches.
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

/// Loads the batches of a plan, starting with `first`, while `train` consumes them. Loading stops when `train` returns.
pub fn with_batches<R>(
    corpus: &dyn Corpus,
    plan: &Plan,
    first: usize,
    supervision: Supervision,
    threads: usize,
    train: impl FnOnce(&mut Loader) -> R,
) -> R {
    let batches: Vec<Batch<'_>> = plan.batches_from(first).collect();
    load_batches(corpus, &batches, supervision, threads, train)
}

/// Like [`with_batches`], for batches in any order.
pub fn load_batches<R>(
    corpus: &dyn Corpus,
    order: &[Batch<'_>],
    supervision: Supervision,
    threads: usize,
    train: impl FnOnce(&mut Loader) -> R,
) -> R {
    let batches = order.len();
    let threads = threads.clamp(1, batches.max(1));
    std::thread::scope(|scope| {
        let queues = (0..threads)
            .map(|thread| {
                let (send, receive) = sync_channel(AHEAD);
                scope.spawn(move || {
                    for batch in order.iter().skip(thread).step_by(threads) {
                        // The trainer stopped early, for example after an interrupt.
                        if send.send(assemble(corpus, batch, supervision)).is_err() {
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
        // Drop the queues before the scope joins the threads, which may be blocked on a full queue.
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
                .map(|batch| assemble(&corpus, &batch, Supervision::FrameLabels).expect("readable"))
                .collect();
            for threads in [1, 2, 3, 7, 100] {
                for first in [0, 1, expected.len() - 1, expected.len()] {
                    let loaded: Vec<PaddedBatch> = with_batches(
                        &corpus,
                        &plan,
                        first,
                        Supervision::FrameLabels,
                        threads,
                        |loader| loader.map(|batch| batch.expect("readable")).collect(),
                    );
                    assert!(
                        loaded == expected[first..],
                        "{line} on {threads} threads from {first} on"
                    );
                }
            }
        }
    }

    #[test]
    fn training_can_stop_early() {
        let corpus = corpus();
        let plan = plan(&corpus, "random,batch=1");
        let first = with_batches(&corpus, &plan, 0, Supervision::FrameLabels, 4, |loader| {
            loader.next().map(|batch| batch.expect("readable").len())
        });
        assert_eq!(first, Some(1));
    }

    #[test]
    fn frames_are_time_major_and_padding_has_no_label() {
        let corpus = corpus();
        let plan = plan(&corpus, "random,batch=3");
        let batch = plan.batch(0).expect("a batch");
        let padded = assemble(&corpus, &batch, Supervision::FrameLabels).expect("readable");
        let Targets::Frames(labels) = &padded.targets else {
            panic!("expected a label for every frame");
        };
        let dims = corpus.dims();
        for (b, item) in batch.items().enumerate() {
            let (features, expected) = corpus.read(item.sequence).expect("readable");
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
        let padded = assemble(&corpus, &batch, Supervision::LabelSequences).expect("readable");
        let Targets::Sequences { labels, lengths } = &padded.targets else {
            panic!("expected label sequences");
        };
        let item = batch.items().next().expect("an item");
        let (_, mut expected) = corpus.read(item.sequence).expect("readable");
        expected.dedup();
        assert_eq!(&labels[..lengths[0] as usize], expected);
        assert_eq!(labels.len(), lengths.iter().sum::<u32>() as usize);
    }
}
