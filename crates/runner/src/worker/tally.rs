//! Statistics of the batches that an epoch actually trained on.

use padwise_report::record::EpochRow;
use padwise_sampler::Batch;

/// Running statistics over trained batches.
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

impl Tally {
    /// Empty statistics for a corpus of this many utterances.
    pub fn new(utterances: usize) -> Self {
        Tally {
            utterances: vec![false; utterances],
            ..Tally::default()
        }
    }

    /// Adds a batch.
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
            if let Some(trained) = self.utterances.get_mut(item.sequence) {
                *trained = true;
            }
        }
    }

    /// Distinct utterances.
    pub fn utterances(&self) -> u64 {
        self.utterances.iter().filter(|&&trained| trained).count() as u64
    }

    /// Writes the statistics into a row.
    pub fn fill(&self, row: &mut EpochRow) {
        let per_item = |sum: f64| (self.items > 0).then(|| sum / self.items as f64);
        row.batches = self.batches;
        row.items = self.items;
        row.utterances = self.utterances();
        row.valid_frames = self.valid_frames;
        row.padded_frames = self.padded_frames;
        row.largest_batch_frames = self.largest;
        row.zpr_percent = per_item(100.0 * self.padding);
        row.abl = per_item(self.lengths);
    }
}
