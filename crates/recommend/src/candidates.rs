//! The strategies that a search tries: every family, with parameters that suit the corpus.

use padwise_sampler::{Order, ParseStrategyError, Strategy};

use crate::corpus::Corpus;
use crate::evidence::{TRAINED_LRF, TRAINED_NOISE};

/// Noise of semi-sorted order.
const LRF: [f64; 6] = [0.02, 0.05, 0.1, 0.2, 0.4, 0.8];
/// Small numbers of bins for alternated order. Odd ones end an epoch with long utterances.
const BINS: [u32; 2] = [3, 9];
/// Batches per bin, for larger numbers of bins.
const BATCHES_PER_BIN: [f64; 4] = [32.0, 8.0, 2.0, 0.5];
/// The largest number of bins.
const MOST_BINS: u32 = 1 << 30;
/// Buckets of equal width: width relative to the longest item.
const WIDTHS: [f64; 4] = [0.025, 0.05, 0.1, 0.2];
/// Batches per bucket, for buckets of equal size.
const BATCHES_PER_BUCKET: [usize; 3] = [4, 16, 64];
/// Numbers of optimal buckets.
const OPTIMAL: [u32; 5] = [2, 4, 8, 16, 32];
/// Frames of a chunk, from Doetsch et al. (2017), table 1.
const CHUNKS: [u32; 2] = [100, 500];
/// Noise of the semi-sorted order that dynamic sizes and frame budgets are combined with, from Ge et al. (2021).
const USUAL_LRF: f64 = 0.1;

/// All strategies to try with this batch size. The first is random, the baseline.
pub fn candidates(
    corpus: Corpus,
    batch_size: u32,
    with_chunks: bool,
) -> Result<Vec<Strategy>, ParseStrategyError> {
    let mut lines: Vec<String> = ["random", "sorted", "smart"].map(str::to_owned).into();
    let lrf = LRF.into_iter().chain(trained_lrf(corpus));
    lines.extend(lrf.map(|lrf| format!("semi-sorted:lrf={lrf}")));
    lines.extend(bins(corpus, batch_size).map(|bins| format!("alternated:bins={bins}")));
    let widths = widths(corpus).map(|width| format!("width={width}"));
    let counts = counts(corpus, batch_size).map(|count| format!("count={count}"));
    let optimal = OPTIMAL
        .into_iter()
        .map(|buckets| format!("optimal={buckets}"));
    let buckets = widths.chain(counts).chain(optimal);
    lines.extend(buckets.map(|buckets| format!("bucketed:{buckets},shuffle-batches")));
    let budget = usual_budget(corpus, batch_size);
    for size in [format!("dynamic={batch_size}"), format!("frames={budget}")] {
        lines.push(format!(
            "semi-sorted:lrf={USUAL_LRF},{size},shuffle-batches"
        ));
    }
    if with_chunks {
        let chunks = CHUNKS.into_iter().filter(|&size| size < corpus.longest);
        lines.extend(chunks.map(|size| format!("random,frames={budget},chunk={size}")));
    }
    let parsed = lines.iter().map(|line| Strategy::parse(line, batch_size));
    parsed.collect()
}

/// The strategy for a sample of the corpus: bins hold as many utterances as in the whole corpus.
pub fn for_sample(strategy: &Strategy, share: f64) -> Strategy {
    let mut scaled = strategy.clone();
    if let Order::Alternated { bins } = &mut scaled.order {
        *bins = (f64::from(*bins) * share).ceil().max(1.0) as u32;
    }
    scaled
}

/// The factor with as much noise, relative to the deviation of the lengths, as in our records; none if it is not below theirs.
fn trained_lrf(corpus: Corpus) -> Option<f64> {
    let exact = TRAINED_NOISE / corpus.noise(1.0)?;
    // Rounded up to be easy to read, and never less noise than was trained.
    let lrf = (1000.0 * exact).ceil() / 1000.0;
    (lrf < TRAINED_LRF && !LRF.contains(&lrf)).then_some(lrf)
}

/// The frames of as many utterances of mean length as a batch has, but at least the longest utterance.
fn usual_budget(corpus: Corpus, batch_size: u32) -> u64 {
    let mean = corpus.frames / (corpus.utterances.max(1) as u64);
    let budget = mean.saturating_mul(u64::from(batch_size));
    round(budget as f64).max(u64::from(corpus.longest))
}

fn bins(corpus: Corpus, batch_size: u32) -> impl Iterator<Item = u32> {
    let (utterances, batch) = (corpus.utterances as f64, f64::from(batch_size));
    let larger = BATCHES_PER_BIN.into_iter().map(move |batches| {
        // Odd numbers end an epoch with long utterances.
        (utterances / (batches * batch)).min(f64::from(MOST_BINS)) as u32 | 1
    });
    let few = BINS
        .into_iter()
        .filter(move |&bins| utterances >= f64::from(bins) * BATCHES_PER_BIN[0] * batch);
    few.chain(larger.filter(|&bins| bins > BINS[1]))
}

fn widths(corpus: Corpus) -> impl Iterator<Item = u32> {
    let widths = WIDTHS.map(|share| round(share * f64::from(corpus.longest)) as u32);
    let mut last = 0;
    widths.into_iter().filter(move |&width| {
        let new = width > last;
        last = width;
        new
    })
}

fn counts(corpus: Corpus, batch_size: u32) -> impl Iterator<Item = usize> {
    let counts = BATCHES_PER_BUCKET.map(|batches| batches.saturating_mul(batch_size as usize));
    counts
        .into_iter()
        .filter(move |&count| count <= corpus.utterances / 2)
}

/// Rounds down to two significant digits, so that parameters are easy to read.
fn round(value: f64) -> u64 {
    let value = value.max(1.0) as u64;
    let mut unit = 1;
    while value / unit >= 100 {
        unit *= 10;
    }
    value / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(corpus: Corpus) -> Vec<String> {
        let all = candidates(corpus, 16, true).expect("every line is valid");
        all.iter().map(Strategy::to_string).collect()
    }

    #[test]
    fn parameters_suit_the_corpus() {
        let lines = lines(Corpus {
            utterances: 5_323,
            shortest: 127,
            longest: 3_496,
            frames: 3_900_000,
            deviation: 250.0,
        });
        for expected in [
            "semi-sorted:lrf=0.049,batch=16",
            "alternated:bins=9,batch=16",
            "alternated:bins=167,batch=16",
            "bucketed:width=340,batch=16,shuffle-batches",
            "semi-sorted:lrf=0.1,frames=11000,shuffle-batches",
            "random,frames=11000,chunk=100",
        ] {
            assert!(
                lines.iter().any(|line| line == expected),
                "{expected} in {lines:#?}"
            );
        }
    }

    #[test]
    fn every_candidate_is_valid_and_occurs_once() {
        for utterances in [1, 10, 100, 10_000, 10_000_000] {
            for longest in [1, 7, 200, 4_000] {
                let lines = lines(Corpus {
                    utterances,
                    shortest: 1,
                    longest,
                    frames: utterances as u64 * u64::from(longest),
                    deviation: f64::from(longest) / 30.0,
                });
                let mut distinct = lines.clone();
                distinct.sort();
                distinct.dedup();
                assert_eq!(distinct.len(), lines.len(), "{lines:#?}");
            }
        }
    }

    #[test]
    fn numbers_are_rounded_to_two_digits() {
        assert_eq!([0.2, 9.9, 11_726.0, 100.0].map(round), [1, 9, 11_000, 100]);
    }
}
