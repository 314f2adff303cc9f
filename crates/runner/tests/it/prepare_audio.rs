//! `padwise prepare` and `padwise corpus`: sample rates, empty mel bins, label times, skipped files, corrected commands.

use std::fs;
use std::path::Path;

use crate::common::{corpus, fails_with_usage, in_folder, padwise, succeeds, wav};
use padwise_features::Matrix;
use padwise_features::pack::{Dtype, Pack, PackWriter, Setup, Utterance};
use tempfile::TempDir;

/// The tone of `wav`, declared to have another sample rate.
fn wav_at(number: u32, rate: u32) -> Vec<u8> {
    let mut file = wav(number);
    file[24..28].copy_from_slice(&rate.to_le_bytes());
    file[28..32].copy_from_slice(&(2 * rate).to_le_bytes());
    file
}

/// Standard output and standard error of a command with this exit code, without the path of the folder.
fn outcome(folder: &TempDir, args: &[&str], code: i32) -> (String, String) {
    let assert = padwise().args(args).assert().code(code);
    let top = folder.path().display().to_string();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&top, ".");
    let output = assert.get_output();
    (text(&output.stdout), text(&output.stderr))
}

/// The lines of a summary that start with this word.
fn lines(text: &str, start: &str) -> String {
    let found: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with(start))
        .collect();
    found.join("\n")
}

#[test]
fn another_sample_rate_is_an_error_before_any_work() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 3);
    let out = in_folder(&folder, "x.pack");
    let prepare = ["prepare", &manifest, "--out", &out];
    for n in 0..3 {
        let file = folder.path().join(format!("u00{n}.wav"));
        fs::write(file, wav_at(n, 8_000)).expect("writable");
    }
    let same = outcome(&folder, &prepare, 2).1;
    fs::write(folder.path().join("u001.wav"), wav(1)).expect("writable");
    let mixed = outcome(&folder, &prepare, 2).1;
    let corpus = outcome(&folder, &["corpus", &manifest], 2).1;
    insta::assert_snapshot!([same, mixed.clone()].concat(), @"
    padwise: ./u000.wav: sample rate 8 kHz, but the front end expects 16 kHz: pass --resample, or a front end with sample-rate = 8000
    padwise: the audio has several sample rates: 8 kHz (2 files, for example ./u000.wav), 16 kHz (1 file, for example ./u001.wav); the front end expects 16 kHz: pass --resample to convert all files to this rate
    ");
    assert_eq!(mixed, corpus);
    assert!(!Path::new(&format!("{out}.partial")).exists());

    let (printed, said) = outcome(&folder, &[&prepare[..], &["--resample"]].concat(), 0);
    insta::assert_snapshot!(said + &printed, @"
    padwise: resampling to 16 kHz: 2 files from 8 kHz
    padwise: warning: 4 of 23 mel bins are empty: some of the audio has 8 kHz, the front end 16 kHz; use a front end with sample-rate = 8000
    ./x.pack: 3 utterances, 379 frames; sample rates 8 kHz, 16 kHz, resampled to 16 kHz
    ");
    let (printed, _) = outcome(&folder, &["corpus", &out], 1);
    insta::assert_snapshot!(lines(&printed, "sample") + "\n" + &lines(&printed, "FAILED"), @"
    sample rates 8 kHz, 16 kHz, resampled to 16 kHz
    FAILED  4 of 23 mel bins are empty: some of the audio has 8 kHz, the front end 16 kHz; use a front end with sample-rate = 8000
    ");
}

#[test]
fn sample_rates_are_shown_and_stored() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 2);
    let out = in_folder(&folder, "x.pack");
    let printed = succeeds(&["prepare", &manifest, "--out", &out]);
    assert!(printed.ends_with("; sample rate 16 kHz\n"), "{printed}");
    for corpus in [&manifest, &out] {
        let printed = succeeds(&["corpus", corpus]);
        assert_eq!(lines(&printed, "sample"), "sample rate 16 kHz");
        let json = succeeds(&["corpus", corpus, "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["sample_rates"], serde_json::json!([16_000]));
    }
    // A pack that is packed again keeps its description.
    let again = in_folder(&folder, "again.pack");
    let printed = succeeds(&["prepare", &out, "--out", &again]);
    assert!(printed.ends_with("; sample rate 16 kHz\n"), "{printed}");
}

#[test]
fn empty_mel_bins_are_found_in_audio_and_packs() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 2);
    for n in 0..2 {
        let file = folder.path().join(format!("u00{n}.wav"));
        fs::write(file, wav_at(n, 8_000)).expect("writable");
    }
    let out = in_folder(&folder, "x.pack");
    let options = ["--features", "kaldi-fbank80", "--resample"];
    succeeds(&[&["prepare", &manifest, "--out", &out][..], &options].concat());
    let audio = outcome(&folder, &[&["corpus", &manifest][..], &options].concat(), 1).0;
    let packed = outcome(&folder, &["corpus", &out], 1).0;
    assert_eq!(
        lines(&audio, "FAILED"),
        "FAILED  19 of 80 mel bins are empty: the audio has 8 kHz, the front end 16 kHz; use a front end with sample-rate = 8000"
    );
    assert_eq!(lines(&packed, "FAILED"), lines(&audio, "FAILED"));
    // Too many mel bins for the FFT.
    let front_end = in_folder(&folder, "front-end.toml");
    fs::write(
        &front_end,
        "[fbank]\nmel-bins = 120\n[fbank.frames]\nsample-rate = 8000\n",
    )
    .expect("writable");
    let said = fails_with_usage(&["corpus", &manifest, "--features", &front_end]);
    assert!(
        said.contains("3 of 120 mel bins are empty, the first is 1: their filters cover no FFT bin; use fewer mel-bins or an fft-size above 256"),
        "{said}"
    );
    let pack = in_folder(&folder, "other.pack");
    let setup = Setup {
        dims: 2,
        dtype: Dtype::F32,
        class_names: None,
        targets: None,
        front_end: serde_json::json!({
            "front-end": { "fbank": { "mel-bins": 120, "frames": { "sample-rate": 8000 } } },
        }),
    };
    let utterance = Utterance {
        id: "a".into(),
        ..Utterance::default()
    };
    let mut writer = PackWriter::create(&pack, setup, vec![utterance]).expect("a pack");
    let features = Matrix::from_rows(2, vec![1.0, 2.0, 3.0, 4.0]);
    writer.append(&features, &[]).expect("two frames");
    writer.finish().expect("a pack");
    let printed = outcome(&folder, &["corpus", &pack], 1).0;
    let failed = lines(&printed, "FAILED");
    assert!(
        failed.starts_with("FAILED  3 of 120 mel bins are empty"),
        "{failed}"
    );
    // The remedies work.
    let text = "[fbank]\nmel-bins = 80\n[fbank.frames]\nsample-rate = 8000\n";
    fs::write(&front_end, text).expect("writable");
    let printed = succeeds(&["corpus", &manifest, "--features", &front_end]);
    assert!(
        printed.contains("ok      none of the 80 mel bins is empty"),
        "{printed}"
    );
}

