//! Reads a strategy from one line.

use std::str::FromStr;

use super::options::Options;
use super::value::{number, parse, split, unknown};
use crate::error::ParseStrategyError as Error;
use crate::settings::{Batching, Buckets, Order};
use crate::strategy::Strategy;
use crate::suggestion::suggest;

/// The batch size if a line sets none. Three of the four papers use it.
const DEFAULT_BATCH_SIZE: u32 = 16;

/// Each order's name, its parameters, and how to write it.
pub(super) const ORDERS: [(&str, &[&str], &str); 6] = [
    ("random", &[], "random"),
    ("sorted", &[], "sorted"),
    ("alternated", &["bins"], "alternated:bins=64"),
    ("semi-sorted", &["lrf"], "semi-sorted:lrf=0.1"),
    (
        "bucketed",
        &["width", "count", "mxnet", "optimal"],
        "bucketed:width=250, bucketed:count=1024, bucketed:mxnet or bucketed:optimal=6",
    ),
    ("smart", &[], "smart"),
];

/// Parses the one-line form, which [`GRAMMAR`](crate::GRAMMAR) describes. The default batch size is 16.
impl FromStr for Strategy {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Strategy::parse(text, DEFAULT_BATCH_SIZE)
    }
}

impl Strategy {
    /// Parses the one-line form, with this batch size if the line sets none.
    pub fn parse(text: &str, default_batch_size: u32) -> Result<Self, Error> {
        let mut parts = text.split(',').map(|part| match part.trim() {
            "" => Err(Error::EmptyPart { text: text.into() }),
            part => Ok(part),
        });
        let order = parse_order(parts.next().transpose()?.unwrap_or_default())?;
        let size = default_batch_size;
        let mut strategy = Strategy::new(order, Batching::Fixed { size });
        let mut options = Options::default();
        for part in parts {
            options.read(part?, &mut strategy)?;
        }
        options.finish(&mut strategy)?;
        strategy.validate()?;
        Ok(strategy)
    }
}

fn parse_order(text: &str) -> Result<Order, Error> {
    let (name, parameter) = split(text, ':');
    let Some(&(name, parameters, usage)) = ORDERS.iter().find(|order| order.0 == name) else {
        return Err(unknown("order", name, ORDERS.map(|order| order.0).to_vec()));
    };
    let (key, value) = parameter.map_or(("", None), |parameter| split(parameter, '='));
    Ok(match (name, key, value) {
        ("random", ..) if parameter.is_none() => Order::Random,
        ("sorted", ..) if parameter.is_none() => Order::Sorted,
        ("smart", ..) if parameter.is_none() => Order::Smart,
        ("alternated", "bins", Some(value)) => Order::Alternated {
            bins: number(key, value)?,
        },
        ("semi-sorted", "lrf", Some(value)) => Order::SemiSorted {
            lrf: parse(key, value, "a number of at least 0")?,
        },
        ("bucketed", "width", Some(value)) => Order::Bucketed(Buckets::Width(number(key, value)?)),
        ("bucketed", "count", Some(value)) => Order::Bucketed(Buckets::Count(number(key, value)?)),
        ("bucketed", "optimal", Some(value)) => {
            Order::Bucketed(Buckets::Optimal(number(key, value)?))
        }
        ("bucketed", "mxnet", None) => Order::Bucketed(Buckets::Mxnet),
        _ if parameter.is_none() => return Err(Error::MissingParameter { order: name, usage }),
        _ if parameters.contains(&key) => {
            let part = text.into();
            return Err(Error::Form { part, usage });
        }
        _ => {
            return Err(Error::UnknownParameter {
                order: name,
                name: key.into(),
                suggestion: suggest(key, parameters),
                usage,
            });
        }
    })
}
