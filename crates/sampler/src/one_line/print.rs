//! Prints a strategy in its one-line form.

use std::fmt;

use crate::settings::{BatchOrder, Items, LastBatch, Padding};
use crate::strategy::Strategy;

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (batching, value) = self.batching.parameter();
        write!(f, "{},{batching}={value}", self.order)?;
        print_option(f, "max-items", self.batching.max_items())?;
        f.write_str(match self.batch_order {
            BatchOrder::AsBuilt => "",
            BatchOrder::Shuffled => ",shuffle-batches",
            BatchOrder::ShuffledLater => ",shuffle-later",
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
            print_option(f, "chunk", Some(chunks.size))?;
            print_option(f, "step", chunks.step)?;
            print_option(f, "min-chunk", chunks.minimum)?;
        }
        Ok(())
    }
}

fn print_option(f: &mut fmt::Formatter<'_>, name: &str, value: Option<u32>) -> fmt::Result {
    match value {
        Some(value) => write!(f, ",{name}={value}"),
        None => Ok(()),
    }
}
