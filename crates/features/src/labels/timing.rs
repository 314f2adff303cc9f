//! The times of frames.
//!
//! Frame t covers the window that starts at t · hop. Its label is the one at the middle of the window,
//! t · hop + window / 2, because the window function has most of its weight there. (If a front end pads the edges and
//! centres frame t on t · hop, `window` is 0 here.)
//!
//! This is correct for true times, set by hand or by an aligner that knows about windows. Many CTM files instead contain
//! counted times, converted from frame-level alignments: a phone with frames 50 to 69 is listed from 0.50 s to 0.70 s for
//! any window. For those, frame t covers t · hop to (t + 1) · hop; with the other rule, labels would be more than a frame
//! early. The file does not say which kind it is. A hint: counted times end at the number of frames times the hop, true
//! times at the end of the audio. `audio_corpus` compares both.

/// Start and duration of frames, in integer nanoseconds. With integers, a boundary at the middle of a frame falls on the
/// same side on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTiming {
    hop: i64,
    window: i64,
}

impl FrameTiming {
    /// For true times: frames every `hop` seconds, each `window` seconds long. `None` unless `hop` is positive, `window`
    /// is not negative, and both are under an hour.
    pub fn windows(hop: f64, window: f64) -> Option<Self> {
        let fine = |seconds: f64| (0.0..3600.0).contains(&seconds);
        let timing = FrameTiming {
            hop: nanoseconds(hop)?,
            window: nanoseconds(window)?,
        };
        (fine(hop) && fine(window) && timing.hop > 0).then_some(timing)
    }

    /// For counted times: frame t covers t · `hop` to (t + 1) · `hop` seconds.
    pub fn counted(hop: f64) -> Option<Self> {
        Self::windows(hop, hop)
    }

    /// Middle of a frame.
    pub(super) fn middle(&self, frame: u32) -> i64 {
        i64::from(frame)
            .saturating_mul(self.hop)
            .saturating_add(self.window / 2)
    }

    /// Deviations of times below this come from rounding: half a hop.
    pub(super) fn rounding(&self) -> i64 {
        (self.hop / 2).max(1)
    }

    /// Latest valid end of the labels for this number of frames: one frame late, the tolerance used everywhere. Counted
    /// times end with the last frame. True times may extend past its window by less than a hop.
    pub(super) fn latest_end(&self, frames: u32) -> i64 {
        let counted = (i64::from(frames) + 1).saturating_mul(self.hop);
        if self.window == self.hop {
            counted
        } else {
            counted.saturating_add(self.window)
        }
    }
}

/// Converts seconds to integer nanoseconds; `None` if out of range.
pub(super) fn nanoseconds(seconds: f64) -> Option<i64> {
    // A million hours: longer than any recording, and far from overflow.
    (seconds.abs() < 3.6e9).then(|| (seconds * 1e9).round() as i64)
}

pub(super) fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}
