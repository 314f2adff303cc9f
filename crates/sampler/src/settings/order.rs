//! The order of items, and the choice of bucket boundaries.

use std::fmt;

use crate::error::StrategyError;

/// The order of items before they are cut into batches.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
#[non_exhaustive]
pub enum Order {
    /// Shuffled.
    Random,
    /// By length, shortest first.
    Sorted,
    /// Shuffled and cut into bins, which are sorted alternately up and down (Doetsch, Golik and Ney, 2017).
    Alternated {
        /// The number of bins.
        #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
        bins: u32,
    },
    /// By length plus noise (Ge et al., 2021).
    SemiSorted {
        /// The local randomisation factor: the range of the noise relative to the range of lengths.
        #[cfg_attr(feature = "schemars", schemars(range(min = 0)))]
        lrf: f64,
    },
    /// Buckets of similar lengths, shuffled inside. The shortest bucket comes first.
    Bucketed(Buckets),
    /// Each batch starts at a random item and adds the items nearest in length (Anderson, 2020).
    Smart,
}

/// How to choose bucket boundaries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Buckets {
    /// Bucket width in frames (figure 1 of Doetsch, Golik and Ney, 2017, uses 250).
    Width(#[cfg_attr(feature = "schemars", schemars(range(min = 1)))] u32),
    /// Buckets of this many items each, counted from the longest: the "bucket batching" of Ge et al. (2021).
    Count(#[cfg_attr(feature = "schemars", schemars(range(min = 1)))] u32),
    /// A bucket for every length that occurs at least batch-size times, as in MXNet. Items longer than the widest bucket are
    /// dropped. Streams do not support it, because the buckets depend on the whole corpus.
    Mxnet,
    /// The boundaries of this many buckets that minimise padding to bucket widths (Khomenko et al., 2016).
    Optimal(#[cfg_attr(feature = "schemars", schemars(range(min = 1)))] u32),
}

impl Order {
    pub(crate) fn validate(&self) -> Result<(), StrategyError> {
        match *self {
            Order::SemiSorted { lrf } if !lrf.is_finite() || lrf < 0.0 => {
                Err(StrategyError::Lrf { value: lrf })
            }
            Order::Alternated { bins } => StrategyError::check_range("bins", bins),
            Order::Bucketed(Buckets::Width(width)) => StrategyError::check_range("width", width),
            Order::Bucketed(Buckets::Count(count)) => StrategyError::check_range("count", count),
            Order::Bucketed(Buckets::Optimal(n)) => StrategyError::check_range("optimal", n),
            _ => Ok(()),
        }
    }
}

/// Prints the order as in the one-line form of a strategy.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Random => f.write_str("random"),
            Order::Sorted => f.write_str("sorted"),
            Order::Alternated { bins } => write!(f, "alternated:bins={bins}"),
            Order::SemiSorted { lrf } => write!(f, "semi-sorted:lrf={lrf}"),
            Order::Bucketed(Buckets::Width(width)) => write!(f, "bucketed:width={width}"),
            Order::Bucketed(Buckets::Count(count)) => write!(f, "bucketed:count={count}"),
            Order::Bucketed(Buckets::Mxnet) => f.write_str("bucketed:mxnet"),
            Order::Bucketed(Buckets::Optimal(buckets)) => write!(f, "bucketed:optimal={buckets}"),
            Order::Smart => f.write_str("smart"),
        }
    }
}
