//! `padwise figure`: the papers' figures, drawn from any lengths.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::figures::{self, FigureName};
use crate::lengths::LengthArgs;

/// Draw the papers' figures from any lengths, as SVG and PNG.
#[derive(Debug, Args)]
pub struct FigureCommand {
    /// Which figure, or all of them
    #[arg(value_name = "NAME", value_enum)]
    name: Which,

    #[command(flatten)]
    lengths: LengthArgs,

    /// The folder to draw into
    #[arg(long, value_name = "DIR", default_value = "results/figures")]
    out: PathBuf,

    /// The seed of every plan that is drawn
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
            Which::All => PossibleValue::new("all").help("All of them"),
        })
    }
}

impl FigureCommand {
    /// Reads, plans, draws, and says what was drawn.
    pub fn run(&self) -> Result<(), Failure> {
        let names = match &self.name {
            Which::One(name) => std::slice::from_ref(name),
            Which::All => &FigureName::ALL,
        };
        // Read once: standard input cannot be read again.
        let from_file = match self.lengths.file {
            Some(_) => Some(self.lengths.load(None).map_err(Failure::usage)?),
            None => None,
        };
        for &name in names {
            let lengths = match &from_file {
                Some(lengths) => Cow::Borrowed(lengths),
                None => Cow::Owned(
                    self.lengths
                        .load(Some(name.usual_profile()))
                        .map_err(Failure::usage)?,
                ),
            };
            let figure = figures::build(name, &lengths, self.seed).map_err(Failure::usage)?;
            for path in figures::draw(&figure, &self.out.join(name.file_stem()))
                .map_err(Failure::Runtime)?
            {
                writeln!(io::stdout(), "{}", path.display()).map_err(Failure::output)?;
            }
        }
        Ok(())
    }
}
