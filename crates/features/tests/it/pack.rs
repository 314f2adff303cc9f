//! Packs: round trips, and detection of every changed byte.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;

use crate::support::{cases, frames, message};
use padwise_features::corpus::{Corpus, NO_LABEL, TargetSet, TargetUnit};
use padwise_features::normalisation::Moments;
use padwise_features::pack::*;
use padwise_features::prepare::{PackOptions, pack_corpus};
use padwise_features::{CorpusError, Matrix};
use proptest::prelude::*;
use tempfile::TempDir;

fn setup(dims: u32, dtype: Dtype, classes: usize) -> Setup {
    Setup {
        dims,
        dtype,
        class_names: (classes > 0).then(|| (0..classes).map(|c| format!("c{c}")).collect()),
        targets: None,
        front_end: serde_json::json!({"kind": "test"}),
    }
}

fn symbols(count: usize) -> TargetSet {
    TargetSet {
        unit: TargetUnit::Words,
        symbols: (0..count).map(|n| format!("w{n}")).collect(),
    }
}

fn utterance(id: &str) -> Utterance {
    Utterance {
        id: id.into(),
        ..Utterance::default()
    }
}

fn small_pack(folder: &TempDir, name: &str) -> Pack {
    let list = vec![
        Utterance {
            id: "a".into(),
            speaker: Some("anna".into()),
            text: Some("GUTEN TAG".into()),
            targets: vec![1, 0, 0],
            ..Utterance::default()
        },
        utterance("b"),
        Utterance {
            id: "c".into(),
            speaker: None,
            text: Some(String::new()),
            ..Utterance::default()
        },
    ];
    let setup = Setup {
        targets: Some(symbols(2)),
        ..setup(3, Dtype::F32, 4)
    };
    let mut writer = PackWriter::create(folder.path().join(name), setup, list).unwrap();
    writer.append(&frames(4, 3, 0), &[0, 1, 2, 3]).unwrap();
    writer.leave_out("shorter than a window").unwrap();
    writer.append(&frames(2, 3, 1), &[3, 3]).unwrap();
    writer.finish().unwrap()
}

#[test]
fn metadata_of_utterances_round_trips() {
    let folder = TempDir::new().unwrap();
    let pack = small_pack(&folder, "x.pack");
    assert_eq!(pack.lengths(), [4, 2]);
    assert_eq!((pack.dims(), pack.classes(), pack.len()), (3, Some(4), 2));
    assert_eq!(pack.class_names().unwrap()[2], "c2");
    assert_eq!((pack.id(0), pack.id(1), pack.id(2)), ("a", "c", ""));
    assert_eq!(
        (pack.speaker(0), pack.speaker(1), pack.speaker(9)),
        (Some("anna"), None, None)
    );
    assert_eq!((pack.text(0), pack.text(1)), (Some("GUTEN TAG"), Some("")));
    assert_eq!(pack.target_set(), Some(&symbols(2)));
    assert_eq!(pack.targets(0).unwrap(), [1, 0, 0]);
    assert_eq!(pack.targets(1).unwrap(), [0; 0]);
    assert!(pack.targets(2).is_err());
    let left = &pack.left_out()[0];
    assert_eq!(
        (left.id.as_str(), left.reason.as_str()),
        ("b", "shorter than a window")
    );
    assert_eq!(pack.setup().front_end, serde_json::json!({"kind": "test"}));
    let corpus: Box<dyn Corpus> = Box::new(pack);
    assert_eq!(corpus.read(1).unwrap(), (frames(2, 3, 1), vec![3, 3]));
}

