//! `padwise recommend`: which strategy to use on given lengths and a given device.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use padwise_model::{BackendChoice, Objective, TrainerConfig};
use padwise_recommend::Request;

use super::{print, print_path, with_columns};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::figures;
use crate::lengths::{Ids, LengthArgs, Lengths};
use crate::recommendation::{
    COLUMNS, Recommendation, Target, choose_profile, markdown, table_text,
};
use crate::terminal::say;

const EXAMPLES: &str = "\
Examples:
  padwise recommend --profile librispeech
  padwise recommend lengths.csv --memory 16GB --batch-size 32
  padwise recommend configs/librispeech.toml
  padwise recommend corpus.pack --device profile.json --plot recommendation";

/// Recommend a strategy for your corpus and device, in seconds.
///
/// Predicts time, memory, padding and randomness of all strategies from utterance lengths, without training. FILE may also be a
/// config: its corpus, model and batch size are then used. Times come from `padwise bench cost`, or from a built-in profile.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct Recommend {
    #[command(flatten)]
    lengths: LengthArgs,

    /// Utterances per batch [default: the config's, or 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    batch_size: Option<u32>,

    /// Memory that a training step may use, for example 16GB [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    memory: Option<u64>,

    /// Least share of pairs in a batch that are new in every epoch, from 0 to 1
    #[arg(long, value_name = "X", default_value_t = Request::MIN_RANDOMNESS, value_parser = parse_share)]
    min_randomness: f64,

    /// Device profile: a built-in one, or a file of `padwise bench cost` [default: the newest of this machine]
    #[arg(long, value_name = "NAME|FILE.json")]
    device: Option<String>,

    /// Also consider chunks of utterances, which need a label for every frame
    #[arg(long)]
    chunks: bool,

    /// Show all strategies [default: the fastest for every degree of randomness]
    #[arg(long)]
    all: bool,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Draw time against randomness to NAME.svg and NAME.png
    #[arg(long, value_name = "NAME")]
    plot: Option<PathBuf>,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for the terminal and the recommendation in words
    Table,
    /// The same for a document
    Markdown,
    /// One object with all predictions
    Json,
}

fn long_help() -> String {
    with_columns(
        EXAMPLES,
        COLUMNS.map(|column| (column.title, column.meaning)),
    )
}

impl Recommend {
    /// Predicts all strategies and prints the recommendation.
    pub fn run(&self) -> Result<(), Failure> {
        let experiment = self.experiment()?;
        let trained = experiment.as_ref().map(|opened| opened.trainer(0));
        let is_ctc = |config: &TrainerConfig| config.objective == Objective::Ctc;
        if self.chunks && trained.as_ref().is_some_and(is_ctc) {
            return Err(Failure::usage(anyhow!(
                "--chunks needs a label for every frame, but the config trains with CTC: remove it"
            )));
        }
        let target = Target {
            backend: experiment
                .as_ref()
                .map_or(BackendChoice::Auto, |opened| opened.config.train.backend),
            model: trained.as_ref(),
        };
        let chosen = choose_profile(self.device.as_deref(), target).map_err(Failure::usage)?;
        let lengths = self.lengths(experiment.as_ref())?;
        lengths.notes.iter().chain(&chosen.note).for_each(say);
        let config_size = experiment
            .as_ref()
            .map(|opened| opened.config.train.batch_size);
        let request = Request {
            memory: self.memory,
            min_randomness: self.min_randomness,
            with_chunks: self.chunks,
            ..Request::new(
                &lengths.frames,
                &chosen.profile.cost,
                self.batch_size.or(config_size).unwrap_or(16),
            )
        };
        let found = Recommendation::new(&request, &chosen.profile).map_err(Failure::usage)?;
        let utterances = lengths.frames.len();
        print(&match self.format {
            Format::Table => table_text(&found, &lengths.source, utterances, self.all),
            Format::Markdown => markdown(&found, &lengths.source, utterances, self.all),
            Format::Json => serde_json::to_string_pretty(&found).map_err(Failure::runtime)? + "\n",
        })?;
        if let Some(stem) = &self.plot {
            let files = figures::draw_recommendation(&found, &lengths.source, stem);
            for file in files.map_err(Failure::runtime)? {
                print_path(&file)?;
            }
        }
        Ok(())
    }

    /// The experiment, if the file is a config.
    fn experiment(&self) -> Result<Option<Experiment>, Failure> {
        let Some(file) = self.lengths.file.as_deref().filter(|file| is_config(file)) else {
            return Ok(None);
        };
        let LengthArgs {
            column,
            filters,
            features,
            hop,
            ..
        } = &self.lengths;
        if !filters.is_empty() || column.is_some() || features.is_some() || hop.is_some() {
            let problem = "a config has no columns: remove --where, --column, --features and --hop";
            return Err(Failure::usage(anyhow!("{}: {problem}", file.display())));
        }
        let config = padwise_experiment_config::read(file, &[]).map_err(Failure::usage)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        Experiment::open_with_states(config, folder)
            .map(Some)
            .map_err(Failure::usage)
    }

    fn lengths(&self, experiment: Option<&Experiment>) -> Result<Lengths, Failure> {
        match (experiment, &self.lengths.file) {
            (Some(experiment), Some(file)) => Ok(Lengths {
                frames: experiment.split.training.lengths().to_vec(),
                ids: Ids::Positions,
                source: format!("training set of {}", file.display()),
                notes: Vec::new(),
            }),
            _ => self.lengths.load(None).map_err(Failure::usage),
        }
    }
}

fn is_config(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "toml")
}

/// Parses a share from 0 to 1.
fn parse_share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "give a number from 0 to 1, for example 0.8".into())
}

/// Parses an amount of memory, for example `800MB`, `16GB` or `24GiB`.
fn parse_memory(text: &str) -> Result<u64, String> {
    let units: [(&str, f64); 8] = [
        ("KB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("TB", 1e12),
        ("KIB", 1024.0),
        ("MIB", 1_048_576.0),
        ("GIB", 1_073_741_824.0),
        ("TIB", 1_099_511_627_776.0),
    ];
    let upper = text.trim().to_uppercase();
    let found = units.iter().find_map(|(unit, bytes)| {
        let number: f64 = upper.strip_suffix(unit)?.trim().parse().ok()?;
        (number.is_finite() && number > 0.0).then_some(number * bytes)
    });
    let bytes = found.filter(|&bytes| bytes < 1e18);
    bytes
        .map(|bytes| bytes as u64)
        .ok_or_else(|| "give a number and a unit, for example 16GB or 800MB".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_has_a_unit() {
        let parsed = ["16GB", "800 mb", "1.5GiB"].map(|text| parse_memory(text).ok());
        assert_eq!(
            parsed,
            [Some(16_000_000_000), Some(800_000_000), Some(1_610_612_736)]
        );
        for text in ["16", "GB", "-1GB", "nanGB", "infGB", "1e300GB", ""] {
            assert!(parse_memory(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_share_is_between_zero_and_one() {
        assert_eq!(parse_share("0.8"), Ok(0.8));
        for text in ["-0.1", "1.1", "nan", "x"] {
            assert!(parse_share(text).is_err(), "{text}");
        }
    }
}
