//! Decodes real utterances from the reference label of each frame, with several scales of the language model.
//!
//! Prints the word error rate and the real-time factor on one core. Needs LibriSpeech's dev-clean and a language model: the folder
//! of both is `PADWISE_DATA`.

#[path = "../tests/it/librispeech.rs"]
mod librispeech;

use std::time::Instant;

use librispeech::{Models, validation_set};
use padwise_decoder::Workspace;

/// Frames per second.
const RATE: f64 = 100.0;

fn main() {
    let name = "reference_labels";
    let (Some(models), Some(utterances)) = (Models::read(name), validation_set(name)) else {
        return;
    };
    let frames: usize = utterances
        .iter()
        .map(|utterance| utterance.labels.len())
        .sum();
    let seconds = frames as f64 / RATE;
    let words: usize = (utterances.iter())
        .map(|utterance| utterance.text.split(' ').count())
        .sum();
    println!(
        "{} utterances, {words} words, {seconds:.0} s",
        utterances.len()
    );
    for lm_scale in [3.0, 5.0, 7.0] {
        let start = Instant::now();
        let mut workspace = Workspace::default();
        let edits: u64 = (utterances.iter())
            .map(|utterance| models.decode(utterance, lm_scale, &mut workspace).edits())
            .sum();
        let factor = start.elapsed().as_secs_f64() / seconds;
        let percent = 100.0 * edits as f64 / words as f64;
        println!("LM scale {lm_scale}: WER {percent:.2} %, real-time factor {factor:.4}");
    }
}
