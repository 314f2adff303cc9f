//! Class frequencies and phone durations of the training utterances, which hybrid decoding needs.

use padwise_features::CorpusError;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::corpora::Split;

/// Frames that stand for given priors, so that small ones are represented.
const GIVEN_FRAMES: f64 = 1e12;

/// Segments that stand for a given mean duration.
const GIVEN_SEGMENTS: f64 = 1e6;

/// Frames of every class, and frames and segments of every phone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassStatistics {
    /// Frames of each class.
    pub frames: Vec<u64>,
    /// Frames of each phone.
    pub phone_frames: Vec<u64>,
    /// Segments of each phone: runs of frames with the same phone.
    pub segments: Vec<u64>,
}

impl ClassStatistics {
    /// The statistics that another program found: the share of frames of each class, and the mean duration of each phone in frames.
    pub fn given(priors: &[f64], durations: &[f64]) -> Self {
        let scaled = |values: &[f64], factor: f64| {
            let scaled = values.iter().map(|value| (value * factor).round() as u64);
            scaled.collect::<Vec<u64>>()
        };
        ClassStatistics {
            frames: scaled(priors, GIVEN_FRAMES),
            phone_frames: scaled(durations, GIVEN_SEGMENTS),
            segments: vec![GIVEN_SEGMENTS as u64; durations.len()],
        }
    }

    /// Counts the labels of the training utterances, on all cores.
    pub fn of(split: &Split) -> Result<Self, CorpusError> {
        let phones = split
            .symbols
            .iter()
            .max()
            .map_or(0, |&last| last as usize + 1);
        let empty = || ClassStatistics {
            frames: vec![0; split.classes],
            phone_frames: vec![0; phones],
            segments: vec![0; phones],
        };
        let corpus = split.training.as_ref();
        (0..corpus.len())
            .into_par_iter()
            .try_fold(empty, |mut counts, utterance| {
                let (_, labels) = corpus.read(utterance)?;
                counts.add(&labels, &split.symbols);
                Ok(counts)
            })
            .try_reduce(empty, |mut one, other| {
                one.join(&other);
                Ok(one)
            })
    }

    fn add(&mut self, labels: &[i32], symbols: &[u32]) {
        let mut last = None;
        for &label in labels {
            let class = usize::try_from(label).ok();
            let phone = class.and_then(|class| symbols.get(class)).copied();
            if let (Some(class), Some(phone)) = (class, phone) {
                self.frames[class] += 1;
                self.phone_frames[phone as usize] += 1;
                self.segments[phone as usize] += u64::from(last != Some(phone));
            }
            last = phone;
        }
    }

    fn join(&mut self, other: &Self) {
        let lists = [
            (&mut self.frames, &other.frames),
            (&mut self.phone_frames, &other.phone_frames),
            (&mut self.segments, &other.segments),
        ];
        for (own, others) in lists {
            own.iter_mut()
                .zip(others)
                .for_each(|(own, other)| *own += other);
        }
    }

    /// The logarithm of each class's share of the frames. A class that does not occur counts as one frame.
    pub fn log_priors(&self) -> Vec<f32> {
        let total: u64 = self.frames.iter().map(|&frames| frames.max(1)).sum();
        let share = |&frames: &u64| (frames.max(1) as f64 / total as f64).ln() as f32;
        self.frames.iter().map(share).collect()
    }

    /// The mean duration of each phone in frames. A phone that does not occur has the mean of all.
    pub fn durations(&self) -> Vec<f32> {
        let sum = |counts: &[u64]| counts.iter().sum::<u64>().max(1) as f32;
        let mean = sum(&self.phone_frames) / sum(&self.segments);
        let phones = self.phone_frames.iter().zip(&self.segments);
        phones
            .map(|(&frames, &segments)| match segments {
                0 => mean,
                _ => frames as f32 / segments as f32,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_values_are_found_again() {
        let given = ClassStatistics::given(&[0.25, 0.75], &[3.5, 80.25]);
        assert_eq!(given.durations(), [3.5, 80.25]);
        let priors = given.log_priors();
        assert!((priors[0] - 0.25_f32.ln()).abs() < 1e-6);
        assert!((priors[1] - 0.75_f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn states_of_one_phone_are_one_segment() {
        // Classes 0 and 1 are states of phone 0; class 2 is phone 1; phone 2 does not occur.
        let symbols = [0, 0, 1, 2];
        let mut counts = ClassStatistics {
            frames: vec![0; 4],
            phone_frames: vec![0; 3],
            segments: vec![0; 3],
        };
        counts.add(&[0, 0, 1, 2, -1, 2, 1], &symbols);
        assert_eq!(counts.frames, [2, 2, 2, 0]);
        assert_eq!(counts.segments, [2, 2, 0]);
        assert_eq!(counts.durations(), [2.0, 1.0, 1.5]);
        let priors = counts.log_priors();
        assert!((priors[0] - (2.0_f32 / 7.0).ln()).abs() < 1e-6);
        assert!((priors[3] - (1.0_f32 / 7.0).ln()).abs() < 1e-6);
    }
}
