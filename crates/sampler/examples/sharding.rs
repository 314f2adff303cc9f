//! Data-parallel training on two ranks: the same number of steps, and nearly the same work.
//!
//! Each rank computes the same plan and its own shard of it, without communication.
//!
//! `cargo run -p padwise-sampler --example sharding` prints:
//!
//! ```text
//! plan: 67 batches
//! rank 0: 34 steps, 563 sequences, 304929 padded frames
//! rank 1: 34 steps, 461 sequences, 298621 padded frames
//! trained twice: batches [0]
//! not trained: batches []
//! ledger: 1000 sequences, 0 dropped, 0 over the budget
//! ```

use padwise_sampler::{Profile, Sampler};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lengths = Profile::LjSpeech.lengths(1000);
    let sampler = Sampler::new("bucketed:count=256,frames=9500,shuffle-batches".parse()?, 1)?;
    let plan = sampler.plan(&lengths, 0)?;
    println!("plan: {} batches", plan.len());

    let world = 2;
    for rank in 0..world {
        let shard = plan.shard(rank, world)?;
        let items: usize = shard.batches().map(|batch| batch.len()).sum();
        println!(
            "rank {rank}: {} steps, {items} sequences, {} padded frames",
            shard.len(),
            shard.padded_frames()
        );
    }

    // Both ranks need the same number of steps, so some batches are trained twice or, with drop-last, not at all.
    let shard = plan.shard(0, world)?;
    println!("trained twice: batches {:?}", shard.duplicated());
    println!("not trained: batches {:?}", shard.dropped());

    // The ledger accounts for every sequence.
    let ledger = plan.ledger();
    println!(
        "ledger: {} sequences, {} dropped, {} over the budget",
        ledger.sequences(),
        ledger.dropped().len(),
        ledger.oversized().len()
    );
    Ok(())
}
