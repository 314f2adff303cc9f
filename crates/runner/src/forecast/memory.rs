//! Estimates the memory of a training step from its shapes.
//!
//! For every stored frame, padding included unless batches are packed, a step keeps each layer's input, gates, cells and outputs until
//! the backward pass has used them. It keeps the scores and their gradient. In addition there are the parameters, their gradients, two
//! moving averages and the copies made by an update. The estimate is close for f32 if the batch is large compared with the model. CUDA
//! keeps some of these in 16 bits and needs less. The allocator's reserve is not included.

use padwise_model::BlstmConfig;

const FLOAT: u64 = 4;

/// Parameters, gradients, two moving averages, and the flat gradients and new parameters of an update.
const PARAMETER_COPIES: u64 = 6;

/// Bytes independent of the batch.
pub fn fixed_bytes(model: &BlstmConfig) -> u64 {
    model.parameter_count() as u64 * FLOAT * PARAMETER_COPIES
}

/// Bytes per stored frame of a batch.
pub fn frame_bytes(model: &BlstmConfig) -> u64 {
    let hidden = model.hidden as u64;
    let layers = model.layers as u64;
    // Gates of both directions, cells, outputs; dropout keeps another copy of the outputs.
    let copies = if model.dropout > 0.0 { 2 } else { 0 };
    let kept = layers * (8 + 2 + 2 + copies) * hidden;
    // Backward pass of the top layer: gradients of its gates, output and input.
    let passing = (8 + 2 + 2) * hidden;
    let ends = 2 * model.inputs as u64 + 2 * model.classes as u64;
    FLOAT * (kept + passing + ends)
}

/// Bytes of a training step on a batch that stores this many frames.
pub fn step_bytes(model: &BlstmConfig, stored_frames: u64) -> u64 {
    fixed_bytes(model).saturating_add(frame_bytes(model).saturating_mul(stored_frames))
}

/// The largest number of padded frames whose step fits in this many bytes.
pub fn frames_within(model: &BlstmConfig, bytes: u64) -> u64 {
    bytes.saturating_sub(fixed_bytes(model)) / frame_bytes(model).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_within_inverts_step_bytes() {
        let model = BlstmConfig::new(16, 1500);
        let bytes = step_bytes(&model, 5000);
        assert_eq!(frames_within(&model, bytes), 5000);
        assert_eq!(frames_within(&model, bytes - 1), 4999);
        assert_eq!(frames_within(&model, 0), 0);
        // PyTorch with cuDNN peaks at 1.6 GiB for 16 utterances of 700 frames.
        let gib = step_bytes(&model, 16 * 700) as f64 / f64::from(1 << 30);
        assert!((0.8..2.4).contains(&gib), "{gib}");
    }
}
