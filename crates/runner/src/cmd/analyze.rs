//! `padwise analyze`: padding, memory and randomness of each strategy on given lengths.

use std::io::{self, Write};

use clap::Args;
use clap::builder::RangedI64ValueParser;
use padwise_recommend::Request;
use padwise_sampler::GRAMMAR;
use padwise_sampler::excerpt::excerpt;

use super::{parse_strategy, with_columns};
use crate::analysis::{Analysis, COLUMNS, Candidate, Format, Settings, analyze, every_family};
use crate::failure::Failure;
use crate::lengths::{LengthArgs, Lengths};
use crate::recommendation::{Recommendation, Target, choose_profile};
use crate::terminal::{count, paragraph, say};

const EXAMPLES: &str = "\
Examples:
  padwise analyze --profile ljspeech
  padwise analyze manifest.csv --features tacotron-mel80 --where split=train
  padwise analyze corpus.pack --strategy random --strategy smart
  padwise analyze --profile chime4 --format csv > chime4.csv";

/// Report padding, memory and randomness of strategies, without training.
///
/// Plans epochs from utterance lengths only, so it takes seconds and needs no GPU. Without --strategy it compares every family of
/// strategies.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct Analyze {
    #[command(flatten)]
    lengths: LengthArgs,

    /// Strategy to analyse, for example semi-sorted:lrf=0.1 (repeatable) [default: every family]
    ///
    /// See Strategies below.
    #[arg(long = "strategy", value_name = "STRATEGY")]
    strategies: Vec<String>,

    /// Batch size for strategies that do not set one
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX))
    )]
    batch_size: u32,

    /// Number of seeds to average over
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        allow_negative_numbers = true,
        value_parser = RangedI64ValueParser::<u64>::new().range(1..=1_000_000)
    )]
    seeds: u64,

    /// Number of data-parallel ranks; adds utterances dropped or duplicated by sharding
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=1 << 20)
    )]
    ranks: u32,

    /// Output format; all formats except table have all columns
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Show all columns of the table [default: those that fit 100 characters]
    #[arg(long)]
    wide: bool,
}

/// Examples, columns and the grammar, for `--help`.
fn long_help() -> String {
    let columns = COLUMNS.map(|column| (column.title, column.meaning));
    let help = with_columns(EXAMPLES, columns);
    format!("{help}\n\nStrategies:\n\n{}", GRAMMAR.trim_end())
}

impl Analyze {
    /// Reads the lengths, analyses every strategy and prints the table.
    pub fn run(&self) -> Result<(), Failure> {
        let named = self.named()?;
        let lengths = self.lengths.load(None).map_err(Failure::usage)?;
        let candidates = match named.is_empty() {
            true => every_family(&lengths.frames, self.batch_size).map_err(Failure::usage)?,
            false => named,
        };
        lengths.notes.iter().for_each(say);
        let settings = Settings {
            seeds: self.seeds,
            ranks: self.ranks as usize,
        };
        let analysis = analyze(&lengths.frames, &candidates, settings);
        self.report_refused(&analysis)?;
        let mut out = io::BufWriter::new(io::stdout().lock());
        analysis
            .write(self.format, self.wide, &mut out)
            .and_then(|()| out.flush())
            .map_err(Failure::output)?;
        if self.format == Format::Table {
            self.explain(&lengths, &analysis, &mut out)
                .map_err(Failure::output)?;
        }
        Ok(())
    }

    /// The strategies that the user names.
    fn named(&self) -> Result<Vec<Candidate>, Failure> {
        self.strategies
            .iter()
            .map(|line| {
                Ok(Candidate {
                    name: line.trim().into(),
                    strategy: parse_strategy(line, self.batch_size)?,
                })
            })
            .collect()
    }

    /// Fails if a strategy that the user named cannot be planned. Default strategies are only skipped.
    fn report_refused(&self, analysis: &Analysis) -> Result<(), Failure> {
        for (name, error) in &analysis.refused {
            if !self.strategies.is_empty() || analysis.rows.is_empty() {
                let error = anyhow::Error::new(error.clone());
                return Err(Failure::usage(
                    error.context(format!("--strategy {}", excerpt(name))),
                ));
            }
            say(format!("skipped {}: {error}", excerpt(name)));
        }
        Ok(())
    }

    /// The source of the lengths and the legend, below the table.
    fn explain(
        &self,
        lengths: &Lengths,
        analysis: &Analysis,
        out: &mut impl Write,
    ) -> io::Result<()> {
        writeln!(
            out,
            "\n{}, {}.\nBatch size {} unless a strategy sets another. {} over {}.\n",
            count(lengths.frames.len(), "utterance"),
            lengths.source,
            self.batch_size,
            if self.wide {
                "Mean ± standard deviation"
            } else {
                "Mean"
            },
            count(self.seeds, "seed"),
        )?;
        write!(out, "{}", analysis.legend(self.wide))?;
        if !self.wide {
            writeln!(out, "\n--wide adds ZPR %, ABL, shapes and autocorr.")?;
        }
        if let Some(summary) = self.recommendation(lengths) {
            let sentence = format!("{summary} `padwise recommend` explains it.");
            writeln!(out, "\n{}", paragraph(&sentence, 0))?;
        }
        out.flush()
    }

    /// What to use, in one sentence. None if the corpus cannot be planned.
    fn recommendation(&self, lengths: &Lengths) -> Option<String> {
        let profile = choose_profile(None, Target::default()).ok()?.profile;
        let request = Request::new(&lengths.frames, &profile.cost, self.batch_size);
        let found = Recommendation::new(&request, &profile).ok()?;
        Some(format!(
            "{} Times are those of {}.",
            found.advice.summary, found.device
        ))
    }
}
