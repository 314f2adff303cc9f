//! Lengths in seconds: `analyze` counts the same frames as `prepare`.

use std::fs;

use crate::common::{fails_with_usage, in_folder, padwise, rows, succeeds, write};
use padwise_features::Corpus;
use padwise_features::pack::Pack;
use tempfile::TempDir;

/// A WAV file of silence with some noise, so that features are finite.
fn wav(samples: u32, rate: u32) -> Vec<u8> {
    let data = (0..samples).flat_map(|n| ((n * 7919 % 200) as i16 - 100).to_le_bytes());
    let mut file = b"RIFF".to_vec();
    file.extend((36 + 2 * samples).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(rate.to_le_bytes());
    file.extend((2 * rate).to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend((2 * samples).to_le_bytes());
    file.extend(data);
    file
}

fn valid_frames(args: &[&str]) -> u64 {
    let fixed = ["analyze", "--strategy", "random", "--format", "json"];
    let row = rows(&[&fixed[..], args].concat()).swap_remove(0);
    row["valid_frames"].as_u64().expect("a number")
}

#[test]
fn analyze_counts_the_frames_of_prepare() {
    let folder = TempDir::new().expect("a folder");
    let mut manifest = String::from("path,duration\n");
    let mut lengths = vec![400, 401, 559, 560, 561, 719, 720, 16_000];
    lengths.extend((1..24).map(|n| 400 + n * n * 37));
    for (number, &samples) in lengths.iter().enumerate() {
        let rate = [16_000, 8_000, 22_050, 44_100][number % 4];
        let samples = samples * rate / 16_000 + 1;
        let name = format!("{number}.wav");
        fs::write(folder.path().join(&name), wav(samples, rate)).expect("writable");
        manifest += &format!("{name},{}\n", f64::from(samples) / f64::from(rate));
    }
    let manifest = write(&folder, "m.csv", &manifest);
    let own = write(
        &folder,
        "own.toml",
        "mfcc = { frames = { shift-ms = 12.5, snip-edges = false } }\n",
    );
    for features in ["kaldi-mfcc16", "kaldi-fbank80", "tacotron-mel80", &own] {
        let out = in_folder(&folder, "x.pack");
        let prepare = ["prepare", &manifest, "--features", features, "--out", &out];
        succeeds(&[&prepare[..], &["--resample"]].concat());
        let pack = Pack::open(&out).expect("a pack");
        assert_eq!(pack.len(), lengths.len());
        // One utterance at a time, because a sum can hide differences.
        let durations = fs::read_to_string(&manifest).expect("a manifest");
        for (line, &frames) in durations.lines().skip(1).zip(pack.lengths()).step_by(7) {
            let one = write(&folder, "one.csv", &format!("path,duration\n{line}\n"));
            let found = valid_frames(&[&one, "--features", features]);
            assert_eq!(found, u64::from(frames), "{features}: {line}");
        }
        let sum: u64 = pack.lengths().iter().map(|&n| u64::from(n)).sum();
        assert_eq!(valid_frames(&[&manifest, "--features", features]), sum);
        fs::remove_file(out).expect("writable");
    }
}

#[test]
fn the_column_and_the_front_end_are_named() {
    let folder = TempDir::new().expect("a folder");
    let both = write(
        &folder,
        "both.csv",
        "id,frames,duration\na,7,1.0\nb,9,0.01\n",
    );
    let seconds = write(&folder, "s.csv", "id,seconds\na,1.0\nb,0.5\n");
    let caption = |args: &[&str]| {
        let all = [&["analyze", "--strategy", "random"], args].concat();
        let table = succeeds(&all);
        let line = table.lines().find(|line| line.contains(".csv"));
        line.expect("a caption").to_string()
    };
    assert_eq!(caption(&[&both]), "2 utterances, both.csv, column frames.");
    assert_eq!(
        caption(&[&both, "--hop", "12.5"]),
        "1 utterance, both.csv, column duration (seconds, as frames of kaldi-mfcc16 every 12.5 ms)."
    );
    assert_eq!(
        caption(&[&seconds, "--features", "tacotron-mel80"]),
        "2 utterances, s.csv, column seconds (seconds, as frames of tacotron-mel80)."
    );
    assert_eq!(valid_frames(&[&both]), 16);
    assert_eq!(valid_frames(&[&both, "--column", "duration"]), 98);
    assert_eq!(valid_frames(&[&both, "--hop", "20"]), 49);
    assert_eq!(valid_frames(&[&seconds]), 98 + 48);
    let list = write(&folder, "list.txt", "1.0\n0.5\n");
    assert_eq!(valid_frames(&[&list, "--hop", "10"]), 98 + 48);
}

#[test]
fn json_lines_have_lengths() {
    let folder = TempDir::new().expect("a folder");
    let text = "{\"path\": \"a.wav\", \"duration\": 1.0, \"split\": \"a\", \"x\": 3}\n\n{\"duration\": \"0.5\", \"x\": 5}\n";
    let json = write(&folder, "m.jsonl", text);
    assert_eq!(valid_frames(&[&json]), 98 + 48);
    assert_eq!(valid_frames(&[&json, "--where", "split=a"]), 98);
    assert_eq!(valid_frames(&[&json, "--column", "x"]), 8);
    let out = padwise()
        .args(["analyze", "-", "--strategy", "random"])
        .write_stdin(text)
        .assert()
        .success();
    assert!(String::from_utf8_lossy(&out.get_output().stdout).contains("standard input"));
}

#[test]
fn wrong_seconds_are_refused_with_a_remedy() {
    let folder = TempDir::new().expect("a folder");
    let csv = "id,frames,n\na,7,3\n";
    let json = "{\"duration\": 1.0}\n";
    let mut said = Vec::new();
    for (content, args) in [
        (csv, &["--hop", "10"][..]),
        (csv, &["--column", "frames", "--features", "kaldi-fbank80"]),
        (csv, &["--column", "n", "--hop", "0.01"]),
        (csv, &["--features", "kaldi-mfc16"]),
        ("id,path,text\na,b,c\n", &[]),
        ("id,duration\na,-1\n", &[]),
        ("id,duration\na,1e12\n", &[]),
        ("id,duration\na,0.02\nb,0\n", &[]),
        ("{\"duration\": 1.0}\n{\"duration\": null}\n", &[]),
        ("{\"duration\": 1.0}\n{\"id\": 1\n", &[]),
        ("{\"id\": 1, \"length\": 3}\n", &[]),
        (json, &["--where", "split=train"]),
        ("\u{1f}\u{fffd}", &[]),
    ] {
        let file = write(&folder, "in.csv", content);
        if content.starts_with('\u{1f}') {
            fs::write(&file, b"\x1f\x8b\x08").expect("writable");
        }
        let message = fails_with_usage(&[&["analyze", &file], args].concat());
        said.push(message.replace(&file, "in.csv").trim_end().to_string());
    }
    insta::assert_snapshot!(said.join("\n"));
}
