//! Small FLAC files that decode to gigabytes.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;

use padwise_features::Corpus;
use padwise_features::audio::{Channel, DecodeOptions, decode, decode_bytes};
use padwise_features::audio_corpus::{AudioCorpus, LabelTimes, Recipe};
use padwise_features::files::Limits;
use padwise_features::layouts::Source;
use tempfile::TempDir;

/// Samples of a block of silence.
const BLOCK: u64 = 60_000;

fn crc(bytes: &[u8], polynomial: u16, bits: u32) -> u16 {
    let top = 1u32 << (bits - 1);
    let crc = bytes.iter().fold(0u32, |crc, &byte| {
        (0..8).fold(crc ^ (u32::from(byte) << (bits - 8)), |crc, _| {
            let next = crc << 1;
            if crc & top == 0 {
                next
            } else {
                next ^ u32::from(polynomial)
            }
        })
    });
    (crc & ((1 << bits) - 1)) as u16
}

/// A FLAC file of silence, whose header declares `declared` samples.
fn silence(rate: u32, declared: u64, blocks: u32) -> Vec<u8> {
    let mut file = b"fLaC\x80\x00\x00\x22".to_vec();
    let size = (BLOCK as u16).to_be_bytes();
    file.extend([size, size].concat());
    file.extend([0; 6]);
    // Rate (20 bits), channels - 1 (3), bits per sample - 1 (5), samples (36).
    let fields = (u64::from(rate) << 44) | (15 << 36) | declared;
    file.extend(fields.to_be_bytes());
    file.extend([0; 16]);
    for number in 0..blocks {
        let mut frame = vec![0xff, 0xf8, 0x70, 0x08];
        let mut text = [0; 4];
        // The number of a frame is coded like a character.
        let number = char::from_u32(number).unwrap();
        frame.extend(number.encode_utf8(&mut text).bytes());
        frame.extend((BLOCK as u16 - 1).to_be_bytes());
        frame.push(crc(&frame, 0x07, 8) as u8);
        frame.extend([0, 0, 0]);
        frame.extend(crc(&frame, 0x8005, 16).to_be_bytes());
        file.extend(frame);
    }
    file
}

fn said(file: &[u8]) -> String {
    let result = decode_bytes(file, "a.flac", &DecodeOptions::default());
    result.unwrap_err().to_string()
}

#[test]
fn silence_is_decoded() {
    let file = silence(16_000, 5 * BLOCK, 5);
    let waveform = decode_bytes(&file, "a.flac", &DecodeOptions::default()).unwrap();
    assert_eq!(waveform.samples, vec![0.0; 5 * BLOCK as usize]);
}

#[test]
fn the_declared_number_of_samples_is_checked_before_decoding() {
    // 70 minutes at 16 kHz in 15 kB, 50 minutes in 10 kB, and 59 minutes at 655 kHz.
    let long = silence(16_000, 1120 * BLOCK, 1120);
    let medium = silence(16_000, 800 * BLOCK, 800);
    let fast = silence(655_350, 38_000 * BLOCK, 1);
    insta::assert_snapshot!([said(&long), said(&medium), said(&fast)].join("\n"), @r"
        a.flac: 70.0 minutes of audio, but the limit is 60: split the file, or raise --max-utterance-minutes
        a.flac: 48000000 samples need 192 MB of memory, but the limit for a file of 11114 bytes is 67 MB: if it is not damaged, convert it to WAV
        a.flac: 2280000000 samples need 9.1 GB of memory, but the limit for a file of 55 bytes is 67 MB: if it is not damaged, convert it to WAV
    ");
    // A longer limit allows longer files, but not more memory.
    let options = DecodeOptions {
        max_minutes: 100,
        ..DecodeOptions::default()
    };
    let error = decode_bytes(&long, "a.flac", &options).unwrap_err();
    assert!(error.to_string().contains("269 MB"), "{error}");
}

#[test]
fn samples_beyond_the_declared_number_are_not_decoded() {
    insta::assert_snapshot!([
        said(&silence(16_000, 100, 50_000)),
        // 0 declares nothing.
        said(&silence(16_000, 0, 50_000)),
    ].join("\n"), @r"
        a.flac: damaged: more samples than the 100 that the header declares; replace the file
        a.flac: 16800000 samples need 67 MB of memory, but the limit for a file of 747866 bytes is 67 MB: if it is not damaged, convert it to WAV
    ");
}

#[test]
fn declared_samples_allocate_nothing_when_a_corpus_is_opened() {
    let folder = TempDir::new().unwrap();
    let audio = folder.path().join("a.flac");
    fs::write(&audio, silence(16_000, (1 << 36) - 1, 1)).unwrap();
    let front_end = || "kaldi-mfcc16".parse().unwrap();
    let recipe = || Recipe::new(front_end(), Channel::Mix, None, LabelTimes::Counted).unwrap();
    let source = || Source {
        id: "a".into(),
        audio: audio.clone(),
        ..Source::default()
    };
    let limits = Limits {
        audio_minutes: u32::MAX,
        ..Limits::default()
    };
    for recipe in [recipe(), recipe().with_limits(limits)] {
        assert!(AudioCorpus::open(recipe, vec![source()]).is_err());
    }
    fs::write(&audio, silence(16_000, BLOCK, 1)).unwrap();
    let corpus = AudioCorpus::open(recipe(), vec![source()]).unwrap();
    assert_eq!(corpus.lengths(), [373]);
    assert_eq!(
        decode(&audio, &DecodeOptions::default()).unwrap().rate,
        16_000
    );
}

#[test]
fn resampling_to_a_much_higher_rate_is_limited_too() {
    // 50 minutes at 100 Hz become 576 MB at 48 kHz.
    let file = silence(100, 5 * BLOCK, 5);
    let options = DecodeOptions {
        rate: Some(48_000),
        ..DecodeOptions::default()
    };
    let error = decode_bytes(&file, "a.flac", &options).unwrap_err();
    assert!(error.to_string().contains("576 MB"), "{error}");
}

/// A WAV file of 100 samples per channel.
fn wav(rate: u32, channels: u16) -> Vec<u8> {
    let data = vec![0; 200 * usize::from(channels)];
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt \x10\x00\x00\x00\x01\x00");
    file.extend(channels.to_le_bytes());
    file.extend(rate.to_le_bytes());
    file.extend((rate.wrapping_mul(2 * u32::from(channels))).to_le_bytes());
    file.extend((channels.wrapping_mul(2)).to_le_bytes());
    file.extend(b"\x10\x00data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

/// The filter between two rates without a large common factor needs hundreds of megabytes.
#[test]
fn odd_rates_and_many_channels_are_refused() {
    let decoded = |rate, channels| {
        let options = DecodeOptions {
            rate: Some(16_000),
            ..DecodeOptions::default()
        };
        let result = decode_bytes(&wav(rate, channels), "a.wav", &options);
        result.map(|waveform| waveform.samples.len())
    };
    assert_eq!(decoded(48_000, 1).unwrap(), 33);
    assert_eq!(decoded(44_100, 2).unwrap(), 36);
    let said = decoded(767_999, 1).unwrap_err().to_string();
    assert!(said.contains("no large common factor"), "{said}");
    let said = decoded(16_000, 3000).unwrap_err().to_string();
    assert!(said.contains("channel"), "{said}");
}
