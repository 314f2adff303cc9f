//! The files of a report.

use std::path::{Path, PathBuf};

use crate::common::{changed, fixture};
use padwise_report::report::report;

fn texts(folders: &[PathBuf]) -> Vec<(String, String)> {
    let files = report(folders, Path::new("out")).expect("a report");
    let texts = files.into_iter().filter_map(|file| {
        let content = String::from_utf8(file.content).ok()?;
        Some((file.path.display().to_string(), content))
    });
    texts.collect()
}

fn page(folders: &[PathBuf]) -> String {
    let texts = texts(folders).into_iter();
    let mut pages = texts.filter(|(path, _)| path == "out/report.html");
    pages.next().expect("a page").1
}

#[test]
fn several_runs_share_a_page_and_have_a_folder_each() {
    let names = ["table2", "buckets", "troubled"];
    let folders = names.map(fixture);
    let files = report(&folders, Path::new("out")).expect("a report");
    let paths: Vec<String> = files
        .iter()
        .map(|file| file.path.display().to_string())
        .collect();
    insta::assert_snapshot!("files", paths.join("\n"));
    let page = page(&folders);
    for name in names {
        assert!(page.contains(&format!(">{name}</span>")), "{name}");
    }
}

#[test]
fn reports_are_deterministic() {
    let folders = ["table2", "troubled"].map(fixture);
    assert!(texts(&folders) == texts(&folders));
}

/// The page is self-contained: it loads nothing from the network or the disk.
#[test]
fn the_page_is_self_contained() {
    let page = page(&["table2"].map(fixture));
    for reference in [
        "http:", "https:", "src=", "@import", "url(", "<script", "<link",
    ] {
        assert!(!page.contains(reference), "{reference}");
    }
}

/// Plots in the page use CSS variables for colours, so they follow light and dark mode.
#[test]
fn plots_in_the_page_follow_its_colours() {
    let page = page(&["table2", "buckets", "one-seed"].map(fixture));
    let pictures: Vec<&str> = page.split("<svg").skip(1).collect();
    assert!(pictures.len() > 18);
    for picture in pictures {
        let picture = picture.split("</svg>").next().unwrap_or_default();
        assert!(!picture.contains("\"#"), "a colour without a name");
        assert!(
            picture.contains("<title") || picture.contains("aria-hidden"),
            "a picture without a title"
        );
    }
}

#[test]
fn names_are_escaped() {
    let wild = changed("one-seed", "config.toml", |text| {
        text.replace("\"sorted\"", "\"<b>&|sorted\"")
            .replace("line = \"<b>&|sorted\"", "line = \"sorted\"")
    });
    std::fs::write(
        wild.path().join("epochs.csv"),
        std::fs::read_to_string(fixture("one-seed").join("epochs.csv"))
            .expect("a record")
            .replace("\nsorted,", "\n<b>&|sorted,"),
    )
    .expect("writable");
    let folder = wild.path().to_path_buf();
    let page = page(std::slice::from_ref(&folder));
    assert!(!page.contains("<b>"));
    assert!(page.contains("&#60;b&#62;&#38;|sorted") || page.contains("&lt;b&gt;&amp;|sorted"));
    let texts = texts(&[folder]);
    let markdown = texts.iter().find(|(path, _)| path == "out/report.md");
    assert!(markdown.is_some_and(|(_, text)| text.contains("\\|sorted")));
}

/// A name or title shows as it was written and adds no markup, in every file of a report.
#[test]
fn markup_in_names_is_not_markup_in_a_report() {
    let name = "# <img src=x> `a` | [b](c) *d*";
    let quoted = format!("'{name}'");
    let wild = changed("one-seed", "config.toml", |text| {
        text.replace("name = \"sorted\"", &format!("name = {quoted}"))
            .replace("name = \"random\"", "name = '- **rnd**'")
            .replace("baseline = \"random\"", "baseline = '- **rnd**'")
            .replace("title = \"One seed\"", &format!("title = {quoted}"))
    });
    let epochs = wild.path().join("epochs.csv");
    let text = std::fs::read_to_string(&epochs).expect("a record");
    let text = text
        .replace("\nsorted,", &format!("\n{name},"))
        .replace("\nrandom,", "\n- **rnd**,");
    std::fs::write(&epochs, text).expect("writable");
    let folder = wild.path().to_path_buf();
    for (path, text) in texts(&[folder]) {
        let kind = Path::new(&path).extension().unwrap_or_default();
        if kind == "md" {
            for (number, line) in (1..).zip(text.lines()) {
                let place = format!("{path}:{number}: {line}");
                assert!(!line.contains("<img") || line.contains("\\<img"), "{place}");
                assert!(!line.contains(" `a`"), "{place}");
                assert!(!line.contains(" [b]"), "{place}");
                assert!(!line.contains("**rnd"), "{place}");
                assert!(!line.starts_with("- - "), "{place}");
                assert!(!line.starts_with("- # "), "{place}");
                assert!(!(line.starts_with('|') && line.contains("` | ")), "{place}");
            }
            assert!(text.contains("\\# \\<img src=x> \\`a\\` "), "{path}");
        }
        if kind == "html" || kind == "svg" {
            assert!(!text.contains("<img"), "{path}");
        }
    }
}

#[test]
fn stale_files_are_detected() {
    let out = tempfile::tempdir().expect("a folder");
    let files = report(&[fixture("one-seed")], out.path()).expect("a report");
    assert!(files.iter().all(|file| file.is_stale()));
    for file in &files {
        file.write().expect("writable");
    }
    assert!(files.iter().all(|file| !file.is_stale()));
    std::fs::write(out.path().join("report.csv"), "older").expect("writable");
    let stale: Vec<_> = files.iter().filter(|file| file.is_stale()).collect();
    assert_eq!(stale.len(), 1);
}

#[test]
fn errors_name_the_file_and_line() {
    let message = |folder: &Path| {
        let error = report(&[folder.to_path_buf()], Path::new("out")).expect_err("no report");
        assert!(error.is_usage());
        error
            .to_string()
            .replace(&folder.display().to_string(), "DIR")
    };
    let empty = tempfile::tempdir().expect("a folder");
    insta::assert_snapshot!(message(empty.path()), @"DIR is not a results folder: pass a folder written by `padwise run`, with config.toml and epochs.csv");
    let word = changed("one-seed", "epochs.csv", |text| {
        text.replacen(",8738,", ",many,", 1)
    });
    insta::assert_snapshot!(message(word.path()));
    let short = changed("one-seed", "epochs.csv", |text| text + "random,7\n");
    insta::assert_snapshot!(message(short.path()));
    let line = changed("one-seed", "config.toml", |text| {
        text.replace("line = \"sorted\"", "line = \"sorte\"")
    });
    insta::assert_snapshot!(message(line.path()));
    let key = changed("one-seed", "config.toml", |text| {
        text.replace("epochs = 3", "epochs = -3")
    });
    insta::assert_snapshot!(message(key.path()));
    let machine = changed("one-seed", "environment.json", |text| {
        text.replace("\"threads\": 16", "\"threads\": \"x\"")
    });
    insta::assert_snapshot!(message(machine.path()));
    let twice = report(
        &[fixture("one-seed"), fixture("one-seed")],
        Path::new("out"),
    );
    insta::assert_snapshot!(twice.expect_err("one place for two"));
}
