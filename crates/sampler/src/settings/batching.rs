//! When a batch is full, how long it is padded, and what becomes of the last one.
//!
//! - A fixed count is what everybody starts with.
//! - A frame budget bounds the padded frames of a batch, and so its memory. Doetsch, Golik and Ney (2017), table 1,
//!   limit batches to 5,000 frames.
//! - Dynamic sizes are those of Ge et al., "Speed up training with variable length inputs by efficient batching
//!   strategies" (2021), section 4: a batch grows while its size times its longest item stays within the base size times
//!   the longest item of the corpus. The formula is a cap that is never passed, and that is the default here, because
//!   memory is a promise. The batch counts that the paper reports (606 / 449 / 419 on LJSpeech) fit another rule: close
//!   a batch with the item that passes the cap. Reproductions use that one, and it is named for what it does: overshoot.

use crate::error::StrategyError;

/// When a batch is full.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub enum Batching {
    /// At this number of items.
    Fixed {
        /// Items in a batch.
        size: u32,
    },
    /// Before its padded frames would exceed a budget. An item that exceeds it alone gets a batch of its own, and
    /// is reported in the ledger.
    #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
    Frames {
        /// The most padded frames of a batch.
        budget: u64,
        /// The most items of a batch.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        max_items: Option<u32>,
    },
    /// Before its padded frames would exceed `base` items of the corpus's largest length.
    #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
    Dynamic {
        /// The size of a batch of the longest items.
        base: u32,
        /// The most items of a batch.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        max_items: Option<u32>,
    },
    /// With the item whose coming makes its padded frames exceed `base` items of the corpus's largest length.
    #[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
    DynamicOvershoot {
        /// The size of a batch of the longest items, before the overshoot.
        base: u32,
        /// The most items of a batch.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        max_items: Option<u32>,
    },
}

/// What becomes of a batch that is not full when its group runs out.
///
/// Full means that the rule would admit no further item of at most the batch's own longest length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum LastBatch {
    /// It is trained, short as it is.
    #[default]
    Keep,
    /// Its items are dropped for this epoch, and counted in the ledger.
    Drop,
}

/// How long a batch is padded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Padding {
    /// To its longest item.
    #[default]
    Longest,
    /// To the width of its bucket, so that there are no more padded lengths than buckets.
    Bucket,
    /// To its longest item, rounded up to a multiple of this many frames.
    Multiple(u32),
}

impl Batching {
    pub(crate) fn validate(&self) -> Result<(), StrategyError> {
        let (parameter, value) = self.parameter();
        // A budget of frames may be larger than any length.
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

    /// The most items of a batch, where that is an option of the rule and is set.
    pub(crate) fn max_items(&self) -> Option<u32> {
        match *self {
            Batching::Fixed { .. } => None,
            Batching::Frames { max_items, .. }
            | Batching::Dynamic { max_items, .. }
            | Batching::DynamicOvershoot { max_items, .. } => max_items,
        }
    }

    /// The number of items that a batch is meant to have, where the rule names one.
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
