//! Comparisons of records with packs: the same corpus is recognised by checksums, or else by names.

use crate::common::{changed, findings, opened};
use padwise_report::compare::{Comparison, Verdict};
use padwise_report::findings::Findings;

/// The fixture `table2` on these packs, with the checksums of the packs in `identity.json`, if given.
fn on_packs(packs: &[&str], checksums: Option<&[&str]>) -> Findings {
    let folder = changed("table2", "config.toml", |text| {
        let (before, rest) = text.split_once("[corpus]").expect("a corpus");
        let (_, after) = rest.split_once("[model]").expect("a model");
        let corpus = match packs {
            [pack] => format!("pack = {pack:?}"),
            packs => format!("packs = {packs:?}"),
        };
        format!("{before}[corpus]\n{corpus}\nvalidation = {{ share = 0.1 }}\n\n[model]{after}")
    });
    if let Some(checksums) = checksums {
        let file = |(pack, checksum): (&&str, &&str)| {
            let name = pack.rsplit('/').next();
            serde_json::json!({ "file": name, "bytes": 1000, "checksum": checksum })
        };
        let files: Vec<_> = packs.iter().zip(checksums).map(file).collect();
        let identity = serde_json::json!({ "config": "1", "normalisation": "2", "corpus": files });
        let path = folder.path().join("identity.json");
        std::fs::write(path, identity.to_string()).expect("written");
    }
    opened(&folder)
}

fn refusal(old: &Findings, new: &Findings) -> Option<String> {
    let compared = Comparison::of(old, new, 0.05);
    compared.err().map(|error| error.to_string())
}

#[test]
fn packs_of_one_name_with_different_content_are_refused() {
    let (old, new) = (
        on_packs(&["a/train.pack"], Some(&["43247c"])),
        on_packs(&["b/train.pack"], Some(&["99b9ff"])),
    );
    insta::assert_snapshot!(refusal(&old, &new).expect("another corpus"));
    let (two, one) = (
        on_packs(&["a.pack", "b.pack"], Some(&["1", "2"])),
        on_packs(&["a.pack"], Some(&["1"])),
    );
    insta::assert_snapshot!(refusal(&two, &one).expect("another corpus"));
}

#[test]
fn a_renamed_pack_is_the_same_corpus() {
    let (old, new) = (
        on_packs(&["a/train.pack"], Some(&["43247c"])),
        on_packs(&["b/renamed.pack"], Some(&["43247c"])),
    );
    assert_eq!(refusal(&old, &new), None);
}

#[test]
fn without_checksums_names_are_compared_with_a_warning() {
    let with = on_packs(&["a/train.pack"], Some(&["43247c"]));
    let without = on_packs(&["b/train.pack"], None);
    let comparison = Comparison::of(&with, &without, 0.05).expect("the same name");
    let doubts = comparison.doubts.join("\n");
    assert!(
        doubts.contains("the second record has no checksums of its corpus"),
        "{doubts}"
    );
    assert!(refusal(&with, &on_packs(&["other.pack"], None)).is_some());
    // A synthetic corpus has no files.
    let synthetic = findings("table2");
    let comparison = Comparison::of(&synthetic, &synthetic, 0.05).expect("the same task");
    assert!(comparison.doubts.is_empty());
}

#[test]
fn word_error_rates_on_different_test_sets_are_not_compared() {
    let other = changed("words", "test-utterances.csv", |text| {
        text.replace("utt-000,", "other-000,")
    });
    let other = opened(&other);
    let comparison = Comparison::of(&findings("words"), &other, 0.05).expect("the same task");
    let rates = comparison.compared.iter();
    let mut rates = rates.filter(|one| one.measure == "test_word_error_percent");
    assert!(rates.clone().count() > 0);
    assert!(rates.all(|one| one.verdict == Verdict::Missing && one.ratio.is_none()));
    let doubts = comparison.doubts.join("\n");
    assert!(doubts.contains("different test utterances"), "{doubts}");
}
