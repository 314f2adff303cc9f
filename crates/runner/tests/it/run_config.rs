//! How `padwise run` checks configs before it trains, and the files generated from the config schema.

use crate::common::{
    TINY, configs, fails_with_usage, in_folder, padwise, real_data, succeeds, write,
};

/// The error message for a bad config, without the path of its folder.
fn refused(content: &str, arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "bad.toml", content);
    let message = fails_with_usage(&[&["run", &file, "--check"], arguments].concat());
    let own = folder.path().display().to_string() + "/";
    message.replace(&own, "").trim_end().to_owned()
}

/// The tiny experiment with one text replaced.
fn tiny_with(old: &str, new: &str) -> String {
    assert!(TINY.contains(old), "{old}");
    TINY.replacen(old, new, 1)
}

#[test]
fn bad_configs_are_rejected_with_line_and_fix() {
    let cases: Vec<(&str, String)> = vec![
        ("empty", String::new()),
        ("not TOML", "[corpus\n".into()),
        ("unknown table", tiny_with("[model]", "[modle]")),
        ("unknown key", tiny_with("hidden = 4", "hiden = 4")),
        ("wrong type", tiny_with("hidden = 4", "hidden = \"wide\"")),
        ("negative", tiny_with("hidden = 4", "hidden = -4")),
        ("zero units", tiny_with("hidden = 4", "hidden = 0")),
        (
            "dropout",
            tiny_with("hidden = 4", "hidden = 4\ndropout = 1.5"),
        ),
        (
            "no corpus",
            "[corpus]\n[[strategy]]\nline = \"random\"\n".into(),
        ),
        (
            "two corpora",
            tiny_with("[corpus]", "[corpus]\npack = \"x.pack\""),
        ),
        (
            "missing pack",
            "[corpus]\npack = \"x.pack\"\n[[strategy]]\nline = \"random\"\n".into(),
        ),
        (
            "no utterances",
            tiny_with("utterances = 6", "utterances = 0"),
        ),
        ("unknown profile", tiny_with("\"ljspeech\"", "\"ljspeach\"")),
        ("few classes", tiny_with("classes = 123", "classes = 12")),
        (
            "validation share",
            tiny_with("{ fresh = 2 }", "{ share = 1.5 }"),
        ),
        (
            "validation kind",
            tiny_with("{ fresh = 2 }", "{ shares = 0.5 }"),
        ),
        (
            "too many speakers",
            tiny_with("{ fresh = 2 }", "{ speakers = 30 }"),
        ),
        ("no epochs", tiny_with("epochs = 3", "epochs = 0")),
        ("no seeds", tiny_with("seeds = [1, 2]", "seeds = []")),
        ("seed twice", tiny_with("seeds = [1, 2]", "seeds = [1, 1]")),
        ("batch size", tiny_with("batch-size = 4", "batch-size = 0")),
        (
            "learning rate",
            tiny_with("epochs = 3", "epochs = 3\nlearning-rate = 0.0"),
        ),
        (
            "clip norm",
            tiny_with("epochs = 3", "epochs = 3\nclip-norm = -1.0"),
        ),
        (
            "schedule",
            tiny_with(
                "epochs = 3",
                "epochs = 3\nschedule = { step = { every = 0, factor = 0.5 } }",
            ),
        ),
        (
            "divergence",
            tiny_with("epochs = 3", "epochs = 3\ndivergence = 0.5"),
        ),
        (
            "stop",
            tiny_with("epochs = 3", "epochs = 3\nstop-loss = 0.0"),
        ),
        (
            "optimiser",
            tiny_with("epochs = 3", "epochs = 3\noptimiser = \"adm\""),
        ),
        ("backend", tiny_with("\"cpu\"", "\"gpu\"")),
        (
            "validation batch",
            tiny_with("validation-batch = 2", "validation-batch = 0"),
        ),
        (
            "baseline",
            tiny_with("[measure]", "[measure]\nbaseline = \"randon\""),
        ),
        ("name", format!("name = \"../x\"\n{TINY}")),
        (
            "no strategy",
            TINY.split("[[strategy]]").next().unwrap_or_default().into(),
        ),
        (
            "strategy without order",
            format!("{TINY}\n[[strategy]]\nname = \"x\"\n"),
        ),
        ("bad line", tiny_with("random,chunk=60", "randon,chunk=60")),
        (
            "bad parameter",
            tiny_with("line = \"sorted", "line = \"semi-sorted:lrf=-1"),
        ),
        (
            "line and order",
            tiny_with("line = \"sorted", "order = \"smart\"\nline = \"sorted"),
        ),
        (
            "bad order",
            format!("{TINY}\n[[strategy]]\norder = \"smrt\"\n"),
        ),
        (
            "same name",
            tiny_with("name = \"sorted\"", "name = \"random\""),
        ),
        ("paper's column", tiny_with("word-error-percent", "wer")),
        (
            "nothing left",
            tiny_with(
                "line = \"sorted,chunk=60,frames=1200",
                "line = \"sorted,batch=64,drop-last",
            ),
        ),
    ];
    let said: Vec<String> = cases
        .iter()
        .map(|(what, content)| format!("-- {what}\n{}", refused(content, &[])))
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn overrides_are_checked_like_the_file() {
    let cases: [&[&str]; 9] = [
        &["--set", "train.epochs"],
        &["--set", "train.epoch=2"],
        &["--set", "train.epochs=two"],
        &["--set", "train.epochs=0"],
        &["--set", ".epochs=2"],
        &["--set", "train.epochs.first=2"],
        &["--set", "strategy.7.line=random"],
        &["--set", "strategy.0.line=randon"],
        &["--set", "model.hidden=8", "--set", "measure.baseline=x"],
    ];
    let said: Vec<String> = cases.iter().map(|sets| refused(TINY, sets)).collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_dry_run_prints_a_config_that_reads_back_to_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let printed = succeeds(&["run", &file, "--dry-run", "--set", "train.seeds=[7]"]);
    let (before, after) = printed
        .split_once("loader-threads = 0  # ")
        .expect("a default");
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
    insta::assert_snapshot!(format!("{before}loader-threads = 0  # N{after}"));
    let again = write(&folder, "again.toml", &printed);
    assert_eq!(succeeds(&["run", &again, "--dry-run"]), printed);
}

#[test]
fn strategies_can_be_written_key_by_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "[[strategy]]\norder = { semi-sorted = { lrf = 0.1 } }\nbatching = { dynamic = { base = 4 } }\nbatch-order = \"shuffled\"\n";
    let file = write(&folder, "tiny.toml", &format!("{TINY}{rows}"));
    let printed = succeeds(&["run", &file, "--dry-run"]);
    let line = "line = \"semi-sorted:lrf=0.1,dynamic=4,shuffle-batches\"";
    assert!(printed.contains(line), "{printed}");
}

