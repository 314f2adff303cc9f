//! What trained records say about a strategy's accuracy.
//!
//! A search predicts time and memory. Whether a model learns as well as with random batches can only be measured, and few
//! combinations of corpus and parameters were. Each statement therefore names its records; a test of the command compares the verdicts
//! with them.

use padwise_sampler::{Batching, Buckets, Items, Order, Strategy};
use serde::Serialize;

use crate::corpus::Corpus;

/// The factor of semi-sorted order in our records.
pub(crate) const TRAINED_LRF: f64 = 0.1;

/// Its noise there: the lengths of LibriSpeech dev-clean range over 6.6 standard deviations.
pub(crate) const TRAINED_NOISE: f64 = 0.66;

/// A strategy's loss and errors compared with those of random batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Random batches.
    Baseline,
    /// No significant difference in error rate; the loss may be higher.
    NoDifference,
    /// A significantly higher error rate, or a significantly higher loss and no bound on the error rate.
    Worse,
    /// Not trained, or with too few seeds to test.
    Untested,
}

impl Verdict {
    /// The verdict in a table.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Baseline => "baseline",
            Verdict::NoDifference => "errors not worse",
            Verdict::Worse => "worse",
            Verdict::Untested => "untested",
        }
    }
}

/// A strategy of a record, and the measure in which it was compared with random batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// Folder under `results/`.
    pub record: &'static str,
    /// Name of the strategy in the record.
    pub strategy: &'static str,
    /// The measure.
    pub measure: Measure,
}

/// A measure of how well a model was trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Loss on the validation set.
    ValidationLoss,
    /// Phone error rate.
    PhoneErrors,
    /// Word error rate.
    WordErrors,
}

/// What records say about a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict in words, with its limits.
    pub statement: &'static str,
    /// The comparisons behind it.
    pub sources: &'static [Source],
}

const fn source(record: &'static str, strategy: &'static str, measure: Measure) -> Source {
    Source {
        record,
        strategy,
        measure,
    }
}

macro_rules! limits_of_semi_sorted {
    () => {
        "The evidence is one corpus: eight hours of speech, batches of 16, eight seeds. US patents 11,615,782 and 11,915,685 claim \
         semi-sorted batching."
    };
}

const RANDOM: Evidence = Evidence {
    verdict: Verdict::Baseline,
    statement: "Random batches are the baseline of every comparison.",
    sources: &[],
};
const SEMI_SORTED: Evidence = Evidence {
    verdict: Verdict::NoDifference,
    statement: concat!(
        "Semi-sorted order with lrf=0.1 showed no significant difference from random in word error rate, which was at most half a \
         point higher with 95 % confidence. Its loss and phone error rate were higher. ",
        limits_of_semi_sorted!()
    ),
    sources: &[source("study", "semi-sorted", Measure::WordErrors)],
};
const AS_MUCH_NOISE: Evidence = Evidence {
    verdict: Verdict::NoDifference,
    statement: concat!(
        "Semi-sorted order with as much noise, relative to the standard deviation of the lengths, showed no significant difference \
         from random in word error rate. There it was lrf=0.1; here a few very long utterances make lrf=0.1 noisier. The loss and \
         the phone error rate were higher. ",
        limits_of_semi_sorted!()
    ),
    sources: SEMI_SORTED.sources,
};
const LESS_NOISE: Evidence = Evidence {
    verdict: Verdict::Untested,
    statement: "Semi-sorted order was trained with lrf=0.1 only. With less noise it is closer to sorted order, which had a higher \
                loss than random and may have had more word errors.",
    sources: &[source("study", "sorted", Measure::ValidationLoss)],
};
const SORTED: Evidence = Evidence {
    verdict: Verdict::Worse,
    statement: "Sorted order had a significantly higher loss than random (eight hours of speech, eight seeds). Its word error rate \
                was significantly higher after six epochs, but not at convergence.",
    sources: &[
        source("study", "sorted", Measure::ValidationLoss),
        source("doetsch-table2-words", "sorted", Measure::WordErrors),
    ],
};
const LARGE_BINS: Evidence = Evidence {
    verdict: Verdict::Worse,
    statement: "Alternated order with bins of two batches and more had a significantly higher word error rate than random (four \
                batches and more: eight hours of speech, eight seeds; two: five hours, three seeds).",
    sources: &[
        source("study", "8 bins", Measure::WordErrors),
        source("study", "64 bins", Measure::WordErrors),
        source(
            "doetsch-table2-words",
            "proposed (8 bins)",
            Measure::WordErrors,
        ),
        source(
            "doetsch-table2-words",
            "proposed (64 bins)",
            Measure::WordErrors,
        ),
    ],
};
const MEDIUM_BINS: Evidence = Evidence {
    verdict: Verdict::Untested,
    statement: "Alternated order was not trained with bins of one to two batches.",
    sources: &[],
};
const SMALL_BINS: Evidence = Evidence {
    verdict: Verdict::NoDifference,
    statement: "Alternated order with bins smaller than a batch showed no significant difference from random in word error rate \
                (five hours of speech, three seeds).",
    sources: &[source(
        "doetsch-table2-words",
        "proposed (256 bins)",
        Measure::WordErrors,
    )],
};
const BUCKETS_250: Evidence = Evidence {
    verdict: Verdict::Worse,
    statement: "Buckets 250 frames wide had a significantly higher loss than random (eight hours of speech, eight seeds). Their word \
                error rate was significantly higher after six epochs, but not at convergence.",
    sources: &[
        source("study", "buckets", Measure::ValidationLoss),
        source(
            "doetsch-table2-words",
            "bucketing (MXNet)",
            Measure::WordErrors,
        ),
    ],
};
const BUCKETS: Evidence = Evidence {
    verdict: Verdict::Untested,
    statement: "Buckets of this size were not trained. Buckets 250 frames wide had a higher loss than random.",
    sources: &[source("study", "buckets", Measure::ValidationLoss)],
};
const SMART: Evidence = Evidence {
    verdict: Verdict::Worse,
    statement: "Smart batches had a significantly higher word error rate than random (eight hours of speech, eight seeds, half of random's \
                learning rate).",
    sources: &[source("study", "smart", Measure::WordErrors)],
};
const OTHER_SIZES: Evidence = Evidence {
    verdict: Verdict::Untested,
    statement: "Batches of different sizes change the number of updates and the weight of each utterance. Semi-sorted \
                batches of dynamic size had more word errors than random after 12 epochs at the best of three learning rates, and may need more epochs.",
    sources: &[source(
        "study",
        "semi-sorted, dynamic sizes",
        Measure::WordErrors,
    )],
};
const CHUNKS: Evidence = Evidence {
    verdict: Verdict::NoDifference,
    statement: "Chunks of 100 and 500 frames showed no significant difference from whole utterances in word error rate (labels of frames). \
                That of 100 frames was at most half a point higher with 95 % confidence, but loss and phone error rate were higher.",
    sources: &[
        source("study", "chunks of 100", Measure::WordErrors),
        source("doetsch-table1-words", "chunk 100", Measure::WordErrors),
        source("doetsch-table1-words", "chunk 500", Measure::WordErrors),
    ],
};
const SHORT_CHUNKS: Evidence = Evidence {
    verdict: Verdict::Worse,
    statement: "Chunks of 50 frames and less had a significantly higher phone error rate than whole utterances.",
    sources: &[source(
        "doetsch-table1-librispeech",
        "chunk 50",
        Measure::PhoneErrors,
    )],
};

