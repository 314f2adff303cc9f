//! Reads a lexicon and a language model and prints their size: `read_model LEXICON ARPA`.

use std::error::Error;
use std::time::Instant;

use padwise_decoder::{LanguageModel, Lexicon, ModelLimits};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [lexicon, model] = arguments.as_slice() else {
        return Err("usage: read_model LEXICON ARPA".into());
    };
    let start = Instant::now();
    let lexicon = Lexicon::read(lexicon, str::to_lowercase)?;
    let (words, pronunciations) = (lexicon.words().len(), lexicon.pronunciations().count());
    let seconds = start.elapsed().as_secs_f64();
    println!("lexicon: {words} words, {pronunciations} pronunciations ({seconds:.2} s)");
    let start = Instant::now();
    let model = LanguageModel::read(model, &lexicon, str::to_lowercase, ModelLimits::default())?;
    let seconds = start.elapsed().as_secs_f64();
    let (order, states) = (model.order(), model.states());
    let n_grams: usize = (0..states as u32)
        .map(|state| model.successors(state).len())
        .sum();
    let skipped = model.skipped();
    println!("model: order {order}, {states} states, {n_grams} n-grams ({seconds:.2} s)");
    println!(
        "{} words without a pronunciation in {} n-grams",
        skipped.count, skipped.n_grams
    );
    Ok(())
}
