//! Filling documents, and the errors for those that cannot be filled.

use proptest::prelude::*;

use super::*;

/// Sources in a temporary folder, which is a project of its own.
fn folder_of(folder: &tempfile::TempDir) -> SourceFolder {
    SourceFolder::of_document(&folder.path().join("README.md"), folder.path())
}

fn filled(text: &str) -> Result<Spliced, String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("table.md"), "| a |\n| 1 |\n").expect("writable");
    std::fs::write(folder.path().join("number.txt"), "42\n").expect("writable");
    splice_text(text, Path::new("README.md"), &folder_of(&folder))
        .map_err(|error| error.to_string())
}

#[test]
fn blocks_of_lines_and_within_lines_are_filled() {
    let text = "# A\n\n<!-- from table.md -->\nold\n<!-- end -->\n\nIt is <!-- from number.txt -->41<!-- end -->.\n";
    let spliced = filled(text).expect("two blocks");
    assert_eq!(spliced.blocks, 2);
    assert_eq!(
        spliced.stale,
        [(3, "table.md".into()), (7, "number.txt".into())]
    );
    let expected = "# A\n\n<!-- from table.md -->\n| a |\n| 1 |\n<!-- end -->\n\nIt is <!-- from number.txt -->42<!-- end -->.\n";
    assert_eq!(spliced.text, expected);
    let again = filled(&spliced.text).expect("two blocks");
    assert_eq!((again.text, again.stale), (spliced.text, vec![]));
}

#[test]
fn quoted_markers_are_ignored() {
    let text = "Write `<!-- from FILE -->`:\n```\n<!-- from FILE -->\n```\nIt is <!-- from number.txt -->x<!-- end -->";
    assert_eq!(filled(text).expect("one block").blocks, 1);
}

