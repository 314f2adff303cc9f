//! Prints the parameters of a model: `cargo run --example count_parameters -- LAYERS HIDDEN`.

use std::error::Error;

use padwise_model_config::BlstmConfig;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: usize| match arguments.get(index) {
        Some(text) => text.parse(),
        None => Ok(default),
    };
    let config = BlstmConfig::new(40, 1501)
        .with_layers(number(0, 3)?)
        .with_hidden(number(1, 512)?);
    config.validate()?;
    for parameter in config.parameters() {
        println!("{:<28} {:?}", parameter.name, parameter.shape);
    }
    println!("total: {} parameters", config.parameter_count());
    Ok(())
}
