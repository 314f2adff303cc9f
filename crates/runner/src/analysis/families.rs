//! The default strategies of `analyze`: every family, with its paper's settings where they suit the corpus.

use padwise_sampler::{ParseStrategyError, Strategy};

use super::Candidate;

/// Width of the buckets of Doetsch et al. (2017), in frames.
const PAPER_WIDTH: u32 = 250;
/// Fewer buckets than this hardly differ from random batches.
const FEWEST_BUCKETS: u32 = 3;
/// More buckets than this hardly differ from sorted batches.
const MOST_BUCKETS: u32 = 40;
/// Utterances per bucket of equal size, as in Ge et al. (2021).
const PAPER_COUNT: usize = 1024;
/// Frames of a chunk in Doetsch et al. (2017), and their frames per batch.
const PAPER_CHUNK: u32 = 100;
const PAPER_BUDGET: u32 = 5000;
/// Numbers of bins in Doetsch et al. (2017).
const PAPER_BINS: [usize; 2] = [8, 64];
/// Fewer batches per bin than this hardly differ from random batches.
const FEWEST_BATCHES_PER_BIN: usize = 2;

/// One or more strategies of every family, with this batch size.
pub fn every_family(
    lengths: &[u32],
    batch_size: u32,
) -> Result<Vec<Candidate>, ParseStrategyError> {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let batch = batch_size as usize;
    let mut lines: Vec<String> = ["random", "sorted", "sorted,shuffle-batches"]
        .map(str::to_owned)
        .into();
    let bins = PAPER_BINS
        .iter()
        .filter(|&&bins| lengths.len() >= bins * FEWEST_BATCHES_PER_BIN * batch);
    lines.extend(bins.map(|bins| format!("alternated:bins={bins}")));
    lines.push("semi-sorted:lrf=0.1,shuffle-batches".into());
    lines.push(format!(
        "semi-sorted:lrf=0.1,dynamic={batch_size},shuffle-batches"
    ));
    lines.push(format!("bucketed:width={},shuffle-batches", width(longest)));
    lines.push(format!(
        "bucketed:count={},shuffle-batches",
        count(lengths.len(), batch)
    ));
    lines.push("bucketed:mxnet,shuffle-batches,drop-last,pad=bucket".into());
    lines.push("bucketed:optimal=6,short-first,pad=bucket".into());
    lines.push("smart".into());
    // The last chunk of an utterance is padded, so chunks need utterances of several chunks.
    let frames: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
    if frames >= 2 * u64::from(PAPER_CHUNK) * lengths.len() as u64 {
        lines.push(format!("random,chunk={PAPER_CHUNK},frames={PAPER_BUDGET}"));
    }
    let candidate = |line: String| {
        Ok(Candidate {
            strategy: Strategy::parse(&line, batch_size)?,
            name: line,
        })
    };
    lines.into_iter().map(candidate).collect()
}

/// The paper's width, or a tenth of the longest utterance.
fn width(longest: u32) -> u32 {
    let suits = (FEWEST_BUCKETS * PAPER_WIDTH..=MOST_BUCKETS * PAPER_WIDTH).contains(&longest);
    if suits {
        PAPER_WIDTH
    } else {
        (longest / 10).max(1)
    }
}

/// The paper's size, or a quarter of the corpus, in whole batches.
fn count(utterances: usize, batch: usize) -> usize {
    let quarter = (utterances / 4 / batch).max(1) * batch;
    PAPER_COUNT.max(batch).min(quarter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lengths: &[u32]) -> Vec<String> {
        let candidates = every_family(lengths, 16).expect("every line is valid");
        candidates
            .into_iter()
            .map(|candidate| candidate.name)
            .collect()
    }

    #[test]
    fn a_speech_corpus_gets_the_papers_settings() {
        let lines = lines(&(0..5000).map(|i| 100 + i % 2000).collect::<Vec<u32>>());
        for expected in [
            "alternated:bins=64",
            "bucketed:width=250,shuffle-batches",
            "bucketed:count=1024,shuffle-batches",
            "random,chunk=100,frames=5000",
        ] {
            assert!(
                lines.iter().any(|line| line == expected),
                "{expected} in {lines:?}"
            );
        }
    }

    #[test]
    fn short_sequences_get_narrow_buckets_and_no_chunks() {
        let lines = lines(&(0..600).map(|i| 10 + i % 219).collect::<Vec<u32>>());
        assert!(
            lines.contains(&"bucketed:width=22,shuffle-batches".into()),
            "{lines:?}"
        );
        assert!(
            lines.contains(&"bucketed:count=144,shuffle-batches".into()),
            "{lines:?}"
        );
        assert!(
            !lines.iter().any(|line| line.contains("chunk")),
            "{lines:?}"
        );
        assert!(!lines.contains(&"alternated:bins=64".into()), "{lines:?}");
    }

    #[test]
    fn tiny_corpora_can_be_parsed() {
        for lengths in [vec![], vec![1], vec![5; 3]] {
            assert!(!lines(&lengths).is_empty());
        }
    }
}
