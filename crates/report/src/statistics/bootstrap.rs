//! Bootstrap of word error rates over utterances and seeds.
//!
//! A word error rate varies with the utterances of the test set and with the seeds of training. Each replicate draws utterances
//! and seeds with replacement, the same for all strategies, so differences are paired (Bisani and Ney, "Bootstrap estimates for
//! confidence intervals in ASR performance evaluation", 2004). The interval of a rate, and of a single comparison, has the 2.5 % and
//! 97.5 % quantiles of the replicates. Several comparisons are tested [`together`]. With one seed, an interval covers the choice of
//! utterances only.
//!
//! With few seeds the test is not calibrated: it finds too many differences if seeds vary more than utterances do.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use super::{Change, POWER, SIGNIFICANT, Scale, Test, Tested, mean};

mod together;

use together::together;

/// Replicates, unless the test set is large.
const MOST_REPLICATES: usize = 100_000;
/// With fewer replicates, the ends of a 95 % interval are uncertain.
const LEAST_REPLICATES: usize = 1000;
/// Additions in all replicates: about a second.
const MAX_ADDITIONS: usize = 1 << 30;
/// The seed of the draws. Every report of a record has the same intervals.
const SEED: u64 = 0;

/// The word errors of one strategy: the errors in each utterance, by seed.
pub type SeedErrors<'a> = Vec<(u64, &'a [u32])>;

/// A comparison of two strategies, by their index.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The strategy that the other is compared with.
    pub old: usize,
    /// The other strategy.
    pub new: usize,
    /// The scale of the comparison: percentage points or a ratio.
    pub scale: Scale,
}

/// What the replicates show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resampled {
    /// The 95 % interval of each strategy's word error rate in percent, mean over seeds; none without runs.
    pub intervals: Vec<Option<(f64, f64)>>,
    /// Each comparison, in order; none if a side has no runs. The intervals of all comparisons hold together.
    pub changes: Vec<Option<Change>>,
}

/// Resamples strategies that were tested on the same utterances; `words` are the words in the reference of each utterance.
///
/// Pairs are compared on their common seeds, or on all seeds if there are none.
pub fn bootstrap(words: &[u32], strategies: &[SeedErrors], pairs: &[Pair]) -> Resampled {
    let runs = strategies.iter().map(Vec::len).sum::<usize>();
    let additions = words.len().saturating_mul(runs + 1).max(1);
    let replicates = (MAX_ADDITIONS / additions).clamp(LEAST_REPLICATES, MOST_REPLICATES);
    resample(words, strategies, pairs, replicates)
}

fn resample(
    words: &[u32],
    strategies: &[SeedErrors],
    pairs: &[Pair],
    replicates: usize,
) -> Resampled {
    let table = ErrorTable::new(words, strategies);
    let first_runs = strategies.iter().scan(0, |next, runs| {
        let first = *next;
        *next += runs.len();
        Some(first)
    });
    let first_runs: Vec<usize> = first_runs.collect();
    let runs_of = |at: usize, is_used: &dyn Fn(u64) -> bool| -> Vec<usize> {
        let runs = (first_runs[at]..).zip(&strategies[at]);
        runs.filter(|(_, (seed, _))| is_used(*seed))
            .map(|(run, _)| run)
            .collect()
    };
    // The runs of each strategy, then those of both sides of each pair.
    let mut groups: Vec<Vec<usize>> = (0..strategies.len())
        .map(|at| runs_of(at, &|_| true))
        .collect();
    for pair in pairs {
        let has = |at: usize, seed: u64| strategies[at].iter().any(|(own, _)| *own == seed);
        let is_common = |seed: u64| has(pair.old, seed) && has(pair.new, seed);
        let paired = [pair.old, pair.new].map(|at| runs_of(at, &is_common));
        match paired[0].is_empty() {
            true => groups.extend([pair.old, pair.new].map(|at| runs_of(at, &|_| true))),
            false => groups.extend(paired),
        }
    }
    let drawn = table.draw(&groups, replicates);
    let observed = table.observed();
    let (own, sides) = drawn.split_at(strategies.len());
    let has_runs = |at: usize| !strategies[at].is_empty();
    let is_compared =
        |pair: &Pair| pair.old != pair.new && has_runs(pair.old) && has_runs(pair.new);
    let side_groups = groups[strategies.len()..].chunks(2);
    let comparisons = pairs.iter().zip(sides.chunks(2)).zip(side_groups);
    let comparisons = comparisons.map(|((pair, sides), groups)| {
        let rate = |group: &Vec<usize>| mean_of(&observed, group);
        let rates = (rate(&groups[0])?, rate(&groups[1])?);
        is_compared(pair).then(|| Comparison::new(pair.scale, rates, &sides[0], &sides[1]))
    });
    let comparisons: Vec<Option<Comparison>> = comparisons.collect();
    let tested = match comparisons.iter().flatten().count() {
        1 => (comparisons.iter())
            .map(|comparison| comparison.as_ref()?.tested())
            .collect(),
        _ => together(&comparisons),
    };
    let changes = comparisons.iter().zip(tested).map(|(comparison, tested)| {
        let estimate = comparison.as_ref()?.estimate;
        estimate.is_finite().then_some(Change { estimate, tested })
    });
    Resampled {
        intervals: own.iter().map(|rates| quantiles(rates.clone())).collect(),
        changes: changes.collect(),
    }
}

/// The errors of all runs, and the words.
struct ErrorTable<'a> {
    /// The errors in each utterance, one list per run.
    runs: Vec<&'a [u32]>,
    /// The words in each utterance.
    words: &'a [u32],
}

