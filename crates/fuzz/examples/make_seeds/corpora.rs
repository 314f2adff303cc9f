//! Seeds of corpora, checkpoints and their tags.

use std::fs;
use std::process::Command;

use padwise_features::Matrix;
use padwise_features::corpus::{TargetSet, TargetUnit};
use padwise_features::pack::{Dtype, PackWriter, Setup, Utterance};
use padwise_fuzz::{parts, stored_xz, targets};
use padwise_model::{BackendChoice, PaddedBatch, Targets, TrainerConfig, backend};

use crate::{Made, Seeds};

pub(crate) fn make(seeds: &Seeds) -> Made {
    packs(seeds)?;
    raw(seeds)?;
    kaldi(seeds)?;
    npy(seeds)?;
    training(seeds)
}

fn packs(seeds: &Seeds) -> Made {
    for (name, dtype, is_labelled, has_targets) in [
        ("labelled-f16", Dtype::F16, true, false),
        ("unlabelled-f32", Dtype::F32, false, false),
        ("targets-f16", Dtype::F16, true, true),
    ] {
        let path = seeds.scratch.path().join(name);
        let classes = vec!["sil".to_string(), "a".into()];
        let setup = Setup {
            dims: 2,
            dtype,
            class_names: is_labelled.then_some(classes),
            targets: has_targets.then(|| TargetSet {
                unit: TargetUnit::Words,
                symbols: vec!["one".into(), "two".into()],
            }),
            front_end: serde_json::json!({ "kind": "mfcc", "hop-ms": 10.0 }),
        };
        let utterance = |id: &str, speaker: &str| Utterance {
            id: id.into(),
            speaker: Some(speaker.into()),
            text: is_labelled.then(|| "one two".into()),
            targets: if has_targets { vec![0, 1] } else { Vec::new() },
            fingerprint: 5,
        };
        let announced = vec![
            utterance("a-1", "a"),
            utterance("b-1", "b"),
            utterance("b-2", "b"),
        ];
        let mut writer = PackWriter::create(&path, setup, announced)?;
        for frames in [3, 0, 2] {
            if frames == 0 {
                writer.leave_out("too short")?;
                continue;
            }
            let numbers = (0..2 * frames).map(|n| n as f32 * 0.5).collect();
            let labels: Vec<i32> = (0..frames).map(|n| n % 2).collect();
            let labels = if is_labelled { &labels[..] } else { &[] };
            writer.append(&Matrix::from_rows(2, numbers), labels)?;
        }
        writer.finish()?;
        seeds.add("pack", name, fs::read(&path)?)?;
    }
    Ok(())
}

fn raw(seeds: &Seeds) -> Made {
    let files: [(&str, &[u8]); 5] = [
        ("index.csv", b"id,start_frame,n_frames\na-1,0,2\nb-1,2,1\n"),
        ("phones.txt", b"sil\na\n"),
        ("text.tsv", b"a-1\tone two\nb-1\tthree\n"),
        ("labels.u8", &[0, 1, 1]),
        ("feat2.f16le", &[0, 60, 0, 64, 0, 66, 0, 68, 0, 69, 0, 70]),
    ];
    let mut folder = vec![&b"2"[..]];
    folder.extend(files.map(|(_, content)| content));
    seeds.add("raw-folder", "valid", parts::join(&folder))?;
    folder[1] = b"id,start_frame,n_frames\na-1,18446744073709551615,4294967295\n";
    seeds.add("raw-folder", "bad-index", parts::join(&folder))?;
    let tar = archive(&files)?;
    seeds.add("raw-tar", "valid.tar", &tar)?;
    seeds.add("raw-archive", "stored.tar.xz", stored_xz::wrap(&tar))?;
    seeds.add("raw-archive", "valid.tar.xz", compressed(seeds, &tar)?)?;
    // A small file that unpacks to a large one.
    let bomb = archive(&[("labels.u8", &vec![0; 100 << 20])])?;
    seeds.add("raw-archive", "bad-bomb.tar.xz", compressed(seeds, &bomb)?)
}

fn archive(files: &[(&str, &[u8])]) -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("corpus/{name}"), *content)?;
    }
    archive.into_inner()
}

/// Compresses with the command `xz`.
fn compressed(seeds: &Seeds, content: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let path = seeds.scratch.path().join("content");
    fs::write(&path, content)?;
    let xz = Command::new("xz")
        .args(["--lzma2=dict=64KiB", "-c"])
        .arg(&path)
        .output();
    let xz = xz.map_err(|error| format!("cannot run xz, install it: {error}"))?;
    Ok(xz.stdout)
}

