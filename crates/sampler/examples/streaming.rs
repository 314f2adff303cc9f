//! Batches from a stream of unknown length, through a buffer of 64 sequences, with a stop and a resume.
//!
//! `cargo run -p padwise-sampler --example streaming` prints:
//!
//! ```text
//! after 151 sequences: 16 steps, 23 waiting
//! at the end: 38 steps, 15410 frames of padding
//! ledger: 300 received, 300 batched
//! ```

use padwise_sampler::{StreamBatch, StreamSampler};

fn train(batch: &StreamBatch, steps: &mut usize, padding: &mut u64) {
    let frames = u64::from(batch.padded_length) * batch.items.len() as u64;
    let valid: u64 = batch.items.iter().map(|item| u64::from(item.length)).sum();
    *steps += 1;
    *padding += frames - valid;
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let strategy = "semi-sorted:lrf=0.1,batch=8".parse()?;
    let mut stream = StreamSampler::new(strategy, 7, 64)?;
    let (mut steps, mut padding) = (0, 0);

    // Ids and lengths arrive one at a time, for example from a network connection.
    let arrivals = (0..300u64).map(|id| (id, 100 + (id * id * 31 % 700) as u32));
    for (id, length) in arrivals {
        stream.push(id, length)?;
        while let Some(batch) = stream.pop() {
            train(&batch, &mut steps, &mut padding);
        }
        if id == 150 {
            // A checkpoint: with the feature `serde`, write the state to a file.
            let state = stream.state().clone();
            println!(
                "after 151 sequences: {steps} steps, {} waiting",
                stream.waiting()
            );
            stream = StreamSampler::resume(state)?;
        }
    }
    stream.finish();
    while let Some(batch) = stream.pop() {
        train(&batch, &mut steps, &mut padding);
    }
    let ledger = stream.ledger();
    println!("at the end: {steps} steps, {padding} frames of padding");
    println!(
        "ledger: {} received, {} batched",
        ledger.received, ledger.batched
    );
    Ok(())
}
