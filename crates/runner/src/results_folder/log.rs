//! Log output: `log.txt` in the results folder, and standard error with `-v`.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use super::open_in_place;

/// Appends events to `log.txt` in a results folder, and prints them to standard error if `on_screen` is set.
pub fn begin(folder: &Path, on_screen: bool) -> std::io::Result<()> {
    let path = folder.join("log.txt");
    let file = open_in_place(&path, OpenOptions::new().create(true).append(true))?;
    let to_file = fmt::layer()
        .with_ansi(false)
        .with_target(false)
        .with_writer(Mutex::new(file))
        .with_filter(LevelFilter::DEBUG);
    let to_screen = on_screen.then(|| {
        fmt::layer()
            .with_ansi(false)
            .with_target(false)
            .with_writer(std::io::stderr)
            .with_filter(LevelFilter::DEBUG)
    });
    // Tests start several runs in one process; they all use the first run's log.
    let _ = tracing_subscriber::registry()
        .with(to_file)
        .with(to_screen)
        .try_init();
    Ok(())
}
