//! Test batches for CTC.

use padwise_model::ctc::{Ctc, CtcBatch, CtcError, CtcLoss, Unalignable};

/// An owned version of [`CtcBatch`].
#[derive(Clone)]
pub struct Batch {
    pub logits: Vec<f32>,
    pub classes: usize,
    pub input_lengths: Vec<usize>,
    pub targets: Vec<u32>,
    pub target_lengths: Vec<usize>,
    pub blank: u32,
}

impl Batch {
    /// Random logits from -3 to 3. Each utterance is a number of frames and a target.
    pub fn noise(
        seed: u64,
        frames: usize,
        classes: usize,
        blank: u32,
        utterances: &[(usize, &[u32])],
    ) -> Self {
        let mut state = seed;
        let mut draw = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1 << 24) as f32 * 6.0 - 3.0
        };
        Self {
            logits: (0..frames * utterances.len() * classes)
                .map(|_| draw())
                .collect(),
            classes,
            input_lengths: utterances.iter().map(|(length, _)| *length).collect(),
            targets: utterances
                .iter()
                .flat_map(|(_, target)| target.iter().copied())
                .collect(),
            target_lengths: utterances.iter().map(|(_, target)| target.len()).collect(),
            blank,
        }
    }

    pub fn run(&self, unalignable: Unalignable) -> Result<CtcLoss, CtcError> {
        Ctc {
            blank: self.blank,
            unalignable,
        }
        .losses_and_gradient(
            &self.logits,
            &CtcBatch {
                classes: self.classes,
                input_lengths: &self.input_lengths,
                targets: &self.targets,
                target_lengths: &self.target_lengths,
            },
        )
    }

    pub fn error(&self) -> CtcError {
        self.run(Unalignable::Refuse)
            .expect_err("the batch is wrong")
    }

    pub fn is_padding(&self, position: usize) -> bool {
        let (row, count) = (position / self.classes, self.input_lengths.len());
        row / count >= self.input_lengths[row % count]
    }
}