#[test]
fn any_range_of_frames_is_read_into_the_callers_buffer() {
    let folder = TempDir::new().unwrap();
    let pack = small_pack(&folder, "x.pack");
    let mut features = [0.0; 6];
    let mut labels = [0; 2];
    pack.read_into(0, 1, &mut features, &mut labels).unwrap();
    assert_eq!(features, frames(4, 3, 0).as_slice()[3..9]);
    assert_eq!(labels, [1, 2]);
    pack.read_into(0, 2, &mut features, &mut []).unwrap();
    let said = |utterance, start, features: usize, labels: usize| {
        let (mut features, mut labels) = (vec![0.0; features], vec![0; labels]);
        let result = pack.read_into(utterance, start, &mut features, &mut labels);
        match result {
            Err(CorpusError::Read(error)) => error.to_string(),
            other => format!("{other:?}"),
        }
    };
    insta::assert_snapshot!(
        [
            said(2, 0, 3, 1),
            said(0, 3, 6, 2),
            said(0, u32::MAX, 3, 1),
            said(0, 0, 4, 1),
            said(0, 0, 6, 1),
        ]
        .join("\n"), @r"
        no utterance 2: the corpus has 2, numbered from 0
        utterance a has 4 frames: cannot read 2 frames from frame 3
        utterance a has 4 frames: cannot read 1 frames from frame 4294967295
        feature buffer of 4 values: must be a multiple of 3, the dimensions of a frame
        label buffer for 1 frames, feature buffer for 2: pass 2 labels or an empty buffer
        ");
}

#[test]
fn a_pack_without_labels_has_no_classes() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.pack");
    let setup = setup(2, Dtype::F16, 0);
    let mut writer = PackWriter::create(path, setup, vec![utterance("a")]).unwrap();
    writer.append(&frames(3, 2, 0), &[]).unwrap();
    let pack = writer.finish().unwrap();
    assert_eq!((pack.classes(), pack.class_names()), (None, None));
    let mut labels = [7; 3];
    pack.read_into(0, 0, &mut [0.0; 6], &mut labels).unwrap();
    assert_eq!(labels, [NO_LABEL; 3]);
    assert_eq!(pack.read(0).unwrap(), (frames(3, 2, 0), vec![]));
}

#[test]
fn utterances_appended_together_give_the_same_file() {
    let folder = TempDir::new().unwrap();
    let list: Vec<_> = (0..5).map(|n| utterance(&format!("u{n}"))).collect();
    let features: Vec<_> = (0..5).map(|n| frames(600 + n, 2, n)).collect();
    let create = |name: &str| {
        let path = folder.path().join(name);
        PackWriter::create(path, setup(2, Dtype::F16, 0), list.clone()).unwrap()
    };
    let (mut one, mut all) = (create("one"), create("all"));
    features.iter().for_each(|u| one.append(u, &[]).unwrap());
    all.append_all(&features[..2]).unwrap();
    let refused = [features[2].clone(), frames(3, 1, 0)];
    let error = all.append_all(&refused).unwrap_err();
    insta::assert_snapshot!(error, @"utterance u3: 1 dimensions, but the pack has 2");
    assert_eq!(all.done(), 3);
    all.append_all(&features[3..]).unwrap();
    let error = all.append_all(&features[..1]).unwrap_err();
    insta::assert_snapshot!(error, @"5 of 5 announced utterances are written: append or leave out each of them once");
    one.finish().unwrap();
    all.finish().unwrap();
    let bytes = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(bytes("one"), bytes("all"));
}

#[test]
#[cfg_attr(miri, ignore = "too slow: 65,537 class names")]
fn invalid_utterances_are_errors_and_the_writer_continues() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.pack");
    let list = vec![utterance("a")];
    let mut writer = PackWriter::create(&path, setup(2, Dtype::F16, 3), list.clone()).unwrap();
    let mut said = Vec::new();
    let mut refuse = |features: Matrix, labels: &[i32]| {
        said.push(writer.append(&features, labels).unwrap_err().to_string());
    };
    refuse(frames(2, 3, 0), &[0, 0]);
    refuse(frames(0, 2, 0), &[]);
    refuse(frames(2, 2, 0), &[0]);
    refuse(frames(2, 2, 0), &[0, 3]);
    refuse(frames(2, 2, 0), &[-1, 0]);
    refuse(Matrix::from_rows(2, vec![1.0, 2.0, f32::NAN, 4.0]), &[0, 0]);
    refuse(Matrix::from_rows(2, vec![1.0, 2.0, 3.0, 70000.0]), &[0, 0]);
    writer.append(&frames(2, 2, 0), &[0, 2]).unwrap();
    said.push(
        writer
            .append(&frames(2, 2, 0), &[0, 2])
            .unwrap_err()
            .to_string(),
    );
    writer.finish().unwrap().verify().unwrap();
    let again = |setup: Setup, list: Vec<Utterance>| {
        let error = PackWriter::create(folder.path().join("y.pack"), setup, list).unwrap_err();
        error.to_string()
    };
    said.push(again(setup(0, Dtype::F16, 3), list.clone()));
    said.push(again(setup(2, Dtype::F16, 65_537), list.clone()));
    said.push(again(
        setup(2, Dtype::F16, 3),
        vec![utterance("a"), utterance("a")],
    ));
    let short = PackWriter::create(folder.path().join("z.pack"), setup(2, Dtype::F16, 3), list);
    said.push(short.unwrap().finish().unwrap_err().to_string());
    insta::assert_snapshot!(said.join("\n"), @r"
        utterance a: 3 dimensions, but the pack has 2
        utterance a: 0 frames, must be 1 to 4294967295: skip the utterance
        utterance a: 1 labels for 2 frames, expected 2
        utterance a: frame 1 has label 3, but there are 3 classes
        utterance a: frame 0 has label -1, but there are 3 classes
        utterance a: frame 1, dimension 0 is NaN: features must be finite
        utterance a: frame 1, dimension 1 is 70000: too large for f16; pack as f32
        1 of 1 announced utterances are written: append or leave out each of them once
        cannot pack this corpus: 0 dimensions
        cannot pack this corpus: 65537 label classes: must be 1 to 65536
        cannot pack this corpus: utterances 0 and 1 have the same id, a
        0 of 1 announced utterances are written: append or leave out each of them once
        ");
}

