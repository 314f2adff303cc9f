//! Learning rates of single strategies.

use std::path::Path;

use crate::common::{TINY, fails_with_usage, in_folder, learnt, succeeds, write};

fn of_strategy(out: &str, strategy: &str) -> Vec<String> {
    let rows = learnt(Path::new(out)).into_iter();
    rows.filter(|row| row.contains(strategy)).collect()
}

#[test]
fn a_strategy_can_have_its_own_learning_rate() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let run = |name: &str, set: &[&str]| {
        let out = in_folder(&folder, name);
        succeeds(&[&["run", &file, "--out", &out], set].concat());
        out
    };
    let usual = run("usual", &[]);
    let all = run("all", &["--set", "train.learning-rate=0.02"]);
    let own = run("own", &["--set", "strategy.0.learning-rate=0.02"]);
    assert_ne!(of_strategy(&all, "random"), of_strategy(&usual, "random"));
    assert_eq!(of_strategy(&own, "random"), of_strategy(&all, "random"));
    assert_eq!(of_strategy(&own, "sorted"), of_strategy(&usual, "sorted"));
    let said = fails_with_usage(&["run", &file, "--set", "strategy.0.learning-rate=0"]);
    assert!(said.contains("must be finite and above 0"), "{said}");
}
