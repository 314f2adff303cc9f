//! The default strategies of `analyze`: every family, with its paper's settings.

use padwise_sampler::{ParseStrategyError, Strategy};

use super::Candidate;

/// One or more strategies of every family, with this batch size.
pub fn every_family(batch_size: u32) -> Result<Vec<Candidate>, ParseStrategyError> {
    let dynamic = format!("semi-sorted:lrf=0.1,dynamic={batch_size},shuffle-batches");
    [
        "random",
        "sorted",
        "sorted,shuffle-batches",
        "alternated:bins=8",
        "alternated:bins=64",
        "semi-sorted:lrf=0.1,shuffle-batches",
        &dynamic,
        "bucketed:width=250,shuffle-batches",
        "bucketed:count=1024,shuffle-batches",
        "bucketed:mxnet,shuffle-batches,drop-last,pad=bucket",
        "bucketed:optimal=6,short-first,pad=bucket",
        "smart",
        "random,chunk=100,frames=5000",
    ]
    .into_iter()
    .map(|line| {
        Ok(Candidate {
            name: line.to_string(),
            strategy: Strategy::parse(line, batch_size)?,
        })
    })
    .collect()
}
