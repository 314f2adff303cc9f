//! Decodes real utterances from the reference label of each frame. What remains are errors of the lexicon and language model.

use padwise_decoder::Workspace;

use crate::librispeech::{Models, SpeakerOrder, Utterance, dev_clean, last_speakers};

/// Every so many utterances are decoded. `examples/reference_labels.rs` decodes all.
const EVERY: usize = 8;

#[test]
fn reference_labels_give_the_right_words() {
    let test = "reference_labels_give_the_right_words";
    let (Some(models), Some(all)) = (Models::read(test), dev_clean(test)) else {
        return;
    };
    let mut workspace = Workspace::default();
    for (order, utterances, words, bound) in [
        // Of the words of speakers 777 and 84, 5 % are not in the lexicon.
        (SpeakerOrder::Alphabetical, 427, 8_212, 11.0),
        (SpeakerOrder::Numeric, 412, 8_221, 9.0),
    ] {
        let chosen = last_speakers(&all, order);
        let words_of = |utterance: &Utterance| utterance.text.split(' ').count();
        let found: usize = chosen.iter().map(|utterance| words_of(utterance)).sum();
        assert_eq!((chosen.len(), found), (utterances, words), "{order:?}");
        let (mut edits, mut words) = (0, 0);
        for utterance in chosen.into_iter().step_by(EVERY) {
            edits += models.decode(utterance, 5.0, &mut workspace).edits();
            words += words_of(utterance);
        }
        let percent = 100.0 * edits as f64 / words as f64;
        println!("{order:?}: {edits} errors in {words} words: {percent:.2} %");
        assert!(percent <= bound, "{order:?}: {percent:.2} % word errors");
    }
}
