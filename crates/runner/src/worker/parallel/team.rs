//! The workers of a run that this process trains: one of an MPI world, or all of them in turn.
//!
//! Workers that train apart for an epoch tell each other every few seconds that they are alive. So a worker that stalls is found
//! within the deadline, and a slow one is not mistaken for a stalled one.

use std::ops::Range;
use std::time::{Duration, Instant};

use padwise_parallel::{Alone, MeanError, ParallelError, World, weighted_mean};
use rayon::prelude::*;

/// How often workers tell each other that they are alive, as a share of the deadline.
const BEATS_PER_DEADLINE: u32 = 8;

/// The share of the deadline that an operation may wait for others. The rest is for the time until the next sign of life.
const WAITING_SHARE: f64 = 0.75;

/// Values of a mean that one thread computes at a time.
const PART: usize = 1 << 18;

/// Why workers cannot go on together.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// A worker is lost or late.
    #[error(transparent)]
    World(#[from] ParallelError),
    /// Vectors have no mean.
    #[error(transparent)]
    Mean(#[from] MeanError),
}

/// The workers of a run, as seen by one process.
pub struct Team {
    world: Box<dyn World>,
    size: usize,
    own: Range<usize>,
    between_beats: Duration,
    last_beat: Instant,
    waited: Duration,
}

impl Team {
    /// All workers of a run in one process, which trains them in turn.
    pub fn in_turns(size: usize) -> Self {
        Team::new(Box::new(Alone), size, 0..size, Duration::MAX)
    }

    /// This process's worker of an MPI world. `deadline` is the longest time without progress.
    pub fn member(world: Box<dyn World>, deadline: Duration) -> Self {
        let (rank, size) = (world.rank(), world.size());
        Team::new(world, size, rank..rank + 1, deadline / BEATS_PER_DEADLINE)
    }

    fn new(world: Box<dyn World>, size: usize, own: Range<usize>, between_beats: Duration) -> Self {
        Team {
            world,
            size,
            own,
            between_beats,
            last_beat: Instant::now(),
            waited: Duration::ZERO,
        }
    }

    /// The deadline of one operation of the world, if a worker may be without progress for `deadline`.
    pub fn operation_deadline(deadline: Duration) -> Duration {
        deadline.mul_f64(WAITING_SHARE)
    }

    /// Number of workers of the run.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The workers of this process.
    pub fn own(&self) -> Range<usize> {
        self.own.clone()
    }

    /// Whether this process trains worker 0, which validates, saves and reports.
    pub fn leads(&self) -> bool {
        self.own.start == 0
    }

    /// Whether the workers are in several processes.
    pub fn is_spread(&self) -> bool {
        self.own.len() < self.size
    }

    /// Tells the others that this process is alive, if it is time to.
    pub fn alive(&mut self) -> Result<(), TeamError> {
        if self.is_spread() && self.last_beat.elapsed() >= self.between_beats {
            self.beat(false)?;
        }
        Ok(())
    }

    /// Waits until all processes have called this. They may call [`Team::alive`] before, any number of times.
    pub fn wait_for_all(&mut self) -> Result<(), TeamError> {
        while self.is_spread() && !self.beat(true)? {}
        Ok(())
    }

    /// Exchanges a sign of life. Returns whether all processes are done.
    fn beat(&mut self, done: bool) -> Result<bool, TeamError> {
        let start = Instant::now();
        let mut count = [f64::from(u8::from(done))];
        self.world.sum(&mut count)?;
        self.last_beat = Instant::now();
        self.waited += start.elapsed();
        Ok(count[0] == self.size as f64)
    }

    /// Time spent waiting for others since the last call.
    pub fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// The weighted mean of the vectors of all workers; `own` are those of this process.
    pub fn mean(&mut self, mut own: Vec<Vec<f32>>, weights: &[f64]) -> Result<Vec<f32>, TeamError> {
        if self.is_spread() {
            let mut values = own.swap_remove(0);
            self.world.mean(&mut values, weights[0])?;
            return Ok(values);
        }
        if own.len() == 1 {
            return Ok(own.swap_remove(0));
        }
        let mut mean = vec![0.0; own[0].len()];
        mean.par_chunks_mut(PART)
            .enumerate()
            .try_for_each(|(at, mean)| {
                let range = at * PART..at * PART + mean.len();
                let vectors: Vec<&[f32]> = own.iter().map(|own| &own[range.clone()]).collect();
                weighted_mean(&vectors, weights, mean)
            })?;
        Ok(mean)
    }

    /// The largest of the numbers of all workers.
    pub fn largest(&mut self, own: impl Iterator<Item = u64>) -> Result<u64, TeamError> {
        let mut all = vec![0.0; self.size];
        for (worker, number) in self.own().zip(own) {
            all[worker] = number as f64;
        }
        if self.is_spread() {
            self.world.sum(&mut all)?;
        }
        Ok(all.into_iter().fold(0.0, f64::max) as u64)
    }

    /// The texts of all processes, in the order of workers, at the leader; nothing elsewhere.
    pub fn gather(&mut self, text: &str) -> Result<Vec<String>, TeamError> {
        let found = self.world.gather(text.as_bytes())?;
        let texts = found
            .into_iter()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(texts.collect())
    }

    /// The leader's text, on all processes.
    pub fn broadcast(&mut self, text: String) -> Result<String, TeamError> {
        let mut bytes = text.into_bytes();
        self.world.broadcast(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Leaves the world, after all workers are done.
    pub fn finish(self) -> Result<(), TeamError> {
        Ok(self.world.finish()?)
    }

    /// Ends all processes of the world.
    pub fn abort(&mut self, code: i32) -> ! {
        self.world.abort(code)
    }
}
