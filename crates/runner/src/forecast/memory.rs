//! How much memory a training step takes, estimated from the shapes alone.
//!
//! A step keeps, of every padded frame, each layer's input, gates, cells and outputs until its gradient pass has used them, and
//! the scores twice: themselves and their gradient. Beside that stand the parameters, their gradients, two running averages and the
//! copies that an update makes. What an allocator keeps in reserve comes on top, so this is a floor that is near the
//! truth for batches that are large against the model.

use padwise_model::BlstmConfig;

const FLOAT: u64 = 4;

/// Parameters, gradients, two running averages, and the joined gradients and new parameters of an update.
const PARAMETER_COPIES: u64 = 6;

/// Bytes that do not depend on the batch.
pub fn fixed_bytes(model: &BlstmConfig) -> u64 {
    model.parameter_count() as u64 * FLOAT * PARAMETER_COPIES
}

/// Bytes for each padded frame of a batch.
pub fn frame_bytes(model: &BlstmConfig) -> u64 {
    let hidden = model.hidden as u64;
    let layers = model.layers as u64;
    // Gates of both directions, cells, outputs; dropout keeps its own copy of what goes between layers.
    let copies = if model.dropout > 0.0 { 2 } else { 0 };
    let kept = layers * (8 + 2 + 2 + copies) * hidden;
    // In the gradient pass of the topmost layer: the gradient of its gates, of its output and of its input.
    let passing = (8 + 2 + 2) * hidden;
    let ends = 2 * model.inputs as u64 + 2 * model.classes as u64;
    FLOAT * (kept + passing + ends)
}

/// Bytes of a training step on a batch of this many padded frames.
pub fn step_bytes(model: &BlstmConfig, padded_frames: u64) -> u64 {
    fixed_bytes(model).saturating_add(frame_bytes(model).saturating_mul(padded_frames))
}

/// The most padded frames of a batch that this many bytes have room for.
pub fn frames_within(model: &BlstmConfig, bytes: u64) -> u64 {
    bytes.saturating_sub(fixed_bytes(model)) / frame_bytes(model).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_what_was_estimated() {
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
