//! Properties of every front end on every waveform.

use padwise_features::Matrix;
use padwise_features::audio::Waveform;
use padwise_features::front_end::{FrontEnd, FrontEndError, PRESETS};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn front_end(settings: &str) -> FrontEnd {
    toml::from_str(settings).unwrap_or_else(|e| panic!("{settings}: {e}"))
}

fn extract(settings: &str, samples: &[f32]) -> Matrix {
    let front_end = front_end(settings);
    let mut extractor = front_end.extractor().expect("legal");
    extractor
        .extract_samples(samples, front_end.sample_rate())
        .expect("features")
}

fn noise(samples: usize) -> Vec<f32> {
    let mut state = 1u32;
    let next = |state: &mut u32| {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (*state >> 16) as f32 / 65_536.0 - 0.5
    };
    (0..samples).map(|_| next(&mut state)).collect()
}

/// Front ends with short frames, so that edge cases are frequent.
const SMALL: [&str; 5] = [
    "mfcc = { cepstra = 3, mel-bins = 4, frames = { sample-rate = 8000, length-ms = 4, shift-ms = 1.5 } }",
    "fbank = { mel-bins = 4, energy = 'raw', frames = { sample-rate = 8000, length-ms = 4, shift-ms = 1.5, snip-edges = false } }",
    "mel = { sample-rate = 8000, length-ms = 6, shift-ms = 2, fft-size = 64, mel-bins = 4 }",
    "mel = { sample-rate = 8000, length-ms = 6, shift-ms = 2, fft-size = 64, mel-bins = 4, padding = 'reflect' }",
    "mel = { sample-rate = 8000, length-ms = 6, shift-ms = 2, fft-size = 64, mel-bins = 4, center = false }",
];

#[test]
fn the_number_of_frames_is_predicted_for_every_length() {
    let signal = noise(300);
    for settings in SMALL {
        let front_end = front_end(settings);
        let mut extractor = front_end.extractor().expect("legal");
        for length in 0..signal.len() {
            let features = extractor
                .extract_samples(&signal[..length], 8000)
                .expect("features");
            assert_eq!(
                features.rows(),
                extractor.frames(length),
                "{settings}: {length}"
            );
            assert_eq!(features.cols(), extractor.dims());
            assert!(
                features.as_slice().iter().all(|v| v.is_finite()),
                "{settings}: {length}"
            );
        }
        assert_eq!(extractor.frames(0), 0);
        // No overflow even if the samples could not fit in memory.
        assert!(extractor.frames(usize::MAX) > 0);
    }
}

#[test]
fn an_extractor_keeps_no_state_between_utterances() {
    let (first, second) = (noise(4000), noise(9000));
    for preset in PRESETS {
        let front_end: FrontEnd = preset.parse().expect("a preset");
        let mut used = front_end.extractor().expect("legal");
        used.extract_samples(&second[1000..], 16_000)
            .expect("features");
        let mut fresh = front_end.extractor().expect("legal");
        assert_eq!(
            used.extract_samples(&first, 16_000),
            fresh.extract_samples(&first, 16_000)
        );
    }
}

#[test]
fn silence_and_clipping_give_finite_features() {
    let loud: Vec<f32> = (0..16_000)
        .map(|i| if i / 40 % 2 == 0 { 1.0 } else { -1.0 })
        .collect();
    for preset in PRESETS {
        let settings = format!("preset = '{preset}'\ndeltas = {{ order = 2, window = 2 }}");
        for signal in [
            &vec![0.0; 16_000],
            &vec![1.0; 16_000],
            &loud,
            &vec![65_536.0; 16_000],
        ] {
            let features = extract(&settings, signal);
            assert!(
                features.as_slice().iter().all(|v| v.is_finite()),
                "{preset}"
            );
        }
    }
}

#[test]
fn dither_has_the_configured_variance_and_is_reproducible() {
    let dithered = |amount: f64, seed: u64| {
        let dither = format!("{{ amount = {amount:?}, seed = {seed} }}");
        extract(
            &format!("fbank = {{ energy = 'raw', frames = {{ dither = {dither} }} }}"),
            &[0.0; 16_000],
        )
    };
    assert_eq!(dithered(1.0, 7), dithered(1.0, 7));
    assert_ne!(dithered(1.0, 7), dithered(1.0, 8));
    // 400 samples with variance 1; the mean takes one degree of freedom.
    let features = dithered(1.0, 7);
    let energy = (0..features.rows())
        .map(|t| features.row(t)[0].exp())
        .sum::<f32>()
        / features.rows() as f32;
    assert!((energy - 399.0).abs() < 15.0, "{energy}");
    let louder = dithered(10.0, 7);
    assert!((louder.row(0)[0] - features.row(0)[0] - 100f32.ln()).abs() < 1e-3);
    assert_eq!(
        dithered(0.0, 7),
        extract("fbank = { energy = 'raw' }", &[0.0; 16_000])
    );
}

