//! Compares features with those of kaldi-native-fbank and librosa, on a committed chirp and on real speech.

use crate::front_end_common::{data, find_flac, goldens, largest_difference, read_npy};
use padwise_features::audio::{DecodeOptions, decode};
use padwise_features::front_end::FrontEnd;

/// Golden file, waveform, settings and tolerance.
const CHIRPS: [(&str, &str, &str, f32); 12] = [
    ("kaldi-mfcc16", "chirp16k", "preset = 'kaldi-mfcc16'", 1e-3),
    (
        "kaldi-fbank80",
        "chirp16k",
        "preset = 'kaldi-fbank80'",
        1e-3,
    ),
    (
        "tacotron-mel80",
        "chirp16k",
        "preset = 'tacotron-mel80'",
        1e-4,
    ),
    (
        "deltas",
        "chirp16k",
        "mfcc = {}\ndeltas = { order = 2, window = 2 }",
        1e-3,
    ),
    (
        "mfcc20-hamming-mirrored",
        "chirp16k",
        "[mfcc]\nmel-bins = 40\ncepstra = 20\nenergy = 'off'\nlifter = 0.0\nframes = { window = 'hamming', snip-edges = false }",
        1e-3,
    ),
    (
        "fbank40-hann-energy",
        "chirp16k",
        "[fbank]\nmel-bins = 40\nlow-hz = 64\nhigh-hz = 7600\nspectrum = 'magnitude'\nenergy = 'windowed'\nenergy-floor = 1000\n\
         frames = { window = 'hann', preemphasis = 0.0, remove-dc = false, length-ms = 32, shift-ms = 8 }",
        1e-3,
    ),
    (
        "fbank23-rectangular",
        "chirp16k",
        "fbank = { mel-bins = 23, frames = { window = 'rectangular' } }",
        1e-3,
    ),
    (
        "fbank23-blackman",
        "chirp16k",
        "fbank = { mel-bins = 23, frames = { window = 'blackman' } }",
        1e-3,
    ),
    (
        "fbank23-sine",
        "chirp16k",
        "fbank = { mel-bins = 23, frames = { window = 'sine' } }",
        1e-3,
    ),
    (
        "mfcc13-8k",
        "chirp8k",
        "[mfcc]\nmel-bins = 24\nlow-hz = 100\nhigh-hz = 3800\ncepstra = 13\nenergy = 'windowed'\n\
         frames = { sample-rate = 8000, length-ms = 20, shift-ms = 7.5, preemphasis = 0.9 }",
        1e-3,
    ),
    (
        "mel40-8k-htk-power",
        "chirp8k",
        "[mel]\nsample-rate = 8000\nlength-ms = 50\nshift-ms = 10\nwindow = 'hamming'\nfft-size = 512\npadding = 'reflect'\n\
         preemphasis = 0.97\nspectrum = 'power'\nmel-bins = 40\nlow-hz = 50\nhigh-hz = 3900\nscale = 'htk'\nequal-area = false\nfloor = 1e-6",
        1e-4,
    ),
    (
        "mel64-uncentred",
        "chirp16k",
        "mel = { length-ms = 64, shift-ms = 16, window = 'blackman', center = false, mel-bins = 64 }",
        1e-4,
    ),
];

#[test]
fn chirp_features_match_the_reference_implementations() {
    for (name, wave, settings, tolerance) in CHIRPS {
        let front_end: FrontEnd =
            toml::from_str(settings).unwrap_or_else(|e| panic!("{name}: {e}"));
        let path = goldens().join(format!("{wave}.wav"));
        let waveform = decode(path, &DecodeOptions::default()).expect("the chirp");
        let mut extractor = front_end.extractor().expect("legal");
        let ours = extractor.extract(&waveform).expect("features");
        let theirs = read_npy(&goldens().join(format!("{name}.npy")));
        assert_eq!(extractor.frames(waveform.samples.len()), ours.rows());
        assert_eq!(extractor.dims(), ours.cols());
        let difference = largest_difference(&ours, &theirs);
        eprintln!("{name}: {difference:e}");
        assert!(difference <= tolerance, "{name}: {difference}");
    }
}

#[test]
fn speech_features_match_the_reference_implementations() {
    let Some(data) = data("speech_features_match_the_reference_implementations") else {
        return;
    };
    for id in ["6930-81414-0005", "3570-5694-0004", "5338-24615-0002"] {
        let path = find_flac(&data.join("librispeech/audio"), id).expect("the utterance");
        let waveform = decode(path, &DecodeOptions::default()).expect("real speech");
        for (preset, golden, tolerance) in [
            ("kaldi-mfcc16", "kaldi_mfcc16", 2e-3),
            ("kaldi-fbank80", "kaldi_fbank80", 2e-3),
            ("tacotron-mel80", "tacotron_logmel80", 1e-3),
        ] {
            let front_end: FrontEnd = preset.parse().expect("a preset");
            let mut extractor = front_end.extractor().expect("legal");
            let ours = extractor.extract(&waveform).expect("features");
            let theirs = read_npy(&data.join(format!("golden_features/{id}.{golden}.npy")));
            let difference = largest_difference(&ours, &theirs);
            eprintln!("{id} {preset}: {difference:e}");
            assert!(difference <= tolerance, "{id} {preset}: {difference}");
        }
    }
}
