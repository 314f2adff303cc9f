//! Corpora of users: folders of audio, manifests of other tools, and features in arrays.

use std::fs;

use crate::common::{
    configs, fails_with_usage, in_folder, messages, real_data, rows, succeeds, wav, write,
};
use padwise_features::Corpus;
use padwise_features::pack::Pack;
use tempfile::TempDir;

fn put(folder: &TempDir, path: &str, content: &[u8]) {
    let path = folder.path().join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    fs::write(path, content).expect("writable");
}

/// The arguments that analyse one strategy, as JSON.
fn analyze_random(manifest: &str) -> [&str; 6] {
    [
        "analyze",
        manifest,
        "--strategy",
        "random",
        "--format",
        "json",
    ]
}

/// A NumPy array of `rows` × 2.
fn npy(rows: usize) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, 2), }}\n");
    let mut file = b"\x93NUMPY\x01\0".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend((0..2 * rows).flat_map(|number| (number as f32).to_le_bytes()));
    file
}

#[test]
fn a_folder_of_audio_is_a_corpus() {
    let folder = TempDir::new().expect("a folder");
    let out = in_folder(&folder, "x.pack");
    let corpus = in_folder(&folder, "corpus");
    put(&folder, "corpus/readme.md", b"");
    let said = fails_with_usage(&["prepare", &corpus, "--out", &out]);
    assert!(
        said.contains("a folder of WAV, FLAC or .npy files"),
        "{said}"
    );
    put(&folder, "corpus/ben/1.WAV", &wav(1));
    put(&folder, "corpus/anna/day/2.wav", &wav(2));
    put(&folder, "corpus/anna/day/2.txt", b"good\nmorning");
    put(&folder, "corpus/anna/day/._2.wav", b"not audio");
    succeeds(&["prepare", &corpus, "--out", &out]);
    let pack = Pack::open(&out).expect("a pack");
    assert_eq!(
        (pack.len(), pack.id(0), pack.id(1)),
        (2, "anna/day/2", "ben/1")
    );
    assert_eq!(pack.speaker(1), Some("ben"));
    assert_eq!((pack.text(0), pack.text(1)), (Some("good morning"), None));
    let summary = succeeds(&["corpus", &corpus]);
    assert!(
        summary.starts_with("2 utterances, 2 speakers, "),
        "{summary}"
    );
    let said = fails_with_usage(&["corpus", &corpus, "--where", "a=b"]);
    assert!(said.contains("--where does not apply"), "{said}");
}

/// Notes are one line on standard error, so standard output stays clean.
#[test]
fn ignored_columns_are_noted() {
    let folder = TempDir::new().expect("a folder");
    put(&folder, "a.wav", &wav(1));
    let manifest = write(&folder, "m.csv", "path,speakr,split\na.wav,x,train\n");
    let out = in_folder(&folder, "x.pack");
    let said = messages(&["prepare", &manifest, "--out", &out]);
    assert_eq!(
        said.replace(&manifest, "m.csv"),
        "padwise: m.csv: ignored columns: speakr (did you mean `speaker`?), split\n"
    );
    let said = messages(&["corpus", &manifest, "--where", "split=train"]);
    assert!(
        said.ends_with("ignored column: speakr (did you mean `speaker`?)\n"),
        "{said}"
    );
    let said = fails_with_usage(&["corpus", &manifest, "--where", "train"]);
    assert!(
        said.contains("--where train: write it as COLUMN=VALUE"),
        "{said}"
    );
    let cuts = write(&folder, "cuts.jsonl.gz", "");
    let said = fails_with_usage(&["prepare", &cuts, "--out", &out]);
    assert!(said.contains("gunzip -k cuts.jsonl.gz"), "{said}");
}

/// Segments of one recording become utterances; their frames are those that `analyze` counts.
#[test]
fn a_manifest_of_nemo_can_be_prepared_and_analysed() {
    let folder = TempDir::new().expect("a folder");
    put(&folder, "a.wav", &wav(1));
    let manifest = write(
        &folder,
        "train.json",
        r#"{"audio_filepath": "a.wav", "duration": 0.3, "offset": 0.0, "text": "one"}
{"audio_filepath": "a.wav", "duration": 0.2345, "offset": 0.3, "text": "two"}
{"audio_filepath": "a.wav", "duration": 0.02, "offset": 0.5, "text": "three"}
"#,
    );
    let out = in_folder(&folder, "x.pack");
    succeeds(&["prepare", &manifest, "--keep-going", "--out", &out]);
    let pack = Pack::open(&out).expect("a pack");
    assert_eq!(pack.lengths(), [28, 21]);
    assert_eq!(pack.id(1), "a-0000300-0000534");
    let analyze = analyze_random(&manifest);
    assert_eq!(rows(&analyze)[0]["valid_frames"], 49);
    assert_eq!(
        messages(&analyze),
        "padwise: lengths are from column `duration` in seconds, as frames of kaldi-mfcc16; --features and --hop change it\n\
         padwise: skipped 1 utterance too short for a frame of kaldi-mfcc16; `prepare` refuses them\n"
    );
}

