//! Audio decoding: valid files, invalid files and their error messages.

use crate::front_end_common::goldens;
use padwise_features::audio::{
    AudioError, AudioInfo, Channel, DecodeOptions, Waveform, decode, decode_bytes, probe, resample,
    resampled_len,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const PLAIN: DecodeOptions = DecodeOptions {
    channel: Channel::Mix,
    rate: None,
    max_minutes: 60,
};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A WAV file: `format` is 1 for integers and 3 for floats.
fn wav(format: u16, channels: u16, rate: u32, bits: u16, data: &[u8]) -> Vec<u8> {
    let block = channels * bits / 8;
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0");
    file.extend(format.to_le_bytes());
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend((rate * u32::from(block)).to_le_bytes());
    file.extend(block.to_le_bytes());
    file.extend(bits.to_le_bytes());
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

fn wav16(channels: u16, samples: &[i16]) -> Vec<u8> {
    let data: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
    wav(1, channels, 16_000, 16, &data)
}

fn flac() -> Vec<u8> {
    std::fs::read(goldens().join("chirp16k.flac")).expect("the committed chirp")
}

fn refused(bytes: &[u8], options: &DecodeOptions) -> AudioError {
    decode_bytes(bytes, "speech/a.flac", options).expect_err("must be refused")
}

#[test]
fn sixteen_bit_samples_are_exact() {
    let samples = [0, 1, -1, 12_345, i16::MAX, i16::MIN];
    let waveform = decode_bytes(&wav16(1, &samples), "a.wav", &PLAIN).expect("a waveform");
    let scaled: Vec<f32> = waveform.samples.iter().map(|s| s * 32_768.0).collect();
    assert_eq!(scaled, samples.map(f32::from));
}

#[test]
fn every_sample_width_is_read() {
    let expected = [0.5, -0.25];
    let files = [
        wav(1, 1, 8000, 8, &[192, 96]),
        wav(1, 1, 8000, 24, &[0, 0, 0x40, 0, 0, 0xE0]),
        wav(1, 1, 8000, 32, &[0, 0, 0, 0x40, 0, 0, 0, 0xE0]),
        wav(3, 1, 8000, 32, &expected.map(f32::to_le_bytes).concat()),
        wav(
            3,
            1,
            8000,
            64,
            &expected.map(|v| f64::from(v).to_le_bytes()).concat(),
        ),
    ];
    for file in files {
        let waveform = decode_bytes(&file, "a.wav", &PLAIN).expect("a waveform");
        assert_eq!(
            (waveform.samples.as_slice(), waveform.rate),
            (&expected[..], 8000)
        );
    }
}

/// A program that writes to a pipe cannot fill in the length afterwards.
#[test]
fn a_streamed_file_without_a_length_is_read_to_the_end() {
    let mut file = wav16(1, &[3; 5000]);
    file[4..8].fill(0xFF);
    file[40..44].fill(0xFF);
    let waveform = decode_bytes(&file, "a.wav", &PLAIN).expect("a waveform");
    assert_eq!(waveform.samples, vec![3.0 / 32_768.0; 5000]);
}

#[test]
fn channels_are_mixed_or_picked() {
    let stereo = wav16(2, &[100, 200, -300, 301]);
    let channel = |channel| {
        let options = DecodeOptions { channel, ..PLAIN };
        decode_bytes(&stereo, "a.wav", &options)
            .map(|w| w.samples.iter().map(|s| s * 32_768.0).collect::<Vec<_>>())
    };
    assert_eq!(channel(Channel::Mix).expect("both"), [150.0, 0.5]);
    assert_eq!(channel(Channel::Index(0)).expect("left"), [100.0, -300.0]);
    assert_eq!(channel(Channel::Index(1)).expect("right"), [200.0, 301.0]);
    insta::assert_snapshot!(channel(Channel::Index(2)).expect_err("no third"), @"a.wav: no channel 2: the file has 2 channels, numbered from 0");
}

#[test]
fn flac_is_lossless_and_its_header_has_the_length() {
    let wave = decode(goldens().join("chirp16k.wav"), &PLAIN).expect("the chirp");
    let flac = decode(goldens().join("chirp16k.flac"), &PLAIN).expect("the chirp");
    assert_eq!(wave, flac);
    for name in ["chirp16k.wav", "chirp16k.flac"] {
        let expected = AudioInfo {
            samples: Some(8000),
            rate: 16_000,
            channels: 1,
        };
        assert_eq!(probe(goldens().join(name)).expect("a header"), expected);
    }
}

#[test]
fn truncated_files_are_errors_for_any_length() {
    for file in [flac(), wav16(1, &[7; 8000])] {
        for keep in (0..file.len())
            .rev()
            .step_by(97)
            .chain([file.len() - 1, 11, 12, 44, 45])
        {
            let error = refused(&file[..keep], &PLAIN).to_string();
            assert!(error.starts_with("speech/a.flac"), "{keep}: {error}");
        }
    }
    let file = flac();
    insta::assert_snapshot!(refused(&file[..file.len() - 1], &PLAIN), @"speech/a.flac: truncated or damaged: the header declares 8000 samples, but 4096 were decoded; replace the file");
    insta::assert_snapshot!(refused(&file[..20], &PLAIN), @"speech/a.flac: cannot decode: the file ends within its header");
    insta::assert_snapshot!(refused(&wav16(1, &[7; 8000])[..1001], &PLAIN), @"speech/a.flac: truncated or damaged: the header declares 8000 samples, but 478 were decoded; replace the file");
}

#[test]
fn invalid_audio_is_an_error() {
    insta::assert_snapshot!(refused(b"", &PLAIN), @r#"speech/a.flac: not a WAV or FLAC file, starts with "": convert it, for example with `sox` or `ffmpeg`"#);
    insta::assert_snapshot!(refused(b"ID3\x04 an mp3 file", &PLAIN), @r#"speech/a.flac: not a WAV or FLAC file, starts with "ID3\x04 an mp3 ": convert it, for example with `sox` or `ffmpeg`"#);
    insta::assert_snapshot!(refused(&wav16(1, &[]), &PLAIN), @"speech/a.flac: no samples: remove the file from the corpus");
    insta::assert_snapshot!(refused(&wav(1, 1, 7, 16, &[0, 0]), &PLAIN), @"speech/a.flac: damaged header: sample rate 7 Hz; replace the file");
    let data = [0.0, f32::NAN].map(f32::to_le_bytes).concat();
    insta::assert_snapshot!(refused(&wav(3, 1, 8000, 32, &data), &PLAIN), @"speech/a.flac: sample 1 is NaN: the file is damaged, samples must be finite with full scale at ±1");
    insta::assert_snapshot!(refused(&wav(85, 1, 8000, 16, &[0, 0]), &PLAIN), @"speech/a.flac: cannot decode: unsupported feature: wav: unsupported wave format");
    let mut channels = wav16(1, &[1; 9]);
    channels[22..24].fill(0xFF);
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(&file, &channels).expect("written");
    assert!(decode_bytes(&channels, "65535 channels", &PLAIN).is_err());
    assert!(probe(&file).is_err());
    let rate = Some(5);
    insta::assert_snapshot!(refused(&wav16(1, &[1; 9]), &DecodeOptions { rate, ..PLAIN }), @"cannot resample from 16000 Hz to 5 Hz: rates must be from 100 to 768000 Hz");
    let absent = decode("no/such/file.wav", &PLAIN).expect_err("absent");
    assert!(
        absent.to_string().starts_with("no/such/file.wav: "),
        "{absent}"
    );
    assert!(matches!(
        probe("no/such/file.wav"),
        Err(AudioError::Read { .. })
    ));
}

/// A flipped bit is an error, or does not matter. It never changes samples.
#[test]
fn a_flipped_bit_is_detected() {
    let file = flac();
    let sound = decode_bytes(&file, "sound", &PLAIN).expect("the chirp");
    let audio_starts = file
        .windows(2)
        .position(|w| w == [0xFF, 0xF8])
        .expect("a frame");
    let (mut refusals, mut flips) = (0, 0);
    for (byte, bit) in (0..file.len()).step_by(11).map(|byte| (byte, byte % 8)) {
        let mut flipped = file.clone();
        flipped[byte] ^= 1 << bit;
        match decode_bytes(&flipped, "flipped", &PLAIN) {
            Ok(waveform) => {
                assert!(byte < audio_starts, "byte {byte} of the sound itself");
                assert_eq!(waveform.samples, sound.samples, "byte {byte}, bit {bit}");
            }
            Err(error) => {
                assert!(error.to_string().starts_with("flipped"), "{error}");
                refusals += 1;
            }
        }
        flips += 1;
    }
    assert!(refusals > flips / 2, "{refusals} of {flips}");

    // In the middle of the audio, which breaks the checksum of the frame.
    let mut flipped = file.clone();
    flipped[file.len() / 2] ^= 1;
    insta::assert_snapshot!(refused(&flipped, &PLAIN), @"speech/a.flac: truncated or damaged: the header declares 8000 samples, but 3904 were decoded; replace the file");
    // In the checksum itself, at the end of the first metadata block.
    let mut flipped = file;
    flipped[4 + 4 + 34 - 1] ^= 1;
    insta::assert_snapshot!(refused(&flipped, &PLAIN), @"speech/a.flac: damaged: the samples do not match the MD5 checksum in the header; replace the file");
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn no_bytes_make_the_decoder_panic(
        which in 0..3usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        in_header: bool,
    ) {
        let mut file = [flac(), wav16(2, &[5; 300]), wav(3, 1, 16_000, 32, &[0; 400])][which].clone();
        let reach = if in_header { 60 } else { file.len() };
        for (at, value) in changes {
            file[at.index(reach)] = value;
        }
        // The decoder panics on some headers like these. Those panics must be caught.
        let _ = decode_bytes(&file, "changed", &DecodeOptions { rate: Some(16_000), ..PLAIN });
    }

    #[test]
    fn resampling_gives_the_predicted_length(
        samples in 0usize..3000,
        from in prop::sample::select(vec![8000u32, 11_025, 16_000, 22_050, 44_100, 48_000, 12_347]),
        to in prop::sample::select(vec![8000u32, 16_000, 22_050, 44_100]),
    ) {
        let waveform = Waveform { samples: vec![0.5; samples], rate: from };
        let resampled = resample(waveform, to).expect("legal rates");
        let exact = samples as f64 * f64::from(to) / f64::from(from);
        prop_assert_eq!(resampled.samples.len() as u64, resampled_len(samples as u64, from, to));
        prop_assert_eq!(resampled.samples.len(), exact.round() as usize);
        prop_assert_eq!(resampled.rate, to);
    }
}

fn tone(hz: f64, rate: u32, samples: usize) -> Waveform {
    let phase = |i: usize| std::f64::consts::TAU * hz * i as f64 / f64::from(rate);
    Waveform {
        samples: (0..samples)
            .map(|i| (0.5 * phase(i).sin()) as f32)
            .collect(),
        rate,
    }
}

/// The resampled tone is the tone at the other rate: same amplitude, no delay.
#[test]
fn a_resampled_tone_is_the_same_tone_at_the_same_time() {
    for (from, to) in [
        (44_100, 16_000),
        (48_000, 16_000),
        (22_050, 16_000),
        (8000, 16_000),
        (16_000, 44_100),
        (16_000, 8000),
        (11_025, 22_050),
    ] {
        for hz in [200.0, 1234.5, 3400.0] {
            let resampled = resample(tone(hz, from, from as usize), to).expect("legal rates");
            let expected = tone(hz, to, to as usize);
            assert_eq!(resampled.samples.len(), expected.samples.len());
            // Skip the ends: the filter smooths the onset and the end of the tone.
            let middle = to as usize / 4..to as usize * 3 / 4;
            let error = middle.fold(0f32, |worst, i| {
                worst.max((resampled.samples[i] - expected.samples[i]).abs())
            });
            assert!(error < 1e-4, "{hz} Hz from {from} to {to}: {error}");
        }
    }
}

#[test]
fn resampling_removes_aliasing_and_keeps_equal_rates_unchanged() {
    let resampled = resample(tone(10_000.0, 44_100, 44_100), 16_000).expect("legal rates");
    let loudest = resampled.samples[4000..12_000]
        .iter()
        .fold(0f32, |m, s| m.max(s.abs()));
    assert!(loudest < 1e-4, "{loudest}");
    let waveform = tone(440.0, 16_000, 999);
    assert_eq!(
        resample(waveform.clone(), 16_000).expect("the same rate"),
        waveform
    );
}