fn kaldi(seeds: &Seeds) -> Made {
    let golden = |name: &str| seeds.file(&format!("crates/features/tests/golden/kaldi/{name}"));
    for name in ["float", "double", "text", "cm", "cm2", "cm3"] {
        let ark = golden(&format!("{name}.ark"))?;
        seeds.add("kaldi-ark", &format!("{name}.ark"), &ark)?;
        let scp = String::from_utf8(golden(&format!("{name}.scp"))?)?;
        let scp = scp.replace(&format!("{name}.ark"), "feats.ark");
        let speakers = "utt-a ann\nutt-b bob\n";
        let ali = golden("ali.ark")?;
        let folder = parts::join(&[
            scp.as_bytes(),
            &ark,
            &ali,
            speakers.as_bytes(),
            b"utt-a one\n",
        ]);
        seeds.add("kaldi-scp", name, folder)?;
        seeds.add(
            "kaldi-scp",
            &format!("{name}-alone"),
            parts::join(&[scp.as_bytes(), &ark]),
        )?;
    }
    seeds.add(
        "kaldi-ark",
        "bad-size.ark",
        b"a \0BCM3 \0\0\0\0\0\0\x80\x3f\xff\xff\xff\x7f\0\0\0\0",
    )?;
    seeds.add(
        "kaldi-ark",
        "bad-columns.ark",
        b"a \0BCM \0\0\0\0\0\0\x80\x3f\0\0\0\0\xff\xff\xff\x0f",
    )?;
    seeds.add("kaldi-ali", "binary.ark", golden("ali.ark")?)?;
    seeds.add("kaldi-ali", "text.ark", golden("ali_text.ark")?)?;
    seeds.add("kaldi-ali", "bad-label.ark", "a 0 2147483647 -1\n")
}

fn npy(seeds: &Seeds) -> Made {
    let golden = |name: &str| seeds.file(&format!("crates/features/tests/golden/npy/{name}.npy"));
    for name in [
        "c_f2",
        "fortran_f4",
        "big_endian_f4",
        "c_f8",
        "labels_i8",
        "labels_u2_big_endian",
    ] {
        seeds.add("npy", name, golden(name)?)?;
    }
    let features = golden("c_f4")?;
    seeds.add(
        "npy",
        "labelled",
        parts::join(&[&features, &golden("labels_u1")?]),
    )?;
    let mut labels = array("<i4", "(4,)");
    for label in [0, 1, i32::MAX, 2] {
        labels.extend(label.to_le_bytes());
    }
    seeds.add("npy", "bad-label", parts::join(&[&features, &labels]))?;
    seeds.add("npy", "bad-shape", array("<f4", "(4294967295, 0)"))?;
    seeds.add("npy", "bad-columns", array("<f4", "(0, 4294967295)"))
}

/// The header of an array file.
fn array(element: &str, shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes
}

fn training(seeds: &Seeds) -> Made {
    let mut trainer = backend::trainer(BackendChoice::Cpu, TrainerConfig::new(targets::model()))?;
    trainer.step(PaddedBatch {
        inputs: vec![0.5; 12],
        lengths: vec![3, 1],
        frames: 3,
        targets: Targets::Frames(vec![0, 2, 1, 0, 1, 0]),
    })?;
    let path = seeds.scratch.path().join("checkpoint.safetensors");
    trainer.save(&path, "a tag")?;
    let checkpoint = fs::read(&path)?;
    seeds.add("checkpoint", "valid.safetensors", &checkpoint)?;
    let text = String::from_utf8_lossy(&checkpoint).into_owned();
    // The same number of digits, so that the length of the header stays valid.
    let from = text
        .find("\\\"hidden\\\":2")
        .ok_or("no hidden size in the checkpoint")?;
    let mut claim = checkpoint.clone();
    claim[from + 11..from + 12].copy_from_slice(b"9");
    seeds.add("checkpoint", "bad-hidden.safetensors", claim)?;
    let tag = r#"{"run":{"experiment":"e","row":0,"seed":7},"position":{"epoch":1,"batch":3},"row":null,"progress":{"batches":3,"checked":{"sum":12.5,"counted":40,"wrong":9},"unchecked":[{"sum":1.5,"counted":4,"wrong":0}],"start_loss":4.5,"train_seconds":1.5,"wait_seconds":0.25,"warm_up_seconds":0.5,"host_bytes":[1000,2000]}}"#;
    seeds.add("checkpoint-tag", "valid.json", tag)?;
    let huge = tag.replace("12.5", "1e400").replace(":40", ":0");
    seeds.add("checkpoint-tag", "bad-sum.json", huge)
}
