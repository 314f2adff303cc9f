//! What follows the order on a line: the options, in any order, each at most once.

use super::value::{number, parse, split, unknown};
use crate::error::ParseStrategyError as Error;
use crate::settings::{BatchOrder, Batching, Chunks, Items, LastBatch, Padding};
use crate::strategy::Strategy;

const BATCHING: &str = "when a batch is full";
const BATCH_ORDER: &str = "the order of batches";

/// Each option as it is written, which begins with its name, and what it chooses. They are applied in this order:
/// `max-items` after what it limits, `step` and `min-chunk` after `chunk`.
const OPTIONS: [(&str, &str); 13] = [
    ("batch=16", BATCHING),
    ("frames=5000", BATCHING),
    ("dynamic=16", BATCHING),
    ("dynamic-overshoot=16", BATCHING),
    ("max-items=64", "the most items of a batch"),
    ("shuffle-batches", BATCH_ORDER),
    ("short-first", BATCH_ORDER),
    ("long-first", BATCH_ORDER),
    ("drop-last", "what becomes of the last batch"),
    ("pad=bucket or pad=multiple:8", "padding"),
    ("chunk=50", "the chunk size"),
    ("step=25", "the chunk step"),
    ("min-chunk=10", "the shortest chunk"),
];

/// One option of a line.
pub(super) struct Setting {
    /// Its index in the table of options.
    index: usize,
    part: String,
    value: Value,
}

/// What an option sets.
enum Value {
    Batching(Batching),
    MaxItems(u32),
    BatchOrder(BatchOrder),
    LastBatch(LastBatch),
    Padding(Padding),
    ChunkSize(u32),
    ChunkStep(u32),
    MinChunk(u32),
}

impl Setting {
    /// Reads one part of a line, and adds it to those read before it.
    pub(super) fn read(part: &str, earlier: &mut Vec<Setting>) -> Result<(), Error> {
        let (name, value) = split(part, '=');
        let names = OPTIONS.map(|(usage, _)| split(usage, '=').0);
        let Some(index) = names.iter().position(|&option| option == name) else {
            return Err(unknown("option", name, names.to_vec()));
        };
        let (usage, choice) = OPTIONS[index];
        let value = Value::read(name, value)?.ok_or_else(|| Error::Form {
            part: part.into(),
            usage,
        })?;
        if let Some(first) = earlier.iter().find(|s| OPTIONS[s.index].1 == choice) {
            return Err(Error::Twice {
                first: first.part.clone(),
                second: part.into(),
                choice,
            });
        }
        let part = part.into();
        earlier.push(Setting { index, part, value });
        Ok(())
    }
}

impl Value {
    /// None where the option is not written like this.
    fn read(name: &str, value: Option<&str>) -> Result<Option<Self>, Error> {
        let max_items = None;
        Ok(Some(match (name, value) {
            ("batch", Some(v)) => {
                let size = number(name, v)?;
                Value::Batching(Batching::Fixed { size })
            }
            ("frames", Some(v)) => {
                let budget = parse(name, v, "a whole number from 1 to 18446744073709551615")?;
                Value::Batching(Batching::Frames { budget, max_items })
            }
            ("dynamic", Some(v)) => {
                let base = number(name, v)?;
                Value::Batching(Batching::Dynamic { base, max_items })
            }
            ("dynamic-overshoot", Some(v)) => {
                let base = number(name, v)?;
                Value::Batching(Batching::DynamicOvershoot { base, max_items })
            }
            ("max-items", Some(v)) => Value::MaxItems(number(name, v)?),
            ("shuffle-batches", None) => Value::BatchOrder(BatchOrder::Shuffled),
            ("short-first", None) => Value::BatchOrder(BatchOrder::ShortFirst),
            ("long-first", None) => Value::BatchOrder(BatchOrder::LongFirst),
            ("drop-last", None) => Value::LastBatch(LastBatch::Drop),
            ("pad", Some("bucket")) => Value::Padding(Padding::Bucket),
            ("pad", Some(v)) => match v.strip_prefix("multiple:") {
                Some(n) => Value::Padding(Padding::Multiple(number("pad=multiple", n)?)),
                None => return Ok(None),
            },
            ("chunk", Some(v)) => Value::ChunkSize(number(name, v)?),
            ("step", Some(v)) => Value::ChunkStep(number(name, v)?),
            ("min-chunk", Some(v)) => Value::MinChunk(number(name, v)?),
            _ => return Ok(None),
        }))
    }
}

/// Changes what the options of a line say.
pub(super) fn apply(mut settings: Vec<Setting>, strategy: &mut Strategy) -> Result<(), Error> {
    settings.sort_by_key(|setting| setting.index);
    for Setting { part, value, .. } in settings {
        match value {
            Value::Batching(batching) => strategy.batching = batching,
            Value::BatchOrder(order) => strategy.batch_order = order,
            Value::LastBatch(last) => strategy.last_batch = last,
            Value::Padding(padding) => strategy.padding = padding,
            Value::ChunkSize(size) => strategy.items = Items::Chunks(Chunks::new(size)),
            Value::MaxItems(most) => match &mut strategy.batching {
                Batching::Frames { max_items, .. }
                | Batching::Dynamic { max_items, .. }
                | Batching::DynamicOvershoot { max_items, .. } => *max_items = Some(most),
                Batching::Fixed { .. } => {
                    return Err(Error::Orphan {
                        part,
                        reason: "limits frames=, dynamic= and dynamic-overshoot=; batch= already says how many items a batch has",
                    });
                }
            },
            Value::ChunkStep(step) => chunks(strategy, part)?.step = Some(step),
            Value::MinChunk(minimum) => chunks(strategy, part)?.minimum = Some(minimum),
        }
    }
    Ok(())
}

/// The chunks that a part of the line is about.
fn chunks(strategy: &mut Strategy, part: String) -> Result<&mut Chunks, Error> {
    match &mut strategy.items {
        Items::Chunks(chunks) => Ok(chunks),
        Items::Sequences => Err(Error::Orphan {
            part,
            reason: "belongs to chunks, and there is no chunk=",
        }),
    }
}
