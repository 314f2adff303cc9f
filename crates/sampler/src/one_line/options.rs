//! Reads the options that follow the order: in any order, each at most once.

use super::value::{number, parse, split, unknown};
use crate::error::ParseStrategyError as Error;
use crate::settings::{BatchOrder, Batching, Chunks, Items, LastBatch, Padding};
use crate::strategy::Strategy;

const BATCHING: &str = "the batch size";
const BATCH_ORDER: &str = "the order of batches";

/// How to write each option, which begins with its name, and what the option sets.
pub(super) const OPTIONS: [(&str, &str); 14] = [
    ("batch=16", BATCHING),
    ("frames=5000", BATCHING),
    ("dynamic=16", BATCHING),
    ("dynamic-overshoot=16", BATCHING),
    ("max-items=64", "the maximum number of items"),
    ("shuffle-batches", BATCH_ORDER),
    ("shuffle-later", BATCH_ORDER),
    ("short-first", BATCH_ORDER),
    ("long-first", BATCH_ORDER),
    ("drop-last", "the last batch"),
    ("pad=bucket or pad=multiple:8", "padding"),
    ("chunk=50", "the chunk size"),
    ("step=25", "the chunk step"),
    ("min-chunk=10", "the minimum chunk length"),
];

/// Begins the value of `pad=multiple:8`.
const MULTIPLE: &str = "multiple:";

/// The options read so far.
#[derive(Default)]
pub(super) struct Options {
    /// The name of each, what it sets, and its part of the line.
    given: Vec<(&'static str, &'static str, String)>,
    max_items: Option<u32>,
    chunk_step: Option<u32>,
    min_chunk: Option<u32>,
}

impl Options {
    /// Reads one part of a line into the strategy. Options that depend on other parts wait for [`finish`](Self::finish).
    pub(super) fn read(&mut self, part: &str, strategy: &mut Strategy) -> Result<(), Error> {
        let (name, value) = split(part, '=');
        let names = OPTIONS.map(|(usage, _)| split(usage, '=').0);
        let Some(index) = names.iter().position(|&option| option == name) else {
            return Err(unknown("option", name, names.to_vec()));
        };
        let (usage, choice) = OPTIONS[index];
        let max_items = None;
        match (name, value) {
            ("batch", Some(v)) => {
                let size = number(name, v)?;
                strategy.batching = Batching::Fixed { size };
            }
            ("frames", Some(v)) => {
                let budget = parse(name, v, "a whole number from 1 to 18446744073709551615")?;
                strategy.batching = Batching::Frames { budget, max_items };
            }
            ("dynamic", Some(v)) => {
                let base = number(name, v)?;
                strategy.batching = Batching::Dynamic { base, max_items };
            }
            ("dynamic-overshoot", Some(v)) => {
                let base = number(name, v)?;
                strategy.batching = Batching::DynamicOvershoot { base, max_items };
            }
            ("max-items", Some(v)) => self.max_items = Some(number(name, v)?),
            ("shuffle-batches", None) => strategy.batch_order = BatchOrder::Shuffled,
            ("shuffle-later", None) => strategy.batch_order = BatchOrder::ShuffledLater,
            ("short-first", None) => strategy.batch_order = BatchOrder::ShortFirst,
            ("long-first", None) => strategy.batch_order = BatchOrder::LongFirst,
            ("drop-last", None) => strategy.last_batch = LastBatch::Drop,
            ("pad", Some("bucket")) => strategy.padding = Padding::Bucket,
            ("pad", Some(v)) if v.starts_with(MULTIPLE) => {
                let multiple = number("pad=multiple", &v[MULTIPLE.len()..])?;
                strategy.padding = Padding::Multiple(multiple);
            }
            ("chunk", Some(v)) => strategy.items = Items::Chunks(Chunks::new(number(name, v)?)),
            ("step", Some(v)) => self.chunk_step = Some(number(name, v)?),
            ("min-chunk", Some(v)) => self.min_chunk = Some(number(name, v)?),
            _ => {
                let part = part.into();
                return Err(Error::Form { part, usage });
            }
        }
        if let Some((.., first)) = self.given.iter().find(|given| given.1 == choice) {
            return Err(Error::Twice {
                first: first.clone(),
                second: part.into(),
                choice,
            });
        }
        self.given.push((names[index], choice, part.into()));
        Ok(())
    }

    /// Sets the options that depend on other options, independent of their order on the line.
    pub(super) fn finish(self, strategy: &mut Strategy) -> Result<(), Error> {
        match &mut strategy.batching {
            Batching::Fixed { .. } => self.refuse(
                &["max-items"],
                "needs frames=, dynamic= or dynamic-overshoot=; batch= already sets the number of items",
            )?,
            Batching::Frames { max_items, .. }
            | Batching::Dynamic { max_items, .. }
            | Batching::DynamicOvershoot { max_items, .. } => *max_items = self.max_items,
        }
        match &mut strategy.items {
            Items::Sequences => {
                let reason = "needs chunk=, for example chunk=50";
                self.refuse(&["step", "min-chunk"], reason)?;
            }
            Items::Chunks(chunks) => {
                chunks.step = self.chunk_step;
                chunks.minimum = self.min_chunk;
            }
        }
        Ok(())
    }

    /// Returns an error if one of these options was given.
    fn refuse(&self, names: &[&str], reason: &'static str) -> Result<(), Error> {
        let given = |name| self.given.iter().find(|given| given.0 == name);
        match names.iter().find_map(|&name| given(name)) {
            None => Ok(()),
            Some((.., part)) => Err(Error::Orphan {
                part: part.clone(),
                reason,
            }),
        }
    }
}
