//! `model.padding = "packed"`: runs learn as with padded batches, with dropout and with several workers.

use std::path::Path;

use crate::common::{TINY, epochs, in_folder, succeeds, write};

/// Training and validation losses of all runs.
fn losses(out: &str) -> Vec<[f64; 2]> {
    let rows = epochs(Path::new(out)).into_iter();
    rows.map(|row| ["train_loss", "validation_loss"].map(|name| row[name].parse().expect("a loss")))
        .collect()
}

#[test]
fn packed_runs_learn_like_padded_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = write(&folder, "tiny.toml", TINY);
    let workers = "train.parallel={workers=2,average=\"step\",engine=\"turns\"}";
    for (name, more) in [
        ("alone", vec![]),
        ("dropout", vec!["--set", "model.dropout=0.3"]),
        ("workers", vec!["--set", workers]),
    ] {
        let run = |padding: &str| {
            let out = in_folder(&folder, &format!("{name}-{padding}"));
            let set = format!("model.padding={padding:?}");
            let arguments = ["run", &config, "--out", &out, "--set", &set];
            succeeds(&[&arguments, &more[..]].concat());
            losses(&out)
        };
        let (padded, packed) = (run("padded"), run("packed"));
        assert_eq!(padded.len(), packed.len(), "{name}");
        for (padded, packed) in padded.iter().flatten().zip(packed.iter().flatten()) {
            assert!(
                (padded - packed).abs() < 1e-4 * padded,
                "{name}: {padded} {packed}"
            );
        }
    }
}
