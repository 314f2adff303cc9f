//! `padwise bench cost`: the cost of training steps on this device, for `padwise recommend`.

use std::path::{Path, PathBuf};

use clap::Args;
use padwise_model::{BackendChoice, BlstmConfig, Objective, TrainerConfig, backend};
use padwise_recommend::cost::DeviceProfile;
use padwise_report::tables::{Style, TextTable};
use padwise_report::text::NOTHING;

use super::Format;
use crate::cmd::print;
use crate::cost::{EpochPrediction, Subject, cache, measure, predict_epochs, subject_of};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::terminal::{memory, render_table, say};

const EXAMPLES: &str = "\
Examples:
  padwise bench cost
  padwise bench cost configs/librispeech.toml --out profile.json
  padwise bench cost --hidden 512 --backend cuda
  padwise bench cost --profile profile.json --check results/NAME";

/// Seconds of a measurement on a GPU.
const GPU_SECONDS: f64 = 25.0;
/// Seconds of a measurement on a CPU.
const CPU_SECONDS: f64 = 50.0;

/// Measure the cost of training steps on this device.
///
/// Times steps of about thirty shapes, fits time and memory, and reports the largest error on other shapes. The result
/// is kept in the user's cache, where `padwise recommend` finds it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Cost {
    /// Config whose model and settings to measure [default: the options below]
    #[arg(value_name = "CONFIG", conflicts_with_all = ["hidden", "layers", "inputs", "classes", "backend", "ctc"])]
    config: Option<PathBuf>,
    /// Override a config value, for example model.hidden=256 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "config")]
    sets: Vec<String>,
    /// Backend to measure
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = super::choice(BackendChoice::ALL, BackendChoice::name))]
    backend: BackendChoice,
    /// Hidden size per direction
    #[arg(long, value_name = "N", default_value_t = 512)]
    hidden: usize,
    /// Number of bidirectional layers
    #[arg(long, value_name = "N", default_value_t = 3)]
    layers: usize,
    /// Features per frame
    #[arg(long, value_name = "N", default_value_t = 16)]
    inputs: usize,
    /// Number of classes
    #[arg(long, value_name = "N", default_value_t = 41)]
    classes: usize,
    /// Train with CTC instead of frame labels
    #[arg(long)]
    ctc: bool,
    /// Time limit in seconds [default: 25 on a GPU, 50 on a CPU]
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: Option<u32>,
    /// Also write the profile to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// With --check, use this profile instead of measuring
    #[arg(long, value_name = "FILE", requires = "check", conflicts_with_all = ["seconds", "out"])]
    profile: Option<PathBuf>,
    /// Compare predicted with measured epochs of these results folders
    ///
    /// Measures the model of every record, unless --profile is given. Paths in the config of results/NAME are relative to the folder
    /// configs beside results.
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["config", "hidden", "layers", "inputs", "classes", "ctc", "out"])]
    check: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,
}

impl Cost {
    /// Measures or reads the profile and prints it, or compares predictions with records.
    pub fn run(&self) -> Result<(), Failure> {
        if self.check.is_empty() {
            let profile = self.measure(self.subject()?)?;
            return self.print_profile(&profile);
        }
        let mut profiles = Vec::new();
        if let Some(file) = &self.profile {
            profiles.push(cache::read(file).map_err(Failure::usage)?);
        }
        let mut found = Vec::new();
        for folder in &self.check {
            let configs = configs_beside(folder);
            let mut subject = subject_of(folder, &configs).map_err(Failure::usage)?;
            // Records with the same model share a profile. One that the user names serves all of them.
            let known = profiles
                .iter()
                .find(|profile| subject.is_of(profile))
                .or(profiles.first());
            let profile = match known {
                Some(profile) if self.profile.is_some() || subject.is_of(profile) => {
                    profile.clone()
                }
                _ => {
                    if self.backend != BackendChoice::Auto {
                        subject.backend = self.backend;
                    }
                    let measured = self.measure(subject)?;
                    profiles.push(measured.clone());
                    measured
                }
            };
            found.extend(predict_epochs(folder, &configs, &profile).map_err(Failure::usage)?);
        }
        self.print_predictions(&found)
    }

    /// Measures a profile and writes it to the cache and to `--out`.
    fn measure(&self, subject: Subject) -> Result<DeviceProfile, Failure> {
        let on_cpu = matches!(backend::resolve(subject.backend), Ok(BackendChoice::Cpu));
        let usual = if on_cpu { CPU_SECONDS } else { GPU_SECONDS };
        let seconds = self.seconds.map_or(usual, f64::from);
        let profile = measure(subject, seconds).map_err(Failure::runtime)?;
        let files = cache::file_of(&profile).into_iter().chain(self.out.clone());
        for file in files {
            cache::write(&profile, &file).map_err(Failure::runtime)?;
            say(format!("wrote {}", file.display()));
        }
        Ok(profile)
    }

