//! Significance tests and confidence intervals over seeds, and over the utterances of a test set.
//!
//! Runs with the same seed start from the same parameters. [`against_baseline`] compares the strategies of an experiment: a randomised
//! block design with seeds as blocks, and Dunnett's test. [`Change::between`] compares two sets of runs, paired by seed (paired
//! t-test); without common seeds it treats them as independent (Welch's t-test). Speed and memory are compared as ratios, by testing
//! their logarithms; losses are compared as differences. With one seed there is an estimate but no test.
//!
//! Word error rates on a test set are compared by a [`bootstrap()`] over utterances and seeds.

mod blocks;
mod bootstrap;
mod dunnett;
mod holm;
mod interval;
mod least_squares;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

pub use blocks::{against_baseline, in_pairs};
pub use bootstrap::{Pair, Resampled, SeedErrors, bootstrap};
pub use holm::holm;
pub use interval::ConfidenceInterval;
pub use least_squares::least_squares;

/// The significance level: differences with a smaller p-value are significant.
pub const SIGNIFICANT: f64 = 0.05;

/// The probability with which a difference of the detectable size is found.
const POWER: f64 = 0.8;

/// The 97.5 % quantile of Student's t-distribution.
pub fn student_quantile(degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::NAN, |student| student.inverse_cdf(0.975))
}

/// The scale on which values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// New value / old value; values must be positive.
    Ratio,
    /// New value − old value.
    Difference,
}

impl Scale {
    /// The change on the scale on which it is tested: logarithms of ratios.
    fn tested(self, change: f64) -> f64 {
        match self {
            Scale::Ratio => change.ln(),
            Scale::Difference => change,
        }
    }

    /// Back from the scale on which it is tested.
    fn back(self, change: f64) -> f64 {
        match self {
            Scale::Ratio => change.exp(),
            Scale::Difference => change,
        }
    }
}

/// A significance test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Dunnett's test in a randomised block design.
    Dunnett,
    /// t-test with the noise of a randomised block design.
    Blocks,
    /// Paired t-test.
    Paired,
    /// Welch's t-test for independent samples.
    Welch,
    /// Paired bootstrap over utterances and seeds.
    Bootstrap,
}

/// The result of a significance test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tested {
    /// The test.
    pub test: Test,
    /// The lower end of the 95 % confidence interval of the change.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The two-sided p-value.
    pub p: f64,
    /// The size of a change that the test finds four times out of five.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
}

/// The change from one set of runs to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The ratio (of geometric means) or the difference (of means).
    pub estimate: f64,
    /// The test; none with too few seeds.
    pub tested: Option<Tested>,
}

impl Change {
    /// Compares values by seed. None if a side has no values, or if a ratio is undefined.
    pub fn between(old: &[(u64, f64)], new: &[(u64, f64)], scale: Scale) -> Option<Self> {
        let (old_values, new_values) = (scaled(old, scale)?, scaled(new, scale)?);
        let differences = paired(&old_values, &new_values);
        if differences.is_empty() {
            return Change::independent(old, new, scale);
        }
        let spread = Spread::of_one(&differences);
        Some(Change::of(mean(&differences), spread, Test::Paired, scale))
    }

    /// Compares values that are not paired by seed, such as the speeds of two machines.
    pub fn independent(old: &[(u64, f64)], new: &[(u64, f64)], scale: Scale) -> Option<Self> {
        let (old, new) = (values(&scaled(old, scale)?), values(&scaled(new, scale)?));
        let spread = Spread::of_two(&old, &new);
        let estimate = mean(&new) - mean(&old);
        Some(Change::of(estimate, spread, Test::Welch, scale))
    }

    fn of(estimate: f64, spread: Option<Spread>, test: Test, scale: Scale) -> Self {
        let tested = spread.map(|spread| Tested {
            test,
            low: scale.back(estimate - spread.half_width()),
            high: scale.back(estimate + spread.half_width()),
            p: spread.p(estimate),
            detectable: spread.detectable().map(|size| scale.back(size)),
        });
        Change {
            estimate: scale.back(estimate),
            tested,
        }
    }

    /// Whether the change is statistically significant; none without a test.
    pub fn is_significant(&self) -> Option<bool> {
        self.tested.map(|tested| tested.p < SIGNIFICANT)
    }

