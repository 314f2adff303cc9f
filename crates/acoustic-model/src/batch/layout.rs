//! The rows of a batch on the device. Frames after an utterance's end are padding and must not affect any result.

use burn_tensor::backend::Backend;
use burn_tensor::{Int, Tensor, TensorData};
use padwise_cpu_kernels::RowLayout;

use crate::error::ModelError;

/// The rows of a batch, on the host and on the device.
#[derive(Debug, Clone)]
pub struct BatchLayout<B: Backend> {
    rows: RowLayout,
    numbers: Tensor<B, 1, Int>,
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

impl<B: Backend> BatchLayout<B> {
    /// Copies a layout to the device. Every utterance must have a frame.
    pub fn new(rows: RowLayout, device: &B::Device) -> Result<Self, ModelError> {
        Self::uploaded(rows, |numbers| integers(numbers, device))
    }

    /// The same, if the backend has a faster way to copy numbers to the device.
    pub fn uploaded(
        rows: RowLayout,
        upload: impl FnOnce(Vec<i32>) -> Tensor<B, 1, Int>,
    ) -> Result<Self, ModelError> {
        check_lengths(rows.lengths(), rows.frames())?;
        Ok(Self {
            numbers: upload(rows.numbers()),
            rows,
        })
    }

    /// The layout on the host.
    pub fn host(&self) -> &RowLayout {
        &self.rows
    }

    /// The layout on the device, as in [`RowLayout::numbers`].
    pub fn numbers(&self) -> Tensor<B, 1, Int> {
        self.numbers.clone()
    }

    /// The lengths on the device, `[B]`.
    pub fn lengths(&self) -> Tensor<B, 1, Int> {
        let lengths = 2..2 + self.rows.batch();
        self.numbers.clone().slice([lengths])
    }

    /// For every row, the row that it has in a padded batch; `None` if it is this one. Dropout depends on it, so packed
    /// and padded batches drop the same values.
    pub fn places(&self) -> Option<Tensor<B, 1, Int>> {
        let batch = self.rows.batch();
        self.rows.is_packed().then(|| {
            let owners = self.rows.owners().into_iter();
            // Padding is zero, with or without dropout.
            let place = |(utterance, frame): (usize, usize)| (frame * batch + utterance) as i32;
            let places = owners.map(|owner| owner.map_or(0, place)).collect();
            integers(places, &self.numbers.device())
        })
    }

    /// Rows `[N, W]` in time-major order, `[T, B, W]`. The padding of a packed batch becomes zero.
    pub fn to_time_major(&self, rows: Tensor<B, 2>) -> Tensor<B, 3> {
        let (frames, batch) = (self.rows.frames(), self.rows.batch());
        let [_, width] = rows.dims();
        let rows = if self.rows.is_packed() {
            // The row after an utterance's last frame is zero.
            let row = |place: usize| {
                let (frame, utterance) = (place / batch, place % batch);
                let length = self.rows.lengths()[utterance] as usize;
                self.rows.row(utterance, frame.min(length)) as i32
            };
            let order = (0..frames * batch).map(row).collect();
            rows.select(0, integers(order, &self.numbers.device()))
        } else {
            rows
        };
        rows.reshape([frames, batch, width])
    }

    /// Values in time-major order, `[T, B, W]`, as rows `[N, W]`. The padding of a packed batch is zero.
    pub fn from_time_major(&self, values: Tensor<B, 3>) -> Tensor<B, 2> {
        let [frames, batch, width] = values.dims();
        let values = values.reshape([frames * batch, width]);
        if !self.rows.is_packed() {
            return values;
        }
        let zeros = values.clone().slice([0..1, 0..width]).zeros_like();
        let zero = frames * batch;
        let owners = self.rows.owners().into_iter();
        let place = |(utterance, frame): (usize, usize)| frame * batch + utterance;
        let order = owners.map(|owner| owner.map_or(zero, place) as i32);
        let order = integers(order.collect(), &self.numbers.device());
        Tensor::cat(vec![values, zeros], 0).select(0, order)
    }
}

fn integers<B: Backend>(values: Vec<i32>, device: &B::Device) -> Tensor<B, 1, Int> {
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}
