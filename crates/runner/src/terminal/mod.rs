//! Terminal output: progress bars, the log, tables with their legends, counts and memory sizes as text.

mod amounts;
mod delayed;
pub mod log;
mod message;
mod progress;
mod table;

pub use amounts::{count, duration, memory, short_duration};
pub use delayed::DelayedBar;
pub use message::say;
pub use progress::{Progress, progress_bar};
pub use table::{legend, render_table};
