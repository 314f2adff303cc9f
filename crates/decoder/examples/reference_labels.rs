//! Decodes real utterances from the reference label of each frame, with several scales of the language model.
//!
//! Prints the word error rate and the real-time factor on one core. Needs LibriSpeech's dev-clean and a language model: the folder
//! of both is `PADWISE_DATA`.

#[path = "../tests/it/librispeech.rs"]
mod librispeech;

use std::time::Instant;

use librispeech::{Models, SpeakerOrder, dev_clean, last_speakers};
use padwise_decoder::Workspace;

/// Frames per second.
const RATE: f64 = 100.0;

fn main() {
    let name = "reference_labels";
    let (Some(models), Some(all)) = (Models::read(name), dev_clean(name)) else {
        return;
    };
    for order in [SpeakerOrder::Alphabetical, SpeakerOrder::Numeric] {
        let chosen = last_speakers(&all, order);
        let frames: usize = chosen.iter().map(|utterance| utterance.labels.len()).sum();
        let seconds = frames as f64 / RATE;
        let words = chosen
            .iter()
            .map(|utterance| utterance.text.split(' ').count());
        let words: usize = words.sum();
        println!(
            "last six speakers, {order:?}: {} utterances, {words} words, {seconds:.0} s",
            chosen.len()
        );
        for lm_scale in [3.0, 5.0, 7.0] {
            let start = Instant::now();
            let mut workspace = Workspace::default();
            let edits = chosen
                .iter()
                .map(|utterance| models.decode(utterance, lm_scale, &mut workspace).edits());
            let percent = 100.0 * edits.sum::<u64>() as f64 / words as f64;
            let factor = start.elapsed().as_secs_f64() / seconds;
            println!("LM scale {lm_scale}: WER {percent:.2} %, real-time factor {factor:.4}");
        }
    }
}
