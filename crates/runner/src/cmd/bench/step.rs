//! `padwise bench step`: the time of one training step for any shape, precision, recurrence and backend.

use clap::Args;
use clap::builder::RangedU64ValueParser;
use padwise_model::benchmark::StepBenchmark;
use padwise_model::{BackendChoice, BlstmConfig, Padding, Precision, Recurrence};
use padwise_report::tables::Style;

use super::step_tables::{columns, phases_table, times_table};
use super::{Format, choice};
use crate::cmd::{print, with_columns};
use crate::failure::Failure;
use crate::forecast::memory::step_bytes;
use crate::machine::demand::require_host_or_gpu;
use crate::terminal::{legend, render_table};

const EXAMPLES: &str = "\
Examples:
  padwise bench step
  padwise bench step --frames 300,700 --batch 16,32 --hidden 512
  padwise bench step --backend cuda --recurrence fused,persistent --json";

/// Maximum number of steps: hours of even the shortest.
const MOST_STEPS: u64 = 1_000_000;

/// Time one training step for each shape, precision and backend.
///
/// A step is forward pass, loss, backward pass and Adam update on random utterances of equal length. Times every combination of
/// the comma-separated lists.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct Step {
    /// Backends to time
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "auto", value_parser = choice(BackendChoice::ALL, BackendChoice::name))]
    backend: Vec<BackendChoice>,
    /// Frames per utterance (T)
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "300"
    )]
    frames: Vec<usize>,
    /// Utterances per batch (B)
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "16")]
    batch: Vec<usize>,
    /// Hidden size per direction (H)
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "128"
    )]
    hidden: Vec<usize>,
    /// Implementations of the recurrence
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "auto", value_parser = choice(Recurrence::ALL, Recurrence::name))]
    recurrence: Vec<Recurrence>,
    /// How batches are stored
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "padded", value_parser = choice(Padding::ALL, Padding::name))]
    padding: Vec<Padding>,
    /// Precisions of the large matrix multiplications
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "f32", value_parser = choice(Precision::ALL, Precision::name))]
    precision: Vec<Precision>,
    /// Number of bidirectional layers
    #[arg(long, value_name = "N", default_value_t = 3)]
    layers: usize,
    /// Features per frame
    #[arg(long, value_name = "N", default_value_t = 16)]
    inputs: usize,
    /// Number of classes
    #[arg(long, value_name = "N", default_value_t = 1500)]
    classes: usize,
    /// Warm-up steps, not timed
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = RangedU64ValueParser::<usize>::new().range(..=MOST_STEPS))]
    warm_up: usize,
    /// Timed steps
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = RangedU64ValueParser::<usize>::new().range(..=MOST_STEPS))]
    steps: usize,
    /// Output format; all formats except table have all columns
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Same as --format json: one object per combination
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Show all columns of the table [default: those that fit 100 characters]
    #[arg(long)]
    wide: bool,
}

impl Step {
    /// Times every combination and prints the tables.
    pub fn run(&self) -> Result<(), Failure> {
        let format = if self.json { Format::Json } else { self.format };
        let mut all = Vec::new();
        self.check()?;
        for benchmark in self.benchmarks() {
            let times = benchmark.run().map_err(Failure::runtime)?;
            if format == Format::Json {
                let line = serde_json::to_string(&times).map_err(Failure::runtime)?;
                print(&(line + "\n"))?;
            }
            all.push(times);
        }
        match format {
            Format::Json => Ok(()),
            Format::Markdown => print(&format!(
                "{}\n\n{}\n",
                times_table(&all, true).0.render(Style::Markdown),
                phases_table(&all).render(Style::Markdown)
            )),
            Format::Table => {
                let (table, entries) = times_table(&all, self.wide);
                print(&format!(
                    "{}\n\n{}\nShare of each phase of a step, in %:\n\n{}\n",
                    render_table(&table),
                    legend(entries),
                    render_table(&phases_table(&all))
                ))
            }
        }
    }

    /// Refuses shapes that no memory of this machine can hold, before anything is timed.
    fn check(&self) -> Result<(), Failure> {
        for benchmark in self.benchmarks() {
            let StepBenchmark {
                model,
                frames,
                batch,
                ..
            } = &benchmark;
            model.validate().map_err(Failure::usage)?;
            let padded = (*frames as u64).saturating_mul(*batch as u64);
            let request = format!(
                "a step with --frames {frames} --batch {batch} --hidden {}",
                model.hidden
            );
            require_host_or_gpu(request, step_bytes(model, padded)).map_err(Failure::usage)?;
        }
        Ok(())
    }

    /// Every combination, the backend changing slowest.
    fn benchmarks(&self) -> Vec<StepBenchmark> {
        let mut all = Vec::new();
        for backend in &self.backend {
            for recurrence in &self.recurrence {
                for padding in &self.padding {
                    for precision in &self.precision {
                        all.extend(self.shapes().map(|(hidden, batch, frames)| {
                            StepBenchmark {
                                backend: *backend,
                                model: BlstmConfig::new(self.inputs, self.classes)
                                    .with_layers(self.layers)
                                    .with_hidden(hidden),
                                frames,
                                batch,
                                recurrence: *recurrence,
                                padding: *padding,
                                precision: *precision,
                                warm_up: self.warm_up,
                                steps: self.steps,
                            }
                        }));
                    }
                }
            }
        }
        all
    }

    /// Every combination of hidden size, batch size and frames.
    fn shapes(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        self.hidden.iter().flat_map(move |&hidden| {
            let batches = self.batch.iter();
            batches.flat_map(move |&batch| {
                let frames = self.frames.iter();
                frames.map(move |&frames| (hidden, batch, frames))
            })
        })
    }
}

fn long_help() -> String {
    with_columns(EXAMPLES, columns())
}
