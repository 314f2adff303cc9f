//! Tests several comparisons together, so that all their confidence intervals hold at once.
//!
//! Every change is divided by its standard deviation. The critical value is exceeded by the largest of these ratios in 5 % of the
//! replicates (max-t; Westfall and Young, "Resampling-Based Multiple Testing", 1993). Comparisons with one baseline are correlated,
//! and the replicates contain this correlation. For losses, Dunnett's test does the same.

use super::{Comparison, SIGNIFICANT, Test, Tested, share};
use crate::statistics::mean;

/// A comparison whose replicates vary.
struct Standardised<'a> {
    comparison: &'a Comparison,
    /// The mean of the replicates and their standard deviation, on the scale on which changes are tested.
    centre: f64,
    deviation: f64,
}

impl<'a> Standardised<'a> {
    fn new(comparison: &'a Comparison) -> Option<Self> {
        let tested = |&change: &f64| comparison.scale.tested(change);
        let changes: Vec<f64> = comparison.changes.iter().map(tested).collect();
        Some(Standardised {
            comparison,
            centre: mean(&changes),
            deviation: comparison.deviation()?,
        })
    }

    /// How many standard deviations a replicate is from the mean of all.
    fn distance(&self, replicate: usize) -> f64 {
        let Comparison { scale, changes, .. } = self.comparison;
        ((scale.tested(changes[replicate]) - self.centre) / self.deviation).abs()
    }

    /// The test, given the largest distance of any comparison in each replicate, ascending.
    fn tested(&self, largest: &[f64]) -> Tested {
        let scale = self.comparison.scale;
        let estimate = scale.tested(self.comparison.estimate);
        let distance = (estimate / self.deviation).abs();
        let beyond = largest.len() - largest.partition_point(|&one| one < distance);
        let most = (largest.len() as f64 * (1.0 - SIGNIFICANT)).ceil() as usize;
        let critical = largest[most.min(largest.len() - 1)];
        let half_width = critical * self.deviation;
        Tested {
            test: Test::Bootstrap,
            low: scale.back(estimate - half_width),
            high: scale.back(estimate + half_width),
            p: share(beyond, largest.len()),
            detectable: self.comparison.detectable(critical),
        }
    }
}

/// The test of each comparison. A comparison whose replicates do not vary is tested alone.
pub(super) fn together(comparisons: &[Option<Comparison>]) -> Vec<Option<Tested>> {
    let standardised = comparisons
        .iter()
        .map(|comparison| Standardised::new(comparison.as_ref()?));
    let standardised: Vec<Option<Standardised>> = standardised.collect();
    let replicates = comparisons.iter().flatten().map(|one| one.changes.len());
    let replicates = replicates.min().unwrap_or(0);
    let largest = (0..replicates).map(|replicate| {
        let distances = standardised.iter().flatten();
        let distances = distances.map(|one| one.distance(replicate));
        distances.fold(0.0, f64::max)
    });
    let mut largest: Vec<f64> = largest.collect();
    largest.sort_by(f64::total_cmp);
    let tested = comparisons.iter().zip(&standardised);
    tested
        .map(|(comparison, standardised)| match standardised {
            Some(standardised) => Some(standardised.tested(&largest)),
            None => comparison.as_ref()?.tested(),
        })
        .collect()
}
