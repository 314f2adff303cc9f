//! `padwise compare`: two records of one experiment, on two machines, backends or commits.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use padwise_report::compare::{Comparison, render};
use padwise_report::findings::Findings;
use padwise_report::record::Recorded;
use padwise_report::tables::Style;

use crate::failure::Failure;

/// Compare two recorded runs, and exit with 1 when the second is worse.
///
/// Speed, memory, loss and errors of every strategy that both have. Worse is a change for the worse by more than the tolerance that
/// seeds tell from chance, or that there are too few seeds to ask of.
#[derive(Debug, Args)]
pub struct Compare {
    /// The folder to compare with
    #[arg(value_name = "A")]
    old: PathBuf,

    /// The folder that may be worse
    #[arg(value_name = "B")]
    new: PathBuf,

    /// Changes up to this share of a value are none
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    tolerance: f64,

    /// How to print it
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "table")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// For a document
    Markdown,
    /// For a program
    Json,
}

impl Compare {
    /// Reads both, compares, prints.
    pub fn run(&self) -> Result<(), Failure> {
        let read = |folder: &Path| {
            let recorded = Recorded::open(folder).map_err(Failure::usage)?;
            Ok::<_, Failure>(Findings::of(recorded))
        };
        let (old, new) = (read(&self.old)?, read(&self.new)?);
        let comparison = Comparison::of(&old, &new, self.tolerance);
        if comparison.compared.is_empty() {
            return Err(Failure::usage(anyhow!(
                "{} and {} have no strategy of the same name that both measured: there is nothing to compare",
                self.old.display(),
                self.new.display()
            )));
        }
        let text = match self.format {
            Format::Table => render(&comparison, Style::Terminal),
            Format::Markdown => render(&comparison, Style::Markdown),
            Format::Json => {
                let json = serde_json::to_string_pretty(&comparison);
                json.map_err(Failure::runtime)? + "\n"
            }
        };
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .map_err(Failure::output)?;
        if comparison.is_worse() {
            return Err(Failure::Gate);
        }
        Ok(())
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "no number".to_owned())?;
    if (0.0..f64::INFINITY).contains(&share) {
        Ok(share)
    } else {
        Err("give a share of at least 0, such as 0.05 for 5 %".into())
    }
}
