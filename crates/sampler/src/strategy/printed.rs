//! A strategy printed on one line: the canonical form, which [`one_line`](super::one_line) reads back.

use std::fmt;

use super::Strategy;
use crate::batch_order::BatchOrder;
use crate::batching::{Batching, LastBatch, Padding};
use crate::items::Items;
use crate::order::{Buckets, Order};

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.order)?;
        let max_items = match &self.batching {
            Batching::Fixed { size } => {
                write!(f, ",batch={size}")?;
                None
            }
            Batching::Frames { budget, max_items } => {
                write!(f, ",frames={budget}")?;
                *max_items
            }
            Batching::Dynamic { base, max_items } => {
                write!(f, ",dynamic={base}")?;
                *max_items
            }
            Batching::DynamicOvershoot { base, max_items } => {
                write!(f, ",dynamic-overshoot={base}")?;
                *max_items
            }
        };
        if let Some(n) = max_items {
            write!(f, ",max-items={n}")?;
        }
        f.write_str(match self.batch_order {
            BatchOrder::AsBuilt => "",
            BatchOrder::Shuffled => ",shuffle-batches",
            BatchOrder::ShortFirst => ",short-first",
            BatchOrder::LongFirst => ",long-first",
        })?;
        if self.last_batch == LastBatch::Drop {
            f.write_str(",drop-last")?;
        }
        match self.padding {
            Padding::Longest => {}
            Padding::Bucket => f.write_str(",pad=bucket")?,
            Padding::Multiple(multiple) => write!(f, ",pad=multiple:{multiple}")?,
        }
        if let Items::Chunks(chunks) = self.items {
            write!(f, ",chunk={}", chunks.size)?;
            if let Some(step) = chunks.step {
                write!(f, ",step={step}")?;
            }
            if let Some(minimum) = chunks.minimum {
                write!(f, ",min-chunk={minimum}")?;
            }
        }
        Ok(())
    }
}

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