#[test]
fn splicing_repeats_the_end_frames_and_deltas_of_a_constant_are_zero() {
    let plain = extract("preset = 'kaldi-mfcc16'", &noise(2000));
    let spliced = extract(
        "preset = 'kaldi-mfcc16'\nsplice = { left = 2, right = 1 }",
        &noise(2000),
    );
    assert_eq!(spliced.cols(), 64);
    let last = plain.rows() - 1;
    for t in 0..plain.rows() {
        let neighbours = [
            t.saturating_sub(2),
            t.saturating_sub(1),
            t,
            (t + 1).min(last),
        ];
        let expected: Vec<f32> = neighbours
            .iter()
            .flat_map(|&n| plain.row(n))
            .copied()
            .collect();
        assert_eq!(spliced.row(t), expected);
    }
    let both = "preset = 'kaldi-mfcc16'\ndeltas = { order = 1, window = 2 }\nsplice = { left = 1, right = 0 }";
    let silent = extract(both, &[0.0; 2000]);
    assert_eq!(silent.cols(), 64);
    assert!(silent.row(3)[16..32].iter().all(|v| v.abs() < 1e-6));
}

#[test]
fn invalid_samples_are_errors() {
    let front_end: FrontEnd = "kaldi-mfcc16".parse().expect("a preset");
    let mut extractor = front_end.extractor().expect("legal");
    let waveform = Waveform {
        samples: vec![0.0; 8000],
        rate: 8000,
    };
    insta::assert_snapshot!(extractor.extract(&waveform).expect_err("8 kHz"), @"samples are at 8000 Hz but the front end expects 16000 Hz: resample them, or set sample-rate = 8000");
    for value in [f32::NAN, f32::INFINITY, 1e30] {
        let refused = extractor
            .extract_samples(&[0.0, value], 16_000)
            .expect_err("no sound");
        assert!(matches!(refused, FrontEndError::Sample { index: 1, .. }));
    }
    insta::assert_snapshot!(extractor.extract_samples(&[f32::INFINITY], 16_000).expect_err("no sound"), @"sample 0 is inf: samples must be finite, with full scale at ±1");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(0),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Any configuration is either rejected or gives finite features of the predicted shape.
    #[test]
    fn a_front_end_is_rejected_or_works(
        kind in 0..3usize,
        rate in prop::sample::select(vec![0u32, 1000, 8000, 11_025, 48_000]),
        length_ms in -1.0..60.0f64,
        shift_ms in -1.0..30.0f64,
        fft_size in prop::option::of(0..3000u32),
        bins in 0..50u32,
        cepstra in 0..30u32,
        low_hz in -10.0..600.0f64,
        high_hz in prop::option::of(0.0..6000.0f64),
        flag: bool,
    ) {
        let frames = format!(
            "{{ sample-rate = {rate}, length-ms = {length_ms:?}, shift-ms = {shift_ms:?}, snip-edges = {flag} {} }}",
            fft_size.map(|n| format!(", fft-size = {n}")).unwrap_or_default(),
        );
        let high = high_hz.map(|hz| format!(", high-hz = {hz:?}")).unwrap_or_default();
        let settings = match kind {
            0 => format!("mfcc = {{ mel-bins = {bins}, cepstra = {cepstra}, low-hz = {low_hz:?} {high}, frames = {frames} }}"),
            1 => format!("fbank = {{ mel-bins = {bins}, low-hz = {low_hz:?} {high}, frames = {frames} }}"),
            _ => format!(
                "mel = {{ mel-bins = {bins}, low-hz = {low_hz:?} {high}, sample-rate = {rate}, length-ms = {length_ms:?}, shift-ms = {shift_ms:?}, center = {flag}, fft-size = {} }}",
                fft_size.unwrap_or(2048)
            ),
        };
        let Ok(front_end) = toml::from_str::<FrontEnd>(&settings) else {
            return Ok(());
        };
        let mut extractor = front_end.extractor().expect("was checked");
        let features = extractor.extract_samples(&noise(2500), rate).expect("features");
        prop_assert_eq!((features.rows(), features.cols()), (extractor.frames(2500), extractor.dims()));
        prop_assert!(features.as_slice().iter().all(|v| v.is_finite()));
    }
}
