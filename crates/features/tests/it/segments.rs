//! Segments of audio files.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;
use std::path::Path;

use padwise_features::audio::Channel;
use padwise_features::audio_corpus::{AudioCorpus, LabelTimes, Recipe};
use padwise_features::corpus::Corpus;
use padwise_features::layouts::{Segment, Source};
use padwise_features::prepare::{PackOptions, pack_sources};
use tempfile::TempDir;

/// 16-bit mono WAV at 16 kHz with these samples.
fn wav(path: &Path, samples: &[i16]) {
    let data: Vec<u8> = samples.iter().flat_map(|s| s.to_le_bytes()).collect();
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(16_000u32.to_le_bytes());
    file.extend(32_000u32.to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    fs::write(path, file).unwrap();
}

fn noise(samples: usize) -> Vec<i16> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 18) as i16
    };
    (0..samples).map(|_| next()).collect()
}

fn recipe() -> Recipe {
    let front_end = "kaldi-mfcc16".parse().unwrap();
    Recipe::new(front_end, Channel::Mix, None, LabelTimes::Counted).unwrap()
}

fn source(id: &str, audio: &Path, segment: Option<Segment>) -> Source {
    Source {
        id: id.into(),
        audio: audio.into(),
        segment,
        ..Source::default()
    }
}

/// Segments have the features of files that contain only their samples, also on several threads.
#[test]
fn segments_equal_files_that_were_cut() {
    let folder = TempDir::new().unwrap();
    let samples = noise(64_000);
    let (mut segments, mut files) = (Vec::new(), Vec::new());
    for (number, (start, duration)) in [
        (0.0, 4.0),
        (0.5, 1.25),
        (2.0, 2.05),
        (1.0, 0.025),
        (3.0, 1.0),
    ]
    .into_iter()
    .enumerate()
    {
        // Two recordings, in turn, with the same samples.
        let whole = folder.path().join(format!("whole-{}.wav", number % 2));
        wav(&whole, &samples);
        let part = folder.path().join(format!("{number}.wav"));
        let end = ((start + duration) * 16_000.0) as usize;
        wav(
            &part,
            &samples[(start * 16_000.0) as usize..end.min(64_000)],
        );
        let id = number.to_string();
        segments.push(source(&id, &whole, Segment::new(start, duration)));
        files.push(source(&id, &part, None));
    }
    let options = PackOptions {
        jobs: 4,
        ..PackOptions::default()
    };
    let target = folder.path().join("segments.pack");
    let pack = pack_sources(&recipe(), &segments, target, None, &options, |_| ()).unwrap();
    let segments = AudioCorpus::open(recipe(), segments).unwrap();
    let files = AudioCorpus::open(recipe(), files).unwrap();
    assert_eq!(segments.lengths(), files.lengths());
    assert_eq!(pack.lengths(), files.lengths());
    assert_eq!(segments.lengths()[3], 1);
    for utterance in 0..files.len() {
        assert_eq!(
            segments.read(utterance).unwrap(),
            files.read(utterance).unwrap()
        );
    }
}

#[test]
fn segments_after_the_audio_and_too_short_ones_are_errors() {
    let folder = TempDir::new().unwrap();
    let audio = folder.path().join("a.wav");
    wav(&audio, &noise(16_000));
    let said = |start, duration| {
        let source = source("x", &audio, Segment::new(start, duration));
        let read = recipe().read(&source).unwrap_err().to_string();
        assert_eq!(recipe().frames(&source).unwrap_err().to_string(), read);
        read.replace(&format!("{}", audio.display()), "a.wav")
    };
    insta::assert_snapshot!([said(0.5, 0.7), said(9.0, 1.0), said(0.5, 0.02)].join("\n"), @r"
        a.wav: utterance x: the segment ends at 1.2 s, but the audio ends at 1 s
        a.wav: utterance x: the segment ends at 10 s, but the audio ends at 1 s
        a.wav: 0 frames: must be from 1 to 4294967295; remove the file from the corpus
        ");
}

/// A changed segment is a changed utterance, so an interrupted pack is not resumed with it.
#[test]
fn fingerprints_depend_on_the_segment() {
    let folder = TempDir::new().unwrap();
    let audio = folder.path().join("a.wav");
    wav(&audio, &noise(16_000));
    let of = |segment| recipe().fingerprint(&source("x", &audio, segment));
    let all = [
        of(None),
        of(Segment::new(0.0, 1.0)),
        of(Segment::new(0.0, 0.5)),
        of(Segment::new(0.5, 0.5)),
    ];
    for (number, fingerprint) in all.iter().enumerate() {
        assert!(!all[..number].contains(fingerprint));
    }
    assert_eq!(of(None), of(None));
}
