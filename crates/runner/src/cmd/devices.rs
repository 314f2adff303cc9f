//! `padwise devices`: what there is to compute on.

use std::io::{self, Write};

use clap::Args;
use padwise_model::{BackendChoice, backend};

use crate::failure::Failure;
use crate::machine::nvml;

/// Say which backends this build has, which devices they find, and which one is taken by default.
#[derive(Debug, Args)]
pub struct Devices {}

impl Devices {
    /// Asks every backend, prints.
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
            let said = match &found.device {
                Ok(device) => device.clone(),
                Err(reason) => format!("not here: {reason}"),
            };
            writeln!(out, "{mark} {name:5} {said}").map_err(Failure::output)?;
        }
        let nvml = match nvml::gpu() {
            Ok(gpu) => format!(
                "{}, driver {}, {:.1} GB free",
                gpu.name,
                gpu.driver,
                gpu.free_bytes as f64 / 1e9
            ),
            Err(reason) => reason.to_string(),
        };
        writeln!(out, "  nvml  {nvml}").map_err(Failure::output)?;
        writeln!(
            out,
            "* is taken by default; choose another with --set train.backend=NAME"
        )
        .and_then(|()| out.flush())
        .map_err(Failure::output)
    }
}
