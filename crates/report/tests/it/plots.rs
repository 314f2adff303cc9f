//! Plots: any change of a drawing changes its hash.

use padwise_report::plots::{self, StrategyStyles};

use crate::common::findings;

/// FNV-1a, which is the same everywhere.
fn hash(text: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[test]
fn drawings_are_the_same() {
    let mut lines = Vec::new();
    for name in ["table2", "buckets", "one-seed", "troubled", "workers"] {
        let findings = findings(name);
        let rows = &findings.recorded.config.strategy;
        let styles = StrategyStyles::of(rows);
        for plot in plots::all(&findings, &styles).expect("drawn") {
            lines.push(format!(
                "{name}/{} {:016x}",
                plot.stem,
                hash(&plot.picture.svg)
            ));
        }
    }
    insta::assert_snapshot!("hashes", lines.join("\n"));
}
