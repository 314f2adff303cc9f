//! Audio files as a corpus: lengths from headers, frames on demand, labels in every format.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;
use std::path::Path;

use padwise_features::audio::Channel;
use padwise_features::audio_corpus::{
    AudioCorpus, Headers, LabelTimes, RateError, Recipe, TimesChoice,
};
use padwise_features::corpus::{Corpus, NO_LABEL};
use padwise_features::front_end::FrontEnd;
use padwise_features::kaldi::ArkWriter;
use padwise_features::labels::FrameLabels;
use padwise_features::layouts::{Segment, Source};
use padwise_features::normalisation::{Moments, Normalisation, Normalised, Statistics};
use padwise_features::{SyntheticConfig, SyntheticCorpus};
use tempfile::TempDir;

/// 16-bit mono WAV of this many samples at this rate.
fn wav(path: &Path, samples: u32, rate: u32) {
    let mut state = samples;
    let data: Vec<u8> = (0..samples)
        .flat_map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 18) as i16).to_le_bytes()
        })
        .collect();
    let mut file = b"RIFF".to_vec();
    file.extend((36 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(rate.to_le_bytes());
    file.extend((2 * rate).to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    fs::write(path, file).unwrap();
}

fn sources(folder: &TempDir) -> Vec<Source> {
    [
        ("a", 16_000, 16_000),
        ("b", 9_000, 16_000),
        ("c", 22_050, 22_050),
        ("d", 4_001, 8_000),
    ]
    .into_iter()
    .map(|(id, samples, rate)| {
        let audio = folder.path().join(format!("{id}.wav"));
        wav(&audio, samples, rate);
        Source {
            id: id.into(),
            audio,
            speaker: Some(if id < "c" { "ann" } else { "bob" }.into()),
            ..Source::default()
        }
    })
    .collect()
}

fn recipe(preset: &str, labels: Option<FrameLabels>, times: LabelTimes) -> Recipe {
    Recipe::new(
        preset.parse::<FrontEnd>().unwrap(),
        Channel::Mix,
        labels,
        times,
    )
    .unwrap()
    .with_resampling()
}

/// Lengths from headers equal the numbers of computed frames, at every rate and for every preset.
#[test]
fn lengths_from_headers_match_the_computed_frames() {
    let folder = TempDir::new().unwrap();
    for preset in ["kaldi-mfcc16", "kaldi-fbank80", "tacotron-mel80"] {
        let corpus =
            AudioCorpus::open(recipe(preset, None, LabelTimes::Counted), sources(&folder)).unwrap();
        for utterance in 0..corpus.len() {
            let (features, labels) = corpus.read(utterance).unwrap();
            assert_eq!(
                features.rows(),
                corpus.lengths()[utterance] as usize,
                "{preset}"
            );
            assert!(labels.is_empty());
        }
        // Reading a part gives the same frames as reading the whole.
        let (whole, _) = corpus.read(2).unwrap();
        let (mut part, mut labels) = (vec![0.0; 3 * corpus.dims()], vec![7; 3]);
        corpus.read_into(2, 5, &mut part, &mut labels).unwrap();
        assert_eq!(part, whole.as_slice()[5 * corpus.dims()..8 * corpus.dims()]);
        assert_eq!(labels, [NO_LABEL; 3]);
    }
}

/// Without resampling, a file with another rate cannot be opened or read.
#[test]
fn another_sample_rate_needs_resampling() {
    let folder = TempDir::new().unwrap();
    let sources = sources(&folder);
    let front_end: FrontEnd = "kaldi-mfcc16".parse().unwrap();
    let plain = Recipe::new(front_end.clone(), Channel::Mix, None, LabelTimes::Counted).unwrap();
    let expected = "d.wav: samples are at 8000 Hz but the front end expects 16000 Hz: resample them, or set sample-rate = 8000";
    for error in [
        plain.frames(&sources[3]),
        plain.read(&sources[3]).map(|_| 0),
    ] {
        let said = error.unwrap_err().to_string();
        assert!(said.ends_with(expected), "{said}");
    }
    let headers = Headers::read(&sources);
    let rates: Vec<_> = headers.rates().iter().map(|r| (r.hz, r.files)).collect();
    assert_eq!(rates, [(8_000, 1), (16_000, 2), (22_050, 1)]);
    assert!(matches!(
        headers.check_rates(&front_end),
        Err(RateError::Mixed { .. })
    ));
    let described = plain.with_headers(&headers).describe();
    assert_eq!(
        described["sample-rates"],
        serde_json::json!([8_000, 16_000, 22_050])
    );
}

/// The choice follows the ends of the labels, also if times are rounded to 10 ms.
#[test]
fn the_convention_of_label_times_is_found() {
    let folder = TempDir::new().unwrap();
    let sources = sources(&folder);
    let headers = Headers::read(&sources);
    let front_end: FrontEnd = "kaldi-mfcc16".parse().unwrap();
    // 1 s, 0.5625 s, 1 s and 0.500125 s of audio: 98, 54, 98 and 48 frames.
    let choose = |ends: [f64; 4]| {
        let lines: String = ["a", "b", "c", "d"]
            .iter()
            .zip(ends)
            .map(|(id, end)| format!("{id} 1 0.0 {end} x\n"))
            .collect();
        let path = folder.path().join("x.ctm");
        fs::write(&path, lines).unwrap();
        let labels = FrameLabels::read(path, "sil").unwrap();
        let choice = TimesChoice::of(&labels, &front_end, &sources, &headers).unwrap();
        (choice.times, choice.to_string())
    };
    let cases = [
        [0.98, 0.54, 0.98, 0.48],
        [1.0, 0.56, 1.0, 0.50],
        [1.0, 0.5625, 0.98, 0.48],
        [0.7, 0.3, 0.6, 0.4],
        [0.7, 0.3, 0.6, 0.5],
    ];
    let said: Vec<String> = cases.map(|ends| choose(ends).1).to_vec();
    insta::assert_snapshot!(said.join("\n"), @"
    counted, because labels end with the last frame in 4 of 4 utterances (with the audio: 0)
    true, because labels end with the audio in 4 of 4 utterances (with the last frame: 0)
    counted, by default: labels end with the last frame in 2 and with the audio in 2 of 4 utterances; --label-times overrides it
    counted, by default: labels end with the last frame in 0 and with the audio in 0 of 4 utterances; --label-times overrides it
    counted, by default: labels end with the last frame in 0 and with the audio in 1 of 4 utterances; --label-times overrides it
    ");
    assert_eq!(choose(cases[0]).0, LabelTimes::Counted);
    assert_eq!(choose(cases[1]).0, LabelTimes::True);
    assert_eq!(choose(cases[2]).0, LabelTimes::Counted);
    assert_eq!(choose(cases[4]).0, LabelTimes::Counted);
}

/// Labels of a segment are compared with the segment, not with its file.
#[test]
fn label_times_of_segments_are_compared_with_the_segment() {
    let folder = TempDir::new().unwrap();
    let mut source = sources(&folder).swap_remove(0);
    source.segment = Segment::new(0.25, 0.5);
    let path = folder.path().join("x.ctm");
    fs::write(&path, "a 1 0.0 0.5 x\n").unwrap();
    let labels = FrameLabels::read(path, "sil").unwrap();
    let front_end: FrontEnd = "kaldi-mfcc16".parse().unwrap();
    let headers = Headers::read(std::slice::from_ref(&source));
    let choice = TimesChoice::of(&labels, &front_end, &[source], &headers).unwrap();
    assert_eq!(choice.times, LabelTimes::True);
}

#[test]
fn files_shorter_than_a_frame_are_errors() {
    let folder = TempDir::new().unwrap();
    let mut sources = sources(&folder);
    wav(&sources[1].audio, 100, 16_000);
    let said = match AudioCorpus::open(
        recipe("kaldi-mfcc16", None, LabelTimes::Counted),
        sources.clone(),
    ) {
        Ok(_) => panic!("opened"),
        Err(error) => error.to_string(),
    };
    assert!(said.contains("b.wav: 0 frames"), "{said}");
    sources[1].audio = folder.path().join("gone.wav");
    assert!(AudioCorpus::open(recipe("kaldi-mfcc16", None, LabelTimes::Counted), sources).is_err());
}

/// Kaldi alignments, arrays and TextGrids give the same labels as the CTM.
#[test]
fn labels_are_the_same_from_every_format() {
    let folder = TempDir::new().unwrap();
    let sources = sources(&folder);
    let place = |name: &str| folder.path().join(name);
    fs::write(
        place("all.ctm"),
        "a 1 0.0 0.5 x\na 1 0.5 0.2 y\nb 1 0.1 0.3 x\nc 1 0.0 0.9 y\nd 1 0.0 0.2 x\n",
    )
    .unwrap();
    let ctm = FrameLabels::read(place("all.ctm"), "sil").unwrap();
    assert_eq!(ctm.class_names(), ["sil", "x", "y"]);
    assert!(ctm.unknown_ids(["a", "b", "c"]).eq(&["d"]));
    let expected = AudioCorpus::open(
        recipe("kaldi-mfcc16", Some(ctm), LabelTimes::Counted),
        sources.clone(),
    )
    .unwrap();

    let mut ark = ArkWriter::create(place("ali.ark"), place("ali.scp")).unwrap();
    for (number, source) in sources.iter().enumerate() {
        let (_, labels) = expected.read(number).unwrap();
        let header = format!(
            "{{'descr': '<i4', 'fortran_order': False, 'shape': ({},), }}\n",
            labels.len()
        );
        let mut array = b"\x93NUMPY\x01\0".to_vec();
        array.extend((header.len() as u16).to_le_bytes());
        array.extend(header.as_bytes());
        array.extend(labels.iter().flat_map(|l| l.to_le_bytes()));
        fs::write(place(&format!("{}.npy", source.id)), array).unwrap();
        ark.int_vector(&source.id, &labels).unwrap();
    }
    ark.finish().unwrap();
    let grid = |intervals: &[(f64, f64, &str)]| {
        let mut text = format!(
            "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n\n0\n2\n<exists>\n1\n\"IntervalTier\"\n\"phones\"\n0\n2\n{}\n",
            intervals.len()
        );
        for (from, to, name) in intervals {
            text += &format!("{from}\n{to}\n\"{name}\"\n");
        }
        text
    };
    fs::write(
        place("a.TextGrid"),
        grid(&[(0.0, 0.5, "x"), (0.5, 0.7, "y")]),
    )
    .unwrap();
    fs::write(place("b.TextGrid"), grid(&[(0.1, 0.4, "x")])).unwrap();
    fs::write(place("c.TextGrid"), grid(&[(0.0, 0.9, "y")])).unwrap();
    fs::write(place("d.TextGrid"), grid(&[(0.0, 0.2, "x")])).unwrap();

    let each = |ending: &str| {
        let files: Vec<_> = sources
            .iter()
            .map(|s| (s.id.clone(), place(&format!("{}.{ending}", s.id))))
            .collect();
        FrameLabels::read_each(
            files.iter().map(|(id, path)| (id.as_str(), path.as_path())),
            "phones",
            "sil",
        )
        .unwrap()
    };
    for labels in [
        FrameLabels::read(place("ali.ark"), "sil").unwrap(),
        each("npy"),
        each("TextGrid"),
    ] {
        let corpus = AudioCorpus::open(
            recipe("kaldi-mfcc16", Some(labels), LabelTimes::Counted),
            sources.clone(),
        )
        .unwrap();
        for utterance in 0..corpus.len() {
            assert_eq!(
                corpus.read(utterance).unwrap().1,
                expected.read(utterance).unwrap().1
            );
        }
    }
    // With true times, the middle of the 25 ms window decides, so the boundary is a frame earlier.
    let ctm = FrameLabels::read(place("all.ctm"), "sil").unwrap();
    let corpus = AudioCorpus::open(
        recipe("kaldi-mfcc16", Some(ctm), LabelTimes::True),
        sources.clone(),
    )
    .unwrap();
    let first_y = |corpus: &AudioCorpus| corpus.read(0).unwrap().1.iter().position(|&l| l == 2);
    assert_eq!((first_y(&expected), first_y(&corpus)), (Some(50), Some(49)));

    let mixed = [("a", place("a.npy")), ("b", place("b.TextGrid"))];
    let mixed = mixed.iter().map(|(id, path)| (*id, path.as_path()));
    let said = FrameLabels::read_each(mixed, "phones", "sil")
        .unwrap_err()
        .to_string();
    assert!(
        said.ends_with("have different label formats: use one format for the whole corpus"),
        "{said}"
    );
}

#[test]
fn a_normalised_corpus_has_mean_0_and_variance_1() {
    let synthetic = || {
        let config = SyntheticConfig {
            utterances: 200,
            speakers: 5,
            ..Default::default()
        };
        SyntheticCorpus::new(config).unwrap()
    };
    let training: Vec<usize> = (0..150).collect();
    let near_standard = |moments: &Moments| {
        moments.mean().iter().all(|m| m.abs() < 1e-3)
            && moments.std().iter().all(|s| (s - 1.0).abs() < 1e-3)
    };
    let of = |corpus: &dyn Corpus, utterances: &[usize]| {
        let mut moments = Moments::new(corpus.dims());
        for &utterance in utterances {
            moments
                .accumulate(&corpus.read(utterance).unwrap().0)
                .unwrap();
        }
        moments
    };
    let global = Normalised::fit(synthetic(), Normalisation::Global, &training).unwrap();
    assert!(near_standard(&of(&global, &training)));
    assert!(!near_standard(&of(&global, &[160])));

    let speaker = Normalised::fit(synthetic(), Normalisation::Speaker, &training).unwrap();
    for name in ["s0000", "s0003"] {
        let own: Vec<usize> = training
            .iter()
            .copied()
            .filter(|&i| speaker.speaker(i) == Some(name))
            .collect();
        assert!(near_standard(&of(&speaker, &own)), "{name}");
    }

    let utterance = Normalised::fit(synthetic(), Normalisation::Utterance, &[]).unwrap();
    assert!(near_standard(&of(&utterance, &[3])) && near_standard(&of(&utterance, &[160])));
    let (whole, _) = utterance.read(3).unwrap();
    let mut part = vec![0.0; 2 * utterance.dims()];
    utterance.read_into(3, 10, &mut part, &mut []).unwrap();
    assert_eq!(
        part,
        whole.as_slice()[10 * utterance.dims()..12 * utterance.dims()]
    );

    // A validation set uses the statistics of its training set, also after a round trip through a file.
    let kept = serde_json::to_string(global.statistics()).unwrap();
    let again: Statistics = serde_json::from_str(&kept).unwrap();
    let other = Normalised::with(synthetic(), again).unwrap();
    assert_eq!(other.read(160).unwrap(), global.read(160).unwrap());
    assert!(Normalised::fit(synthetic(), Normalisation::Global, &[]).is_err());
}

#[test]
fn parts_of_a_synthetic_utterance_match_the_whole() {
    let corpus = SyntheticCorpus::new(SyntheticConfig {
        utterances: 5,
        ..Default::default()
    })
    .unwrap();
    let (whole, all_labels) = corpus.read(4).unwrap();
    let (mut part, mut labels) = (vec![0.0; 6 * corpus.dims()], vec![0; 6]);
    corpus.read_into(4, 20, &mut part, &mut labels).unwrap();
    assert_eq!(
        part,
        whole.as_slice()[20 * corpus.dims()..26 * corpus.dims()]
    );
    assert_eq!(labels, all_labels[20..26]);
    assert!(corpus.read_into(5, 0, &mut part, &mut labels).is_err());
}

#[test]
fn a_corpus_behind_a_pointer_is_the_same_corpus() {
    let config = SyntheticConfig {
        utterances: 5,
        ..Default::default()
    };
    let corpus = SyntheticCorpus::new(config).unwrap();
    let expected = corpus.read(3).unwrap();
    let id = corpus.id(3).to_string();
    let shared: std::sync::Arc<dyn Corpus> = std::sync::Arc::new(corpus);
    let unchanged = Normalised::fit(shared.clone(), Normalisation::None, &[]).unwrap();
    assert_eq!(
        (unchanged.id(3), unchanged.classes()),
        (id.as_str(), shared.classes())
    );
    assert_eq!(unchanged.speaker(3), shared.speaker(3));
    assert_eq!(unchanged.read(3).unwrap(), expected);
    let boxed: Box<dyn Corpus> = Box::new(shared);
    assert_eq!(boxed.read(3).unwrap(), expected);
}
