//! The order in which items are drawn, and the ways to choose bucket boundaries.

use std::fmt;

use crate::error::StrategyError;

/// The order in which items are drawn.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Order {
    /// Shuffled.
    Random,
    /// By length, the shortest first.
    Sorted,
    /// Shuffled, cut into bins, the bins sorted up and down in turn (Doetsch, Golik and Ney, 2017).
    Alternated {
        /// The number of bins.
        bins: u32,
    },
    /// By length plus noise (Ge et al., 2021).
    SemiSorted {
        /// The local randomisation factor: the noise's range as a share of the range of lengths.
        lrf: f64,
    },
    /// In buckets of similar length, shuffled inside each; as built, the shortest bucket comes first.
    Bucketed(Buckets),
    /// From a random item outward over its nearest lengths, batch by batch (Anderson, 2020).
    Smart,
}

/// How bucket boundaries are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Buckets {
    /// Every this many frames (figure 1 of Doetsch, Golik and Ney, 2017, uses 250).
    Width(u32),
    /// Sorted, and cut into runs of this many items, counted from the longest: the "bucket batching" of Ge et al.
    /// (2021).
    Count(u32),
    /// MXNet's default: one for every length that occurs at least batch-size times; longer items are dropped, and
    /// counted in the ledger. See [`Strategy::mxnet`](crate::Strategy::mxnet) for all that MXNet does. A stream,
    /// which does not know what is frequent in the whole corpus, refuses it.
    Mxnet,
    /// This many, such that padding every item to its bucket's width adds the least frames (Khomenko et al., 2016).
    Optimal(u32),
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

/// Prints the order as the one-line form of a strategy has it.
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
