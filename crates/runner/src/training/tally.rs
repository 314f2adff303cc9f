//! What was really trained in an epoch, counted batch by batch as they were trained.

use padwise_model::LossSum;
use padwise_sampler::Batch;
use serde::{Deserialize, Serialize};

use crate::record::EpochRow;

/// Counts of batches that were trained.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    batches: u64,
    items: u64,
    valid_frames: u64,
    padded_frames: u64,
    largest: u64,
    padding: f64,
    lengths: f64,
    utterances: Vec<bool>,
}

/// Losses of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Losses {
    sum: f64,
    counted: u64,
    wrong: u64,
}

impl From<&LossSum> for Losses {
    fn from(loss: &LossSum) -> Self {
        Losses {
            sum: loss.sum,
            counted: loss.counted,
            wrong: loss.wrong,
        }
    }
}

impl Losses {
    /// As if they were of one step.
    pub fn step(&self) -> LossSum {
        LossSum {
            sum: self.sum,
            counted: self.counted,
            wrong: self.wrong,
        }
    }

    /// Counts a step.
    pub fn add(&mut self, loss: &LossSum) {
        self.sum += loss.sum;
        self.counted += loss.counted;
        self.wrong += loss.wrong;
    }

    /// The loss for each frame or utterance.
    pub fn mean(&self) -> Option<f64> {
        (self.counted > 0).then(|| self.sum / self.counted as f64)
    }

    /// The share that was wrong, in percent.
    pub fn wrong_percent(&self) -> Option<f64> {
        (self.counted > 0).then(|| 100.0 * self.wrong as f64 / self.counted as f64)
    }
}

impl Tally {
    /// For a corpus of this many utterances.
    pub fn new(utterances: usize) -> Self {
        Tally {
            utterances: vec![false; utterances],
            ..Tally::default()
        }
    }

    /// Counts a batch.
    pub fn add(&mut self, batch: &Batch<'_>) {
        let size = batch.len() as f64;
        self.batches += 1;
        self.items += batch.len() as u64;
        self.valid_frames += batch.valid_frames();
        self.padded_frames += batch.padded_frames();
        self.largest = self.largest.max(batch.padded_frames());
        self.padding += size * batch.zero_padding_rate();
        self.lengths += size * f64::from(batch.padded_length());
        for item in batch.items() {
            if let Some(trained) = self.utterances.get_mut(item.utterance) {
                *trained = true;
            }
        }
    }

    /// Writes the counts into a row.
    pub fn fill(&self, row: &mut EpochRow) {
        let per_item = |sum: f64| (self.items > 0).then(|| sum / self.items as f64);
        row.batches = self.batches;
        row.items = self.items;
        row.utterances = self.utterances.iter().filter(|&&trained| trained).count() as u64;
        row.valid_frames = self.valid_frames;
        row.padded_frames = self.padded_frames;
        row.largest_batch_frames = self.largest;
        row.zpr_percent = per_item(100.0 * self.padding);
        row.abl = per_item(self.lengths);
    }
}
