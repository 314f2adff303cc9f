//! Compares several strategies with a baseline over the same seeds.
//!
//! The design is a randomised block design: a value is the sum of an effect of the strategy, an effect of the seed, and noise. The
//! noise is estimated from all strategies together. With three seeds, a pair of strategies alone has two degrees of freedom, and now
//! and then its differences are nearly equal by chance. [`Dunnett`]'s test compares every strategy with the baseline.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::dunnett::Dunnett;
use super::{Change, POWER, Scale, Test, Tested, holm, mean, scaled};

/// Noise below this share of the values is a rounding error.
const ROUNDING: f64 = 1e-12;

/// Compares the values by seed of each row with those of the baseline. None for the baseline, and for rows without values.
///
/// Rows without common seeds are compared in pairs, with Holm's correction.
pub fn against_baseline(
    rows: &[Vec<(u64, f64)>],
    baseline: usize,
    scale: Scale,
) -> Vec<Option<Change>> {
    let in_pairs = rows.iter().enumerate().map(|(row, values)| {
        (row != baseline).then(|| Change::between(&rows[baseline], values, scale))?
    });
    let mut changes: Vec<Option<Change>> = in_pairs.collect();
    match Block::of(rows, baseline, scale) {
        Some(block) => {
            for (row, change) in block.changes(scale) {
                changes[row] = Some(change);
            }
            changes
        }
        None => corrected(changes),
    }
}

/// Corrects the p-values of some comparisons for their number.
pub fn corrected(changes: Vec<Option<Change>>) -> Vec<Option<Change>> {
    let p = |change: &Option<Change>| Some(change.as_ref()?.tested?.p);
    let ps = holm(&changes.iter().map(p).collect::<Vec<_>>());
    let changes = changes.into_iter().zip(ps);
    changes
        .map(|(change, p)| change.map(|change| change.with_p(p)))
        .collect()
}

/// The values of some rows for the same seeds, the baseline's first.
struct Block {
    rows: Vec<(usize, Vec<f64>)>,
}

impl Block {
    /// The rows that share two seeds or more with the baseline, and the seeds that all of them share. None if these are too few.
    fn of(rows: &[Vec<(u64, f64)>], baseline: usize, scale: Scale) -> Option<Self> {
        let first = scaled(&rows[baseline], scale)?;
        let mut seeds: Vec<u64> = first.iter().map(|&(seed, _)| seed).collect();
        let mut members = vec![(baseline, first)];
        for (row, values) in rows.iter().enumerate().filter(|(row, _)| *row != baseline) {
            let Some(values) = scaled(values, scale) else {
                continue;
            };
            let has = |seed: &u64| values.iter().any(|(own, _)| own == seed);
            let shared: Vec<u64> = seeds.iter().copied().filter(has).collect();
            if shared.len() > 1 {
                seeds = shared;
                members.push((row, values));
            }
        }
        let of_seed = |values: &[(u64, f64)], seed: u64| {
            let found = values.iter().find(|(own, _)| *own == seed);
            found.map(|&(_, value)| value)
        };
        let rows = members.into_iter().map(|(row, values)| {
            let values = seeds.iter().filter_map(|&seed| of_seed(&values, seed));
            (row, values.collect())
        });
        let block = Block {
            rows: rows.collect(),
        };
        (block.rows.len() > 1 && seeds.len() > 1).then_some(block)
    }

    fn seeds(&self) -> usize {
        self.rows[0].1.len()
    }

    /// The standard deviation of the noise, and its degrees of freedom.
    fn noise(&self) -> (f64, f64) {
        let (rows, seeds) = (self.rows.len(), self.seeds());
        let of_seed = |seed: usize| -> Vec<f64> {
            let values = self.rows.iter().map(|(_, values)| values[seed]);
            values.collect()
        };
        let seed_means: Vec<f64> = (0..seeds).map(|seed| mean(&of_seed(seed))).collect();
        let overall = mean(&seed_means);
        let (mut squares, mut largest) = (0.0, 0.0_f64);
        for (_, values) in &self.rows {
            let row_mean = mean(values);
            for (value, seed_mean) in values.iter().zip(&seed_means) {
                squares += (value - row_mean - seed_mean + overall).powi(2);
                largest = largest.max(value.abs());
            }
        }
        let degrees = ((rows - 1) * (seeds - 1)) as f64;
        let deviation = (squares / degrees).sqrt();
        let is_real = deviation > ROUNDING * largest;
        (if is_real { deviation } else { 0.0 }, degrees)
    }

