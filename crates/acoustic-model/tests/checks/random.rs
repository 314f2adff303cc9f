//! Random numbers for tests, and a check of dropout.

use burn_tensor::{Tensor, TensorData};
use padwise_model::KernelBackend;
use padwise_model::kernels::dropout::Dropout;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{numbers, on_device};

/// Numbers between -1 and 1.
pub fn uniform(count: usize, seed: u64) -> Vec<f32> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| random.random_range(-1.0..1.0)).collect()
}

/// The device drops exactly the values that the host's hash selects, forward and backward, at about the given
/// rate.
pub fn dropout_follows_the_hash<B: KernelBackend>(device: &B::Device) {
    let shape = [51, 29];
    let count: usize = shape.iter().product();
    let dropout = Dropout::at(0.3, 42, 1_000, 1);
    let values: Vec<f32> = uniform(count, 5).iter().map(|value| value + 2.0).collect();
    let drop_out = |values: &[f32], places: Option<Vec<i32>>| {
        let places = places.map(|places| Tensor::from_data(TensorData::new(places, [51]), device));
        numbers(B::drop_out(
            on_device(values, shape, device),
            places,
            dropout,
        ))
    };
    let outputs = drop_out(&values, None);
    // The backward pass drops the same elements.
    let ones = vec![1.0; count];
    let gradient = drop_out(&ones, None);
    // A row is dropped like the row at its place.
    let reversed = drop_out(&ones, Some((0..51).rev().collect()));
    assert!(reversed.chunks(29).rev().flatten().eq(&gradient));
    let scale = 1.0 / 0.7;
    for (index, &value) in values.iter().enumerate() {
        let factor = if dropout.keeps(index as u32) {
            scale
        } else {
            0.0
        };
        assert!(
            (outputs[index] - f64::from(value) * factor).abs() < 1e-5,
            "value {index}"
        );
        assert!((gradient[index] - factor).abs() < 1e-6, "gradient {index}");
    }
    let dropped = (0..100_000).filter(|&index| !dropout.keeps(index)).count();
    assert!(
        (29_000..31_000).contains(&dropped),
        "{dropped} of 100000 dropped at 0.3"
    );
}
