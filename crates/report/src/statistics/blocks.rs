//! Compares several strategies over the same seeds: with a baseline, or in pairs.
//!
//! The design is a randomised block design: a value is the sum of an effect of the strategy, an effect of the seed, and noise. The
//! noise is estimated from all strategies together. With three seeds, a pair of strategies alone has two degrees of freedom, and now
//! and then its differences are nearly equal by chance. [`Dunnett`]'s test compares every strategy with the baseline. Pairs that were
//! chosen otherwise get Bonferroni's correction.

use std::cmp::Reverse;

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::dunnett::Dunnett;
use super::{Change, POWER, SIGNIFICANT, Scale, Test, Tested, holm, mean, scaled};

/// Noise below this share of the values is a rounding error.
const ROUNDING: f64 = 1e-12;

/// Compares the values by seed of each row with those of the baseline. None for the baseline, and for rows without values.
///
/// Rows with too few of the baseline's seeds are compared with it alone, with Holm's correction.
pub fn against_baseline(
    rows: &[Vec<(u64, f64)>],
    baseline: usize,
    scale: Scale,
) -> Vec<Option<Change>> {
    let block = Block::of(rows, baseline, scale);
    let is_outside = |row: usize| block.as_ref().is_none_or(|block| block.at(row).is_none());
    let alone = rows.iter().enumerate().map(|(row, values)| {
        (row != baseline && is_outside(row))
            .then(|| Change::between(&rows[baseline], values, scale))?
    });
    let mut changes = corrected(alone.collect());
    for (row, change) in block.iter().flat_map(|block| block.changes(scale)) {
        changes[row] = Some(change);
    }
    changes
}

/// Compares pairs of rows, each second − first, with the noise of all rows. None for a row with too few of the first row's seeds.
///
/// The intervals of all pairs hold together, and the p-values are corrected (Bonferroni).
pub fn in_pairs(
    rows: &[Vec<(u64, f64)>],
    pairs: &[(usize, usize)],
    scale: Scale,
) -> Vec<Option<Change>> {
    let block = Block::of(rows, 0, scale);
    let change = |&(old, new): &(usize, usize)| {
        let block = block.as_ref()?;
        Some(block.change(block.at(old)?, block.at(new)?, pairs.len(), scale))
    };
    pairs.iter().map(change).collect()
}

/// Corrects the p-values of some comparisons for their number.
fn corrected(changes: Vec<Option<Change>>) -> Vec<Option<Change>> {
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
    /// The rows that have most of the baseline's seeds, and the seeds that all of them share. None if these are too few.
    ///
    /// A row with few seeds would take the seeds from all others. So it is left out if fewer than half of the seeds would remain.
    fn of(rows: &[Vec<(u64, f64)>], baseline: usize, scale: Scale) -> Option<Self> {
        let first = scaled(&rows[baseline], scale)?;
        let mut seeds: Vec<u64> = first.iter().map(|&(seed, _)| seed).collect();
        let shared = |seeds: &[u64], values: &[(u64, f64)]| -> Vec<u64> {
            let has = |seed: &u64| values.iter().any(|(own, _)| own == seed);
            seeds.iter().copied().filter(has).collect()
        };
        let others = rows.iter().enumerate().filter(|(row, _)| *row != baseline);
        let others = others.filter_map(|(row, values)| Some((row, scaled(values, scale)?)));
        let mut others: Vec<_> = others.collect();
        // Rows with the most seeds come first, so the order in the config does not matter.
        others.sort_by_key(|(_, values)| Reverse(shared(&seeds, values).len()));
        let mut members = vec![(baseline, first)];
        for (row, values) in others {
            let remaining = shared(&seeds, &values);
            if remaining.len() > 1 && 2 * remaining.len() >= seeds.len() {
                seeds = remaining;
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

    /// The place of a row in the block.
    fn at(&self, row: usize) -> Option<usize> {
        self.rows.iter().position(|(own, _)| *own == row)
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

    /// The change of every row from the baseline, by Dunnett's test.
    fn changes(&self, scale: Scale) -> Vec<(usize, Change)> {
        let error = self.error();
        let dunnett = Dunnett::new(self.rows.len() - 1, error.degrees);
        let critical = match error.size > 0.0 {
            true => dunnett.critical(),
            false => 0.0,
        };
        let changes = (1..self.rows.len()).map(|at| {
            let p = |t| dunnett.p(t);
            let change = error.change(Test::Dunnett, self.difference(0, at), critical, p, scale);
            (self.rows[at].0, change)
        });
        changes.collect()
    }

    /// The change from one row to another, as one of several comparisons.
    fn change(&self, old: usize, new: usize, comparisons: usize, scale: Scale) -> Change {
        let error = self.error();
        let student = StudentsT::new(0.0, 1.0, error.degrees);
        let comparisons = comparisons.max(1) as f64;
        let critical = (student.as_ref()).map_or(0.0, |student| {
            student.inverse_cdf(1.0 - SIGNIFICANT / comparisons / 2.0)
        });
        let p = |t: f64| {
            let tail = student.as_ref().map_or(0.5, |student| student.sf(t.abs()));
            (2.0 * tail * comparisons).min(1.0)
        };
        error.change(Test::Blocks, self.difference(old, new), critical, p, scale)
    }

    /// The difference between the means of two rows; rounding errors count as zero.
    fn difference(&self, old: usize, new: usize) -> f64 {
        let [old, new] = [old, new].map(|at| mean(&self.rows[at].1));
        let difference = new - old;
        match difference.abs() <= ROUNDING * old.abs() {
            true => 0.0,
            false => difference,
        }
    }

    /// The standard error of the difference between two rows.
    fn error(&self) -> DifferenceError {
        let (deviation, degrees) = self.noise();
        DifferenceError {
            size: deviation * (2.0 / self.seeds() as f64).sqrt(),
            degrees,
        }
    }
}

/// The standard error of a difference, and its degrees of freedom.
struct DifferenceError {
    size: f64,
    degrees: f64,
}

impl DifferenceError {
    /// A tested difference, given the critical value and the p-value of a t statistic.
    fn change(
        &self,
        test: Test,
        difference: f64,
        critical: f64,
        p: impl Fn(f64) -> f64,
        scale: Scale,
    ) -> Change {
        let half_width = critical * self.size;
        let student = StudentsT::new(0.0, 1.0, self.degrees);
        let for_power = student.map_or(0.0, |student| student.inverse_cdf(POWER)) * self.size;
        let tested = Tested {
            test,
            low: scale.back(difference - half_width),
            high: scale.back(difference + half_width),
            p: match self.size > 0.0 {
                true => p(difference / self.size),
                false => f64::from(u8::from(difference == 0.0)),
            },
            detectable: Some(scale.back(half_width + for_power)),
        };
        Change {
            estimate: scale.back(difference),
            tested: Some(tested),
        }
    }
}

#[cfg(test)]
mod tests;
