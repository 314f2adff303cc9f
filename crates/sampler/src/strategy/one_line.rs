//! The one-line form of a strategy, for command lines, table rows and file names.
//!
//! An order, then any options, joined by commas: `semi-sorted:lrf=0.1,dynamic=16,shuffle-batches`. What
//! [`Strategy`] prints, this module reads, to the same strategy.

use std::str::FromStr;

use super::Strategy;
use super::nearest::nearest;
use super::options::{Options, number};
use crate::error::ParseStrategyError as Error;
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