    /// What to measure.
    fn subject(&self) -> Result<Subject, Failure> {
        if let Some(file) = &self.config {
            let config =
                padwise_experiment_config::read(file, &self.sets).map_err(Failure::usage)?;
            let folder = file.parent().unwrap_or(Path::new(""));
            let experiment =
                Experiment::open_with_states(config, folder).map_err(Failure::usage)?;
            return Subject::of(&experiment).map_err(Failure::usage);
        }
        let model = BlstmConfig::new(self.inputs, self.classes)
            .with_layers(self.layers)
            .with_hidden(self.hidden);
        model.validate().map_err(Failure::usage)?;
        let objective = if self.ctc {
            Objective::Ctc
        } else {
            Objective::FrameWise
        };
        let config = TrainerConfig {
            objective,
            ..TrainerConfig::new(model)
        };
        Ok(Subject {
            backend: self.backend,
            config,
            frames_per_label: None,
        })
    }

    fn print_profile(&self, profile: &DeviceProfile) -> Result<(), Failure> {
        if self.format == Format::Json {
            let line = serde_json::to_string(profile).map_err(Failure::runtime)?;
            return print(&(line + "\n"));
        }
        let error = &profile.error;
        print(&format!(
            "{}\n{}\n\n{}\n\nLargest error of the time: {:.1} % on fitted shapes, {:.1} % on others.\nLargest error of the memory: {}.\n",
            profile.description(),
            profile.execution,
            self.render(&parts_table(profile)),
            error.fitted_percent,
            error.held_out_percent,
            error.memory_percent.map_or_else(
                || "not measured".into(),
                |percent| format!("{percent:.1} %")
            ),
        ))
    }

    fn print_predictions(&self, found: &[EpochPrediction]) -> Result<(), Failure> {
        if self.format == Format::Json {
            for row in found {
                let line = serde_json::to_string(row).map_err(Failure::runtime)?;
                print(&(line + "\n"))?;
            }
            return Ok(());
        }
        print(&(self.render(&predictions_table(found)) + "\n"))
    }

    fn render(&self, table: &TextTable) -> String {
        match self.format {
            Format::Markdown => table.render(Style::Markdown),
            Format::Table | Format::Json => render_table(table),
        }
    }
}

/// The folder `configs` beside the folder that has this record.
fn configs_beside(record: &Path) -> PathBuf {
    let record = record.canonicalize().unwrap_or_else(|_| record.into());
    let top = record.parent().and_then(Path::parent);
    top.unwrap_or(Path::new("")).join("configs")
}

/// The parts of the cost.
fn parts_table(profile: &DeviceProfile) -> TextTable {
    let cost = &profile.cost;
    let mut table = TextTable::new(["cost of", "time", "memory"]);
    let ms = |seconds: f64| format!("{:.3} ms", 1e3 * seconds);
    let part = |text: Option<String>| text.unwrap_or_else(|| NOTHING.into());
    let us = |seconds: f64| format!("{:.3} µs", 1e6 * seconds);
    table.add_row([
        "a step".into(),
        ms(cost.step_seconds),
        part(cost.memory.map(|parts| memory(parts.fixed_bytes as u64))),
    ]);
    table.add_row(["an item".into(), us(cost.item_seconds), NOTHING.into()]);
    for size in &cost.sizes {
        let name = format!("a frame of the longest item, {} items", size.items);
        table.add_row([name, us(size.frame_seconds), NOTHING.into()]);
    }
    let bytes = part(
        cost.memory
            .map(|parts| format!("{:.1} kB", parts.frame_bytes / 1e3)),
    );
    table.add_row(["a padded frame".into(), NOTHING.into(), bytes]);
    table.add_row([
        "a frame after an item's end".into(),
        us(-cost.ragged_saving),
        NOTHING.into(),
    ]);
    table.add_row([
        "a frame after the longest item's end".into(),
        us(cost.excess_seconds),
        NOTHING.into(),
    ]);
    table
}

fn predictions_table(found: &[EpochPrediction]) -> TextTable {
    let mut table = TextTable::new([
        "record",
        "strategy",
        "batches",
        "largest batch",
        "predicted s",
        "measured s",
        "error %",
        "predicted GB",
        "measured GB",
        "memory error %",
    ]);
    for row in found {
        let gb = |bytes: u64| format!("{:.2}", bytes as f64 / 1e9);
        table.add_row([
            row.record.clone(),
            row.strategy.clone(),
            row.batches.to_string(),
            row.most_items.to_string(),
            format!("{:.3}", row.predicted_seconds),
            format!("{:.3}", row.measured_seconds),
            format!("{:+.1}", row.time_error_percent()),
            row.predicted_bytes.map_or_else(|| NOTHING.into(), gb),
            row.measured_bytes.map_or_else(|| NOTHING.into(), gb),
            row.memory_error_percent()
                .map_or_else(|| NOTHING.into(), |percent| format!("{percent:+.1}")),
        ]);
    }
    table
}
