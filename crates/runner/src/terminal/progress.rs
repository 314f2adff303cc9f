//! Progress bars: one for the experiment, one for the epoch. Hidden where standard error is no terminal.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// What is shown while an experiment runs.
pub struct Progress {
    _bars: MultiProgress,
    experiment: ProgressBar,
    epoch: ProgressBar,
}

impl Progress {
    /// Bars for this many epochs over all runs, of which some are done; hidden where the log is on the screen.
    pub fn new(epochs: u64, done: u64, hidden: bool) -> Self {
        let bars = MultiProgress::with_draw_target(if hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        });
        let experiment = bars.add(styled(
            epochs,
            "{bar:30} {pos}/{len} epochs, {eta} to go  {wide_msg}",
        ));
        let epoch = bars.add(styled(0, "{bar:30} {pos}/{len} batches  {wide_msg}"));
        experiment.set_position(done);
        // What an earlier run did is no measure of this one's speed.
        experiment.reset_eta();
        Progress {
            _bars: bars,
            experiment,
            epoch,
        }
    }

    /// A run begins.
    pub fn run(&self, strategy: &str, seed: u64) {
        self.experiment
            .set_message(format!("{strategy}, seed {seed}"));
        self.epoch.set_length(0);
        self.epoch.set_position(0);
        self.epoch.set_message("warming up");
    }

    /// Some batches of an epoch are done.
    pub fn step(&self, epoch: u64, done: u64, batches: u64, rate: f64, loss: Option<f64>) {
        self.epoch.set_length(batches);
        self.epoch.set_position(done);
        let loss = loss.map(|loss| format!(", loss {loss:.3}"));
        self.epoch.set_message(format!(
            "epoch {epoch}, {rate:.1} utt/s{}",
            loss.unwrap_or_default()
        ));
    }

    /// An epoch is done, or will not be.
    pub fn epochs_done(&self, count: u64) {
        self.experiment.inc(count);
    }

    /// Takes the bars off the screen.
    pub fn finish(&self) {
        self.epoch.finish_and_clear();
        self.experiment.finish_and_clear();
    }
}

/// A bar that counts things, with rate and time to go. Hidden where standard error is no terminal.
pub fn progress_bar(length: u64, things: &str) -> ProgressBar {
    let template =
        format!("{{bar:30}} {{pos}}/{{len}} {things}, {{per_sec}}, {{eta}} to go  {{wide_msg}}");
    styled(length, &template)
}

fn styled(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
