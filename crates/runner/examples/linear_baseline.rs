//! How well linear classifiers do on the frames that an experiment trains and validates on: what a recurrent model has to beat.
//!
//! `cargo run --release --example linear_baseline -- configs/learning.toml` prints a table.

use std::path::Path;

use anyhow::{Context, Result};
use linear::Linear;
use padwise::corpora::Split;

#[path = "linear_baseline/linear.rs"]
mod linear;

/// Frames on either side that a classifier sees.
const REACHES: [usize; 3] = [0, 5, 15];

fn main() -> Result<()> {
    let file = std::env::args().nth(1).context("give a config")?;
    let config = padwise_experiment_config::read(Path::new(&file), &[])?;
    let folder = Path::new(&file).parent().unwrap_or(Path::new(""));
    let split = Split::open(&config.corpus, folder)?;
    println!(
        "| the classifier sees | frame error rate | cross-entropy (nats) |\n| --- | ---: | ---: |"
    );
    for reach in REACHES {
        let linear = Linear::learnt_from(split.training.as_ref(), reach);
        let (error, loss) = linear.test(split.validation.as_ref());
        let frames = 2 * reach + 1;
        let s = if frames == 1 { "" } else { "s" };
        println!("| {frames} frame{s} | {error:.1} % | {loss:.2} |");
    }
    Ok(())
}
