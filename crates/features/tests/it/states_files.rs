//! Files of states, and what is refused: damaged files and corpora without suitable labels.

use std::sync::Arc;

use padwise_features::Corpus;
use padwise_features::raw::RawCorpus;
use padwise_features::states::{StateInventory, StateKind, StateLabelled};

use crate::states::{self, Made, learn, planted};

#[test]
fn saved_states_are_read_back() {
    let corpus = planted(10);
    for kind in [StateKind::Phones, StateKind::Thirds, StateKind::Tied(40)] {
        let states = learn(&corpus, kind);
        let text = serde_json::to_string(&states).expect("JSON");
        let again: StateInventory = serde_json::from_str(&text).expect("saved states");
        assert_eq!(again, states);
    }
    let text = serde_json::to_string(&learn(&corpus, StateKind::Thirds)).expect("JSON");
    let expected = r#"{"kind":"thirds","phones":["SIL","A","B","C","D","E"]}"#;
    assert_eq!(text, expected);
}

#[test]
fn damaged_states_are_refused() {
    let read = |text: &str| match serde_json::from_str::<StateInventory>(text) {
        Ok(states) => format!("{states:?}"),
        Err(error) => error.to_string(),
    };
    let tied = |tying: &str| {
        read(&format!(
            r#"{{"kind": {{"tied": 4}}, "phones": ["A"], "tying": {tying}}}"#
        ))
    };
    let messages = [
        read(r#"{"kind": "thirds", "phones": []}"#),
        read(r#"{"kind": "thirds", "phones": ["A", "A"]}"#),
        read(&r#"{"kind": "thirds", "phones": ["A"]}"#.replace('A', &"A".repeat(101))),
        read(r#"{"kind": "thirds", "phones": ["A"], "more": 1}"#),
        read(r#"{"kind": {"tied": 9}, "phones": ["A"]}"#),
        read(
            r#"{"kind": "phones", "phones": ["A"], "tying": {"gain": 0, "questions": [], "trees": []}}"#,
        ),
        tied(r#"{"gain": -1, "questions": [], "trees": []}"#),
        tied(r#"{"gain": 0, "questions": [[1]], "trees": []}"#),
        tied(r#"{"gain": 0, "questions": [[0, 0]], "trees": []}"#),
        tied(r#"{"gain": 0, "questions": [], "trees": [["leaf"]]}"#),
        tied(
            r#"{"gain": 0, "questions": [[0]], "trees": [["leaf"], ["leaf"], [{"left": 1}, "leaf", "leaf"]]}"#,
        ),
        tied(
            r#"{"gain": 0, "questions": [[0]], "trees": [["leaf"], ["leaf"], [{"left": 0}, "leaf"]]}"#,
        ),
        tied(r#"{"gain": 0, "questions": [[0]], "trees": [["leaf"], ["leaf"], ["leaf", "leaf"]]}"#),
        tied(
            r#"{"gain": 0, "questions": [[0]], "trees": [["leaf"], ["leaf"], [{"left": 0}, {"right": 0}, "leaf", "leaf", "leaf"]]}"#,
        ),
        read(
            r#"{"kind": {"tied": 9}, "phones": ["sil"], "tying": {"gain": 0, "questions": [[0]], "trees": [["leaf"], ["leaf"], [{"left": 0}, "leaf", "leaf"]]}}"#,
        ),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r#"
    invalid states: no phones
    two phones are named `A`: give every class a different name
    a phone has a name of 101 bytes, AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA: at most 100 are supported
    unknown field `more`, expected one of `kind`, `phones`, `tying` at line 1 column 42
    invalid states: tied states without trees
    invalid states: only tied states have trees
    invalid states: a gain of -1
    invalid states: question 0 is not a sorted list of phones
    invalid states: question 0 is not a sorted list of phones
    invalid states: 1 trees, not 3
    invalid states: tree 2 asks question 1, but there are 1, numbered from 0
    invalid states: tree 2 is incomplete or has nodes after its end
    invalid states: tree 2 is incomplete or has nodes after its end
    invalid states: 5 tied states, more than 4
    invalid states: tree 2 belongs to silence but has questions
    "#);
}

#[test]
fn unsuitable_corpora_are_refused() {
    let corpus = Made::of_labels(&["SIL", "A"], vec![vec![0, 1, 2]]);
    let learn = |corpus: &dyn Corpus, kind| match StateInventory::learn(corpus, &[0], kind) {
        Ok(states) => format!("{states:?}"),
        Err(error) => error.to_string(),
    };
    let many: Vec<String> = (0..1500).map(|class| class.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let other = Made::of_labels(&["SIL", "B"], vec![]);
    let fewer = Made::of_labels(&["SIL"], vec![]);
    let thirds = Arc::new(states::learn(&corpus, StateKind::Thirds));
    let wrapped = |corpus| match StateLabelled::new(corpus, thirds.clone()) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    };
    let unlabelled = RawCorpus::default();
    let messages = [
        learn(&corpus, StateKind::Tied(5)),
        learn(&corpus, StateKind::Tied(70_000)),
        learn(&corpus, StateKind::Tied(9)),
        learn(
            &Made::of_labels(&many, vec![vec![0]]),
            StateKind::Tied(9_000),
        ),
        learn(&unlabelled, StateKind::Thirds),
        wrapped(other),
        wrapped(fewer),
        match StateLabelled::new(corpus, thirds.clone())
            .expect("the same phones")
            .read(0)
        {
            Ok(_) => "read".into(),
            Err(error) => error.to_string(),
        },
    ];
    insta::assert_snapshot!(messages.join("\n"), @r#"
    5 tied states for 2 phones: use at least 6, 3 per phone
    70000 states: at most 65535 are supported
    utterance made has label 2, but there are 2 phones, numbered from 0
    tied states need phone labels, but the corpus has 1500 classes (at most 1000): its labels seem to be states already
    states need phone labels, but the corpus has no frame labels: prepare it with --labels
    the corpus has other phones than the states (`B` as number 1 and `A` as number 1): learn the states on a corpus with the same labels
    the corpus has other phones than the states (1 and 2): learn the states on a corpus with the same labels
    utterance made has label 2, but there are 2 phones, numbered from 0
    "#);
}
