//! A data loader in 30 lines: plan an epoch, gather the sequences of each batch, pad them with zeros.
//!
//! `cargo run -p padwise-sampler --example data_loader` prints:
//!
//! ```text
//! epoch 0: 4 × 8, lengths [5, 6, 7, 8]
//! epoch 0: 2 × 9, lengths [9, 9]
//! epoch 0: 4 × 4, lengths [3, 3, 4, 4]
//! epoch 0: 12.1 % padding
//! epoch 1: 2 × 9, lengths [9, 9]
//! epoch 1: 4 × 4, lengths [3, 3, 4, 4]
//! epoch 1: 4 × 8, lengths [5, 6, 7, 8]
//! epoch 1: 12.1 % padding
//! ```

use padwise_sampler::{Batch, Sampler};

/// The items of a batch in row-major order, each padded with zeros. An item can be a chunk, so use its start and length.
fn pad(batch: &Batch, corpus: &[Vec<f32>]) -> Vec<f32> {
    let frames = batch.padded_length() as usize;
    let mut values = Vec::with_capacity(batch.len() * frames);
    for (row, item) in batch.items().enumerate() {
        let start = item.start as usize;
        let end = start + item.length as usize;
        values.extend(&corpus[item.sequence][start..end]);
        values.resize((row + 1) * frames, 0.0);
    }
    values
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Ten sequences with one value per frame; a real corpus has a feature vector per frame.
    let lengths: Vec<u32> = vec![7, 3, 9, 4, 4, 8, 3, 5, 9, 6];
    let corpus: Vec<Vec<f32>> = lengths.iter().map(|&n| vec![1.0; n as usize]).collect();

    let sampler = Sampler::new("sorted,batch=4,shuffle-batches".parse()?, 42)?;
    for epoch in 0..2 {
        let plan = sampler.plan(&lengths, epoch)?;
        for batch in plan.batches() {
            let values = pad(&batch, &corpus);
            let (rows, frames) = (batch.len(), batch.padded_length());
            println!(
                "epoch {epoch}: {rows} × {frames}, lengths {:?}",
                batch.lengths()
            );
            // Train on `values`; mask the padding with `batch.lengths()`.
            assert_eq!(values.len(), rows * frames as usize);
        }
        let padding = 100.0 * plan.stats().pooled_padding.unwrap_or(0.0);
        println!("epoch {epoch}: {padding:.1} % padding");
    }
    Ok(())
}
