//! The lengths of the utterances in a batch. Frames after an utterance's end are padding and must not affect
//! any result.

use burn_tensor::backend::Backend;
use burn_tensor::{Int, Tensor, TensorData};

use crate::error::ModelError;

/// The number of frames of each utterance in a batch, on the host and on the device.
#[derive(Debug, Clone)]
pub struct Lengths<B: Backend> {
    host: Vec<u32>,
    device: Tensor<B, 1, Int>,
    packed: Tensor<B, 1, Int>,
    frames: usize,
}

/// Checks the lengths of a batch of `frames` time steps: at least one utterance, none empty, none longer than
/// the batch.
pub(crate) fn check_lengths(lengths: &[u32], frames: usize) -> Result<(), ModelError> {
    let problem = if lengths.is_empty() {
        "are empty: a batch needs at least one utterance".to_owned()
    } else if let Some(row) = lengths.iter().position(|&length| length == 0) {
        format!("are 0 for utterance {row}: an utterance needs at least one frame")
    } else if let Some(row) = lengths.iter().position(|&length| length as usize > frames) {
        format!(
            "exceed the batch: utterance {row} has {} frames, but the batch has {frames}",
            lengths[row]
        )
    } else {
        return Ok(());
    };
    Err(ModelError::batch("lengths", problem))
}

impl<B: Backend> Lengths<B> {
    /// Copies the lengths of a batch padded to `frames` time steps to the device.
    pub fn new(lengths: &[u32], frames: usize, device: &B::Device) -> Result<Self, ModelError> {
        check_lengths(lengths, frames)?;
        let numbers: Vec<i32> = lengths.iter().map(|&length| length as i32).collect();
        let shape = [frames as i32, lengths.len() as i32];
        let packed = [&shape, numbers.as_slice()].concat();
        Ok(Self {
            host: lengths.to_vec(),
            device: Tensor::from_data(TensorData::new(numbers, [lengths.len()]), device),
            packed: Tensor::from_data(TensorData::new(packed, [2 + lengths.len()]), device),
            frames,
        })
    }

    /// The lengths on the host.
    pub fn host(&self) -> &[u32] {
        &self.host
    }

    /// The lengths on the device, `[B]`.
    pub fn device(&self) -> Tensor<B, 1, Int> {
        self.device.clone()
    }

    /// `T`, `B` and the lengths, `[2 + B]`, for kernels that read the batch's shape from memory.
    pub fn packed(&self) -> Tensor<B, 1, Int> {
        self.packed.clone()
    }

    /// Time steps in the batch, padding included.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Utterances in the batch.
    pub fn batch(&self) -> usize {
        self.host.len()
    }

    /// `[T, B, I]` with zeros in the padding. The padding may contain NaN, so values are selected, not
    /// multiplied by a mask.
    pub fn without_padding(&self, input: Tensor<B, 3>) -> Tensor<B, 3> {
        let shape = [self.frames, self.batch()];
        let times = Tensor::<B, 1, Int>::arange(0..self.frames as i64, &self.device.device());
        let times = times.reshape([self.frames, 1]).expand(shape);
        let ends = self.device().reshape([1, self.batch()]).expand(shape);
        let padding = times.greater_equal(ends).unsqueeze_dim::<3>(2);
        let padding = padding.expand(input.dims());
        input.mask_fill(padding, 0.0)
    }
}
