//! What candidates and evidence depend on: the number of utterances and the distribution of their lengths.

/// Counts and lengths of a corpus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corpus {
    /// Number of utterances.
    pub utterances: usize,
    /// Frames of the shortest utterance.
    pub shortest: u32,
    /// Frames of the longest utterance.
    pub longest: u32,
    /// Frames of all utterances.
    pub frames: u64,
    /// Standard deviation of the lengths.
    pub deviation: f64,
}

impl Corpus {
    /// Counts lengths.
    pub fn of(lengths: &[u32]) -> Self {
        let frames = lengths.iter().map(|&length| u64::from(length)).sum();
        let count = lengths.len().max(1) as f64;
        let mean = frames as f64 / count;
        let squares: f64 = lengths
            .iter()
            .map(|&length| (f64::from(length) - mean).powi(2))
            .sum();
        Self {
            utterances: lengths.len(),
            shortest: lengths.iter().copied().min().unwrap_or(0),
            longest: lengths.iter().copied().max().unwrap_or(0),
            frames,
            deviation: (squares / count).sqrt(),
        }
    }

    /// The noise of semi-sorted order in standard deviations of the lengths. A few very long utterances widen the range that `lrf` is
    /// relative to, so the same `lrf` then means more noise. None if all lengths are equal.
    pub fn noise(&self, lrf: f64) -> Option<f64> {
        let range = f64::from(self.longest - self.shortest);
        (range > 0.0).then(|| lrf * range / self.deviation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_relative_to_the_deviation() {
        let even = Corpus::of(&[10, 30, 10, 30]);
        assert_eq!((even.shortest, even.deviation), (10, 10.0));
        assert_eq!(even.noise(0.1), Some(0.2));
        let lengths: Vec<u32> = [10, 30].repeat(1000);
        let with_one_long = Corpus::of(&[lengths, vec![1000]].concat());
        assert!(with_one_long.noise(0.1) > Some(4.0));
        assert_eq!(Corpus::of(&[7, 7]).noise(0.1), None);
        assert_eq!(Corpus::of(&[]).noise(0.1), None);
    }
}
