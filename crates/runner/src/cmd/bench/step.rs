//! `padwise bench step`: the time of one training step for any shape, precision, recurrence and backend.

use clap::Args;
use clap::builder::RangedU64ValueParser;
use padwise_model::benchmark::{StepBenchmark, StepTimes};
use padwise_model::{BackendChoice, BlstmConfig, Padding, Precision, Recurrence};
use padwise_report::tables::{Style, TextTable};
use padwise_report::text::{NOTHING, with_thousands};

use super::{Format, choice};
use crate::cmd::{print, with_columns};
use crate::failure::Failure;
use crate::forecast::memory::step_bytes;
use crate::machine::demand::require_host_or_gpu;
use crate::terminal::{legend, memory, render_table};

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

/// A column of the table of times.
fn long_help() -> String {
    let columns = COLUMNS.iter().map(|column| (column.title, column.meaning));
    with_columns(EXAMPLES, columns)
}

struct Column {
    title: &'static str,
    meaning: &'static str,
    /// Whether the terminal shows it only with `--wide`.
    wide: bool,
    cell: fn(&StepTimes) -> String,
}

const fn column(
    title: &'static str,
    meaning: &'static str,
    wide: bool,
    cell: fn(&StepTimes) -> String,
) -> Column {
    Column {
        title,
        meaning,
        wide,
        cell,
    }
}

const COLUMNS: [Column; 15] = [
    column("backend", "cpu, wgpu or cuda", false, |times| {
        times.description.backend.to_string()
    }),
    column(
        "recurrence",
        "implementation of the recurrence",
        false,
        |times| times.description.recurrence.clone(),
    ),
    column(
        "precision",
        "precision of the matrix multiplications",
        false,
        |times| times.description.precision.clone(),
    ),
    column("padding", "how the batch is stored", true, |times| {
        times.padding.to_string()
    }),
    column("T", "frames per utterance", false, |times| {
        times.frames.to_string()
    }),
    column("B", "utterances per batch", false, |times| {
        times.batch.to_string()
    }),
    column("H", "hidden size per direction", false, |times| {
        times.hidden.to_string()
    }),
    column(
        "median ms",
        "median time of a step, milliseconds",
        false,
        |times| milliseconds(Some(times.median_s())),
    ),
    column("fastest ms", "fastest step, milliseconds", true, |times| {
        milliseconds(times.steps_s.iter().copied().reduce(f64::min))
    }),
    column("slowest ms", "slowest step, milliseconds", true, |times| {
        milliseconds(times.steps_s.iter().copied().reduce(f64::max))
    }),
    column("frames/s", "frames per second", false, |times| {
        let frames = (times.frames * times.batch) as f64 / times.median_s();
        with_thousands(&format!("{frames:.0}"))
    }),
    column(
        "memory",
        "peak memory of a step, if the backend reports it",
        false,
        |times| times.memory_peak.map_or_else(|| NOTHING.into(), memory),
    ),
    column("launches", "kernel launches per step", true, |times| {
        with_thousands(&times.launches.to_string())
    }),
    column(
        "launches per frame and layer",
        "kernel launches per step / (frames × layers)",
        true,
        |times| format!("{:.3}", times.launches_a_time_step_and_layer),
    ),
    column(
        "first step s",
        "first step with compilation, seconds",
        true,
        |times| format!("{:.1}", times.first_step_s),
    ),
];

fn milliseconds(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| NOTHING.into(), |seconds| format!("{:.2}", seconds * 1e3))
}

/// The times of all combinations, with the legend.
fn times_table(all: &[StepTimes], wide: bool) -> (TextTable, Vec<(&'static str, &'static str)>) {
    let columns: Vec<&Column> = COLUMNS
        .iter()
        .filter(|column| wide || !column.wide)
        .collect();
    let mut table = TextTable::new(columns.iter().map(|column| column.title));
    for times in all {
        table.add_row(columns.iter().map(|column| (column.cell)(times)));
    }
    let legend = columns
        .iter()
        .map(|column| (column.title, column.meaning))
        .collect();
    (table, legend)
}

/// The share of each phase of a step, in percent.
fn phases_table(all: &[StepTimes]) -> TextTable {
    let mut phases: Vec<&'static str> = Vec::new();
    for (phase, _) in all.iter().flat_map(|times| &times.parts_s) {
        if !phases.contains(&phase.name()) {
            phases.push(phase.name());
        }
    }
    let titles = ["backend", "T", "B", "H"].into_iter();
    let mut table = TextTable::new(titles.chain(phases.iter().copied()));
    for times in all {
        let whole: f64 = times.parts_s.iter().map(|(_, seconds)| seconds).sum();
        let shares = phases.iter().map(|name| {
            let parts = times.parts_s.iter();
            let mut named = parts.filter(|(phase, _)| phase.name() == *name);
            named.next().map_or_else(
                || NOTHING.into(),
                |(_, seconds)| format!("{:.1}", 100.0 * seconds / whole),
            )
        });
        let shape = [
            times.description.backend.to_string(),
            times.frames.to_string(),
            times.batch.to_string(),
            times.hidden.to_string(),
        ];
        table.add_row(shape.into_iter().chain(shares));
    }
    table
}
