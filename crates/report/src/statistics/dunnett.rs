//! Dunnett's test: several strategies against one baseline (Dunnett, 1955).
//!
//! All comparisons share the baseline and the estimate of the spread, so they are not independent. The test uses the distribution of
//! the largest of their t-values. It finds more than a correction that ignores this, such as Holm's, and its intervals hold for all
//! strategies at once.

use std::collections::BTreeMap;
use std::f64::consts::{PI, SQRT_2};
use std::sync::{Arc, LazyLock, Mutex};

use statrs::function::erf::erfc;
use statrs::function::gamma::ln_gamma;

use super::SIGNIFICANT;

/// Distances between the means of two samples, in standard errors of one, at which probabilities are tabulated.
const DISTANCES: usize = 1_200;
/// The largest of them. Larger ones do not occur by chance.
const MOST: f64 = 12.0;
/// Points at which the baseline's deviation is integrated, and their range.
const DEVIATIONS: usize = 100;
const MOST_DEVIATION: f64 = 8.0;
/// Intervals in which the spread is integrated.
const SPREADS: usize = 800;

/// The distribution of the largest |t| of some comparisons with one baseline, if no strategy differs from it.
#[derive(Clone, Debug)]
pub struct Dunnett {
    degrees: f64,
    /// The probability that any strategy is at least this far from the baseline, by distance.
    exceeds: Arc<[f64]>,
}

impl Dunnett {
    /// For this many comparisons. The spread has been estimated with this many degrees of freedom.
    pub fn new(comparisons: usize, degrees: f64) -> Self {
        static TABLES: LazyLock<Mutex<BTreeMap<usize, Arc<[f64]>>>> = LazyLock::new(Mutex::default);
        let mut tables = match TABLES.lock() {
            Ok(tables) => tables,
            Err(poisoned) => poisoned.into_inner(),
        };
        let exceeds = tables.entry(comparisons);
        let exceeds = exceeds.or_insert_with(|| table(comparisons)).clone();
        Self { degrees, exceeds }
    }

    /// The probability of a |t| of at least this in any comparison.
    pub fn p(&self, t: f64) -> f64 {
        let t = t.abs();
        if !t.is_finite() {
            return 0.0;
        }
        let width = 9.0 / (2.0 * self.degrees).sqrt();
        let (low, high) = ((1.0 - width).max(0.0), 1.0 + width);
        let step = (high - low) / SPREADS as f64;
        let sum: f64 = (0..=SPREADS)
            .map(|index| {
                let spread = low + step * index as f64;
                // Simpson's rule.
                let weight = match index {
                    0 | SPREADS => 1.0,
                    odd if odd % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                weight * self.density(spread) * self.exceeds(SQRT_2 * t * spread)
            })
            .sum();
        (sum * step / 3.0).clamp(0.0, 1.0)
    }

    /// The |t| that is significant.
    pub fn critical(&self) -> f64 {
        let (mut low, mut high) = (0.0, 1_000.0);
        while high - low > 1e-6 * high {
            let middle = 0.5 * (low + high);
            if self.p(middle) > SIGNIFICANT {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// The density of the estimated spread, relative to the true one.
    fn density(&self, spread: f64) -> f64 {
        let half = 0.5 * self.degrees;
        if spread <= 0.0 {
            return if self.degrees == 1.0 {
                (2.0 / PI).sqrt()
            } else {
                0.0
            };
        }
        let log = half * half.ln() - ln_gamma(half) + (self.degrees - 1.0) * spread.ln()
            - half * spread * spread;
        2.0 * log.exp()
    }

    fn exceeds(&self, distance: f64) -> f64 {
        let at = distance / MOST * DISTANCES as f64;
        let index = at as usize;
        match self.exceeds.get(index..index + 2) {
            Some(&[low, high]) => low + (at - index as f64) * (high - low),
            _ => 0.0,
        }
    }
}

/// The probability that the largest of some differences from a common standard normal number is at least each distance.
fn table(comparisons: usize) -> Arc<[f64]> {
    let step = 2.0 * MOST_DEVIATION / DEVIATIONS as f64;
    let of = |index: usize| {
        let distance = MOST * index as f64 / DISTANCES as f64;
        let sum: f64 = (0..=DEVIATIONS)
            .map(|index| {
                let deviation = step * index as f64 - MOST_DEVIATION;
                let outside = above(deviation + distance) + above(distance - deviation);
                let density = (-0.5 * deviation * deviation).exp() / (2.0 * PI).sqrt();
                // One minus the power, exact for small numbers.
                density * -(comparisons as f64 * (-outside.min(1.0)).ln_1p()).exp_m1()
            })
            .sum();
        (sum * step).min(1.0)
    };
    (0..=DISTANCES).map(of).collect()
}

/// The probability that a standard normal number is above this.
fn above(value: f64) -> f64 {
    0.5 * erfc(value / SQRT_2)
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF, StudentsT};

    use super::*;

    #[test]
    fn one_comparison_is_a_t_test() {
        for degrees in [1.0, 2.0, 4.0, 14.0, 200.0] {
            let student = StudentsT::new(0.0, 1.0, degrees).expect("degrees");
            let dunnett = Dunnett::new(1, degrees);
            for t in [0.0, 0.5, 2.0, 5.0] {
                let expected = 2.0 * student.sf(t);
                let found = dunnett.p(t);
                assert!(
                    (found - expected).abs() < 2e-4,
                    "{degrees}, {t}: {found}, not {expected}"
                );
            }
        }
    }

    /// Critical values of Dunnett's table (1964, two-sided, 5 %).
    #[test]
    fn critical_values_are_those_of_the_table() {
        for (comparisons, degrees, expected) in [
            (2, 10.0, 2.57),
            (3, 10.0, 2.76),
            (5, 10.0, 2.99),
            (2, 20.0, 2.38),
            (5, 20.0, 2.73),
            (9, 60.0, 2.77),
            (2, 5.0, 3.03),
        ] {
            let found = Dunnett::new(comparisons, degrees).critical();
            assert!(
                (found - expected).abs() < 0.01,
                "{comparisons}, {degrees}: {found}"
            );
        }
    }

    /// Probabilities of a multivariate t-distribution with correlations of one half, as integrated by SciPy 1.17.
    #[test]
    fn probabilities_are_those_of_the_multivariate_t_distribution() {
        for (comparisons, degrees, t, expected) in [(4, 8.0, 2.5, 0.1073), (10, 18.0, 3.2, 0.0344)]
        {
            let found = Dunnett::new(comparisons, degrees).p(t);
            assert!(
                (found - expected).abs() < 2e-4,
                "{comparisons}, {degrees}: {found}"
            );
        }
    }

    #[test]
    fn more_comparisons_need_larger_differences() {
        let p = |comparisons| Dunnett::new(comparisons, 8.0).p(2.5);
        assert!(p(1) < p(2) && p(2) < p(10) && p(10) < 10.0 * p(1));
        assert_eq!(Dunnett::new(3, 8.0).p(f64::INFINITY), 0.0);
    }
}