#[test]
fn every_shipped_config_passes_its_check() {
    let mut checked = 0;
    for entry in std::fs::read_dir(configs()).expect("configs") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        // Skip real speech, which needs a pack, and the config without strategies.
        let is_toml = path
            .extension()
            .is_some_and(|extension| extension == "toml");
        if !is_toml || !text.contains("[[strategy]]") || text.contains("\npack") {
            continue;
        }
        let file = path.display().to_string();
        // A small model fits on any machine, and one plan per strategy is enough.
        let small = [
            "--set",
            "model.hidden=8",
            "--set",
            "corpus.synthetic.classes=123",
            "--set",
            "train.epochs=1",
            "--set",
            "train.seeds=[1]",
        ];
        let printed = succeeds(&[&["run", &file, "--check"], &small[..]].concat());
        assert!(printed.contains("estimate"), "{file}: {printed}");
        let plain = succeeds(&["run", &file, "--dry-run"]);
        assert!(plain.contains("[[strategy]]"), "{file}");
        checked += 1;
    }
    assert_eq!(checked, 10);
}

/// Standard output of `run --check` on a shipped config with these packs. A small model: probing the full one takes half a minute.
fn checked(config: &str, sets: &[String]) -> String {
    let file = configs().join(config).display().to_string();
    let mut args = vec!["run", &file, "--check", "--set", "model.hidden=8"];
    args.extend(sets.iter().flat_map(|set| ["--set", set.as_str()]));
    succeeds(&args)
}

#[test]
fn the_librispeech_config_needs_audio_and_transcripts_only() {
    let test = "the_librispeech_config_needs_audio_and_transcripts_only";
    let Some(audio) = real_data(test, "librispeech/audio/dev-clean") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let pack = in_folder(&folder, "dev-clean.pack");
    let options = ["--targets", "chars", "--out", &pack];
    succeeds(&[&["prepare", &audio.display().to_string()], &options[..]].concat());
    let printed = checked("librispeech.toml", &[format!("corpus.pack={pack}")]);
    // 26 letters, the space, the apostrophe and the blank.
    assert!(printed.contains("29 classes"), "{printed}");
}

#[test]
fn the_config_for_frame_labels_passes_its_check() {
    let test = "the_config_for_frame_labels_passes_its_check";
    let Some(data) = real_data(test, "librispeech") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let mut packs = Vec::new();
    for part in ["a", "b"] {
        let archive = data.join(format!("dev-clean-{part}.tar.xz"));
        let pack = in_folder(&folder, &format!("{part}.pack"));
        succeeds(&["prepare", &archive.display().to_string(), "--out", &pack]);
        packs.push(format!("{pack:?}"));
    }
    let packs = format!("corpus.packs=[{}]", packs.join(","));
    let printed = checked("librispeech-frames.toml", &[packs]);
    assert!(printed.contains("41 classes"), "{printed}");
}

#[test]
fn the_schema_file_is_up_to_date() {
    let printed = succeeds(&["run", "--schema"]);
    let path = configs().join("schema.json");
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == printed,
        "configs/schema.json is out of date: run `cargo run -- run --schema > configs/schema.json`"
    );
}

#[test]
fn a_batch_that_cannot_fit_is_reported_with_a_fix() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    // Just within the limit of a config, and too large for almost any machine: training needs 370 GB.
    let sets = ["--set", "model.hidden=44000"];
    let assert = padwise()
        .args([&["run", &file, "--check"], &sets[..]].concat())
        .assert()
        .code(1);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("random: a batch of"), "{said}");
    assert!(said.contains("reduce model.hidden"), "{said}");
}
