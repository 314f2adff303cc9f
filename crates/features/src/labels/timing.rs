//! Where frames are in time.
//!
//! Frame t covers the window that begins at t · hop, and its label is what is said at the middle of that window,
//! t · hop + window / 2. The middle is where the window's weight is, so a frame that straddles a boundary takes the
//! side it hears more of. (A front end that pads the edges, so that frame t is centred on t · hop, has a `window` of 0
//! here.)
//!
//! That is right for times that are true: set by hand, or by an aligner that knows its windows. Many CTM files are not
//! of that kind. They were written from an alignment of frames by counting: a phone of frames 50 to 69 stands there
//! from 0.50 s to 0.70 s, whatever the window. For those, frame t is the time from t · hop to (t + 1) · hop; with the
//! other rule the labels come out more than a frame early. Nothing in the file tells the two kinds apart, so the
//! caller does. A hint: counted times end at the number of frames times the hop, true ones at the end of the audio.

/// When frames begin and how long they last, in nanoseconds: whole numbers, so that a boundary that falls on the
/// middle of a frame falls on the same side everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameTiming {
    hop: i64,
    window: i64,
}

impl FrameTiming {
    /// For true times: frames every `hop` seconds, each of `window` seconds. None unless hop is positive, window at
    /// least 0, and both under an hour.
    pub fn windows(hop: f64, window: f64) -> Option<Self> {
        let fine = |seconds: f64| (0.0..3600.0).contains(&seconds);
        let timing = FrameTiming {
            hop: nanoseconds(hop)?,
            window: nanoseconds(window)?,
        };
        (fine(hop) && fine(window) && timing.hop > 0).then_some(timing)
    }

    /// For times that are counts of frames: frame t from t · `hop` to (t + 1) · `hop` seconds.
    pub fn counted(hop: f64) -> Option<Self> {
        Self::windows(hop, hop)
    }

    /// The middle of a frame.
    pub(super) fn middle(&self, frame: u32) -> i64 {
        i64::from(frame) * self.hop + self.window / 2
    }

    /// The latest that labels of this many frames can end: a frame late, which is the difference that is allowed
    /// everywhere. Counted times end with the last frame; true ones may go on after its window for less than a hop.
    pub(super) fn latest_end(&self, frames: u32) -> i64 {
        let counted = (i64::from(frames) + 1) * self.hop;
        if self.window == self.hop {
            counted
        } else {
            counted + self.window
        }
    }
}

/// Seconds as whole nanoseconds; none for what is no time.
pub(super) fn nanoseconds(seconds: f64) -> Option<i64> {
    // A million hours: beyond any recording, and far from overflow.
    (seconds.abs() < 3.6e9).then(|| (seconds * 1e9).round() as i64)
}

pub(super) fn seconds(nanoseconds: i64) -> f64 {
    nanoseconds as f64 / 1e9
}
