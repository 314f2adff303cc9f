//! Reads a config, prints its strategies, and shows the error for a misspelt key.
//!
//! ```sh
//! cargo run -p padwise-experiment-config --example read_config
//! ```

use std::path::Path;

use padwise_experiment_config::read_text;

const CONFIG: &str = r#"
title = "Random against sorted"

[corpus.synthetic]
utterances = 1000
profile = "ljspeech"

[train]
epochs = 5
batch-size = 32

[[strategy]]
line = "random"

[[strategy]]
name = "sorted, short batches first"
line = "sorted,short-first"
"#;

fn main() -> Result<(), padwise_experiment_config::ConfigError> {
    // The path is used in error messages and for the experiment's name.
    let path = Path::new("example.toml");
    let overrides = ["train.seeds=[1, 2, 3]".to_owned()];
    let config = read_text(CONFIG, path, &overrides)?;

    println!("{}: {}", config.name, config.title);
    println!(
        "{} epochs, seeds {:?}",
        config.train.epochs, config.train.seeds
    );
    for row in &config.strategy {
        println!("{:28} {}", row.name, row.strategy);
    }

    let misspelt = CONFIG.replace("epochs", "epoch");
    if let Err(error) = read_text(&misspelt, path, &[]) {
        println!("\n{error}");
    }
    Ok(())
}
