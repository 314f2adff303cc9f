//! Decodes real utterances from the reference label of each frame. What remains are errors of the lexicon and language model.

use padwise_decoder::Workspace;

use crate::librispeech::{Models, validation_set};

/// Every so many utterances are decoded. `examples/reference_labels.rs` decodes all.
const EVERY: usize = 8;

#[test]
fn reference_labels_give_the_right_words() {
    let test = "reference_labels_give_the_right_words";
    let (Some(models), Some(utterances)) = (Models::read(test), validation_set(test)) else {
        return;
    };
    assert_eq!(utterances.len(), 412);
    let words = utterances
        .iter()
        .map(|utterance| utterance.text.split(' ').count());
    assert_eq!(words.sum::<usize>(), 8_221);
    let (mut edits, mut words) = (0, 0);
    let mut workspace = Workspace::default();
    for utterance in utterances.iter().step_by(EVERY) {
        edits += models.decode(utterance, 5.0, &mut workspace).edits();
        words += utterance.text.split(' ').count();
    }
    let percent = 100.0 * edits as f64 / words as f64;
    println!("{edits} errors in {words} words: {percent:.2} %");
    assert!(percent <= 9.0, "{percent:.2} % word errors");
}
