//! Prints the frame error rate of linear classifiers on an experiment's corpus, as a baseline for the recurrent model.
//!
//! ```sh
//! cargo run --release --example linear_baseline -- configs/learning.toml
//! ```

use std::path::Path;

use anyhow::{Context, Result};
use linear::Linear;
use padwise::corpora::Split;

#[path = "linear_baseline/linear.rs"]
mod linear;

/// Context of each classifier: frames on either side.
const CONTEXTS: [usize; 3] = [0, 5, 15];

fn main() -> Result<()> {
    let file = std::env::args()
        .nth(1)
        .context("usage: linear_baseline CONFIG")?;
    let config = padwise_experiment_config::read(Path::new(&file), &[])?;
    let folder = Path::new(&file).parent().unwrap_or(Path::new(""));
    let split = Split::open(
        &config.corpus,
        folder,
        config.train.objective,
        config.measure.words.is_some(),
    )?;
    println!(
        "| the classifier sees | frame error rate | cross-entropy (nats) |\n| --- | ---: | ---: |"
    );
    for context in CONTEXTS {
        let linear = Linear::fit(split.training.as_ref(), context);
        let (error, loss) = linear.test(split.validation.as_ref());
        let frames = 2 * context + 1;
        let s = if frames == 1 { "" } else { "s" };
        println!("| {frames} frame{s} | {error:.1} % | {loss:.2} |");
    }
    Ok(())
}
