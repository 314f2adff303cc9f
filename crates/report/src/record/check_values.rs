//! Checks values of a record against what a run can measure, above all those of one row of `epochs.csv`.

use super::{EpochRow, Status};

/// More seconds than any epoch takes: about 30 years.
pub(super) const MAX_SECONDS: f64 = 1e9;
/// The largest count that an `f64` represents exactly.
pub(super) const MAX_COUNT: u64 = 1 << 53;
/// More memory than any machine has: one exbibyte.
const MAX_BYTES: u64 = 1 << 60;
/// Losses are computed as `f32`, so none is larger.
const MAX_LOSS: f64 = 4e38;
/// More energy than any epoch takes: a gigawatt for a year.
const MAX_JOULES: f64 = 4e16;
/// An error rate counts insertions, so it can exceed 100 %.
const MAX_ERROR_PERCENT: f64 = 1e6;
const MAX_FRAMES: f64 = MAX_COUNT as f64;

impl EpochRow {
    /// Checks every value; the message names the column, the value and what is valid.
    pub(super) fn check_values(&self) -> Result<(), String> {
        for (name, seconds) in [
            ("train_seconds", self.train_seconds),
            ("wait_seconds", self.wait_seconds),
            ("warm_up_seconds", self.warm_up_seconds),
            ("validation_seconds", self.validation_seconds),
        ] {
            within(name, Some(seconds), 0.0, MAX_SECONDS)?;
        }
        for (name, value, most) in [
            ("cpu_seconds", self.cpu_seconds, MAX_SECONDS),
            ("energy_joules", self.energy_joules, MAX_JOULES),
            ("rate_factor", self.rate_factor, f64::MAX),
            ("zpr_percent", self.zpr_percent, 100.0),
            ("abl", self.abl, MAX_FRAMES),
            (
                "train_frame_error_percent",
                self.train_frame_error_percent,
                100.0,
            ),
            ("frame_error_percent", self.frame_error_percent, 100.0),
            (
                "sequence_error_percent",
                self.sequence_error_percent,
                MAX_ERROR_PERCENT,
            ),
            (
                "character_error_percent",
                self.character_error_percent,
                MAX_ERROR_PERCENT,
            ),
            (
                "word_error_percent",
                self.word_error_percent,
                MAX_ERROR_PERCENT,
            ),
        ] {
            within(name, value, 0.0, most)?;
        }
        for (name, loss) in [
            ("train_loss", self.train_loss),
            ("validation_loss", self.validation_loss),
            ("start_loss", self.start_loss),
        ] {
            // A diverged epoch may record the loss that made it diverge.
            let overflowed = loss.is_some_and(|loss| !loss.is_finite());
            if !(overflowed && self.status == Status::Diverged) {
                within(name, loss, -MAX_LOSS, MAX_LOSS)?;
            }
        }
        self.check_counts()
    }

    fn check_counts(&self) -> Result<(), String> {
        let largest = ("largest_batch_frames", self.largest_batch_frames);
        for (name, count) in [
            ("batches", self.batches),
            ("utterances", self.utterances),
            ("items", self.items),
            ("valid_frames", self.valid_frames),
            ("padded_frames", self.padded_frames),
            largest,
            ("dropped", self.dropped),
        ] {
            at_most(name, count, "", MAX_COUNT)?;
        }
        for (name, bytes) in [
            ("host_base_bytes", self.host_base_bytes),
            ("host_peak_bytes", self.host_peak_bytes),
            ("device_peak_bytes", self.device_peak_bytes),
            ("device_reserved_bytes", self.device_reserved_bytes),
            ("device_process_bytes", self.device_process_bytes),
        ] {
            at_most(name, bytes.unwrap_or(0), "", MAX_BYTES)?;
        }
        let padded = (", the number of padded_frames", self.padded_frames);
        at_most("valid_frames", self.valid_frames, padded.0, padded.1)?;
        at_most(largest.0, largest.1, padded.0, padded.1)?;
        let items = (", the number of items", self.items);
        at_most("batches", self.batches, items.0, items.1)?;
        at_most("utterances", self.utterances, items.0, items.1)?;
        // Two clocks measure them, so allow a small difference.
        let (waited, trained) = (self.wait_seconds, self.train_seconds);
        if self.status != Status::Failed && waited > 1.01 * trained + 0.01 {
            return Err(format!(
                "invalid wait_seconds `{waited}`: expected at most train_seconds, {trained}"
            ));
        }
        Ok(())
    }

    /// Drops losses that are infinite or not a number, which [`Self::check_values`] accepts in a diverged epoch.
    pub(super) fn without_overflow(mut self) -> Self {
        for loss in [
            &mut self.train_loss,
            &mut self.validation_loss,
            &mut self.start_loss,
        ] {
            *loss = loss.filter(|loss| loss.is_finite());
        }
        self
    }
}

pub(super) fn within(name: &str, value: Option<f64>, least: f64, most: f64) -> Result<(), String> {
    match value {
        // A range never contains NaN.
        Some(value) if !(least..=most).contains(&value) => Err(format!(
            "invalid {name} `{value:?}`: expected a number from {least:?} to {most:?}"
        )),
        _ => Ok(()),
    }
}

pub(super) fn at_most(name: &str, count: u64, what: &str, most: u64) -> Result<(), String> {
    if count <= most {
        return Ok(());
    }
    Err(format!(
        "invalid {name} `{count}`: expected at most {most}{what}"
    ))
}
