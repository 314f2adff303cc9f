//! The time left of an experiment, from the epochs and the part of an epoch trained so far.

use std::time::{Duration, Instant};

use padwise_report::text::NOTHING;

use super::short_duration;

/// Measures how fast an experiment progresses. Epochs of an earlier session say nothing about the speed of this one.
#[derive(Debug)]
pub(super) struct TimeLeft {
    /// Epochs that need no more training, over all runs.
    done: u64,
    total: u64,
    /// When the first epoch of this session began.
    start: Option<Instant>,
    /// Epochs trained in this session.
    trained: f64,
    /// The part of the current epoch that is trained, from 0 to 1.
    part: f64,
    /// The part of the current epoch that an earlier session trained.
    earlier_part: f64,
}

impl TimeLeft {
    pub(super) fn new(total: u64) -> Self {
        TimeLeft {
            done: 0,
            total,
            start: None,
            trained: 0.0,
            part: 0.0,
            earlier_part: 0.0,
        }
    }

    /// Training begins or continues after a warm-up.
    pub(super) fn begin(&mut self, now: Instant) {
        self.start.get_or_insert(now);
    }

    /// Another run starts at the beginning of an epoch.
    pub(super) fn start_run(&mut self) {
        (self.part, self.earlier_part) = (0.0, 0.0);
    }

    /// `done` of the epoch's batches are trained, `earlier` of them before this session.
    pub(super) fn step(&mut self, done: u64, earlier: u64, batches: u64) {
        let part = |count: u64| count as f64 / batches.max(1) as f64;
        (self.part, self.earlier_part) = (part(done), part(earlier));
    }

    /// An epoch ended. `skipped` further ones need no training.
    pub(super) fn end_epoch(&mut self, skipped: u64) {
        self.done += 1 + skipped;
        self.trained += 1.0 - self.earlier_part;
        self.start_run();
    }

    /// Epochs need no training in this session.
    pub(super) fn skip(&mut self, epochs: u64) {
        self.done += epochs;
    }

    /// The time left as text; a dash until it is known, and never zero while work remains.
    pub(super) fn text(&self, now: Instant) -> String {
        match self.left(now) {
            Some(left) => short_duration(left.as_secs_f64()),
            None => NOTHING.into(),
        }
    }

    fn left(&self, now: Instant) -> Option<Duration> {
        let trained = self.trained + self.part - self.earlier_part;
        if trained <= 0.0 {
            return None;
        }
        let elapsed = now.saturating_duration_since(self.start?).as_secs_f64();
        let remaining = self.total.saturating_sub(self.done) as f64 - self.part;
        Duration::try_from_secs_f64(elapsed / trained * remaining.max(0.0)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_epoch_tells_the_time_left() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut time = TimeLeft::new(4);
        assert_eq!(time.text(after(9)), "–");
        time.begin(start);
        assert_eq!(time.text(after(9)), "–", "no batch is trained");
        time.step(10, 0, 100);
        // A tenth of an epoch takes 3 s, and 3.9 epochs remain.
        assert_eq!(time.text(after(3)), "2 min");
        time.step(100, 0, 100);
        assert_eq!(time.text(after(30)), "2 min");
        time.end_epoch(0);
        assert_eq!(time.text(after(30)), "2 min");
        time.start_run();
        time.end_epoch(1);
        assert_eq!(
            time.text(after(60)),
            "30 s",
            "one of two epochs was skipped"
        );
        time.step(999, 0, 1000);
        assert_eq!(time.text(after(90)), "1 s", "work remains");
    }

    #[test]
    fn batches_of_an_earlier_session_do_not_count() {
        let start = Instant::now();
        let mut time = TimeLeft::new(2);
        time.skip(1);
        time.begin(start);
        time.step(50, 50, 100);
        assert_eq!(time.text(start + Duration::from_secs(5)), "–");
        time.step(60, 50, 100);
        assert_eq!(time.text(start + Duration::from_secs(5)), "20 s");
    }
}
