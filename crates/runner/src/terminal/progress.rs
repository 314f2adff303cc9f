//! Progress bars: one for the experiment, one for the epoch. Hidden unless standard error is a terminal.

use std::fmt::Write;

use super::say;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// The progress of a running experiment.
pub struct Progress {
    bars: MultiProgress,
    experiment: ProgressBar,
    epoch: ProgressBar,
}

impl Progress {
    /// Bars for `epochs` epochs over all runs, `done` of them finished. Hidden if the log goes to the screen.
    pub fn new(epochs: u64, done: u64, hidden: bool) -> Self {
        let bars = MultiProgress::with_draw_target(if hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        });
        let experiment = bars.add(styled(
            epochs,
            "{bar:30} {pos}/{len} epochs, {eta} left  {wide_msg}",
        ));
        let epoch = bars.add(styled(0, "{bar:30} {pos}/{len} batches  {wide_msg}"));
        experiment.set_position(done);
        // Epochs that an earlier run finished say nothing about the speed of this one.
        experiment.reset_eta();
        Progress {
            bars,
            experiment,
            epoch,
        }
    }

    /// Shows that a run starts.
    pub fn run(&self, strategy: &str, seed: u64) {
        self.experiment
            .set_message(format!("{strategy}, seed {seed}"));
        self.epoch.set_length(0);
        self.epoch.set_position(0);
        self.epoch.set_message("warming up");
    }

    /// Shows how many batches of an epoch are done.
    pub fn step(&self, epoch: u64, done: u64, batches: u64, rate: f64, loss: Option<f64>) {
        self.epoch.set_length(batches);
        self.epoch.set_position(done);
        let loss = loss.map(|loss| format!(", loss {loss:.3}"));
        self.epoch.set_message(format!(
            "epoch {epoch}, {rate:.1} utt/s{}",
            loss.unwrap_or_default()
        ));
    }

    /// Counts epochs that are done or skipped.
    pub fn epochs_done(&self, count: u64) {
        self.experiment.inc(count);
    }

    /// Prints a message to standard error, above the bars.
    pub fn say(&self, message: &str) {
        self.bars.suspend(|| say(message));
    }

    /// Removes the bars from the screen.
    pub fn finish(&self) {
        self.epoch.finish_and_clear();
        self.experiment.finish_and_clear();
    }
}

/// A bar that counts `things`, with their rate and the time left. Hidden unless standard error is a terminal.
pub fn progress_bar(length: u64, things: &str) -> ProgressBar {
    let template =
        format!("{{bar:30}} {{pos}}/{{len}} {things}, {{rate}}/s, {{eta}} left  {{wide_msg}}");
    styled(length, &template)
}

fn styled(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    // Writing to a string cannot fail.
    let rate = |state: &ProgressState, text: &mut dyn Write| {
        let _ = match state.per_sec() {
            rate if rate < 10.0 => write!(text, "{rate:.1}"),
            rate => write!(text, "{rate:.0}"),
        };
    };
    ProgressBar::new(length).with_style(style.with_key("rate", rate))
}