#[test]
fn the_convention_of_label_times_is_chosen_and_recorded() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 4);
    let labels = in_folder(&folder, "x.ctm");
    // The audio has 12,000 + 331 n samples at 16 kHz, the features have a window of 25 ms and a shift of 10 ms.
    let ends = |end: &dyn Fn(u32) -> f64| {
        let lines: String = (0..4)
            .map(|n| format!("u00{n} 1 0.0 {:.2} low\n", end(12_000 + 331 * n)))
            .collect();
        fs::write(&labels, lines).expect("writable");
    };
    let prepare = |name: &str, more: &[&str]| {
        let out = in_folder(&folder, name);
        let args = ["prepare", &manifest, "--labels", &labels, "--out", &out];
        let said = outcome(&folder, &[&args[..], more].concat(), 0).1;
        let pack = Pack::open(out).expect("a pack");
        let times = pack.setup().front_end["labels"]["times"].clone();
        (said, times.as_str().unwrap_or_default().to_string())
    };
    ends(&|samples| f64::from(samples) / 16_000.0);
    let audio = prepare("audio.pack", &[]);
    ends(&|samples| f64::from(1 + (samples - 400) / 160) / 100.0);
    let frames = prepare("frames.pack", &[]);
    let asked = prepare("asked.pack", &["--label-times", "true"]);
    assert_eq!(
        (audio.1.as_str(), frames.1.as_str(), asked.1.as_str()),
        ("true", "counted", "true")
    );
    ends(&|_| 0.5);
    let neither = prepare("neither.pack", &[]);
    assert_eq!(neither.1, "counted");
    let said = [audio.0, frames.0, asked.0, neither.0].concat();
    insta::assert_snapshot!(said, @"
    padwise: label times: true, because labels end with the audio in 4 of 4 utterances (with the last frame: 0)
    padwise: label times: counted, because labels end with the last frame in 4 of 4 utterances (with the audio: 0)
    padwise: label times: counted, by default: labels end with the last frame in 0 and with the audio in 0 of 4 utterances; --label-times overrides it
    padwise: warning: in 4 utterances the labels end before the audio (first: u000, 23 frames short); the remaining frames are labelled SIL
    ");
}