#[test]
fn damage_is_reported_with_the_part_and_the_remedy() {
    let folder = TempDir::new().unwrap();
    let whole = fs::read(small_pack(&folder, "whole.pack").path()).unwrap();
    let path = folder.path().join("x.pack");
    let opened = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let result = Pack::open(&path).and_then(|pack| pack.verify());
        match result {
            Ok(()) => "fine".to_string(),
            Err(error) => message(error, folder.path()),
        }
    };
    let changed = |place: usize| {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        bytes
    };
    let features = whole.windows(4).position(|w| w == b"UTT\n").unwrap() + 64;
    let said = [
        opened(&whole),
        opened(b""),
        opened(b"RIFF...."),
        opened(&whole[..40]),
        opened(&whole[..whole.len() - 1]),
        opened(&[&whole[..], b"x"].concat()),
        opened(&changed(8)),
        opened(&changed(30)),
        opened(&changed(80)),
        opened(&changed(features)),
        opened(&changed(features - 56)),
        opened(&changed(whole.len() - 1)),
    ];
    insta::assert_snapshot!(said.join("\n"), @r"
        fine
        x.pack: not a pack: starts with ``, expected `PADPACK\n`
        x.pack: not a pack: starts with `RIFF....`, expected `PADPACK\n`
        x.pack: the preamble: 40 bytes, expected 64; prepare the corpus again
        x.pack: 1038 bytes, expected 1039: truncated, or with extra data; copy the file again, or prepare the corpus again
        x.pack: 1040 bytes, expected 1039: truncated, or with extra data; copy the file again, or prepare the corpus again
        x.pack: pack format version 0, but this program reads version 1: prepare the corpus again
        x.pack: the preamble is damaged: checksum 0af6d9285faa0f94, expected f702cf6eedf57d93; copy the file again, or prepare the corpus again
        x.pack: the header is damaged: checksum a409e70a57dd2a78, expected 5104cfd23d1af7ff; copy the file again, or prepare the corpus again
        x.pack: utterance a is damaged: checksum 0401e066850b6c65, expected 2b5bffbaa1a602b7; copy the file again, or prepare the corpus again
        x.pack: utterance a: the record head is damaged; prepare the corpus again
        x.pack: the index is damaged: checksum 958c2d8601c7bd3b, expected 7d1439c7dbb658ae; copy the file again, or prepare the corpus again
        ");
}