    /// Whether a difference is smaller than a margin in both directions, by its confidence interval: two one-sided tests (TOST) at
    /// the 2.5 % level.
    pub fn is_equivalent(&self, margin: f64) -> bool {
        self.tested
            .is_some_and(|tested| tested.low > -margin && tested.high < margin)
    }

    /// Whether a difference is below a margin, by its confidence interval.
    pub fn is_below(&self, margin: f64) -> bool {
        self.tested.is_some_and(|tested| tested.high < margin)
    }

    /// Replaces the p-value, for example with a corrected one.
    pub fn with_p(mut self, p: Option<f64>) -> Self {
        if let (Some(tested), Some(p)) = (&mut self.tested, p) {
            tested.p = p;
        }
        self
    }
}

fn scaled(values: &[(u64, f64)], scale: Scale) -> Option<Vec<(u64, f64)>> {
    let scaled = values.iter().map(|&(seed, value)| match scale {
        Scale::Ratio => (value > 0.0).then(|| (seed, value.ln())),
        Scale::Difference => Some((seed, value)),
    });
    let scaled: Vec<(u64, f64)> = scaled.collect::<Option<_>>()?;
    (!scaled.is_empty()).then_some(scaled)
}

/// The differences for the common seeds.
fn paired(old: &[(u64, f64)], new: &[(u64, f64)]) -> Vec<f64> {
    let of = |&(seed, old): &(u64, f64)| {
        let (_, new) = new.iter().find(|(other, _)| *other == seed)?;
        Some(new - old)
    };
    old.iter().filter_map(of).collect()
}

fn values(pairs: &[(u64, f64)]) -> Vec<f64> {
    pairs.iter().map(|&(_, value)| value).collect()
}

/// The mean; NaN without values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median; NaN without values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.len() / 2;
    match sorted.as_slice() {
        [] => f64::NAN,
        odd if odd.len() % 2 == 1 => odd[upper],
        even => (even[upper - 1] + even[upper]) / 2.0,
    }
}

/// The squared standard error of the mean.
fn squared_error(values: &[f64]) -> f64 {
    let (count, mean) = (values.len() as f64, mean(values));
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (count - 1.0) / count
}

/// The standard error of an estimate and its degrees of freedom.
struct Spread {
    error: f64,
    degrees: f64,
}

impl Spread {
    fn of_one(values: &[f64]) -> Option<Self> {
        (values.len() > 1).then(|| Spread {
            error: squared_error(values).sqrt(),
            degrees: values.len() as f64 - 1.0,
        })
    }

    fn of_two(old: &[f64], new: &[f64]) -> Option<Self> {
        if old.len() < 2 || new.len() < 2 {
            return None;
        }
        let (old_error, new_error) = (squared_error(old), squared_error(new));
        let total = old_error + new_error;
        let old_part = old_error.powi(2) / (old.len() - 1) as f64;
        let new_part = new_error.powi(2) / (new.len() - 1) as f64;
        let degrees = if total > 0.0 {
            total.powi(2) / (old_part + new_part)
        } else {
            (old.len() + new.len() - 2) as f64
        };
        Some(Spread {
            error: total.sqrt(),
            degrees,
        })
    }

    fn half_width(&self) -> f64 {
        // Without variation the interval has no width, and the quantile may be undefined.
        if self.error > 0.0 {
            student_quantile(self.degrees) * self.error
        } else {
            0.0
        }
    }

    /// The size of a difference that is found with probability [`POWER`]. None without variation.
    fn detectable(&self) -> Option<f64> {
        let student = StudentsT::new(0.0, 1.0, self.degrees).ok()?;
        let size = self.half_width() + student.inverse_cdf(POWER) * self.error;
        (self.error > 0.0).then_some(size)
    }

    fn p(&self, estimate: f64) -> f64 {
        if self.error <= 0.0 {
            return if estimate == 0.0 { 1.0 } else { 0.0 };
        }
        let t = (estimate / self.error).abs();
        StudentsT::new(0.0, 1.0, self.degrees).map_or(1.0, |student| 2.0 * student.sf(t))
    }
}

#[cfg(test)]
mod tests;
