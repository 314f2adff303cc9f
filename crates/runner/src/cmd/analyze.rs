//! `padwise analyze`: what each strategy does to these lengths.

use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use clap::Args;
use clap::builder::RangedI64ValueParser;
use padwise_sampler::Strategy;

use crate::analysis::{Analysis, Candidate, Format, Settings, analyze, every_family};
use crate::failure::Failure;
use crate::lengths::{LengthArgs, Lengths};

/// Say what each strategy does to a corpus: padding, memory, randomness. Trains nothing, needs no GPU.
///
/// A strategy is an order, then options joined by commas. Orders: random, sorted, alternated:bins=64,
/// semi-sorted:lrf=0.1, bucketed:width=250, bucketed:count=1024, bucketed:mxnet, bucketed:optimal=6, smart. Options:
/// batch=16, frames=5000, dynamic=16, dynamic-overshoot=16, max-items=64, shuffle-batches, short-first, long-first,
/// drop-last, pad=bucket, pad=multiple:8, chunk=50, step=25, min-chunk=10.
#[derive(Debug, Args)]
pub struct Analyze {
    #[command(flatten)]
    lengths: LengthArgs,

    /// A strategy to analyse, such as semi-sorted:lrf=0.1,shuffle-batches; may be given several times [default: every
    /// family]
    #[arg(long = "strategy", value_name = "STRATEGY")]
    strategies: Vec<String>,

    /// The batch size of strategies that do not name one
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX))
    )]
    batch_size: u32,

    /// Over how many seeds to average
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        allow_negative_numbers = true,
        value_parser = RangedI64ValueParser::<u64>::new().range(1..)
    )]
    seeds: u64,

    /// Deal the batches to this many ranks, and count the items dropped or duplicated to keep them in step
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=1 << 20)
    )]
    ranks: u32,

    /// How to print the rows
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Analyze {
    /// Reads, analyses, prints.
    pub fn run(&self) -> Result<(), Failure> {
        let candidates = self.candidates()?;
        let lengths = self.lengths.load(None).map_err(Failure::usage)?;
        let settings = Settings {
            seeds: self.seeds,
            ranks: self.ranks as usize,
        };
        let analysis = analyze(&lengths.frames, &candidates, settings);
        self.report_refused(&analysis)?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        analysis
            .write(self.format, &mut out)
            .and_then(|()| out.flush())
            .map_err(Failure::output)?;
        if self.format == Format::Table {
            self.explain(&lengths, &mut out).map_err(Failure::output)?;
        }
        Ok(())
    }

    fn candidates(&self) -> Result<Vec<Candidate>, Failure> {
        if self.strategies.is_empty() {
            return every_family(self.batch_size).map_err(Failure::usage);
        }
        self.strategies
            .iter()
            .map(|line| {
                let line = line.trim();
                // The name goes into a table and onto a terminal as it is.
                if line.contains(char::is_control) {
                    return Err(Failure::usage(anyhow::anyhow!(
                        "--strategy {line:?}: a strategy is one line without control characters"
                    )));
                }
                let strategy = Strategy::parse(line, self.batch_size)
                    .with_context(|| format!("--strategy {line}"))
                    .map_err(Failure::usage)?;
                Ok(Candidate {
                    name: line.into(),
                    strategy,
                })
            })
            .collect()
    }

    /// A strategy that the user named must work; one of the default set may not suit every corpus.
    fn report_refused(&self, analysis: &Analysis) -> Result<(), Failure> {
        for (name, error) in &analysis.refused {
            if !self.strategies.is_empty() || analysis.rows.is_empty() {
                let error = anyhow::Error::new(error.clone());
                return Err(Failure::usage(error.context(format!("--strategy {name}"))));
            }
            eprintln!("padwise: left out {name}: {error}");
        }
        Ok(())
    }

    /// What the columns mean, for people; whoever pipes a table on gets the table and its source.
    fn explain(&self, lengths: &Lengths, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{} utterance{}, {}; batch size {} where none is named; mean ± standard deviation over {} seed{}.",
            lengths.frames.len(),
            if lengths.frames.len() == 1 { "" } else { "s" },
            lengths.source,
            self.batch_size,
            self.seeds,
            if self.seeds == 1 { "" } else { "s" },
        )?;
        if io::stdout().is_terminal() {
            writeln!(
                out,
                "ZPR: padding per batch, averaged over batches. ABL: mean padded length. Pooled: padding over all padded \
                 frames, which is what time follows. Largest: padded frames of the largest batch, which is what memory follows. Meet \
                 again: pairs of a batch that share one in the next epoch too. Adjacent r: correlation of neighbouring \
                 batches' lengths."
            )?;
        }
        out.flush()
    }
}