/// A truncated file, a header cut off, a missing file, a missing and a damaged label file.
#[test]
fn keep_going_skips_every_utterance_that_cannot_be_read() {
    let folder = TempDir::new().expect("a folder");
    corpus(folder.path(), 6);
    let place = |name: &str| folder.path().join(name);
    let whole = fs::read(place("u001.wav")).expect("just written");
    fs::write(place("u001.wav"), &whole[..whole.len() - 1]).expect("writable");
    fs::write(place("u002.wav"), &whole[..30]).expect("writable");
    fs::remove_file(place("u003.wav")).expect("it exists");
    let grid = "\"ooTextFile\"\n\"TextGrid\"\n0\n1\n<exists>\n1\n\"IntervalTier\"\n\"phones\"\n0\n1\n1\n0\n0.5\n\"low\"\n";
    let mut manifest = String::from("id,path,labels\n");
    for n in 0..6 {
        fs::write(place(&format!("u00{n}.TextGrid")), grid).expect("writable");
        manifest += &format!("u00{n},u00{n}.wav,u00{n}.TextGrid\n");
    }
    fs::remove_file(place("u004.TextGrid")).expect("it exists");
    fs::write(place("u005.TextGrid"), &grid[..60]).expect("writable");
    fs::write(place("m.csv"), manifest).expect("writable");
    let (manifest, out) = (in_folder(&folder, "m.csv"), in_folder(&folder, "x.pack"));

    let said = fails_with_usage(&["corpus", &manifest]);
    assert!(
        said.contains("m.csv:5: utterance u003: file not found"),
        "{said}"
    );
    let skipped = |said: &str| lines(said, "padwise: skipped");
    let (printed, said) = outcome(
        &folder,
        &["prepare", &manifest, "--keep-going", "--out", &out],
        0,
    );
    insta::assert_snapshot!(skipped(&said) + "\n" + &printed, @"
    padwise: skipped u001: ./u001.wav: truncated or damaged: the header declares 12331 samples, but 12330 were decoded; replace the file
    padwise: skipped u002: ./u002.wav: cannot decode: the file ends within its header
    padwise: skipped u003: ./u003.wav: No such file or directory (os error 2)
    padwise: skipped u004: ./u004.TextGrid: No such file or directory (os error 2)
    padwise: skipped u005: ./u005.TextGrid:8: unterminated quoted text
    ./x.pack: 1 utterance, 73 frames; 5 skipped; sample rate 16 kHz
    ");
    let (printed, listed) = outcome(&folder, &["corpus", &manifest, "--keep-going"], 1);
    let sorted = |said: &str| {
        let mut lines: Vec<String> = skipped(said).lines().map(String::from).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&listed), sorted(&said));
    assert!(printed.starts_with("1 utterance,"), "{printed}");
    assert_eq!(
        lines(&printed, "FAILED"),
        "FAILED  5 of 6 utterances cannot be read"
    );
    let (json, _) = outcome(
        &folder,
        &["corpus", &manifest, "--keep-going", "--format", "json"],
        1,
    );
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["skipped"].as_array().map(Vec::len), Some(5));
    assert_eq!(json["utterances"], 1);
    // If none can be read, there is nothing to summarise.
    fs::remove_file(place("u000.wav")).expect("it exists");
    let said = fails_with_usage(&["corpus", &manifest, "--keep-going"]);
    assert!(
        said.ends_with("none of the 6 utterances can be read\n"),
        "{said}"
    );
}

/// A corrected command works, whatever the failed one left behind.
#[test]
fn a_failed_command_does_not_block_the_corrected_one() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 12);
    let labels = in_folder(&folder, "labels.ctm");
    let out = in_folder(&folder, "x.pack");
    let partial = format!("{out}.partial");
    // It fails in its first utterance.
    let late = in_folder(&folder, "late.ctm");
    fs::write(&late, "u000 1 0.00 99.0 low\n").expect("writable");
    let said = fails_with_usage(&["prepare", &manifest, "--labels", &late, "--out", &out]);
    assert!(!said.contains("Completed utterances were kept"), "{said}");
    assert!(!Path::new(&partial).exists());
    // It fails after some utterances; the next command has another front end.
    let damaged = folder.path().join("u009.wav");
    let whole = fs::read(&damaged).expect("just written");
    fs::write(&damaged, &whole[..whole.len() - 1]).expect("writable");
    let said = fails_with_usage(&["prepare", &manifest, "--labels", &labels, "--out", &out]);
    assert!(said.contains("Completed utterances were kept"), "{said}");
    assert!(Path::new(&partial).exists());
    fs::write(&damaged, &whole).expect("writable");
    let corrected = ["prepare", &manifest, "--features", "kaldi-fbank80"];
    let (_, said) = outcome(&folder, &[&corrected[..], &["--out", &out]].concat(), 0);
    insta::assert_snapshot!(said, @"padwise: starting again: the unfinished pack has a different number of dimensions (then 16, now 80)");
    let clean = in_folder(&folder, "clean.pack");
    succeeds(&[&corrected[..], &["--out", &clean]].concat());
    assert!(fs::read(out).expect("corrected") == fs::read(clean).expect("clean"));
    assert!(!Path::new(&partial).exists());
}
