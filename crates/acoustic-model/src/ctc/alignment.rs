//! The forward-backward algorithm over the alignments of one utterance.
//!
//! An alignment is a path through states: blank, first label, blank, second label, ..., blank. From frame to
//! frame it stays, advances by one state, or skips a blank between two different labels. It starts in one of
//! the first two states and ends in one of the last two. Probabilities are natural logarithms in f64, because
//! over a thousand frames they underflow any float.

use super::batch::{CtcBatch, frames_needed};
use super::error::CtcError;

const NEVER: f64 = f64::NEG_INFINITY;

/// One utterance of a batch: its frames in the time-major logits, and its target.
pub(super) struct Utterance<'a> {
    logits: &'a [f32],
    classes: usize,
    /// Number of logits from one frame to the next.
    stride: usize,
    index: usize,
    length: usize,
    target: &'a [u32],
    blank: usize,
}

impl<'a> Utterance<'a> {
    /// The batch must have been validated.
    pub(super) fn new(
        logits: &'a [f32],
        batch: &CtcBatch<'a>,
        index: usize,
        target: &'a [u32],
        blank: usize,
    ) -> Self {
        let stride = batch.classes * batch.input_lengths.len();
        Self {
            logits,
            classes: batch.classes,
            stride,
            index,
            length: batch.input_lengths[index],
            target,
            blank,
        }
    }

    pub(super) fn is_unalignable(&self) -> bool {
        frames_needed(self.target) > self.length
    }

    /// Returns the loss and writes its gradient to `rows`, one per frame, which must be zero on entry.
    pub(super) fn loss_and_gradient(&self, rows: Vec<&mut [f32]>) -> Result<f64, CtcError> {
        if self.is_unalignable() {
            return Ok(0.0);
        }
        let normalisers = self.normalisers()?;
        let forward = self.forward(&normalisers);
        let last_frame = &forward[(self.length - 1) * self.states()..];
        let ends = &last_frame[self.states().saturating_sub(2)..];
        let log_likelihood = ends
            .iter()
            .fold(NEVER, |sum, &end| log_sum([sum, end, NEVER]));
        self.backward(&normalisers, &forward, log_likelihood, rows);
        Ok(-log_likelihood)
    }

    fn states(&self) -> usize {
        2 * self.target.len() + 1
    }

    fn class(&self, state: usize) -> usize {
        if state.is_multiple_of(2) {
            self.blank
        } else {
            self.target[state / 2] as usize
        }
    }

    /// Whether an alignment may reach `state` from two states before it.
    fn skips_to(&self, state: usize) -> bool {
        !state.is_multiple_of(2)
            && state >= 3
            && self.target[state / 2] != self.target[state / 2 - 1]
    }

    fn frame(&self, t: usize) -> &'a [f32] {
        &self.logits[t * self.stride + self.index * self.classes..][..self.classes]
    }

    /// The log-sum-exp of the logits at each frame.
    fn normalisers(&self) -> Result<Vec<f64>, CtcError> {
        let normaliser = |t| {
            let frame = self.frame(t);
            if !frame.iter().all(|logit| logit.is_finite()) {
                return Err(CtcError::NotFinite {
                    utterance: self.index,
                    frame: t,
                });
            }
            let top = f64::from(frame.iter().copied().fold(f32::MIN, f32::max));
            Ok(top
                + frame
                    .iter()
                    .map(|&logit| (f64::from(logit) - top).exp())
                    .sum::<f64>()
                    .ln())
        };
        (0..self.length).map(normaliser).collect()
    }

    /// The states at frame `t` that can be reached from the start and from which the end can be reached.
    fn alive(&self, t: usize) -> std::ops::Range<usize> {
        self.states().saturating_sub(2 * (self.length - t))..self.states().min(2 * t + 2)
    }

    /// `[frames, states]`: the log-probability of all path prefixes that end in a state at a frame, including
    /// that frame.
    fn forward(&self, normalisers: &[f64]) -> Vec<f64> {
        let states = self.states();
        let mut table = vec![NEVER; self.length * states];
        for state in self.alive(0) {
            table[state] = f64::from(self.frame(0)[self.class(state)]) - normalisers[0];
        }
        for t in 1..self.length {
            let (frame, normaliser) = (self.frame(t), normalisers[t]);
            let (earlier, now) = table.split_at_mut(t * states);
            let before = &earlier[(t - 1) * states..];
            for state in self.alive(t) {
                let moved = if state >= 1 { before[state - 1] } else { NEVER };
                let skipped = if self.skips_to(state) {
                    before[state - 2]
                } else {
                    NEVER
                };
                let arriving = log_sum([before[state], moved, skipped]);
                now[state] = arriving + f64::from(frame[self.class(state)]) - normaliser;
            }
        }
        table
    }

    /// Runs backward through the frames and writes the gradient. Keeps only one frame of backward
    /// log-probabilities.
    fn backward(
        &self,
        normalisers: &[f64],
        forward: &[f64],
        log_likelihood: f64,
        rows: Vec<&mut [f32]>,
    ) {
        let states = self.states();
        let mut onward = vec![NEVER; states];
        onward[states.saturating_sub(2)..].fill(0.0);
        // Two more states than needed, so looking ahead needs no bounds check.
        let mut emitted = vec![NEVER; states + 2];
        let mut occupancy = vec![0.0; self.classes];
        for (t, row) in rows.into_iter().enumerate().rev() {
            let (frame, normaliser) = (self.frame(t), normalisers[t]);
            occupancy.fill(0.0);
            emitted.fill(NEVER);
            for state in self.alive(t) {
                let class = self.class(state);
                occupancy[class] +=
                    (forward[t * states + state] + onward[state] - log_likelihood).exp();
                emitted[state] = onward[state] + f64::from(frame[class]) - normaliser;
            }
            for ((gradient, &logit), occupied) in row.iter_mut().zip(frame).zip(&occupancy) {
                *gradient = ((f64::from(logit) - normaliser).exp() - occupied) as f32;
            }
            if t > 0 {
                for state in self.alive(t - 1) {
                    let skip = state + 2 < states && self.skips_to(state + 2);
                    let skipped = if skip { emitted[state + 2] } else { NEVER };
                    onward[state] = log_sum([emitted[state], emitted[state + 1], skipped]);
                }
            }
        }
    }
}

/// The log-sum-exp of three values. Terms that represent probability 0 cost no exponential.
fn log_sum(terms: [f64; 3]) -> f64 {
    let top = terms.into_iter().fold(NEVER, f64::max);
    if top == NEVER {
        return NEVER;
    }
    let share = |term: f64| if term == top { 1.0 } else { (term - top).exp() };
    top + (share(terms[0]) + share(terms[1]) + share(terms[2])).ln()
}
