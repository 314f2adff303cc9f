//! A strategy is four independent choices: items, order, batching, batch order.
//!
//! Every row of every paper's table is one combination, and users make their own. A combination that cannot mean
//! anything is refused by [`Strategy::validate`] with the reason; [`Sampler::new`](crate::Sampler::new) always asks.

mod nearest;
mod one_line;
mod options;
mod printed;

use serde::{Deserialize, Serialize};

use crate::batch_order::BatchOrder;
use crate::batching::{Batching, LastBatch, Padding};
use crate::error::StrategyError;
use crate::items::Items;
use crate::order::{Buckets, Order};
use crate::plan::MAX_LENGTH;

/// A way of building batches.
///
/// It is written in TOML, one table a strategy, or on one line (see [`FromStr`](std::str::FromStr)):
///
/// ```
/// use padwise_sampler::Strategy;
///
/// let from_line: Strategy = "semi-sorted:lrf=0.1,dynamic=16,shuffle-batches".parse()?;
/// let from_toml: Strategy = toml::from_str(r#"
///     order = { semi-sorted = { lrf = 0.1 } }
///     batching = { dynamic = { base = 16 } }
///     batch-order = "shuffled"
/// "#)?;
/// assert_eq!(from_line, from_toml);
/// assert_eq!(from_toml.to_string(), "semi-sorted:lrf=0.1,dynamic=16,shuffle-batches");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Strategy {
    /// Whole utterances, or chunks of them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub items: Items,
    /// The order in which items are drawn, and the groups that no batch crosses.
    pub order: Order,
    /// When a batch is full.
    pub batching: Batching,
    /// What becomes of a batch that is not full when its group runs out.
    #[serde(default, skip_serializing_if = "is_default")]
    pub last_batch: LastBatch,
    /// How long a batch is padded.
    #[serde(default, skip_serializing_if = "is_default")]
    pub padding: Padding,
    /// The order of finished batches.
    #[serde(default, skip_serializing_if = "is_default")]
    pub batch_order: BatchOrder,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Strategy {
    /// Whole utterances in this order, in batches of this kind; everything else as it is by default.
    pub fn new(order: Order, batching: Batching) -> Self {
        Strategy {
            items: Items::default(),
            order,
            batching,
            last_batch: LastBatch::default(),
            padding: Padding::default(),
            batch_order: BatchOrder::default(),
        }
    }

    /// Bucketing just as MXNet does it by default (Doetsch, Golik and Ney, 2017, section 3): a bucket for every
    /// length that occurs at least batch-size times, longer utterances discarded, whole batches only, padded to the
    /// bucket's width, in random order. The same as `bucketed:mxnet,batch=N,shuffle-batches,drop-last,pad=bucket`.
    pub fn mxnet(batch_size: u32) -> Self {
        Strategy {
            last_batch: LastBatch::Drop,
            padding: Padding::Bucket,
            batch_order: BatchOrder::Shuffled,
            ..Strategy::new(
                Order::Bucketed(Buckets::Mxnet),
                Batching::Fixed { size: batch_size },
            )
        }
    }

    /// Says why no plan could follow this strategy, if none could.
    pub fn validate(&self) -> Result<(), StrategyError> {
        self.validate_items()?;
        self.order.validate()?;
        self.batching.validate()?;
        if let Padding::Multiple(multiple) = self.padding {
            in_range("pad=multiple", multiple.into())?;
        }
        if self.padding == Padding::Bucket && !matches!(self.order, Order::Bucketed(_)) {
            return Err(StrategyError::NoBucketToPadTo {
                order: self.order.to_string(),
            });
        }
        if let (Order::Bucketed(Buckets::Mxnet), Batching::Frames { budget, .. }) =
            (&self.order, &self.batching)
        {
            return Err(StrategyError::MxnetNeedsBatchSize { budget: *budget });
        }
        Ok(())
    }

    fn validate_items(&self) -> Result<(), StrategyError> {
        let Items::Chunks(chunks) = self.items else {
            return Ok(());
        };
        let size = in_range("chunk", chunks.size.into())?;
        let step = in_range("step", chunks.step().into())?;
        let minimum = in_range("min-chunk", chunks.minimum().into())?;
        if step > size {
            return Err(StrategyError::StepSkipsFrames { size, step });
        }
        if minimum > size {
            return Err(StrategyError::MinimumOverSize { size, minimum });
        }
        Ok(())
    }
}

/// The value, if it is from 1 to the largest length there can be.
pub(crate) fn in_range(parameter: &'static str, value: u64) -> Result<u32, StrategyError> {
    if (1..=u64::from(MAX_LENGTH)).contains(&value) {
        Ok(value as u32)
    } else {
        Err(StrategyError::OutOfRange { parameter, value })
    }
}
