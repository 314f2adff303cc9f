//! Prints the config reference as Markdown.
//!
//! ```sh
//! cargo run -p padwise-experiment-config --example config_reference > docs/config-reference.md
//! ```

fn main() {
    print!("{}", padwise_experiment_config::reference());
}
