//! `padwise bench step`: how long one training step takes, for any shape, precision, recurrence and backend.

use std::io::{self, Write};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use padwise_model::benchmark::{StepBenchmark, StepTimes};
use padwise_model::{BackendChoice, BlstmConfig, Precision, Recurrence};
use padwise_report::tables::{Style, TextTable};

use crate::failure::Failure;

/// Every combination of the lists is timed, one after the other.
#[derive(Debug, Args)]
pub struct Step {
    /// Backends
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "auto", value_parser = choice(BackendChoice::ALL, BackendChoice::name))]
    backend: Vec<BackendChoice>,
    /// Frames of every utterance
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "300"
    )]
    frames: Vec<usize>,
    /// Utterances a batch
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "16")]
    batch: Vec<usize>,
    /// Units in each direction of each layer
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "128"
    )]
    hidden: Vec<usize>,
    /// Ways to run the recurrence
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "auto", value_parser = choice(Recurrence::ALL, Recurrence::name))]
    recurrence: Vec<Recurrence>,
    /// Arithmetic of the large products
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "f32", value_parser = choice(Precision::ALL, Precision::name))]
    precision: Vec<Precision>,
    /// Bidirectional layers
    #[arg(long, value_name = "N", default_value_t = 3)]
    layers: usize,
    /// Features a frame
    #[arg(long, value_name = "N", default_value_t = 16)]
    inputs: usize,
    /// Classes
    #[arg(long, value_name = "N", default_value_t = 1500)]
    classes: usize,
    /// Steps before the clock starts
    #[arg(long, value_name = "N", default_value_t = 3)]
    warm_up: usize,
    /// Steps timed
    #[arg(long, value_name = "N", default_value_t = 10)]
    steps: usize,
    /// Print one JSON object a line instead of a table
    #[arg(long)]
    json: bool,
}

/// One of a few values, by its name.
fn choice<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(move |&value| name(value)));
    names.try_map(move |text| {
        let found = all.iter().copied().find(|&value| name(value) == text);
        found.ok_or("unknown name")
    })
}

impl Step {
    /// Times what was asked for.
    pub fn run(&self) -> Result<(), Failure> {
        let mut table = TextTable::new([
            "backend",
            "recurrence",
            "precision",
            "T",
            "B",
            "H",
            "median ms",
            "fastest ms",
            "slowest ms",
            "frames/s",
            "peak MiB",
            "launches",
            "a frame and layer",
            "first step s",
        ])
        .right_aligned(0..0);
        let shares = ["backend", "T", "B", "H", "share of each part of a step"];
        let mut shares = TextTable::new(shares).right_aligned(0..0);
        let mut out = io::stdout().lock();
        for benchmark in self.benchmarks() {
            let times = benchmark.run().map_err(Failure::runtime)?;
            if self.json {
                let line = serde_json::to_string(&times).map_err(Failure::runtime)?;
                writeln!(out, "{line}").map_err(Failure::output)?;
            } else {
                table.add_row(row(&times));
                shares.add_row(share(&times));
            }
        }
        if !self.json {
            let [table, shares] = [table, shares].map(|table| table.render(Style::Markdown));
            writeln!(out, "{table}\n\n{shares}").map_err(Failure::output)?;
        }
        Ok(())
    }

    /// Every combination, the backend changing slowest.
    fn benchmarks(&self) -> Vec<StepBenchmark> {
        let mut all = Vec::new();
        for backend in &self.backend {
            for recurrence in &self.recurrence {
                for precision in &self.precision {
                    for &hidden in &self.hidden {
                        for &batch in &self.batch {
                            for &frames in &self.frames {
                                all.push(StepBenchmark {
                                    backend: *backend,
                                    model: BlstmConfig::new(self.inputs, self.classes)
                                        .with_layers(self.layers)
                                        .with_hidden(hidden),
                                    frames,
                                    batch,
                                    recurrence: *recurrence,
                                    precision: *precision,
                                    warm_up: self.warm_up,
                                    steps: self.steps,
                                });
                            }
                        }
                    }
                }
            }
        }
        all
    }
}

fn row(times: &StepTimes) -> Vec<String> {
    let ms = |seconds: f64| format!("{:.2}", seconds * 1e3);
    let extreme = |pick: fn(f64, f64) -> f64| times.steps_s.iter().copied().reduce(pick);
    let median = times.median_s();
    vec![
        times.description.backend.to_string(),
        times.description.recurrence.clone(),
        times.description.precision.clone(),
        times.frames.to_string(),
        times.batch.to_string(),
        times.hidden.to_string(),
        ms(median),
        extreme(f64::min).map_or_else(String::new, ms),
        extreme(f64::max).map_or_else(String::new, ms),
        format!("{:.0}", (times.frames * times.batch) as f64 / median),
        times
            .memory_peak
            .map_or_else(String::new, |bytes| (bytes >> 20).to_string()),
        times.launches.to_string(),
        format!("{:.3}", times.launches_a_time_step_and_layer),
        format!("{:.1}", times.first_step_s),
    ]
}

/// What part of a step's time each of its parts takes.
fn share(times: &StepTimes) -> Vec<String> {
    let whole: f64 = times.parts_s.iter().map(|(_, seconds)| seconds).sum();
    let shares: Vec<String> = times
        .parts_s
        .iter()
        .map(|(part, seconds)| format!("{} {:.1} %", part.name(), 100.0 * seconds / whole))
        .collect();
    vec![
        times.description.backend.to_string(),
        times.frames.to_string(),
        times.batch.to_string(),
        times.hidden.to_string(),
        shares.join(", "),
    ]
}
