//! Compares the fast recurrence with the reference on random shapes.
//!
//! The reference always runs on the CPU. On a GPU its thousands of small launches would take minutes;
//! `goldens` compares it there with PyTorch.

use burn_flex::Flex;
use burn_tensor::{DType, Tensor};
use padwise_model::kernels::gemm::{Product, RowGradients};
use padwise_model::kernels::recurrence::{BackwardInput, ForwardInput, Unrolled};
use padwise_model::network::reference;
use padwise_model::{
    BatchLayout, GateOrder, KernelBackend, LayerOptions, Precision, Recurrence, RowLayout,
};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::operands::{matrix, values};
use super::random::uniform;
use super::{Tolerance, bits, layouts, numbers, on_device, rows_on_device};

/// A random shape: mostly short and small, sometimes 700 frames long.
fn shape(random: &mut impl Rng, index: usize) -> (usize, Vec<u32>, usize) {
    let most = match index % 10 {
        0 => 700,
        1..=3 => 120,
        _ => 24,
    };
    let frames = random.random_range(1..=most);
    let batch = random.random_range(1..=if frames > 120 { 3 } else { 19 });
    // Few sizes, because a GPU compiles a kernel for each.
    let sizes = if frames > 120 { 3 } else { 5 };
    let hidden = [1, 5, 8, 17, 40][random.random_range(0..sizes)];
    let mut lengths: Vec<u32> = (0..batch)
        .map(|_| random.random_range(1..=frames as u32))
        .collect();
    if random.random_range(0..4) > 0 {
        // Usually some utterance fills the batch, as in training; sometimes all are padded.
        lengths[random.random_range(0..batch)] = frames as u32;
    }
    (frames, lengths, hidden)
}

/// Forward and backward of the fused recurrence agree with the reference on `shapes` random shapes, padded and packed.
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
            Recurrence::Fused.into(),
        );
    }
}

/// Inputs of a recurrence on one backend.
struct Arguments<B: KernelBackend> {
    projections: Tensor<B, 2>,
    biases: [Tensor<B, 1>; 2],
    weight_hh: Tensor<B, 3>,
    grad_output: Tensor<B, 2>,
    layout: BatchLayout<B>,
}

/// Numbers in another order within each direction: `from(at)` is the index of the result's number `at`.
fn reordered<T: Copy>(values: &[T], hidden: usize, from: impl Fn(usize) -> usize) -> Vec<T> {
    let of_direction =
        |values: &[T]| -> Vec<T> { (0..4 * hidden).map(|at| values[from(at)]).collect() };
    values.chunks(4 * hidden).flat_map(of_direction).collect()
}

/// Numbers in the order of the parameters, in this order.
fn ordered<T: Copy>(values: &[T], hidden: usize, order: GateOrder) -> Vec<T> {
    match order {
        GateOrder::ByGate => values.to_vec(),
        GateOrder::Interleaved => reordered(values, hidden, |at| at % 4 * hidden + at / 4),
    }
}

/// The inverse of [`ordered`].
fn by_gate<T: Copy>(values: &[T], hidden: usize, order: GateOrder) -> Vec<T> {
    match order {
        GateOrder::ByGate => values.to_vec(),
        GateOrder::Interleaved => reordered(values, hidden, |at| at % hidden * 4 + at / hidden),
    }
}

impl<B: KernelBackend> Arguments<B> {
    /// The same random numbers on every backend and in every layout of `frames` frames.
    fn new(
        device: &B::Device,
        frames: usize,
        layout: &RowLayout,
        hidden: usize,
        seed: u64,
    ) -> Self {
        Self::with_options(
            device,
            frames,
            layout,
            hidden,
            seed,
            LayerOptions::default(),
        )
    }

