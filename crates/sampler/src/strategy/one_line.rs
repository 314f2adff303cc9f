//! The one-line form of a strategy, for command lines, table rows and file names.
//!
//! An order, then any options, joined by commas: `semi-sorted:lrf=0.1,dynamic=16,shuffle-batches`. What this module
//! prints it also reads, to the same strategy.

use std::fmt;
use std::str::FromStr;

use super::Strategy;
use super::nearest::nearest;
use crate::batch_order::BatchOrder;
use crate::batching::{Batching, LastBatch, Padding};
use crate::error::ParseStrategyError as Error;
use crate::items::{Chunks, Items};
use crate::order::{Buckets, Order};

/// The batch size where a line names none: the one that three of the four papers use.
const DEFAULT_BATCH_SIZE: u32 = 16;

const ORDERS: &[&str] = &[
    "random",
    "sorted",
    "alternated",
    "semi-sorted",
    "bucketed",
    "smart",
];

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

const WHOLE: &str = "a whole number from 1 to 2147483647";

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

/// Reads the one-line form; batches are of 16 items where the line does not say.
///
/// An order comes first: `random`, `sorted`, `alternated:bins=64`, `semi-sorted:lrf=0.1`, `bucketed:width=250`,
/// `bucketed:count=1024`, `bucketed:mxnet`, `bucketed:optimal=6` or `smart`. Options follow in any order, each at
/// most once: `batch=16`, `frames=5000`, `dynamic=16` or `dynamic-overshoot=16`; `max-items=64`; `shuffle-batches`,
/// `short-first` or `long-first`; `drop-last`; `pad=bucket` or `pad=multiple:8`; `chunk=50`, `step=25`,
/// `min-chunk=10`.
impl FromStr for Strategy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Strategy::parse(text, DEFAULT_BATCH_SIZE)
    }
}

impl Strategy {
    /// Reads the one-line form, with this batch size where the line does not say.
    pub fn parse(text: &str, default_batch_size: u32) -> Result<Self, Error> {
        let mut parts = text.split(',').map(str::trim);
        let order = parts.next().unwrap_or_default();
        let mut options = Options::default();
        if order.is_empty() {
            return Err(Error::EmptyPart { text: text.into() });
        }
        let order = parse_order(order)?;
        for part in parts {
            if part.is_empty() {
                return Err(Error::EmptyPart { text: text.into() });
            }
            options.read(part)?;
        }
        let strategy = options.into_strategy(order, default_batch_size)?;
        strategy.validate()?;
        Ok(strategy)
    }
}

fn parse_order(text: &str) -> Result<Order, Error> {
    let (name, parameter) = match text.split_once(':') {
        Some((name, parameter)) => (name, Some(parameter)),
        None => (text, None),
    };
    let Some(&name) = ORDERS.iter().find(|&&order| order == name) else {
        return Err(Error::UnknownOrder {
            name: name.into(),
            nearest: nearest(name, ORDERS),
            valid: ORDERS,
        });
    };
    let (valid, usage): (&'static [&'static str], &'static str) = match name {
        "alternated" => (&["bins"], "alternated:bins=64"),
        "semi-sorted" => (&["lrf"], "semi-sorted:lrf=0.1"),
        "bucketed" => (
            &["width", "count", "mxnet", "optimal"],
            "bucketed:width=250, bucketed:count=1024, bucketed:mxnet or bucketed:optimal=6",
        ),
        _ => (&[], name),
    };
    let Some(parameter) = parameter else {
        return match name {
            "random" => Ok(Order::Random),
            "sorted" => Ok(Order::Sorted),
            "smart" => Ok(Order::Smart),
            order => Err(Error::MissingOrderParameter { order, usage }),
        };
    };
    let (key, value) = match parameter.split_once('=') {
        Some((key, value)) => (key, Some(value)),
        None => (parameter, None),
    };
    match (name, key, value) {
        ("alternated", "bins", Some(value)) => Ok(Order::Alternated {
            bins: number(key, value)?,
        }),
        ("semi-sorted", "lrf", Some(value)) => Ok(Order::SemiSorted {
            lrf: value.parse().map_err(|_| Error::Value {
                name: key.into(),
                value: value.into(),
                expected: "a number of at least 0",
            })?,
        }),
        ("bucketed", "width", Some(value)) => {
            Ok(Order::Bucketed(Buckets::Width(number(key, value)?)))
        }
        ("bucketed", "count", Some(value)) => {
            Ok(Order::Bucketed(Buckets::Count(number(key, value)?)))
        }
        ("bucketed", "optimal", Some(value)) => {
            Ok(Order::Bucketed(Buckets::Optimal(number(key, value)?)))
        }
        ("bucketed", "mxnet", None) => Ok(Order::Bucketed(Buckets::Mxnet)),
        (_, key, _) if valid.contains(&key) => Err(Error::OptionForm {
            part: text.into(),
            usage,
        }),
        (order, key, _) => Err(Error::UnknownOrderParameter {
            order,
            name: key.into(),
            nearest: nearest(key, valid),
            usage,
        }),
    }
}

fn number<T: FromStr>(name: &str, value: &str) -> Result<T, Error> {
    value.parse().map_err(|_| Error::Value {
        name: name.into(),
        value: value.into(),
        expected: WHOLE,
    })
}

/// The choices made so far, each with the part that made it.
#[derive(Default)]
struct Options {
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
    fn read(&mut self, part: &str) -> Result<(), Error> {
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
                let budget = number(name, v)?;
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

    fn into_strategy(self, order: Order, default_batch_size: u32) -> Result<Strategy, Error> {
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
