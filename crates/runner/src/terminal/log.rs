//! Where events go: into `log.txt` beside the results, and onto the screen with `-v`.

use std::fs::OpenOptions;
use std::path::Path;
use std::sync::Mutex;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

/// Sends events to the log file of a folder of results, and to standard error as well where that was asked for.
pub fn begin(folder: &Path, on_screen: bool) -> std::io::Result<()> {
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("log.txt"))?;
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
    // A second run in one process, as tests have it, keeps the first one's log.
    let _ = tracing_subscriber::registry()
        .with(to_file)
        .with(to_screen)
        .try_init();
    Ok(())
}
