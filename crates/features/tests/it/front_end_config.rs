//! Front ends in configurations, and the messages for invalid ones.

use padwise_features::front_end::{Deltas, Dither, FrontEnd, Kind, Mfcc, PRESETS, Splice, Window};

#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
struct File {
    front_end: FrontEnd,
}

fn read(text: &str) -> Result<FrontEnd, toml::de::Error> {
    toml::from_str(text).map(|file: File| file.front_end)
}

fn wrong(text: &str) -> String {
    read(text).expect_err("must be refused").to_string()
}

#[test]
fn presets_have_names_and_typos_get_a_suggestion() {
    for name in PRESETS {
        let front_end: FrontEnd = name.parse().expect("a preset");
        assert_eq!(
            read(&format!("front-end = '{name}'")).expect("the same"),
            front_end
        );
        assert_eq!(
            read(&format!("front-end.preset = '{name}'")).expect("the same"),
            front_end
        );
    }
    let refused = |name: &str| name.parse::<FrontEnd>().expect_err("unknown");
    insta::assert_snapshot!(refused("kaldi-mfc16"), @"unknown front end `kaldi-mfc16` (did you mean `kaldi-mfcc16`?); the presets are kaldi-mfcc16, kaldi-fbank80, tacotron-mel80");
    insta::assert_snapshot!(refused("wav2vec"), @"unknown front end `wav2vec`; the presets are kaldi-mfcc16, kaldi-fbank80, tacotron-mel80");
}

#[test]
fn a_table_overrides_the_preset() {
    let read = read("[front-end]\nmfcc = { cepstra = 13, frames = { window = 'hamming' } }\ndeltas = { order = 2, window = 2 }\n").expect("legal");
    let mut mfcc = Mfcc {
        cepstra: 13,
        ..Mfcc::default()
    };
    mfcc.frames.window = Window::Hamming;
    assert_eq!(read.kind, Kind::Mfcc(mfcc));
    assert_eq!(read.deltas, Some(Deltas::default()));
    assert_eq!(read.extractor().expect("legal").dims(), 39);
}

#[test]
fn serialisation_is_complete_and_round_trips() {
    for name in PRESETS {
        let mut front_end: FrontEnd = name.parse().expect("a preset");
        front_end.splice = Some(Splice { left: 3, right: 1 });
        if let Kind::Mfcc(mfcc) = &mut front_end.kind {
            mfcc.frames.dither = Some(Dither {
                amount: 1.0,
                seed: 7,
            });
            mfcc.high_hz = Some(7600.0);
        }
        let json = serde_json::to_string(&front_end).expect("JSON");
        assert_eq!(
            serde_json::from_str::<FrontEnd>(&json).expect("JSON"),
            front_end
        );
        let text = toml::to_string(&front_end).expect("TOML");
        assert_eq!(toml::from_str::<FrontEnd>(&text).expect("TOML"), front_end);
    }
    let mfcc: FrontEnd = "kaldi-mfcc16".parse().expect("a preset");
    insta::assert_snapshot!(toml::to_string(&mfcc).expect("TOML"), @r#"
    [mfcc]
    cepstra = 16
    lifter = 22.0
    energy = "raw"
    energy-floor = 0.0
    mel-bins = 23
    low-hz = 20.0

    [mfcc.frames]
    sample-rate = 16000
    length-ms = 25.0
    shift-ms = 10.0
    window = "povey"
    preemphasis = 0.97
    remove-dc = true
    snip-edges = true
    "#);
}

#[test]
fn mistakes_in_a_table_are_reported_with_their_line() {
    insta::assert_snapshot!(wrong("front-end = 'kaldi-fbank'"), @"
    TOML parse error at line 1, column 13
      |
    1 | front-end = 'kaldi-fbank'
      |             ^^^^^^^^^^^^^
    unknown front end `kaldi-fbank` (did you mean `kaldi-fbank80`?); the presets are kaldi-mfcc16, kaldi-fbank80, tacotron-mel80
    ");
    insta::assert_snapshot!(wrong("[front-end]\nmfcc = { cepstrum = 13 }"), @"
    TOML parse error at line 2, column 10
      |
    2 | mfcc = { cepstrum = 13 }
      |          ^^^^^^^^
    unknown field `cepstrum`, expected one of `cepstra`, `lifter`, `energy`, `energy-floor`, `mel-bins`, `low-hz`, `high-hz`, `frames`
    ");
    insta::assert_snapshot!(wrong("[front-end]\nmfcc = {}\nmel = {}"), @r"
        TOML parse error at line 1, column 1
          |
        1 | [front-end]
          | ^^^^^^^^^^^
        a front end needs exactly one of `preset`, `mfcc`, `fbank` and `mel`; found mfcc and mel
        ");
    insta::assert_snapshot!(wrong("[front-end]\ndeltas = { order = 1, window = 2 }"), @r"
        TOML parse error at line 1, column 1
          |
        1 | [front-end]
          | ^^^^^^^^^^^
        a front end needs exactly one of `preset`, `mfcc`, `fbank` and `mel`; found none
        ");
    insta::assert_snapshot!(wrong("[front-end]\nmfcc = { cepstra = 24 }"), @r"
        TOML parse error at line 1, column 1
          |
        1 | [front-end]
          | ^^^^^^^^^^^
        cepstra = 24 exceeds mel-bins = 23: lower cepstra or raise mel-bins
        ");
    insta::assert_snapshot!(wrong("front-end = 3"), @"
    TOML parse error at line 1, column 13
      |
    1 | front-end = 3
      |             ^
    invalid type: integer `3`, expected the name of a preset, or a table with one of `mfcc`, `fbank` and `mel`
    ");
}

#[test]
fn settings_out_of_range_are_reported() {
    let reason = |settings: &str| {
        let error = toml::from_str::<FrontEnd>(settings).expect_err(settings);
        error.message().to_string()
    };
    let mut messages = String::new();
    for settings in [
        "mfcc = { cepstra = 0 }",
        "mfcc = { lifter = 0.5 }",
        "mfcc = { lifter = nan }",
        "mfcc = { mel-bins = 0, cepstra = 0 }",
        "mfcc = { energy-floor = -1 }",
        "mfcc = { low-hz = -1 }",
        "mfcc = { low-hz = 8000 }",
        "mfcc = { high-hz = 8001 }",
        "mfcc = { low-hz = nan }",
        "mfcc.frames = { sample-rate = 0 }",
        "mfcc.frames = { length-ms = 0 }",
        "mfcc.frames = { length-ms = inf }",
        "mfcc.frames = { shift-ms = -10 }",
        "mfcc.frames = { shift-ms = nan }",
        "mfcc.frames = { preemphasis = 1.5 }",
        "mfcc.frames = { fft-size = 256 }",
        "mfcc.frames = { fft-size = 513 }",
        "mfcc.frames = { fft-size = 4294967295 }",
        "mfcc.frames = { dither = { amount = -1, seed = 0 } }",
        "fbank = { mel-bins = 200 }",
        "fbank = { mel-bins = 4294967295 }",
        "mel = { fft-size = 512 }",
        "mel = { floor = 0 }",
        "mel = { preemphasis = -0.1 }",
        "mel = { mel-bins = 1000 }",
        "mel = {}\ndeltas = { order = 0, window = 2 }",
        "mel = {}\ndeltas = { order = 1, window = 0 }",
        "mel = {}\nsplice = { left = 101, right = 0 }",
    ] {
        messages += &format!("{settings}\n    {}\n", reason(settings));
    }
    insta::assert_snapshot!(messages);
}
