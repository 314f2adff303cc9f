//! `padwise figure`: the papers' figures, drawn from any utterance lengths.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::print_path;
use crate::failure::Failure;
use crate::figures::{self, FigureName};
use crate::lengths::LengthArgs;
use crate::terminal::{DelayedBar, say};

const EXAMPLES: &str = "\
Examples:
  padwise figure all
  padwise figure ge-2 --profile librispeech --out figures
  padwise figure doetsch-1 lengths.csv --column frames --seed 1";

/// Draw the papers' figures from your utterance lengths.
///
/// Writes NAME.svg and NAME.png for each figure and prints their paths. Without a file or --profile, each figure uses the profile
/// of the corpus in its paper.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FigureCommand {
    /// Figure to draw, or all
    #[arg(value_name = "NAME", value_enum)]
    name: Which,

    #[command(flatten)]
    lengths: LengthArgs,

    /// Folder for the files
    #[arg(long, value_name = "DIR", default_value = "results/figures")]
    out: PathBuf,

    /// Seed of the plans
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    seed: u64,
}

#[derive(Clone, Copy, Debug)]
enum Which {
    One(FigureName),
    All,
}

impl ValueEnum for Which {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Which::One(FigureName::Doetsch1),
            Which::One(FigureName::Ge1),
            Which::One(FigureName::Ge2),
            Which::One(FigureName::Ge3),
            Which::One(FigureName::Khomenko2),
            Which::One(FigureName::Anderson1),
            Which::One(FigureName::Padding),
            Which::One(FigureName::Strategies),
            Which::All,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Which::One(name) => PossibleValue::new(name.file_stem()).help(name.description()),
            Which::All => PossibleValue::new("all").help("All figures"),
        })
    }
}

impl FigureCommand {
    /// Plans and draws each figure, and prints the paths of its files.
    pub fn run(&self) -> Result<(), Failure> {
        let names = match &self.name {
            Which::One(name) => std::slice::from_ref(name),
            Which::All => &FigureName::ALL,
        };
        // Standard input can be read only once, so all figures share the lengths.
        let from_file = match self.lengths.file {
            Some(_) => Some(self.lengths.load(None).map_err(Failure::usage)?),
            None => None,
        };
        if let Some(lengths) = &from_file {
            lengths.notes.iter().for_each(say);
        }
        let progress = DelayedBar::new(names.len() as u64, "steps");
        for &name in names {
            progress.set_message(name.file_stem());
            let lengths = match &from_file {
                Some(lengths) => Cow::Borrowed(lengths),
                None => Cow::Owned(
                    self.lengths
                        .load(Some(name.usual_profile()))
                        .map_err(Failure::usage)?,
                ),
            };
            let figure =
                figures::build(name, &lengths, self.seed, &progress).map_err(Failure::usage)?;
            let paths = figures::draw(&figure, &self.out.join(name.file_stem()));
            for path in paths.map_err(Failure::Runtime)? {
                progress.suspend(|| print_path(&path))?;
            }
            progress.inc(1);
        }
        Ok(())
    }
}
