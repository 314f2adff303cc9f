//! `padwise figure`: every figure is drawn as SVG and PNG, from a profile or from a file of any size.

use crate::common::{fails_with_usage, padwise, succeeds, write};

const FIGURES: [&str; 17] = [
    "doetsch-1",
    "ge-1",
    "ge-2",
    "ge-3",
    "khomenko-2",
    "anderson-1",
    "padding",
    "strategy-random",
    "strategy-sorted",
    "strategy-semi-sorted",
    "strategy-alternated",
    "strategy-bucketed-count",
    "strategy-bucketed-width",
    "strategy-bucketed-optimal",
    "strategy-smart",
    "strategy-dynamic",
    "strategy-chunks",
];

#[test]
fn all_figures_are_drawn_as_svg_and_png() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("deep/figures").display().to_string();
    let printed = succeeds(&[
        "figure",
        "all",
        "--out",
        &out,
        "--profile",
        "ljspeech",
        "--utterances",
        "600",
    ]);
    assert_eq!(printed.lines().count(), 2 * FIGURES.len());
    for name in FIGURES {
        let svg = std::fs::read_to_string(format!("{out}/{name}.svg")).expect("an SVG");
        assert!(
            svg.starts_with("<svg") && svg.contains("LJSpeech"),
            "{name}"
        );
        assert!(svg.matches("<text").count() > 10, "{name} has no labels");
        let png = std::fs::read(format!("{out}/{name}.png")).expect("a PNG");
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000, "{name}");
    }
}

#[test]
fn tiny_corpora_can_be_drawn_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    for (i, content) in ["7\n", "5\n5\n5\n", "1\n1000000\n"].into_iter().enumerate() {
        let file = write(&folder, &format!("{i}.txt"), content);
        succeeds(&["figure", "all", &file, "--out", &out]);
    }
}

#[test]
fn standard_input_is_read_once_for_all_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    padwise()
        .args(["figure", "all", "-", "--out", &out])
        .write_stdin("10\n20\n30\n")
        .assert()
        .success();
    for name in FIGURES {
        let svg = std::fs::read_to_string(format!("{out}/{name}.svg")).expect("an SVG");
        assert!(svg.contains("standard input"), "{name}");
    }
}

#[test]
fn a_long_source_is_shortened() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let file = write(&folder, &format!("{}.txt", "long".repeat(40)), "10\n20\n");
    succeeds(&["figure", "ge-1", &file, "--out", &out]);
    let svg = std::fs::read_to_string(format!("{out}/ge-1.svg")).expect("an SVG");
    assert!(svg.contains('…') && !svg.contains(&"long".repeat(20)));
}

#[test]
fn the_largest_seed_is_accepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let seed = u64::MAX.to_string();
    succeeds(&[
        "figure",
        "ge-2",
        "--out",
        &out,
        "--utterances",
        "100",
        "--seed",
        &seed,
    ]);
}

#[test]
fn unknown_figures_and_unwritable_folders_are_said() {
    insta::assert_snapshot!(fails_with_usage(&["figure", "doetsch-7"]));
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "in-the-way", "");
    let assert = padwise()
        .args(["figure", "ge-1", "--out", &format!("{file}/figures")])
        .assert()
        .code(3);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).replace(&file, "in-the-way");
    assert!(
        said.starts_with("padwise: cannot create the folder in-the-way/figures"),
        "{said}"
    );
}
