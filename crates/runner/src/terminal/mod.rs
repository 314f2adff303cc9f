//! Terminal output: progress, tables with their legends, counts, durations and memory sizes as text.

mod amounts;
mod bar;
mod delayed;
mod message;
mod names;
mod paragraph;
mod progress;
mod table;
mod time_left;

use std::time::Duration;

pub use amounts::{count, duration, memory, short_duration};
pub use delayed::{DelayedBar, progress_bar};
pub use message::say;
pub use names::first_names;
pub use paragraph::paragraph;
pub use progress::Progress;
pub use table::{legend, render_table};

/// Time between two progress lines if standard error is not a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);
