//! What must hold of any document, and what is said of those that cannot be filled.

use proptest::prelude::*;

use super::*;

fn filled(text: &str) -> Result<Spliced, String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("table.md"), "| a |\n| 1 |\n").expect("writable");
    std::fs::write(folder.path().join("number.txt"), "42\n").expect("writable");
    splice_text(text, Path::new("README.md"), folder.path()).map_err(|error| error.to_string())
}

#[test]
fn lines_and_words_are_filled() {
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
fn text_about_blocks_is_left_alone() {
    let text = "Write `<!-- from FILE -->`:\n```\n<!-- from FILE -->\n```\n<!-- from number.txt -->x<!-- end -->";
    assert_eq!(filled(text).expect("one block").blocks, 1);
}

#[test]
fn what_cannot_be_filled_is_said() {
    let said = |text: &str| filled(text).expect_err("not to be filled");
    insta::assert_snapshot!(said("nothing"), @"README.md has no block to fill: mark one with `<!-- from FILE -->` and `<!-- end -->`");
    insta::assert_snapshot!(said("\n<!-- from table.md -->\n"), @"README.md:2: the block from `table.md` has no end: close it with `<!-- end -->`");
    insta::assert_snapshot!(said("<!-- from a.md -->\n<!-- from table.md -->\n<!-- end -->"), @"README.md:1: the block from `a.md` has no end: close it with `<!-- end -->`");
    insta::assert_snapshot!(said("<!-- from table.md\n-->\n<!-- end -->"), @"README.md:1: a block's first comment has no end: write `<!-- from FILE -->` in one line");
    insta::assert_snapshot!(said("<!-- from none.md -->\n<!-- end -->"), @"README.md:1: cannot read none.md: No such file or directory (os error 2)");
    insta::assert_snapshot!(said("<!-- from table.md speed -->\n<!-- end -->"), @"README.md:1: `speed` of `table.md`, which is no folder of results: a file is shown whole");
    insta::assert_snapshot!(said("<!-- from \"table.md -->\n<!-- end -->"), @r#"README.md:1: a quote in `"table.md` has no end"#);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// Filling twice is filling once, and what is outside of blocks stays as it is, whatever is around and inside.
    #[test]
    fn filling_is_idempotent(before in "[a-zé |#\n]{0,30}", inside in "[a-z0-9é |\n]{0,30}", after in "[a-zé |\n]{0,30}") {
        let text = format!("{before}\n<!-- from table.md -->\n{inside}<!-- end -->{after}<!-- from number.txt -->{inside}<!-- end -->");
        let once = filled(&text).expect("two blocks");
        let twice = filled(&once.text).expect("two blocks");
        prop_assert_eq!(&once.text, &twice.text);
        prop_assert!(twice.stale.is_empty());
        prop_assert!(once.text.starts_with(&before));
        let between = format!("<!-- end -->{after}<!-- from number.txt -->");
        prop_assert!(once.text.contains(&between));
    }
}
