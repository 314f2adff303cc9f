//! What follows the order on a line: the options, in any order, each at most once.

use std::str::FromStr;

use super::Strategy;
use super::nearest::nearest;
use crate::batch_order::BatchOrder;
use crate::batching::{Batching, LastBatch, Padding};
use crate::error::ParseStrategyError as Error;
use crate::items::{Chunks, Items};
use crate::order::Order;

const OPTIONS: &[&str] = &[
    "batch",
    "frames",
    "dynamic",
    "dynamic-overshoot",
    "max-items",
    "shuffle-batches",
    "short-first",
    "long-first",
    "drop-last",
    "pad",
    "chunk",
    "step",
    "min-chunk",
];

/// The choices made so far, each with the part that made it.
#[derive(Default)]
pub(super) struct Options {
    batching: Option<(String, Batching)>,
    max_items: Option<(String, u32)>,
    batch_order: Option<(String, BatchOrder)>,
    last_batch: Option<(String, LastBatch)>,
    padding: Option<(String, Padding)>,
    chunk: Option<(String, u32)>,
    step: Option<(String, u32)>,
    minimum: Option<(String, u32)>,
}

impl Options {
    pub(super) fn read(&mut self, part: &str) -> Result<(), Error> {
        let (name, value) = match part.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (part, None),
        };
        let max_items = None;
        match (name, value) {
            ("batch", Some(v)) => {
                let size = number(name, v)?;
                choose(&mut self.batching, part, Batching::Fixed { size }, BATCHING)
            }
            ("frames", Some(v)) => {
                let budget = parsed(name, v, "a whole number from 1 to 18446744073709551615")?;
                let frames = Batching::Frames { budget, max_items };
                choose(&mut self.batching, part, frames, BATCHING)
            }
            ("dynamic", Some(v)) => {
                let base = number(name, v)?;
                let dynamic = Batching::Dynamic { base, max_items };
                choose(&mut self.batching, part, dynamic, BATCHING)
            }
            ("dynamic-overshoot", Some(v)) => {
                let base = number(name, v)?;
                let dynamic = Batching::DynamicOvershoot { base, max_items };
                choose(&mut self.batching, part, dynamic, BATCHING)
            }
            ("max-items", Some(v)) => {
                let n = number(name, v)?;
                choose(&mut self.max_items, part, n, "the most items of a batch")
            }
            ("shuffle-batches", None) => self.choose_batch_order(part, BatchOrder::Shuffled),
            ("short-first", None) => self.choose_batch_order(part, BatchOrder::ShortFirst),
            ("long-first", None) => self.choose_batch_order(part, BatchOrder::LongFirst),
            ("drop-last", None) => choose(
                &mut self.last_batch,
                part,
                LastBatch::Drop,
                "what becomes of the last batch",
            ),
            ("pad", Some(v)) => {
                let padding = parse_padding(part, v)?;
                choose(&mut self.padding, part, padding, "padding")
            }
            ("chunk", Some(v)) => choose(&mut self.chunk, part, number(name, v)?, "the chunk size"),
            ("step", Some(v)) => choose(&mut self.step, part, number(name, v)?, "the chunk step"),
            ("min-chunk", Some(v)) => {
                let minimum = number(name, v)?;
                choose(&mut self.minimum, part, minimum, "the shortest chunk")
            }
            (name, _) if OPTIONS.contains(&name) => Err(Error::OptionForm {
                part: part.into(),
                usage: usage(name),
            }),
            (name, _) => Err(Error::UnknownOption {
                name: name.into(),
                nearest: nearest(name, OPTIONS),
                valid: OPTIONS,
            }),
        }
    }

    fn choose_batch_order(&mut self, part: &str, order: BatchOrder) -> Result<(), Error> {
        choose(&mut self.batch_order, part, order, "the order of batches")
    }

    pub(super) fn into_strategy(
        self,
        order: Order,
        default_batch_size: u32,
    ) -> Result<Strategy, Error> {
        let size = default_batch_size;
        let mut batching = chosen(self.batching).unwrap_or(Batching::Fixed { size });
        if let Some((part, most)) = self.max_items {
            match &mut batching {
                Batching::Fixed { .. } => {
                    return Err(Error::Orphan {
                        part,
                        reason: "limits frames=, dynamic= and dynamic-overshoot=; batch= already says how many items a batch has",
                    });
                }
                Batching::Frames { max_items, .. }
                | Batching::Dynamic { max_items, .. }
                | Batching::DynamicOvershoot { max_items, .. } => *max_items = Some(most),
            }
        }
        let items = match self.chunk {
            Some((_, size)) => Items::Chunks(Chunks {
                size,
                step: chosen(self.step),
                minimum: chosen(self.minimum),
            }),
            None => {
                if let Some((part, _)) = self.step.or(self.minimum) {
                    return Err(Error::Orphan {
                        part,
                        reason: "belongs to chunks, and there is no chunk=",
                    });
                }
                Items::Utterances
            }
        };
        Ok(Strategy {
            items,
            order,
            batching,
            last_batch: chosen(self.last_batch).unwrap_or_default(),
            padding: chosen(self.padding).unwrap_or_default(),
            batch_order: chosen(self.batch_order).unwrap_or_default(),
        })
    }
}

const BATCHING: &str = "when a batch is full";

/// A count or a number of frames.
pub(super) fn number(name: &str, value: &str) -> Result<u32, Error> {
    parsed(name, value, "a whole number from 1 to 2147483647")
}

fn parsed<T: FromStr>(name: &str, value: &str, expected: &'static str) -> Result<T, Error> {
    value.parse().map_err(|_| Error::Value {
        name: name.into(),
        value: value.into(),
        expected,
    })
}

fn choose<T>(
    slot: &mut Option<(String, T)>,
    part: &str,
    value: T,
    choice: &'static str,
) -> Result<(), Error> {
    match slot {
        Some((first, _)) => Err(Error::Twice {
            first: first.clone(),
            second: part.into(),
            choice,
        }),
        None => {
            *slot = Some((part.into(), value));
            Ok(())
        }
    }
}

fn chosen<T>(slot: Option<(String, T)>) -> Option<T> {
    slot.map(|(_, value)| value)
}

fn parse_padding(part: &str, value: &str) -> Result<Padding, Error> {
    match value.split_once(':') {
        None if value == "bucket" => Ok(Padding::Bucket),
        Some(("multiple", n)) => Ok(Padding::Multiple(number("pad=multiple", n)?)),
        _ => Err(Error::OptionForm {
            part: part.into(),
            usage: usage("pad"),
        }),
    }
}

fn usage(option: &str) -> &'static str {
    match option {
        "batch" => "batch=16",
        "frames" => "frames=5000",
        "dynamic" => "dynamic=16",
        "dynamic-overshoot" => "dynamic-overshoot=16",
        "max-items" => "max-items=64",
        "shuffle-batches" => "shuffle-batches",
        "short-first" => "short-first",
        "long-first" => "long-first",
        "drop-last" => "drop-last",
        "pad" => "pad=bucket or pad=multiple:8",
        "chunk" => "chunk=50",
        "step" => "step=25",
        _ => "min-chunk=10",
    }
}
