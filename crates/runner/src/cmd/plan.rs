//! `padwise plan`: the batches of several epochs as a file, for other programs to train on.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use padwise_sampler::GRAMMAR;
use padwise_sampler::excerpt::excerpt;

use super::{check_writable, parse_strategy, print_path};
use crate::failure::Failure;
use crate::lengths::LengthArgs;
use crate::plan_files::{PlanFileError, PlanFormat, PlanRequest, Summary, write_plan};
use crate::terminal::{count, say};

const EXAMPLES: &str = "\
Examples:
  padwise plan manifest.csv --strategy semi-sorted:lrf=0.1 --epochs 20 > p.jsonl
  padwise plan corpus.pack --strategy random --epochs 5 --rank 0 --world 4
  padwise plan manifest.jsonl --strategy sorted --epochs 1 --out plan.npz";

const FORMATS: &str = "\
Fields of a JSON line, which is one batch:
  epoch          number of the epoch, from 0
  batch          number of the batch in this epoch of this rank, from 0
  padded_length  number of frames that every utterance is padded to
  ids            ids of the utterances
  starts         first frame of each chunk, if the strategy cuts chunks
  lengths        number of frames of each chunk, if the strategy cuts chunks

CSV has one line per utterance: epoch, batch, padded_length, id, and for chunks start and length.
NPZ has NumPy arrays: ids once, and for epoch 0 utterances_0, offsets_0 and padded_lengths_0.
docs/plans.md explains them and has a training loop for PyTorch.

Ids:
  Packs have ids. In other files they are the column id, utt, utt_id, audio_filepath or path, or else
  the first column with text. If paths or other text are not unique, or there are none, the ids are
  the numbers of the rows, from 0. Blank lines and the header do not count. Profiles number utterances.";

/// Write the batches of several epochs, for other programs.
///
/// Other programs can then train on the batches of any strategy. Each batch lists the ids of its utterances.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct PlanCommand {
    #[command(flatten)]
    lengths: LengthArgs,

    /// Column with the ids [default: id, utt, utt_id, audio_filepath, path, or the first text]
    ///
    /// Ids must be unique. See Ids below.
    #[arg(
        long,
        value_name = "NAME",
        requires = "file",
        conflicts_with = "profile"
    )]
    id_column: Option<String>,

    /// Strategy, for example semi-sorted:lrf=0.1
    ///
    /// See Strategies below.
    #[arg(long, value_name = "STRATEGY")]
    strategy: String,

    /// Number of epochs
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000)
    )]
    epochs: u64,

    /// Seed of the strategy
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true
    )]
    seed: u64,

    /// Write the batches of this rank only, from 0; requires --world
    #[arg(
        long,
        value_name = "N",
        requires = "world",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..1 << 20)
    )]
    rank: Option<u32>,

    /// Number of data-parallel ranks, each with the same number of batches; requires --rank
    #[arg(
        long,
        value_name = "N",
        requires = "rank",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=1 << 20)
    )]
    world: Option<u32>,

    /// Batch size if the strategy does not set one
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX))
    )]
    batch_size: u32,

    /// Output format [default: the extension of --out, or jsonl]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<PlanFormat>,

    /// File to write or replace; npz requires it [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Examples, formats and the grammar, for `--help`.
fn long_help() -> String {
    format!(
        "{EXAMPLES}\n\n{FORMATS}\n\nStrategies:\n\n{}",
        GRAMMAR.trim_end()
    )
}

impl PlanCommand {
    /// Reads the lengths, plans every epoch and writes it.
    pub fn run(&self) -> Result<(), Failure> {
        let (rank, world) = self.shard().map_err(Failure::Usage)?;
        let format = self.format().map_err(Failure::Usage)?;
        if let Some(out) = &self.out {
            check_writable(out).map_err(Failure::Usage)?;
        }
        let strategy = parse_strategy(&self.strategy, self.batch_size)?;
        let lengths = self.lengths.load_with_ids(self.id_column.as_deref());
        let lengths = lengths.map_err(Failure::usage)?;
        lengths.notes.iter().for_each(say);
        let request = PlanRequest {
            strategy: &strategy,
            seed: self.seed,
            lengths: &lengths,
            epochs: self.epochs,
            rank,
            world,
            format,
            // A bar would disturb lines on the same terminal.
            with_progress: self.out.is_some() || !io::stdout().is_terminal(),
        };
        let written = match &self.out {
            Some(path) => {
                padwise_report::files::replace_with(path, |file| write_plan(&request, file))
            }
            None => write_plan(&request, &mut io::stdout().lock()),
        };
        let summary = written.map_err(|error| self.failure(error))?;
        self.explain(&summary);
        match &self.out {
            Some(path) => print_path(path),
            None => Ok(()),
        }
    }

    /// The rank and the number of ranks.
    fn shard(&self) -> anyhow::Result<(usize, usize)> {
        let (rank, world) = (self.rank.unwrap_or(0), self.world.unwrap_or(1));
        if rank >= world {
            return Err(anyhow!(
                "--rank {rank} --world {world}: ranks count from 0, so the last one is {}",
                world - 1
            ));
        }
        Ok((rank as usize, world as usize))
    }

    fn format(&self) -> anyhow::Result<PlanFormat> {
        let extension = self.out.as_ref().and_then(|out| out.extension());
        let of_file = match extension.and_then(|extension| extension.to_str()) {
            Some("csv") => PlanFormat::Csv,
            Some("npz") => PlanFormat::Npz,
            _ => PlanFormat::Jsonl,
        };
        match self.format.unwrap_or(of_file) {
            PlanFormat::Npz if self.out.is_none() => {
                Err(anyhow!("--format npz requires a file: add --out plan.npz"))
            }
            format => Ok(format),
        }
    }

    fn failure(&self, error: PlanFileError) -> Failure {
        match (error, &self.out) {
            (PlanFileError::Output(error), Some(path)) => {
                let error = anyhow::Error::new(error);
                Failure::Runtime(error.context(format!("cannot write {}", path.display())))
            }
            (PlanFileError::Output(error), None) => Failure::output(error),
            (error, _) => {
                let strategy = excerpt(self.strategy.trim());
                Failure::Usage(anyhow::Error::new(error).context(format!("--strategy {strategy}")))
            }
        }
    }

    /// Says what is missing from the plan or in it twice.
    fn explain(&self, summary: &Summary) {
        let epochs = count(self.epochs, "epoch");
        if summary.dropped_items > 0 {
            let items = count(summary.dropped_items, "item");
            say(format!(
                "{items} in no batch, over {epochs}: the strategy drops what fills no batch or is too short or too long"
            ));
        }
        for (batches, what) in [
            (summary.repeated_batches, "repeated"),
            (summary.dropped_batches, "dropped"),
        ] {
            if batches > 0 {
                let batches = count(batches, "batch");
                say(format!(
                    "{batches} {what}, over {epochs}, so that all ranks have the same number of steps"
                ));
            }
        }
    }
}