    /// The change of every row from the baseline.
    fn changes(&self, scale: Scale) -> Vec<(usize, Change)> {
        let (deviation, degrees) = self.noise();
        let error = deviation * (2.0 / self.seeds() as f64).sqrt();
        let dunnett = Dunnett::new(self.rows.len() - 1, degrees);
        let half_width = if error > 0.0 {
            dunnett.critical() * error
        } else {
            0.0
        };
        let student = StudentsT::new(0.0, 1.0, degrees);
        let for_power = student.map_or(0.0, |student| student.inverse_cdf(POWER)) * error;
        let (_, first) = &self.rows[0];
        let changes = self.rows[1..].iter().map(|(row, values)| {
            let mut estimate = mean(values) - mean(first);
            if estimate.abs() <= ROUNDING * mean(first).abs() {
                estimate = 0.0;
            }
            let p = match error > 0.0 {
                true => dunnett.p(estimate / error),
                false => f64::from(u8::from(estimate == 0.0)),
            };
            let tested = Tested {
                test: Test::Dunnett,
                low: scale.back(estimate - half_width),
                high: scale.back(estimate + half_width),
                p,
                detectable: Some(scale.back(half_width + for_power)),
            };
            let change = Change {
                estimate: scale.back(estimate),
                tested: Some(tested),
            };
            (*row, change)
        });
        changes.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[f64]) -> Vec<(u64, f64)> {
        (1..).zip(values.iter().copied()).collect()
    }

    fn tested(change: Option<Change>) -> Tested {
        change.and_then(|change| change.tested).expect("a test")
    }

    #[test]
    fn one_strategy_is_compared_like_a_pair() {
        let rows = [row(&[1.0, 2.0, 4.0]), row(&[1.5, 2.2, 4.6])];
        let found = against_baseline(&rows, 0, Scale::Difference);
        let pair = Change::between(&rows[0], &rows[1], Scale::Difference).expect("a pair");
        assert_eq!(found[0], None);
        let (found, pair) = (tested(found[1]), tested(Some(pair)));
        assert!((found.p - pair.p).abs() < 1e-3, "{} {}", found.p, pair.p);
        assert!((found.low - pair.low).abs() < 1e-3 && (found.high - pair.high).abs() < 1e-3);
    }

    /// Three paired differences that happen to be nearly equal: a t-test of the pair alone is certain, this one is not.
    #[test]
    fn equal_differences_by_chance_are_not_significant() {
        let rows = [
            row(&[1.00, 1.10, 0.95]),
            row(&[1.02, 1.12, 0.971]),
            row(&[1.10, 0.98, 1.02]),
            row(&[0.93, 1.08, 1.05]),
        ];
        let pair = Change::between(&rows[0], &rows[1], Scale::Difference).expect("a pair");
        assert!(tested(Some(pair)).p < 0.001);
        let found = against_baseline(&rows, 0, Scale::Difference);
        assert!(tested(found[1]).p > 0.5);
    }

    #[test]
    fn effects_of_seeds_do_not_count_as_noise() {
        let rows = [
            row(&[1.0, 5.0, 9.0]),
            row(&[2.0, 6.1, 9.9]),
            row(&[1.1, 4.9, 9.0]),
        ];
        let found = against_baseline(&rows, 0, Scale::Difference);
        let first = tested(found[1]);
        assert!(first.p < 0.01 && first.low > 0.0, "{first:?}");
        assert!(tested(found[2]).p > 0.5);
        let detectable = first.detectable.expect("a size");
        assert!(
            detectable > first.high - 1.0 && detectable < 1.0,
            "{detectable}"
        );
    }

    #[test]
    fn numbers_without_noise_are_different_or_equal() {
        let rows = [
            row(&[0.1, 0.1, 0.1]),
            row(&[0.3, 0.3, 0.3]),
            row(&[0.1, 0.1, 0.1]),
        ];
        let found = against_baseline(&rows, 0, Scale::Ratio);
        assert_eq!(tested(found[1]).p, 0.0);
        assert!((tested(found[1]).low - 3.0).abs() < 1e-9);
        assert_eq!(tested(found[2]).p, 1.0);
    }

    #[test]
    fn a_row_without_common_seeds_does_not_spoil_the_others() {
        let other: Vec<(u64, f64)> = vec![(7, 1.0), (8, 2.0)];
        let rows = [row(&[1.0, 2.0, 3.0]), other, row(&[1.1, 2.0, 3.2])];
        let found = against_baseline(&rows, 0, Scale::Difference);
        assert_eq!(tested(found[1]).test, Test::Welch);
        assert_eq!(tested(found[2]).test, Test::Dunnett);
        let one_seed = against_baseline(&[row(&[1.0]), row(&[2.0])], 0, Scale::Difference);
        assert!(one_seed[1].is_some_and(|change| change.tested.is_none()));
    }
}
