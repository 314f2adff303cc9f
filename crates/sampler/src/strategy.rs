//! A strategy is four independent choices: items, order, batching, batch order.
//!
//! Every row of every paper's table is one combination, and users make their own. A combination that cannot mean
//! anything is refused by [`Strategy::validate`] with the reason; [`Sampler::new`](crate::Sampler::new) always asks.

use crate::error::StrategyError;
use crate::settings::{BatchOrder, Batching, Buckets, Items, LastBatch, Order, Padding};

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
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", deny_unknown_fields))]
#[non_exhaustive]
pub struct Strategy {
    /// Whole sequences, or chunks of them.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub items: Items,
    /// The order in which items are drawn, and the groups that no batch crosses.
    pub order: Order,
    /// When a batch is full.
    pub batching: Batching,
    /// What becomes of a batch that is not full when its group runs out.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub last_batch: LastBatch,
    /// How long a batch is padded.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub padding: Padding,
    /// The order of finished batches.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub batch_order: BatchOrder,
}

#[cfg(feature = "serde")]
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Strategy {
    /// Whole sequences in this order, in batches of this kind; everything else as it is by default, to be changed by
    /// setting the fields.
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
    /// length that occurs at least batch-size times, longer sequences discarded, whole batches only, padded to the
    /// bucket's width, in random order. The same as `bucketed:mxnet,batch=N,shuffle-batches,drop-last,pad=bucket`.
    pub fn mxnet(batch_size: u32) -> Self {
        let order = Order::Bucketed(Buckets::Mxnet);
        Strategy {
            last_batch: LastBatch::Drop,
            padding: Padding::Bucket,
            batch_order: BatchOrder::Shuffled,
            ..Strategy::new(order, Batching::Fixed { size: batch_size })
        }
    }

    /// Says why no plan could follow this strategy, if none could.
    pub fn validate(&self) -> Result<(), StrategyError> {
        self.items.validate()?;
        self.order.validate()?;
        self.batching.validate()?;
        StrategyError::check_range("pad=multiple", self.padding.multiple())?;
        match (&self.order, &self.batching) {
            (Order::Bucketed(Buckets::Mxnet), &Batching::Frames { budget, .. }) => {
                Err(StrategyError::MxnetNeedsBatchSize { budget })
            }
            (Order::Bucketed(_), _) => Ok(()),
            (order, _) if self.padding == Padding::Bucket => Err(StrategyError::NoBucketToPadTo {
                order: order.to_string(),
            }),
            _ => Ok(()),
        }
    }
}
