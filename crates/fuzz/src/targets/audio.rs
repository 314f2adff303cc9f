//! WAV and FLAC files.

use std::cell::RefCell;

use padwise_features::audio::{Channel, DecodeOptions, decode_bytes, probe};
use padwise_features::front_end::{Extractor, FrontEnd};

use crate::{Target, repair, scratch};

pub(super) const WAV: Target = Target {
    name: "wav",
    run,
    words: &[
        "RIFF",
        "RF64",
        "WAVE",
        "fmt ",
        "data",
        "fact",
        "LIST",
        "ds64",
        "\u{10}\0\0\0",
    ],
    repair: None,
    mutations: 3000,
};

pub(super) const FLAC: Target = Target {
    name: "flac",
    run,
    words: &["fLaC"],
    repair: Some(repair::flac),
    mutations: 3000,
};

thread_local! {
    static EXTRACTOR: RefCell<Option<Extractor>> = const { RefCell::new(None) };
}

fn run(input: &[u8]) {
    let path = scratch::file("speech.wav", input);
    let _ = probe(&path).map_err(|error| error.to_string());
    let options = DecodeOptions {
        channel: Channel::Mix,
        rate: None,
        ..DecodeOptions::default()
    };
    let waveform = match decode_bytes(input, "speech.wav", &options) {
        Err(error) => return drop(error.to_string()),
        Ok(waveform) => waveform,
    };
    assert!(!waveform.samples.is_empty());
    // Planning the filter for a rate like 15,999 Hz takes a tenth of a second, so most inputs would measure that alone.
    if !waveform.rate.is_multiple_of(100) && !input.len().is_multiple_of(16) {
        return;
    }
    EXTRACTOR.with_borrow_mut(|extractor| {
        let extractor = extractor.get_or_insert_with(|| {
            let front_end: FrontEnd = "kaldi-mfcc16".parse().expect("a preset");
            front_end.extractor().expect("a valid front end")
        });
        let _ = extractor.extract_file(&path, Channel::Index(0));
    });
}
