//! A part of an audio file, given by its start and duration.

use std::ops::Range;
use std::time::Duration;

/// How far a segment may extend beyond the audio, because durations in manifests are often rounded.
const TOLERANCE: Duration = Duration::from_millis(100);

/// A part of an audio file, stored in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segment {
    start: Duration,
    duration: Duration,
}

impl Segment {
    /// A segment with this start and duration in seconds. `None` if the start is negative, the duration is not above 0,
    /// or a number is not finite.
    pub fn new(start: f64, duration: f64) -> Option<Self> {
        let start = Duration::try_from_secs_f64(start).ok()?;
        let duration = Duration::try_from_secs_f64(duration).ok()?;
        (!duration.is_zero()).then_some(Segment { start, duration })
    }

    /// Time of its first sample.
    pub fn start(&self) -> Duration {
        self.start
    }

    /// Its length.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// Its samples in audio of `total` samples at `rate` Hz. It is cut at the end of the audio if it extends beyond it by at
    /// most a tenth of a second.
    ///
    /// # Errors
    /// A message, if it extends further.
    pub fn samples(&self, total: u64, rate: u32) -> Result<Range<u64>, String> {
        let end = self.start.as_nanos() + self.duration.as_nanos();
        let (first, last) = (sample(self.start.as_nanos(), rate), sample(end, rate));
        if last > total.saturating_add(sample(TOLERANCE.as_nanos(), rate)) {
            return Err(format!(
                "the segment ends at {} s, but the audio ends at {} s",
                end as f64 / 1e9,
                total as f64 / f64::from(rate),
            ));
        }
        Ok(first.min(total)..last.min(total))
    }
}

/// The number of the sample nearest to a time in nanoseconds.
fn sample(nanoseconds: u128, rate: u32) -> u64 {
    // Less than 2^94 nanoseconds, so the product fits.
    let sample = (nanoseconds * u128::from(rate) + 500_000_000) / 1_000_000_000;
    u64::try_from(sample).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_whole_samples_within_the_audio() {
        let segment = |start, duration| Segment::new(start, duration).expect("valid");
        assert_eq!(segment(0.1, 0.2).samples(16_000, 16_000), Ok(1600..4800));
        assert_eq!(
            segment(0.9, 0.1).samples(16_000, 16_000),
            Ok(14_400..16_000)
        );
        assert_eq!(segment(0.5, 0.6).samples(16_000, 16_000), Ok(8000..16_000));
        assert_eq!(segment(1.05, 0.01).samples(100, 100), Ok(100..100));
        assert_eq!(
            segment(0.5, 0.7).samples(16_000, 16_000),
            Err("the segment ends at 1.2 s, but the audio ends at 1 s".into())
        );
        assert!(segment(1e19, 1e19).samples(16_000, 768_000).is_err());
    }

    #[test]
    fn impossible_segments_are_refused() {
        for (start, duration) in [
            (-0.1, 1.0),
            (0.0, 0.0),
            (0.0, -1.0),
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
            (1e300, 1.0),
            (0.0, 1e-10),
        ] {
            assert_eq!(Segment::new(start, duration), None, "{start} {duration}");
        }
    }
}
