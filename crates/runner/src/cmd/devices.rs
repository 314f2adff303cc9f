//! `padwise devices`: the backends of this build and their devices.

use std::io::{self, Write};

use clap::Args;
use padwise_model::{BackendChoice, backend};

use crate::failure::Failure;
use crate::machine::nvml;
use crate::terminal::memory;

const EXAMPLES: &str = "\
Examples:
  padwise devices
  padwise run configs/quick.toml --set train.backend=cpu

A build has the CPU backend only, unless it was compiled with
`--features cuda`, `--features wgpu` or `--features gpu` (both).";

/// List the backends of this build and the devices they find.
///
/// An asterisk marks the default backend.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Devices {}

impl Devices {
    /// Queries every backend and prints one line for each.
    pub fn run(&self) -> Result<(), Failure> {
        let chosen = backend::resolve(BackendChoice::Auto).ok();
        let mut out = io::stdout().lock();
        for found in backend::all() {
            let mark = if Some(found.backend) == chosen {
                "*"
            } else {
                " "
            };
            let name = found.backend.name();
            let device = match &found.device {
                Ok(device) => device.clone(),
                Err(reason) => format!("not available: {reason}"),
            };
            writeln!(out, "{mark} {name:5} {device}").map_err(Failure::output)?;
        }
        let nvml = match nvml::gpu() {
            Ok(gpu) => format!(
                "{}, driver {}, {} free",
                gpu.name,
                gpu.driver,
                memory(gpu.free_bytes)
            ),
            Err(reason) => reason.to_string(),
        };
        writeln!(out, "  nvml  {nvml}").map_err(Failure::output)?;
        writeln!(
            out,
            "\n* default backend. To choose another: --set train.backend=NAME"
        )
        .and_then(|()| out.flush())
        .map_err(Failure::output)
    }
}