    /// The same, with projections as the options want them.
    fn with_options(
        device: &B::Device,
        frames: usize,
        layout: &RowLayout,
        hidden: usize,
        seed: u64,
        options: LayerOptions,
    ) -> Self {
        let places = frames * layout.batch();
        let layout = BatchLayout::new(layout.clone(), device).expect("a layout");
        let size = 1.0 / (hidden as f32).sqrt();
        let scaled = |count: usize, salt: u64, by: f32| -> Vec<f32> {
            let values = uniform(count, seed * 8 + salt);
            values.iter().map(|value| value * by).collect()
        };
        let rows = |values: &[f32], width| rows_on_device(values, width, &layout, device);
        let projections = scaled(places * 8 * hidden, 1, 2.0);
        let projections = rows(&ordered(&projections, hidden, options.gates), 8 * hidden);
        let is_f16 =
            (options.gates, options.precision) == (GateOrder::Interleaved, Precision::Bf16);
        Self {
            projections: if is_f16 {
                projections.cast(DType::F16)
            } else {
                projections
            },
            biases: [2, 5]
                .map(|salt| on_device(&scaled(8 * hidden, salt, size), [8 * hidden], device)),
            weight_hh: on_device(
                &scaled(8 * hidden * hidden, 3, size),
                [2, 4 * hidden, hidden],
                device,
            ),
            grad_output: rows(&scaled(places * 2 * hidden, 4, 1.0), 2 * hidden),
            layout,
        }
    }
}

impl<B: KernelBackend> Arguments<B> {
    fn forward(&self) -> ForwardInput<'_, B> {
        ForwardInput {
            projections: self.projections.clone(),
            biases: self.biases.clone(),
            weight_hh: self.weight_hh.clone(),
            layout: &self.layout,
            may_be_factor: false,
        }
    }

    fn backward(&self, unrolled: &Unrolled<B>) -> BackwardInput<'_, B> {
        BackwardInput {
            grad_output: self.grad_output.clone().into(),
            gates: unrolled.gates.clone(),
            cells: unrolled.cells.clone(),
            weight_hh: self.weight_hh.clone(),
            layout: &self.layout,
            may_be_factor: false,
        }
    }
}

/// Checks forward and backward of one shape, padded and packed.
#[allow(clippy::too_many_arguments)]
pub fn one_shape<B: KernelBackend>(
    device: &B::Device,
    frames: usize,
    lengths: &[u32],
    hidden: usize,
    seed: u64,
    tolerance: Tolerance,
    options: LayerOptions,
) {
    for layout in layouts(lengths, frames) {
        let what =
            |part: &str| format!("{part} at T={frames}, {layout:?}, H={hidden}, {options:?}");
        let a = Arguments::<Flex>::new(&Default::default(), frames, &layout, hidden, seed);
        let plain = reference::forward(a.forward());
        let expected = reference::backward(a.backward(&plain));

        let a = Arguments::<B>::with_options(device, frames, &layout, hidden, seed, options);
        let found = B::recurrence_forward(a.forward(), options);
        let gradients = B::recurrence_backward(a.backward(&found), options);
        let plain = numbers(matrix(plain.output));
        let sums = numbers(expected.clone().sum_dim(0));
        let expected = numbers(expected);
        tolerance.check(
            &what("output"),
            &numbers(matrix(found.output.clone())),
            &plain,
        );
        let check = |kind: &str, gradients: RowGradients<B>| {
            let all = values::<B>(gradients.all, 8 * hidden, options.precision, device);
            tolerance.check(
                &what(&format!("gate gradients as a {kind}")),
                &by_gate(&all, hidden, options.gates),
                &expected,
            );
            tolerance.check(
                &what("column sums of the gate gradients"),
                &numbers(gradients.partial_sums.sum_dim(0)),
                &sums,
            );
        };
        check("matrix", gradients);

        // The same as factors, as in training.
        let mut input = a.forward();
        input.may_be_factor = true;
        let output = B::recurrence_forward(input, options).output;
        let output = values::<B>(output, 2 * hidden, options.precision, device);
        tolerance.check(&what("output as a factor"), &output, &plain);
        let mut input = a.backward(&found);
        input.may_be_factor = true;
        check("factor", B::recurrence_backward(input, options));
    }
}

/// Both devices compute the same bits, padded and packed.
#[allow(dead_code, reason = "only wgpu has two ways to launch")]
pub fn equal_bits<B: KernelBackend>(devices: [&B::Device; 2], frames: usize, lengths: &[u32]) {
    let hidden = 5;
    for layout in layouts(lengths, frames) {
        let [first, second] = devices.map(|device| {
            let a = Arguments::<B>::new(device, frames, &layout, hidden, 1);
            let found = B::recurrence_forward(a.forward(), Recurrence::Fused.into());
            let gradients = B::recurrence_backward(a.backward(&found), Recurrence::Fused.into());
            let results = [
                matrix(found.output),
                found.cells,
                found.gates,
                matrix(gradients.all),
            ];
            results.map(bits)
        });
        assert_eq!(first, second, "{layout:?}");
    }
}