#[test]
fn malformed_blocks_are_reported() {
    let message = |text: &str| filled(text).expect_err("not to be filled");
    insta::assert_snapshot!(message("nothing"), @"README.md has no block to fill: mark one with `<!-- from FILE -->` and `<!-- end -->`");
    insta::assert_snapshot!(message("\n<!-- from table.md -->\n"), @"README.md:2: the block from `table.md` is not closed: add `<!-- end -->`");
    insta::assert_snapshot!(message("<!-- from a.md -->\n<!-- from table.md -->\n<!-- end -->"), @"README.md:1: the block from `a.md` is not closed: add `<!-- end -->`");
    insta::assert_snapshot!(message("<!-- from table.md\n-->\n<!-- end -->"), @"README.md:1: unclosed block marker: write `<!-- from FILE -->` on one line");
    insta::assert_snapshot!(message("<!-- from none.md -->\n<!-- end -->"), @"README.md:1: cannot read none.md: No such file or directory (os error 2)");
    insta::assert_snapshot!(message("<!-- from table.md speed -->\n<!-- end -->"), @"README.md:1: `table.md` is a file and has no piece `speed`: use the whole file, or `cell ROW COLUMN [DECIMALS]`");
    insta::assert_snapshot!(message("| a <!-- from table.md cell \"x | y\" z -->1<!-- end --> |"), @r#"README.md:1: `table.md cell "x | y" z` is inside a table, where `|` ends the cell: use `;` instead"#);
    insta::assert_snapshot!(message("and\n<!-- from table.md -->1<!-- end --> more"), @"README.md:2: the block from `table.md` is at the start of a line of text, which Markdown reads as HTML: put a word before it");
    insta::assert_snapshot!(message("<!-- from \"table.md -->\n<!-- end -->"), @r#"README.md:1: unclosed quote in `"table.md`"#);
}

/// A folder with a document of two tables and a CSV file, and one block filled from it.
fn filled_from_tables(source: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let two = "Two.\n\n| T | B | who | ms |\n| --- | ---: | --- | --- |\n| 700 | 16 | ours | 10.84 |\n| 700 | 64 | ours | 25.9 (3) |\n| 700 | 16 | `theirs` | 1,035.7 |\n| 700 | 16 | half | 41.25 |\n\n| name | value | value |\n|---|---|---|\n| lost | −3 | |\n";
    std::fs::write(folder.path().join("two.md"), two).expect("writable");
    let csv = "strategy,loss,note\n\"random,batch=16\",-0.7449,\nsorted,,none\n";
    std::fs::write(folder.path().join("one.csv"), csv).expect("writable");
    std::fs::write(folder.path().join("number.txt"), "42\n").expect("writable");
    let text = format!("It is <!-- from {source} -->x<!-- end -->");
    let spliced = splice_text(&text, Path::new("README.md"), &folder_of(&folder));
    let spliced = spliced.map_err(|error| error.to_string())?;
    let content = spliced
        .text
        .strip_prefix(&format!("It is <!-- from {source} -->"));
    let content = content.and_then(|content| content.strip_suffix("<!-- end -->"));
    Ok(content.expect("the block").to_owned())
}

#[test]
fn a_cell_is_found_by_its_row_and_column() {
    for (source, expected) in [
        (r#"two.md cell "700; 16; ours" ms"#, "10.84"),
        (r#"two.md cell "16; ours" ms 1"#, "10.8"),
        (r#"two.md cell 64 ms"#, "25.9 (3)"),
        (r#"two.md cell 64 ms 0"#, "26"),
        (r#"two.md cell theirs ms 0"#, "1,036"),
        (r#"two.md cell half ms 1"#, "41.3"),
        (r#"one.csv cell "random,batch=16" loss 2"#, "−0.74"),
        (r#"one.csv cell "random,batch=16" loss 0"#, "−1"),
        (r#"one.csv cell "sorted; none" note"#, "none"),
    ] {
        assert_eq!(
            filled_from_tables(source).as_deref(),
            Ok(expected),
            "{source}"
        );
    }
}

#[test]
fn missing_cells_are_reported() {
    let message = |source: &str| filled_from_tables(source).expect_err("not to be filled");
    insta::assert_snapshot!(message("two.md cell ours ms"), @"README.md:1: two.md has 2 rows that contain `ours`: add another cell of the row, as in `700; 16`");
    insta::assert_snapshot!(message("two.md cell \"ours; 700\" ms"), @"README.md:1: two.md has no row that contains `ours; 700`");
    insta::assert_snapshot!(message("two.md cell 64 seconds"), @"README.md:1: two.md has no column `seconds`; its columns are: T; B; who; ms; name; value; value");
    insta::assert_snapshot!(message("two.md cell lost value"), @"README.md:1: two.md has two columns `value` in one table");
    insta::assert_snapshot!(message("one.csv cell sorted loss"), @"README.md:1: one.csv: `loss` of `sorted` is empty");
    insta::assert_snapshot!(message("one.csv cell sorted note 2"), @"README.md:1: one.csv: cannot round `none`, which is not a number");
    insta::assert_snapshot!(message("two.md cell 64 ms 70000"), @"README.md:1: invalid number of decimals `70000`: use 0 to 12");
    insta::assert_snapshot!(message("two.md cell 64 ms many"), @"README.md:1: invalid number of decimals `many`: use 0 to 12");
    insta::assert_snapshot!(message("none.md cell 64 ms"), @"README.md:1: cannot read none.md: No such file or directory (os error 2)");
    insta::assert_snapshot!(message("number.txt cell 64 ms"), @"README.md:1: `number.txt` has no cells: use a .md or .csv file");
}

/// A document of another author must not be able to publish files of this machine.
#[cfg(unix)]
#[test]
fn sources_outside_of_the_project_are_refused() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("secret.txt"), "42\n").expect("writable");
    let project = outside.path().join("project");
    let docs = project.join("docs");
    let record = project.join("results/run");
    for folder in [&docs, &record] {
        std::fs::create_dir_all(folder).expect("writable");
    }
    std::fs::write(project.join("Cargo.toml"), "").expect("writable");
    std::fs::write(project.join("inside.txt"), "1\n").expect("writable");
    symlink("../secret.txt", project.join("link.txt")).expect("a link");
    symlink("../../../secret.txt", record.join("epochs.csv")).expect("a link");
    let document = docs.join("page.md");
    let message = |source: &str| {
        let text = format!("It is <!-- from {source} -->x<!-- end -->");
        std::fs::write(&document, text).expect("writable");
        let spliced = splice(&document, &project);
        let message = spliced.map_or_else(|error| error.to_string(), |spliced| spliced.text);
        let root = outside.path().canonicalize().expect("a folder");
        let message = message.replace(&document.display().to_string(), "DOCUMENT");
        message.replace(&root.display().to_string(), "ROOT")
    };
    insta::assert_snapshot!(message("../secret.txt"), @"DOCUMENT:1: `../secret.txt` leaves the project: use a path below ROOT/project, the root of the document's project");
    insta::assert_snapshot!(message("/etc/hostname"), @"DOCUMENT:1: `/etc/hostname` is an absolute path: use a path below ROOT/project, the root of the document's project");
    insta::assert_snapshot!(message("link.txt"), @"DOCUMENT:1: `link.txt` leaves the project: use a path below ROOT/project, the root of the document's project");
    insta::assert_snapshot!(message("results/run speed"), @"DOCUMENT:1: `results/run` contains a link out of the project, epochs.csv: use a path below ROOT/project, the root of the document's project");
    insta::assert_snapshot!(message("../none.txt"), @"DOCUMENT:1: `../none.txt` leaves the project: use a path below ROOT/project, the root of the document's project");
    assert!(message("docs/../inside.txt").contains("-->1<!--"));
}

#[test]
fn messages_quote_an_excerpt_of_the_source() {
    for source in [
        "x".repeat(5000),
        format!("table.md {}", "y".repeat(5000)),
        format!("\"{}", "z".repeat(5000)),
    ] {
        let text = format!("It is <!-- from {source} -->x<!-- end -->");
        let message = filled(&text).expect_err("not to be filled");
        assert!(message.len() < 1000, "{} bytes", message.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// Filling twice gives the same text as filling once, and text outside of blocks stays as it is.
    #[test]
    fn filling_is_idempotent(before in "[a-zé |#\n]{0,30}", inside in "[a-z0-9é |\n]{0,30}", after in "[a-zé |\n]{0,30}") {
        let text = format!("{before}\n<!-- from table.md -->\n{inside}<!-- end -->{after}:<!-- from number.txt -->{inside}<!-- end -->");
        let once = filled(&text).expect("two blocks");
        let twice = filled(&once.text).expect("two blocks");
        prop_assert_eq!(&once.text, &twice.text);
        prop_assert!(twice.stale.is_empty());
        prop_assert!(once.text.starts_with(&before));
        let between = format!("<!-- end -->{after}:<!-- from number.txt -->");
        prop_assert!(once.text.contains(&between));
    }
}
