//! A strategy: a combination of items, order, batching and batch order.
//!
//! Every row of every paper's table is one combination, and users can make their own. [`Strategy::validate`] rejects
//! invalid combinations; [`Sampler::new`](crate::Sampler::new) always calls it.

use crate::error::StrategyError;
use crate::settings::{BatchOrder, Batching, Buckets, Items, LastBatch, Order, Padding};

/// A way to build batches.
///
/// Write it on one line, as [`GRAMMAR`](crate::GRAMMAR) describes, or, with the feature `serde`, as a TOML table:
///
#[cfg_attr(feature = "serde", doc = "```")]
#[cfg_attr(not(feature = "serde"), doc = "```ignore")]
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
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Strategy {
    /// Whole sequences, or chunks of them.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub items: Items,
    /// The order of items, and the buckets.
    pub order: Order,
    /// The rule that decides when a batch is full.
    pub batching: Batching,
    /// What to do with a batch that is not full when its group of items ends.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_default"))]
    pub last_batch: LastBatch,
    /// The length that batches are padded to.
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
    /// A strategy with this order and batching, and default values in all other fields.
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

    /// MXNet's default bucketing (Doetsch, Golik and Ney, 2017, section 3).
    ///
    /// Every length that occurs at least batch-size times gets a bucket, and longer sequences are dropped. Only full
    /// batches are kept. They are padded to the bucket's width and shuffled. The one-line form is
    /// `bucketed:mxnet,batch=N,shuffle-batches,drop-last,pad=bucket`.
    pub fn mxnet(batch_size: u32) -> Self {
        let order = Order::Bucketed(Buckets::Mxnet);
        Strategy {
            last_batch: LastBatch::Drop,
            padding: Padding::Bucket,
            batch_order: BatchOrder::Shuffled,
            ..Strategy::new(order, Batching::Fixed { size: batch_size })
        }
    }

    /// Returns an error if a parameter is out of range or the settings contradict each other.
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
