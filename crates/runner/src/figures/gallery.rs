//! One picture per strategy, for the documentation: 48 utterances in batches of 8.

use padwise_sampler::{PlanError, Strategy};

use super::bars::Bars;
use crate::lengths::Lengths;

/// File name, title and one-line form of each picture.
const STRATEGIES: [(&str, &str, &str); 10] = [
    ("random", "random", "random,batch=8"),
    ("sorted", "sorted", "sorted,batch=8"),
    ("semi-sorted", "semi-sorted", "semi-sorted:lrf=0.1,batch=8"),
    ("alternated", "alternated", "alternated:bins=3,batch=8"),
    (
        "bucketed-count",
        "bucketed by count",
        "bucketed:count=16,batch=8",
    ),
    (
        "bucketed-width",
        "bucketed by width",
        "bucketed:width=400,batch=8",
    ),
    (
        "bucketed-optimal",
        "bucketed with optimal boundaries",
        "bucketed:optimal=4,batch=8,pad=bucket",
    ),
    ("smart", "smart", "smart,batch=8"),
    (
        "dynamic",
        "semi-sorted with dynamic batch sizes",
        "semi-sorted:lrf=0.1,dynamic=4",
    ),
    (
        "chunks",
        "random chunks with a frame budget",
        "random,chunk=400,frames=3200",
    ),
];

/// The pictures, each with its file name.
pub struct Gallery(pub(super) Vec<(&'static str, Bars)>);

impl Gallery {
    pub(super) fn new(lengths: &Lengths, seed: u64) -> Result<Self, PlanError> {
        let pictures = STRATEGIES.into_iter().map(|(file, title, line)| {
            let strategy: Strategy = line.parse().expect("a valid one-line form");
            let title = format!("{title}  ({line})");
            Ok((file, Bars::one(lengths, seed, &title, strategy)?))
        });
        pictures.collect::<Result<_, PlanError>>().map(Gallery)
    }
}