/// Output gradients times a power of two per utterance give gate gradients times the same power, bit for bit. No magnitude is lost.
pub fn gradients_of_any_size<B: KernelBackend>(
    device: &B::Device,
    hidden: usize,
    recurrence: Recurrence,
) {
    let lengths: Vec<u32> = (0..19).map(|row| 1 + row * 5 % 20).collect();
    for layout in layouts(&lengths, 20) {
        let mut a = Arguments::<B>::new(device, 20, &layout, hidden, 3);
        let found = B::recurrence_forward(a.forward(), recurrence.into());
        let plain = B::recurrence_backward(a.backward(&found), recurrence.into()).all;
        let plain = numbers(matrix(plain));
        let power = |owner: Option<(usize, usize)>| {
            owner.map_or(1.0, |(row, _)| 2f32.powi(10 * (row as i32 % 7) - 30))
        };
        let powers: Vec<f32> = layout.owners().into_iter().map(power).collect();
        let by = on_device::<B, 2>(&powers, [powers.len(), 1], device);
        a.grad_output = a.grad_output.clone() * by;
        let scaled = B::recurrence_backward(a.backward(&found), recurrence.into()).all;
        for (at, (scaled, plain)) in numbers(matrix(scaled)).iter().zip(&plain).enumerate() {
            let expected = plain * f64::from(powers[at / (8 * hidden)]);
            assert_eq!(*scaled, expected, "value {at} of {layout:?}");
        }
    }
}

/// Gradients that grow from step to step, to about `2^growth` times the output's gradient, are right as a factor, too.
///
/// Inputs and biases are zero, so all gates are one half and all states zero. Only the gradient of `g` is not zero, and each step
/// multiplies it by a constant that follows from the recurrent weights.
pub fn exploding_gradients<B: KernelBackend>(
    device: &B::Device,
    hidden: usize,
    utterances: usize,
    recurrence: Recurrence,
    tolerance: Tolerance,
) {
    // Weights are powers of two, so that no backend rounds them.
    for (frames, growth, size) in [
        (8_i32, 8, 1.0),
        (20, 20, 1.0),
        (20, 20, 1e-20),
        (20, 40, 1e-12),
    ] {
        let frames = frames as usize;
        let lengths: Vec<u32> = (0..utterances)
            .map(|row| (frames - row * 5 % frames) as u32)
            .collect();
        for layout in layouts(&lengths, frames) {
            let what = format!("growth by 2^{growth} from {size:e}, {layout:?}, H={hidden}");
            // A step passes on w H / 4 of the output's gradient, besides what the cells keep.
            let weight = 2f32.powi(growth / frames as i32) * 4.0 / hidden as f32;
            let flex = filled::<Flex>(&Default::default(), frames, &layout, hidden, weight, size);
            let plain = reference::forward(flex.forward());
            let expected = numbers(reference::backward(flex.backward(&plain)));
            let largest = expected
                .iter()
                .fold(0.0_f64, |most, value| most.max(value.abs()));
            assert!(
                largest > f64::from(size) * 2f64.powf(0.9 * f64::from(growth) - 3.0),
                "{what}: {largest:e}"
            );

            let a = filled::<B>(device, frames, &layout, hidden, weight, size);
            let found = B::recurrence_forward(a.forward(), recurrence.into());
            for magnitude in [None, Some(size)] {
                let mut input = a.backward(&found);
                input.may_be_factor = true;
                input.grad_output = Product {
                    magnitude: magnitude.map(|size| on_device(&[size], [1], device)),
                    ..input.grad_output
                };
                let gradients = B::recurrence_backward(input, recurrence.into());
                let all = values::<B>(gradients.all, 8 * hidden, Precision::F32, device);
                tolerance.check(&what, &all, &expected);
            }
        }
    }
}

/// Zero projections, all recurrent weights `weight` and all output gradients `size`.
fn filled<B: KernelBackend>(
    device: &B::Device,
    frames: usize,
    layout: &RowLayout,
    hidden: usize,
    weight: f32,
    size: f32,
) -> Arguments<B> {
    let mut a = Arguments::<B>::new(device, frames, layout, hidden, 1);
    a.projections = a.projections.zeros_like();
    a.biases = a.biases.map(|bias| bias.zeros_like());
    a.weight_hh = a.weight_hh.full_like(weight);
    a.grad_output = a.grad_output.full_like(size);
    a
}