/// A manifest of arrays works like a folder of arrays, and `--where` selects its rows.
#[test]
fn a_manifest_of_arrays_is_a_corpus_of_features() {
    let folder = TempDir::new().expect("a folder");
    for rows in 1..=3 {
        put(&folder, &format!("features/{rows}.npy"), &npy(rows));
    }
    let manifest = write(
        &folder,
        "manifest.csv",
        "id,path,speaker,split,frames,text\na,features/1.npy,x,train,1,one\nb,features/2.npy,y,test,2,two\nc,features/3.npy,x,train,3,three\n",
    );
    let out = in_folder(&folder, "x.pack");
    let prepare = [
        "prepare",
        &manifest,
        "--out",
        &out,
        "--where",
        "split=train",
    ];
    assert_eq!(messages(&prepare), "");
    let pack = Pack::open(&out).expect("a pack");
    assert_eq!((pack.lengths(), pack.dims()), (&[1, 3][..], 2));
    assert_eq!(
        (pack.id(1), pack.speaker(1), pack.text(1)),
        ("c", Some("x"), Some("three"))
    );
    let said = fails_with_usage(&["corpus", &manifest, "--features", "kaldi-mfcc16"]);
    assert!(said.contains("--features does not apply"), "{said}");
    let analyze = analyze_random(&manifest);
    assert_eq!(rows(&analyze)[0]["valid_frames"], 6);
    assert_eq!(messages(&analyze), "");
}

/// AN4 from its manifest of arrays to a trained model, with characters and with phones of its lexicon.
#[test]
fn an4_is_trained_from_its_manifest() {
    let test = "an4_is_trained_from_its_manifest";
    let Some(archive) = real_data(test, "an4.tar.xz") else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let unpacked = std::process::Command::new("tar")
        .arg("xJf")
        .arg(&archive)
        .current_dir(folder.path())
        .status();
    assert!(unpacked.is_ok_and(|status| status.success()), "tar and xz");
    let manifest = in_folder(&folder, "an4/manifest.csv");
    let lexicon = in_folder(&folder, "an4/lexicon.txt");
    let config = configs().join("an4.toml").display().to_string();
    for (unit, lexicon, classes) in [
        ("chars", None, "28 classes"),
        ("phones", Some(&lexicon), "34 classes"),
    ] {
        let [train, test] = ["train", "test"].map(|split| {
            let out = in_folder(&folder, &format!("{unit}-{split}.pack"));
            let condition = format!("split={split}");
            let mut args = vec!["prepare", &manifest, "--where", &condition];
            args.extend(["--targets", unit, "--out", &out]);
            args.extend(lexicon.into_iter().flat_map(|path| ["--lexicon", path]));
            let first = in_folder(&folder, &format!("{unit}-train.pack"));
            if split == "test" {
                args.extend(["--symbols", &first]);
            }
            succeeds(&args);
            out
        });
        let pack = Pack::open(&train).expect("a pack");
        assert_eq!(pack.len(), 948);
        let sets = [
            format!("corpus.pack={train}"),
            format!("corpus.validation.pack={test}"),
            "model.hidden=4".into(),
        ];
        let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
        let checked = succeeds(&[&["run", &config, "--check"], &sets[..]].concat());
        assert!(checked.contains(classes), "{checked}");
        // The test set alone is enough to see that it trains.
        let out = in_folder(&folder, unit);
        let set = format!("corpus.pack={test}");
        let small = [
            "--set",
            "model.layers=1",
            "--set",
            "model.hidden=4",
            "--set",
            "train.epochs=1",
            "--set",
            "train.seeds=[1]",
            "--set",
            "corpus.validation.speakers=2",
            "--out",
            &out,
        ];
        let trained = succeeds(&[&["run", &config, "--set", &set], &small[..]].concat());
        assert!(trained.contains("ER %"), "{trained}");
    }
    let analyze = [
        "analyze",
        &manifest,
        "--where",
        "split=train",
        "--strategy",
        "random",
    ];
    let row = &rows(&[&analyze[..], &["--format", "json"]].concat())[0];
    let pack = Pack::open(in_folder(&folder, "chars-train.pack")).expect("a pack");
    let frames: u64 = pack.lengths().iter().map(|&n| u64::from(n)).sum();
    assert_eq!(row["valid_frames"], frames);
}