impl<'a> ErrorTable<'a> {
    fn new(words: &'a [u32], strategies: &[SeedErrors<'a>]) -> Self {
        let runs = strategies.iter().flatten();
        ErrorTable {
            runs: runs.map(|&(_, errors)| errors).collect(),
            words,
        }
    }

    /// The word error rate of each run in percent, if each utterance is drawn this often; empty without words.
    fn rates(&self, counts: &[u32]) -> Vec<f64> {
        let words = weighted(counts, self.words);
        let runs = self.runs.iter().filter(|_| words > 0);
        runs.map(|errors| 100.0 * weighted(counts, errors) as f64 / words as f64)
            .collect()
    }

    /// The word error rate of each run in percent; empty without words.
    fn observed(&self) -> Vec<f64> {
        self.rates(&vec![1; self.words.len()])
    }

    /// The mean word error rate of each group of runs in each replicate. A replicate without words is left out.
    fn draw(&self, groups: &[Vec<usize>], replicates: usize) -> Vec<Vec<f64>> {
        let mut drawn = vec![Vec::with_capacity(replicates); groups.len()];
        let most = groups.iter().map(Vec::len).max().unwrap_or(0);
        let utterances = self.words.len();
        if utterances == 0 || most == 0 {
            return drawn;
        }
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        let mut counts = vec![0; utterances];
        for _ in 0..replicates {
            counts.fill(0);
            for _ in 0..utterances {
                counts[below(random.next_u32(), utterances)] += 1;
            }
            // Groups with the same number of seeds use the same draws.
            let seeds: Vec<u32> = (0..most).map(|_| random.next_u32()).collect();
            let rates = self.rates(&counts);
            for (drawn, group) in drawn.iter_mut().zip(groups) {
                let chosen = seeds[..group.len()].iter();
                let chosen = chosen.map(|&seed| group[below(seed, group.len())]);
                drawn.extend(mean_of(&rates, &chosen.collect::<Vec<_>>()));
            }
        }
        drawn
    }
}

/// Maps a random number to an index below `count`. With less than a million, no index is more likely by 0.03 %.
fn below(random: u32, count: usize) -> usize {
    ((u64::from(random) * count as u64) >> 32) as usize
}

/// The sum of values, each times its count.
fn weighted(counts: &[u32], values: &[u32]) -> u64 {
    let pairs = counts.iter().zip(values);
    pairs
        .map(|(&count, &value)| u64::from(count) * u64::from(value))
        .sum()
}

/// The mean of the rates of these runs; none without rates or runs.
fn mean_of(rates: &[f64], runs: &[usize]) -> Option<f64> {
    let rates: Option<Vec<f64>> = runs.iter().map(|&at| rates.get(at).copied()).collect();
    rates
        .filter(|rates| !rates.is_empty())
        .map(|rates| mean(&rates))
}

/// The 2.5 % and 97.5 % quantiles.
fn quantiles(mut values: Vec<f64>) -> Option<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let tail = values.len() / 40;
    Some((values[tail], values[last - tail]))
}

/// The change between two rates: observed, and in each replicate.
struct Comparison {
    scale: Scale,
    estimate: f64,
    changes: Vec<f64>,
}

impl Comparison {
    fn new(scale: Scale, (old, new): (f64, f64), olds: &[f64], news: &[f64]) -> Self {
        let change = |old: f64, new: f64| match scale {
            Scale::Difference => new - old,
            // Two systems without errors are equal.
            Scale::Ratio if old == new => 1.0,
            Scale::Ratio => new / old,
        };
        let changes = olds.iter().zip(news).map(|(&old, &new)| change(old, new));
        Comparison {
            scale,
            estimate: change(old, new),
            changes: changes.collect(),
        }
    }

    /// The test of this comparison alone.
    fn tested(&self) -> Option<Tested> {
        let unchanged = self.scale.back(0.0);
        let count = |is: &dyn Fn(f64) -> bool| {
            let changes = self.changes.iter();
            changes.filter(|&&change| is(change)).count()
        };
        let beyond = count(&|change| change <= unchanged).min(count(&|change| change >= unchanged));
        let (low, high) = quantiles(self.changes.clone())?;
        Some(Tested {
            test: Test::Bootstrap,
            low,
            high,
            p: (2.0 * share(beyond, self.changes.len())).min(1.0),
            detectable: self.detectable(Normal::standard().inverse_cdf(1.0 - SIGNIFICANT / 2.0)),
        })
    }

    /// The standard deviation of the replicates, on the scale on which changes are tested. None if they do not vary, or if a ratio is
    /// not defined.
    fn deviation(&self) -> Option<f64> {
        let changes = (self.changes.iter()).map(|&change| self.scale.tested(change));
        let changes: Vec<f64> = changes.collect();
        let centre = mean(&changes);
        let squares = changes.iter().map(|change| (change - centre).powi(2));
        let deviation = mean(&squares.collect::<Vec<_>>()).sqrt();
        (deviation.is_finite() && deviation > 0.0).then_some(deviation)
    }

    /// The size of a change that is found with probability [`POWER`] by a test with this critical value.
    fn detectable(&self, critical: f64) -> Option<f64> {
        let deviations = critical + Normal::standard().inverse_cdf(POWER);
        Some(self.scale.back(deviations * self.deviation()?))
    }
}

/// A p-value from the number of replicates that are as extreme as the observation. The observation counts as one more, so that no
/// p-value is zero (Davison and Hinkley, "Bootstrap Methods and their Application", 1997, section 4.2).
fn share(extreme: usize, replicates: usize) -> f64 {
    (extreme as f64 + 1.0) / (replicates as f64 + 1.0)
}

#[cfg(test)]
mod tests;
