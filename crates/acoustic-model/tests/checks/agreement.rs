//! The fast recurrence against the plain one, on random shapes.

use padwise_model::recurrence::{Unrolled, reference};
use padwise_model::{KernelBackend, Lengths, Precision};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::random::uniform;
use super::{Tolerance, numbers, on_device};

/// A random shape: mostly short and small, now and then 700 frames long.
fn shape(random: &mut impl Rng, index: usize) -> (usize, Vec<u32>, usize) {
    let most = match index % 10 {
        0 => 700,
        1..=3 => 120,
        _ => 24,
    };
    let frames = random.random_range(1..=most);
    let batch = random.random_range(1..=if frames > 120 { 3 } else { 19 });
    let hidden = random.random_range(1..=if frames > 120 { 8 } else { 40 });
    let mut lengths: Vec<u32> = (0..batch)
        .map(|_| random.random_range(1..=frames as u32))
        .collect();
    if random.random_range(0..4) > 0 {
        // Mostly some utterance fills the batch, as in training; sometimes all are padded.
        lengths[random.random_range(0..batch)] = frames as u32;
    }
    (frames, lengths, hidden)
}

/// Which fast recurrence is compared.
#[derive(Clone, Copy)]
pub enum Fast {
    /// One launch a step.
    Fused,
    /// The fastest that the backend has.
    #[allow(dead_code, reason = "the same as fused, but for CUDA")]
    Fastest,
}

/// Forward and backward of the fused recurrence agree with the reference on `shapes` random shapes.
pub fn fused_equals_reference<B: KernelBackend>(
    device: &B::Device,
    shapes: usize,
    tolerance: Tolerance,
) {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for index in 0..shapes {
        let (frames, lengths, hidden) = shape(&mut random, index);
        one_shape::<B>(
            device,
            frames,
            &lengths,
            hidden,
            index as u64,
            tolerance,
            Fast::Fused,
        );
    }
}

#[allow(clippy::too_many_arguments)]
pub fn one_shape<B: KernelBackend>(
    device: &B::Device,
    frames: usize,
    lengths: &[u32],
    hidden: usize,
    seed: u64,
    tolerance: Tolerance,
    fast: Fast,
) {
    let batch = lengths.len();
    let what = |part: &str| format!("{part} at T={frames}, lengths {lengths:?}, H={hidden}");
    let dims = [frames, batch, 8 * hidden];
    let size = 1.0 / (hidden as f32).sqrt();
    let scaled = |count: usize, salt: u64, by: f32| -> Vec<f32> {
        uniform(count, seed * 8 + salt)
            .iter()
            .map(|value| value * by)
            .collect()
    };
    let projections = scaled(dims.iter().product(), 1, 2.0);
    let bias = scaled(8 * hidden, 2, size);
    let weights = scaled(8 * hidden * hidden, 3, size);
    let grad_output = scaled(frames * batch * 2 * hidden, 4, 1.0);
    let lengths = Lengths::<B>::new(lengths, frames, device).expect("lengths");
    let arguments = || {
        (
            on_device(&projections, dims, device),
            on_device(&bias, [8 * hidden], device),
            on_device(&weights, [2, 4 * hidden, hidden], device),
        )
    };
    let (p, b, w) = arguments();
    let plain: Unrolled<B> = reference::forward(p, b, w, &lengths);
    let (p, b, w) = arguments();
    let fused = match fast {
        Fast::Fused => B::fused_forward(p, b, w, &lengths, Precision::F32),
        Fast::Fastest => B::fastest_forward(p, b, w, &lengths, Precision::F32),
    };
    tolerance.check(
        &what("output"),
        &numbers(fused.output),
        &numbers(plain.output),
    );

    let gradient = || on_device::<B, 3>(&grad_output, [frames, batch, 2 * hidden], device);
    let weights = || on_device::<B, 3>(&weights, [2, 4 * hidden, hidden], device);
    let expected = reference::backward(gradient(), plain.gates, plain.cells, weights(), &lengths);
    let (g, c, p) = (fused.gates, fused.cells, Precision::F32);
    let found = match fast {
        Fast::Fused => B::fused_backward(gradient(), g, c, weights(), &lengths, p),
        Fast::Fastest => B::fastest_backward(gradient(), g, c, weights(), &lengths, p),
    };
    tolerance.check(&what("gate gradients"), &numbers(found), &numbers(expected));
}
