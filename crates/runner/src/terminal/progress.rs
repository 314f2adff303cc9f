//! The progress of an experiment: two bars on a terminal, one line per minute elsewhere.

use std::cell::RefCell;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};
use padwise_report::text::with_thousands;

use super::bar::styled;
use super::time_left::TimeLeft;
use super::{LINE_INTERVAL, say};

/// The progress of a running experiment.
pub struct Progress {
    bars: MultiProgress,
    experiment: ProgressBar,
    epoch: ProgressBar,
    epochs: u64,
    state: RefCell<State>,
    lines: Option<Lines>,
}

struct State {
    time: TimeLeft,
    /// Strategy and seed of the current run.
    run: String,
    /// Batches of its current epoch that an earlier session trained.
    earlier: u64,
}

/// Progress in lines, for output that is not a terminal.
struct Lines {
    interval: Duration,
    last: RefCell<Instant>,
    print: Box<dyn Fn(&str)>,
}

impl Progress {
    /// For runs of `epochs` epochs each, `total` over all runs. Shows nothing if `hidden`, because the log goes to the screen.
    pub fn new(epochs: u64, total: u64, hidden: bool) -> Self {
        let lines = !hidden && !stderr().is_terminal();
        let lines = lines.then(|| Lines::new(LINE_INTERVAL, |line| say(line)));
        let target = if hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        Progress::with(epochs, total, target, lines)
    }

    fn with(epochs: u64, total: u64, target: ProgressDrawTarget, lines: Option<Lines>) -> Self {
        let bars = MultiProgress::with_draw_target(target);
        let experiment = styled(
            total,
            "{bar:30} {pos}/{len} epochs, {prefix} left  {wide_msg}",
        );
        let progress = Progress {
            experiment: bars.add(experiment),
            epoch: bars.add(styled(0, "{bar:30} {pos}/{len} batches  {wide_msg}")),
            bars,
            epochs,
            state: RefCell::new(State {
                time: TimeLeft::new(total),
                run: String::new(),
                earlier: 0,
            }),
            lines,
        };
        progress.show_time(Instant::now());
        progress
    }

    /// Shows that a run starts. An earlier session trained `earlier` batches of its first epoch.
    pub fn run(&self, strategy: &str, seed: u64, earlier: u64) {
        let mut state = self.state.borrow_mut();
        state.time.start_run();
        state.earlier = earlier;
        state.run = format!("{strategy}, seed {seed}");
        self.experiment.set_message(state.run.clone());
        self.epoch.set_length(0);
        self.epoch.set_position(0);
        self.epoch.set_message("warming up");
    }

    /// The warm-up of a run is finished.
    pub fn warmed_up(&self) {
        self.state.borrow_mut().time.begin(Instant::now());
    }

    /// Shows how many batches of an epoch are done.
    pub fn step(&self, epoch: u64, done: u64, batches: u64, rate: f64, loss: Option<f64>) {
        let mut state = self.state.borrow_mut();
        let earlier = state.earlier.min(done);
        state.time.step(done, earlier, batches);
        drop(state);
        self.epoch.set_length(batches);
        self.epoch.set_position(done);
        let loss = loss.map(|loss| format!(", loss {loss:.3}"));
        let speed = format!("{rate:.1} utt/s{}", loss.unwrap_or_default());
        self.epoch.set_message(format!("epoch {epoch}, {speed}"));
        let now = Instant::now();
        self.show_time(now);
        if let Some(lines) = &self.lines {
            let state = self.state.borrow();
            let number = |count: u64| with_thousands(&count.to_string());
            lines.print(now, || {
                format!(
                    "{}: epoch {epoch} of {}, batch {} of {}, {speed}, {} left",
                    state.run,
                    self.epochs,
                    number(done),
                    number(batches),
                    about(&state.time.text(now)),
                )
            });
        }
    }

    /// Counts an epoch that is trained, and further ones of the run that need no training.
    pub fn end_epoch(&self, skipped: u64) {
        let mut state = self.state.borrow_mut();
        state.time.end_epoch(skipped);
        state.earlier = 0;
        drop(state);
        self.experiment.inc(1 + skipped);
        self.show_time(Instant::now());
    }

    /// Counts epochs that an earlier session trained.
    pub fn skip(&self, epochs: u64) {
        self.state.borrow_mut().time.skip(epochs);
        self.experiment.inc(epochs);
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

    fn show_time(&self, now: Instant) {
        let left = self.state.borrow().time.text(now);
        self.experiment.set_prefix(left);
    }
}

impl Lines {
    fn new(interval: Duration, print: impl Fn(&str) + 'static) -> Self {
        Lines {
            interval,
            last: RefCell::new(Instant::now()),
            print: Box::new(print),
        }
    }

    /// Prints a line if the last one is old enough.
    fn print(&self, now: Instant, line: impl FnOnce() -> String) {
        if now.saturating_duration_since(*self.last.borrow()) >= self.interval {
            *self.last.borrow_mut() = now;
            (self.print)(&line());
        }
    }
}

/// `about 5 min`, or the dash alone.
pub(super) fn about(time: &str) -> String {
    match time.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("about {time}"),
        false => time.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    fn printed(interval: Duration) -> (Progress, Rc<RefCell<Vec<String>>>) {
        let printed = Rc::new(RefCell::new(Vec::new()));
        let sink = printed.clone();
        let lines = Lines::new(interval, move |line| {
            sink.borrow_mut().push(line.to_owned());
        });
        let target = ProgressDrawTarget::hidden();
        (Progress::with(5, 20, target, Some(lines)), printed)
    }

    #[test]
    fn lines_have_the_run_the_epoch_the_batch_and_the_time_left() {
        let (progress, lines) = printed(Duration::ZERO);
        progress.run("sorted", 7, 0);
        progress.step(1, 0, 4800, 0.0, None);
        progress.warmed_up();
        std::thread::sleep(Duration::from_millis(20));
        progress.step(2, 1200, 4800, 310.25, Some(1.2345));
        let lines = lines.borrow();
        assert_eq!(
            lines[0],
            "sorted, seed 7: epoch 1 of 5, batch 0 of 4,800, 0.0 utt/s, – left"
        );
        let start =
            "sorted, seed 7: epoch 2 of 5, batch 1,200 of 4,800, 310.2 utt/s, loss 1.234, about ";
        assert!(lines[1].starts_with(start), "{}", lines[1]);
        assert!(lines[1].ends_with(" s left"), "{}", lines[1]);
    }

    #[test]
    fn lines_come_once_per_interval() {
        let (progress, lines) = printed(Duration::from_secs(3600));
        progress.run("sorted", 7, 0);
        progress.step(1, 1, 10, 1.0, None);
        progress.step(1, 2, 10, 1.0, None);
        assert_eq!(lines.borrow().len(), 0);
    }

    /// A bar that shows `0s` looks finished.
    #[test]
    fn the_time_left_is_a_dash_until_it_is_known() {
        let (progress, _) = printed(Duration::from_secs(3600));
        assert_eq!(progress.experiment.prefix(), "–");
        progress.run("sorted", 7, 0);
        progress.warmed_up();
        progress.step(1, 5, 10, 1.0, None);
        assert_eq!(progress.experiment.prefix(), "1 s");
    }
}
