//! The size of a batch, its padding, and the treatment of the last batch.
//!
//! - A fixed number of items is the usual choice.
//! - A frame budget limits the padded frames of a batch, and so its memory. Doetsch, Golik and Ney, "A comparative study
//!   of batch construction strategies for recurrent neural networks in MXNet" (2017), table 1, use 5,000 frames.
//! - Dynamic sizes come from Ge et al., "Speed up training with variable length inputs by efficient batching strategies"
//!   (2021), section 4. A batch grows while its size times its longest item is at most the base size times the longest
//!   item of the corpus.
//!
//! The formula of Ge et al. is a limit that no batch exceeds, and `dynamic` follows it. The batch counts in the paper
//! (606 / 449 / 419 on LJSpeech) fit another rule: the item that exceeds the limit still joins the batch and closes it.
//! `dynamic-overshoot` follows that rule, to reproduce the paper.

use crate::error::StrategyError;

/// The rule that decides when a batch is full.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
#[non_exhaustive]
pub enum Batching {
    /// A fixed number of items.
    Fixed {
        /// Items per batch.
        #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
        size: u32,
    },
    /// As many items as fit into a budget of padded frames. An item that exceeds the budget forms a batch alone, and the
    /// ledger lists it.
    #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
    Frames {
        /// Maximum padded frames per batch.
        #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
        budget: u64,
        /// Maximum items per batch.
        #[cfg_attr(
            feature = "serde",
            serde(default, skip_serializing_if = "Option::is_none")
        )]
        #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
        max_items: Option<u32>,
    },
    /// As many items as fit into the padded frames of `base` items of the corpus's maximum length.
    #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
    Dynamic {
        /// The batch size for the longest items.
        #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
        base: u32,
        /// Maximum items per batch.
        #[cfg_attr(
            feature = "serde",
            serde(default, skip_serializing_if = "Option::is_none")
        )]
        #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
        max_items: Option<u32>,
    },
    /// Like `dynamic`, but the item that exceeds the limit still joins the batch and closes it.
    #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
    DynamicOvershoot {
        /// The batch size for the longest items, without the overshoot.
        #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
        base: u32,
        /// Maximum items per batch.
        #[cfg_attr(
            feature = "serde",
            serde(default, skip_serializing_if = "Option::is_none")
        )]
        #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
        max_items: Option<u32>,
    },
}

/// What to do with a batch that is not full when its group of items ends.
///
/// A batch is full if no further item of the batch's padded length fits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum LastBatch {
    /// Train the smaller batch.
    #[default]
    Keep,
    /// Drop its items for this epoch; the `dropped` column counts them.
    Drop,
}

/// The length that the items of a batch are padded to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Padding {
    /// The longest item of the batch.
    #[default]
    Longest,
    /// The width of the batch's bucket. There is then at most one padded length per bucket.
    Bucket,
    /// The longest item of the batch, rounded up to a multiple of this many frames.
    Multiple(#[cfg_attr(feature = "schemars", schemars(range(min = 1)))] u32),
}

impl Batching {
    pub(crate) fn validate(&self) -> Result<(), StrategyError> {
        let (parameter, value) = self.parameter();
        // A frame budget may exceed the maximum length.
        if value == 0 || !matches!(self, Batching::Frames { .. }) {
            StrategyError::check_range(parameter, value)?;
        }
        let check = |most| StrategyError::check_range("max-items", most);
        self.max_items().map_or(Ok(()), check)
    }

    /// The name of the rule in the one-line form, and its parameter.
    pub(crate) fn parameter(&self) -> (&'static str, u64) {
        match *self {
            Batching::Fixed { size } => ("batch", size.into()),
            Batching::Frames { budget, .. } => ("frames", budget),
            Batching::Dynamic { base, .. } => ("dynamic", base.into()),
            Batching::DynamicOvershoot { base, .. } => ("dynamic-overshoot", base.into()),
        }
    }

    /// The maximum number of items, if the rule has this option and it is set.
    pub(crate) fn max_items(&self) -> Option<u32> {
        match *self {
            Batching::Fixed { .. } => None,
            Batching::Frames { max_items, .. }
            | Batching::Dynamic { max_items, .. }
            | Batching::DynamicOvershoot { max_items, .. } => max_items,
        }
    }

    /// The intended number of items, if the rule has one.
    pub(crate) fn size(&self) -> Option<u32> {
        match *self {
            Batching::Fixed { size: base }
            | Batching::Dynamic { base, .. }
            | Batching::DynamicOvershoot { base, .. } => Some(base),
            Batching::Frames { .. } => None,
        }
    }
}

impl Padding {
    /// Padded lengths are multiples of this.
    pub(crate) fn multiple(self) -> u32 {
        match self {
            Padding::Multiple(multiple) => multiple,
            Padding::Longest | Padding::Bucket => 1,
        }
    }
}