#[test]
fn statistics_are_of_the_stored_numbers() {
    let folder = TempDir::new().unwrap();
    let pack = small_pack(&folder, "x.pack");
    let mut expected = Moments::of(&frames(4, 3, 0));
    expected.accumulate(&frames(2, 3, 1)).unwrap();
    assert_eq!(pack.statistics(), &expected);
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn features_and_labels_round_trip(
        lengths in prop::collection::vec(1usize..700, 1..6),
        dims in 1u32..20,
        half: bool,
        // Targets have fewer symbols than this.
        targets in 1usize..40,
    ) {
        let folder = TempDir::new().unwrap();
        let dtype = if half { Dtype::F16 } else { Dtype::F32 };
        let list: Vec<Utterance> = lengths.iter().enumerate().map(|(n, &length)| Utterance {
            fingerprint: length as u64,
            targets: (0..length % targets).map(|t| (t % 5) as u16).collect(),
            ..utterance(&n.to_string())
        }).collect();
        let setup = Setup {
            targets: (targets > 1).then(|| symbols(5)),
            ..setup(dims, dtype, 9)
        };
        let mut writer = PackWriter::create(folder.path().join("x"), setup, list.clone()).unwrap();
        let made: Vec<_> = lengths.iter().enumerate().map(|(n, &length)| {
            (frames(length, dims as usize, n), (0..length).map(|t| ((t * n) % 9) as i32).collect::<Vec<_>>())
        }).collect();
        for (features, labels) in &made {
            writer.append(features, labels).unwrap();
        }
        let pack = writer.finish().unwrap();
        pack.verify().unwrap();
        for (n, expected) in made.iter().enumerate() {
            prop_assert!(&pack.read(n).unwrap() == expected);
            let symbols: Vec<i32> = list[n].targets.iter().map(|&s| s.into()).collect();
            prop_assert_eq!(pack.targets(n).unwrap(), symbols);
        }
        // A copy made through the trait is the same file.
        let front_end = pack.setup().front_end.clone();
        let copy = pack_corpus(&pack, folder.path().join("y"), front_end, None, &PackOptions { dtype, ..PackOptions::default() }, |_| ()).unwrap();
        prop_assert!(fs::read(copy.path()).unwrap() == fs::read(pack.path()).unwrap());
    }

    #[test]
    fn every_changed_byte_is_detected(place in 0.0f64..1.0, bit in 0u32..8) {
        let folder = TempDir::new().unwrap();
        let path = small_pack(&folder, "x.pack").path().to_path_buf();
        let mut bytes = fs::read(&path).unwrap();
        let place = (bytes.len() as f64 * place) as usize;
        bytes[place] ^= 1 << bit;
        fs::write(&path, &bytes).unwrap();
        prop_assert!(Pack::open(&path).and_then(|pack| pack.verify()).is_err(), "byte {}", place);
    }

    #[test]
    fn truncated_packs_do_not_open(place in 0.0f64..1.0) {
        let folder = TempDir::new().unwrap();
        let path = small_pack(&folder, "x.pack").path().to_path_buf();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..(bytes.len() as f64 * place) as usize]).unwrap();
        prop_assert!(Pack::open(&path).is_err());
    }
}

#[test]
fn targets_outside_the_symbols_are_refused() {
    let folder = TempDir::new().unwrap();
    let refused = |targets: Option<TargetSet>| {
        let list = vec![Utterance {
            targets: vec![0, 2],
            ..utterance("a")
        }];
        let setup = Setup {
            targets,
            ..setup(1, Dtype::F16, 0)
        };
        let mut writer = PackWriter::create(folder.path().join("x"), setup, list).unwrap();
        let said = writer
            .append(&frames(3, 1, 0), &[])
            .unwrap_err()
            .to_string();
        fs::remove_file(folder.path().join("x.partial")).unwrap();
        said
    };
    insta::assert_snapshot!(refused(Some(symbols(2))), @"utterance a: its target has symbol 2, but there are 2 symbols");
    insta::assert_snapshot!(refused(None), @"utterance a: its target has symbol 0, but there are 0 symbols");
}

#[test]
fn unprintable_names_are_refused() {
    let folder = TempDir::new().unwrap();
    let refused = |id: &str, speaker: &str, class: &str| {
        let setup = Setup {
            dims: 2,
            dtype: Dtype::F16,
            class_names: Some(vec![class.into()]),
            targets: None,
            front_end: serde_json::Value::Null,
        };
        let utterance = Utterance {
            id: id.into(),
            speaker: Some(speaker.into()),
            ..Utterance::default()
        };
        let writer = PackWriter::create(folder.path().join("x.pack"), setup, vec![utterance]);
        writer
            .err()
            .map_or(String::new(), |error| error.to_string())
    };
    assert_eq!(refused("ü-1", "Ann Müller", "aː"), "");
    insta::assert_snapshot!(
        [refused("a\u{1b}[2J", "b", "c"), refused("a", "b\u{202e}", "c"), refused("a", "b", "c\0")].join("\n"),
        @r"
    cannot pack this corpus: the name of utterance a\u{1b}[2J contains the unprintable character U+001B: rename it
    cannot pack this corpus: the name of speaker b\u{202e} contains the unprintable character U+202E: rename it
    cannot pack this corpus: the name of class c\u{0} contains the unprintable character U+0000: rename it
    ");
}
