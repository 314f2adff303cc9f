//! Utterances, and the inputs of a classifier.

use padwise_features::{Matrix, Synthetic, SyntheticConfig, SyntheticError};

/// The inputs of a classifier.
#[derive(Clone, Copy)]
pub struct View {
    pub name: &'static str,
    /// Frames of context on each side.
    pub reach: usize,
    pub mean_removed: bool,
    pub topic: bool,
    pub accent: bool,
}

pub const WINDOW: View = View {
    name: "1 frame",
    reach: 0,
    mean_removed: false,
    topic: false,
    accent: false,
};
pub const ELEVEN: View = View {
    name: "11 frames",
    reach: 5,
    ..WINDOW
};
pub const FIFTY_ONE: View = View {
    name: "51 frames",
    reach: 25,
    ..WINDOW
};
pub const MEAN_REMOVED: View = View {
    name: "51 frames, utterance mean removed",
    mean_removed: true,
    ..FIFTY_ONE
};
pub const TOPIC: View = View {
    name: "51 frames, mean removed, topic known",
    topic: true,
    ..MEAN_REMOVED
};
pub const ACCENT: View = View {
    name: "51 frames, mean removed, topic and accent known",
    accent: true,
    ..TOPIC
};

/// Utterances, generated once and used with several views.
pub struct Speech {
    pub utterances: Vec<Utterance>,
    /// All (utterance, frame) pairs, shuffled.
    pub frames: Vec<(u32, u32)>,
}

pub struct Utterance {
    features: Matrix,
    mean: Vec<f32>,
    pub labels: Vec<i32>,
    pub topic: usize,
    pub accent: usize,
}

impl Speech {
    pub fn new(seed: u64, utterances: usize) -> Result<(Synthetic, Self), SyntheticError> {
        let corpus = Synthetic::new(SyntheticConfig {
            seed,
            utterances,
            ..SyntheticConfig::default()
        })?;
        let mut frames = Vec::new();
        let mut made = Vec::new();
        for index in 0..utterances {
            let (features, labels) = corpus.generate(index)?;
            let mut mean = vec![0.0; features.cols()];
            for frame in features.as_slice().chunks_exact(features.cols()) {
                let share = 1.0 / features.rows() as f32;
                mean.iter_mut()
                    .zip(frame)
                    .for_each(|(sum, x)| *sum += x * share);
            }
            frames.extend((0..features.rows() as u32).map(|frame| (index as u32, frame)));
            made.push(Utterance {
                features,
                mean,
                labels,
                topic: corpus.topic(index),
                accent: corpus.accent(index),
            });
        }
        // A shuffle by a multiplicative congruential generator is good enough here.
        let mut state = 1u64;
        for at in (1..frames.len()).rev() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            frames.swap(at, (state >> 33) as usize % (at + 1));
        }
        let speech = Speech {
            utterances: made,
            frames,
        };
        Ok((corpus, speech))
    }

    /// The inputs of the frames from `start` on, one row each, and their labels.
    pub fn batch(&self, view: View, start: usize, size: usize) -> (Vec<f32>, Vec<usize>) {
        let mut inputs = Vec::new();
        let mut labels = Vec::new();
        for at in start..start + size {
            let (utterance, frame) = self.frames[at % self.frames.len()];
            let utterance = &self.utterances[utterance as usize];
            utterance.splice(view, frame as usize, &mut inputs);
            labels.push(utterance.labels[frame as usize] as usize);
        }
        (inputs, labels)
    }
}

impl Utterance {
    fn splice(&self, view: View, frame: usize, out: &mut Vec<f32>) {
        let start = out.len();
        for offset in 0..=2 * view.reach {
            let at = (frame + offset).saturating_sub(view.reach);
            let row = self.features.row(at.min(self.features.rows() - 1));
            match view.mean_removed {
                true => out.extend(row.iter().zip(&self.mean).map(|(x, mean)| x - mean)),
                false => out.extend(row),
            }
        }
        if view.topic {
            out.extend((0..4).map(|topic| f32::from(u8::from(topic == self.topic))));
        }
        out.push(1.0);
        if view.accent {
            // A second copy with a sign: one classifier per accent.
            let sign = if self.accent == 0 { 1.0 } else { -1.0 };
            let copy: Vec<f32> = out[start..].iter().map(|x| x * sign).collect();
            out.extend(copy);
        }
    }
}
