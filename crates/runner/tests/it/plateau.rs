//! `schedule = { plateau = … }`: the learning rate follows the validation loss, with one worker and with several.

use std::path::Path;

use crate::common::{TINY, epochs, in_folder, succeeds, write};

/// No epoch improves enough, so the rate becomes practically 0 after the second one.
const FROZEN: &str = "train.schedule={ plateau = { improvement = 0.99, factor = 1e-9 } }";

/// The validation losses of the first run.
fn losses(out: &str) -> Vec<f64> {
    let rows = epochs(Path::new(out)).into_iter();
    rows.filter(|row| row["seed"] == "1")
        .take(4)
        .map(|row| row["validation_loss"].parse().expect("a loss"))
        .collect()
}

#[test]
fn a_plateau_lowers_the_learning_rate() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(&folder, "tiny.toml", TINY);
    for (name, workers) in [
        ("alone", None),
        ("epochs", Some("epoch")),
        ("steps", Some("step")),
    ] {
        let parallel = workers.map(|average| {
            format!("train.parallel={{workers=2,average=\"{average}\",engine=\"turns\"}}")
        });
        let mut arguments = vec!["run", &config, "--set", "train.epochs=4"];
        arguments.extend(parallel.iter().flat_map(|set| ["--set", set]));
        let run = |name: &str, more: &[&str]| {
            let out = in_folder(&folder, name);
            succeeds(&[&arguments[..], &["--out", &out], more].concat());
            losses(&out)
        };
        let frozen = run(name, &["--set", FROZEN]);
        let rows = epochs(Path::new(&in_folder(&folder, name)));
        let factors: Vec<&str> = rows[..4].iter().map(|row| &*row["rate_factor"]).collect();
        let found: Vec<f64> = factors
            .iter()
            .map(|f| f.parse().expect("a factor"))
            .collect();
        assert_eq!(found, [1.0, 1.0, 1e-9, 1e-18], "{name}");
        let constant = run(&format!("{name}-constant"), &[]);
        assert_eq!(frozen[..2], constant[..2], "{name}");
        // Averaged parameters decay a little.
        assert!((frozen[3] - frozen[1]).abs() < 1e-5, "{name}: {frozen:?}");
        assert!((constant[3] - constant[1]).abs() > 1e-3, "{constant:?}");
    }
}
