//! `schedule = { plateau = … }`: the learning rate follows the validation loss, with one worker and with several.

use std::path::Path;

use crate::common::{TINY, epochs, in_folder, succeeds, write};

/// No epoch improves enough, so the rate becomes practically 0 after the second one.
const FROZEN: &str = "train.schedule={ plateau = { improvement = 0.99, factor = 1e-9 } }";

/// A column of the first run.
fn first_run(out: &str, column: &str) -> Vec<f64> {
    let rows = epochs(Path::new(out)).into_iter().take(4);
    rows.map(|row| row[column].parse().expect("a number"))
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
            let losses = first_run(&out, "validation_loss");
            (losses, first_run(&out, "rate_factor"))
        };
        let (frozen, factors) = run(name, &["--set", FROZEN]);
        assert_eq!(factors, [1.0, 1.0, 1e-9, 1e-18], "{name}");
        let (constant, factors) = run(&format!("{name}-constant"), &[]);
        assert_eq!(factors, [1.0; 4], "{name}");
        assert_eq!(frozen[..2], constant[..2], "{name}");
        // Averaged parameters decay a little.
        assert!((frozen[3] - frozen[1]).abs() < 1e-5, "{name}: {frozen:?}");
        assert!((constant[3] - constant[1]).abs() > 1e-3, "{constant:?}");
    }
}
