//! Initial parameters with PyTorch's distributions.
//!
//! They are uniform, bounded by one over the square root of the hidden size in the recurrent layers and of
//! the number of inputs in the linear layer. They are drawn on the host from ChaCha, so every backend and
//! version starts from the same numbers.

use padwise_model_config::{BlstmConfig, SettingError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// All parameters in the order of [`BlstmConfig::parameters`]. Each parameter has its own random stream, so
/// adding a layer does not change the layers below it.
pub fn parameters(config: &BlstmConfig, seed: u64) -> Result<Vec<f32>, SettingError> {
    config.validate()?;
    let mut all = Vec::with_capacity(config.parameter_count());
    let recurrent = 1.0 / (config.hidden as f32).sqrt();
    let linear = 1.0 / (2.0 * config.hidden as f32).sqrt();
    for (stream, spec) in config.parameters().iter().enumerate() {
        let bound = if spec.name.starts_with("out.") {
            linear
        } else {
            recurrent
        };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream as u64);
        let count = spec.shape.iter().product::<usize>();
        all.extend((0..count).map(|_| random.random_range(-bound..=bound)));
    }
    Ok(all)
}
