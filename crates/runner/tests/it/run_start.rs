//! What `padwise run` says before it trains: validation speakers, times, every default; and which folder it uses.

use crate::common::{TINY, fails_with_usage, in_folder, padwise, succeeds, write};

/// The tiny experiment with these validation speakers, in one run of one epoch.
fn with_speakers(speakers: &str) -> String {
    TINY.replace("{ fresh = 2 }", &format!("{{ speakers = {speakers} }}"))
        .replace("epochs = 3", "epochs = 1")
        .replace("seeds = [1, 2]", "seeds = [1]")
}

/// Numbers as `#`, and runs of spaces or rules as one character.
fn masked(text: &str) -> String {
    let mut masked = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        let is_repeated = "# ─".contains(c) && masked.ends_with(c);
        if !is_repeated {
            masked.push(c);
        }
    }
    let masked = masked.replace("#.#", "#").replace("#,#", "#");
    let masked = masked.replace("# seconds for", "# second for");
    let lines: Vec<&str> = masked.lines().map(str::trim).collect();
    lines.join("\n")
}

#[test]
fn validation_speakers_can_be_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(
        &folder,
        "tiny.toml",
        &with_speakers("[\"s0002\", \"s0000\"]"),
    );
    let printed = succeeds(&["run", &file, "--check"]);
    let line = "\nValidation speakers: s0000, s0002.\n";
    assert!(printed.contains(line), "{printed}");
    let out = in_folder(&folder, "results");
    let assert = padwise()
        .args(["run", &file, "--out", &out])
        .assert()
        .success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert_eq!(said, "padwise: validation speakers: s0000, s0002\n");
    let unknown = write(&folder, "unknown.toml", &with_speakers("[\"s0003\"]"));
    let said = fails_with_usage(&["run", &unknown, "--check"]);
    let said = said.replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!(said, @"padwise: FOLDER/unknown.toml: no validation speaker `s0003` in the corpus, did you mean `s0000`? Its speakers are s0000, s0001, s0002");
}

#[test]
fn test_speakers_are_kept_out_of_training() {
    let folder = tempfile::tempdir().expect("a folder");
    let held_out = "validation = { speakers = [\"s0000\"] }";
    let config = TINY.replace("validation = { fresh = 2 }", held_out);
    let with_test = format!("{held_out}\ntest = {{ speakers = [\"s0002\"] }}");
    let config_with_test = config.replace(held_out, &with_test);
    assert_ne!(config, config_with_test);
    let check = |name: &str, config: &str| {
        let printed = succeeds(&["run", &write(&folder, name, config), "--check"]);
        let corpus = printed.lines().find(|line| line.starts_with("Corpus:"));
        corpus.expect("the corpus").to_owned()
    };
    insta::assert_snapshot!(check("without.toml", &config), @"Corpus: 5 utterances for training, 1 utterance for validation.");
    insta::assert_snapshot!(check("with.toml", &config_with_test), @"Corpus: 3 utterances for training, 1 utterance for validation.");
}

#[test]
fn a_check_estimates_the_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = TINY.replace("{ fresh = 2 }", "{ share = 0.5 }");
    let config = config.replace("utterances = 6", "utterances = 30");
    let file = write(&folder, "tiny.toml", &config);
    let printed = succeeds(&["run", &file, "--check"]);
    let (head, device) = printed.split_once("Device:").expect("a device");
    let (_, rest) = device.split_once('\n').expect("a line");
    insta::assert_snapshot!(masked(&format!("{head}Device: …\n{rest}")), @"
    strategy batches padding % largest estimate measured time
    ─
    random # # # × # # MB # MB # s
    sorted # # # × # # MB # MB # s

    Corpus: # utterances for training, # utterances for validation.
    Validation speakers: s#, s#, s#; # also in the training set.
    Model: # inputs, # classes, # parameters.
    Device: …
    Time: about # second for all strategies and seeds; an estimate from one step per strategy.

    batches batches per epoch
    padding % padding / all frames computed; training time grows with it
    largest largest batch: utterances × padded frames
    estimate memory of a training step on it, estimated from its shape
    measured peak memory of two training steps on it, in a separate process
    time training and validation of all seeds, scaled from the second step
    ");
    let printed = succeeds(&["run", &file, "--check", "--set", "train.patience=1"]);
    assert!(printed.contains("one step per strategy. Less if runs stop early.\n"));
}

#[test]
fn a_failed_first_run_does_not_block_the_corrected_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let brief = TINY.replace("epochs = 3", "epochs = 1");
    write(&folder, "tiny.toml", &brief);
    let run = |more: &[&str]| {
        let mut command = padwise();
        command.current_dir(folder.path());
        command
            .args([&["run", "tiny.toml"], more].concat())
            .assert()
    };
    run(&[]).success();
    // As if every run had failed at once.
    let results = folder.path().join("results/tiny");
    let record = results.join("epochs.csv");
    let text = std::fs::read_to_string(&record).expect("a record");
    std::fs::write(&record, text.replace(",trained,", ",failed,")).expect("writable");
    std::fs::remove_file(results.join("summary.csv")).expect("removable");
    run(&["--set", "model.hidden=5"]).success();
    let config = std::fs::read_to_string(results.join("config.toml")).expect("a config");
    assert!(config.contains("hidden = 5"), "{config}");
    let log = std::fs::read_to_string(results.join("log.txt")).expect("a log");
    assert_eq!(log.matches("padwise run").count(), 2, "{log}");
    assert!(!folder.path().join("results/tiny-2").exists());
}
