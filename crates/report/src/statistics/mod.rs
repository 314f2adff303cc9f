//! How much one thing differs from another, and whether seeds tell them apart.
//!
//! Strategies that are run with the same seeds begin with the same parameters, so seeds pair them: [`Change::between`]
//! tests the differences of the seeds that both have (Student's paired test), and without any in common takes the two as
//! independent, with variances of their own (Welch's). Speeds and memory are compared as ratios, which means that their logarithms are tested; losses as
//! differences. With one seed there is an estimate and nothing more.

mod holm;
mod interval;
mod least_squares;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

pub use holm::holm;
pub use interval::ConfidenceInterval;
pub use least_squares::least_squares;

/// Differences with a p below this are called differences.
pub const SIGNIFICANT: f64 = 0.05;

/// The 97.5 % quantile of Student's distribution.
pub fn student_quantile(degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::NAN, |student| student.inverse_cdf(0.975))
}

/// What a change is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The new value over the old one; values must be positive.
    Ratio,
    /// The new value less the old one.
    Difference,
}

/// Which test was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// Student's, on the differences of pairs.
    Paired,
    /// Welch's, on two independent samples.
    Welch,
}

/// What a test found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tested {
    /// Which test.
    pub test: Test,
    /// The lower end of the 95 % interval of the change.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How often chance alone would do as much.
    pub p: f64,
}

/// From one thing to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The ratio (of geometric means) or the difference (of means).
    pub estimate: f64,
    /// What seeds say of it; none with fewer than two on either side.
    pub tested: Option<Tested>,
}

impl Change {
    /// Between values by seed. None where a side has no value, or a ratio is asked of values that have none.
    pub fn between(old: &[(u64, f64)], new: &[(u64, f64)], scale: Scale) -> Option<Self> {
        let (old_values, new_values) = (scaled(old, scale)?, scaled(new, scale)?);
        let differences = paired(&old_values, &new_values);
        if differences.is_empty() {
            return Change::independent(old, new, scale);
        }
        let spread = Spread::of_one(&differences);
        Some(Change::of(mean(&differences), spread, Test::Paired, scale))
    }

    /// The same, between values that seeds do not pair, such as the speeds of two machines.
    pub fn independent(old: &[(u64, f64)], new: &[(u64, f64)], scale: Scale) -> Option<Self> {
        let (old, new) = (values(&scaled(old, scale)?), values(&scaled(new, scale)?));
        let spread = Spread::of_two(&old, &new);
        let estimate = mean(&new) - mean(&old);
        Some(Change::of(estimate, spread, Test::Welch, scale))
    }

    fn of(estimate: f64, spread: Option<Spread>, test: Test, scale: Scale) -> Self {
        let back = |value: f64| match scale {
            Scale::Ratio => value.exp(),
            Scale::Difference => value,
        };
        let tested = spread.map(|spread| Tested {
            test,
            low: back(estimate - spread.half_width()),
            high: back(estimate + spread.half_width()),
            p: spread.p(estimate),
        });
        Change {
            estimate: back(estimate),
            tested,
        }
    }

    /// Whether seeds tell the two apart; none where nothing could be tested.
    pub fn is_significant(&self) -> Option<bool> {
        self.tested.map(|tested| tested.p < SIGNIFICANT)
    }

    /// The same with another p, such as one corrected for several comparisons.
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

/// The differences of the seeds that both have.
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

/// The mean; not a number where there is no value.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median, between the two in the middle of an even number; not a number where there is no value.
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

/// The square of a mean's standard error.
fn squared_error(values: &[f64]) -> f64 {
    let (count, mean) = (values.len() as f64, mean(values));
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / (count - 1.0) / count
}

/// How uncertain an estimate is.
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
        // Values that do not vary leave no doubt, whatever the quantile.
        if self.error > 0.0 {
            student_quantile(self.degrees) * self.error
        } else {
            0.0
        }
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