/// Every statement, for tests that compare them with the records.
pub const ALL: [Evidence; 14] = [
    AS_MUCH_NOISE,
    MEDIUM_BINS,
    RANDOM,
    SEMI_SORTED,
    LESS_NOISE,
    SORTED,
    LARGE_BINS,
    SMALL_BINS,
    BUCKETS_250,
    BUCKETS,
    SMART,
    OTHER_SIZES,
    CHUNKS,
    SHORT_CHUNKS,
];

/// What records say about this strategy on this corpus.
pub(crate) fn evidence(strategy: &Strategy, corpus: Corpus) -> Evidence {
    if let Items::Chunks(chunks) = &strategy.items {
        return if chunks.size >= 100 {
            CHUNKS
        } else {
            SHORT_CHUNKS
        };
    }
    let Batching::Fixed { size } = strategy.batching else {
        return OTHER_SIZES;
    };
    match &strategy.order {
        Order::Random => RANDOM,
        Order::Sorted => SORTED,
        Order::Smart => SMART,
        Order::SemiSorted { lrf } if *lrf >= TRAINED_LRF => SEMI_SORTED,
        Order::SemiSorted { lrf } if corpus.noise(*lrf) >= Some(TRAINED_NOISE) => AS_MUCH_NOISE,
        Order::SemiSorted { .. } => LESS_NOISE,
        Order::Alternated { bins } => {
            let batches_per_bin = corpus.utterances as f64 / f64::from(*bins) / f64::from(size);
            match batches_per_bin {
                ..1.0 => SMALL_BINS,
                1.0..1.9 => MEDIUM_BINS,
                _ => LARGE_BINS,
            }
        }
        Order::Bucketed(Buckets::Width(250)) => BUCKETS_250,
        Order::Bucketed(_) => BUCKETS,
        _ => OTHER_SIZES,
    }
}

#[cfg(test)]
mod tests {
    use padwise_sampler::Profile;

    use super::*;

    #[test]
    fn the_trained_noise_is_that_of_librispeech() {
        let profile = Profile::LibriSpeech;
        let corpus = Corpus::of(&profile.lengths(profile.sequences()));
        let noise = corpus.noise(TRAINED_LRF).expect("different lengths");
        // The profile also covers test-clean, whose range is slightly wider.
        assert!(
            (TRAINED_NOISE..1.1 * TRAINED_NOISE).contains(&noise),
            "{noise}"
        );
    }
}
