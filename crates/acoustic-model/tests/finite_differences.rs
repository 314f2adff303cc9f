//! Compares the hand-written gradients with central differences, in f64 on the reference recurrence.
#![cfg(feature = "cpu")]

use burn_flex::Flex;
use burn_tensor::{DType, Tensor, TensorData};
use padwise_model::kernels::gemm::Bound;
use padwise_model::network::gradients::Gradients;
use padwise_model::network::layer::{self, LayerWeights};
use padwise_model::{BatchLayout, KernelBackend, LayerOptions, Recurrence, RowLayout};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const FRAMES: usize = 5;
const LENGTHS: [u32; 3] = [5, 1, 3];
const INPUTS: usize = 2;
const HIDDEN: usize = 3;

/// The sizes of a layer's five arguments: input, both weights, both biases.
const SIZES: [usize; 5] = [
    FRAMES * LENGTHS.len() * INPUTS,
    8 * HIDDEN * INPUTS,
    8 * HIDDEN * HIDDEN,
    8 * HIDDEN,
    8 * HIDDEN,
];

fn tensor<const D: usize>(values: &[f64], shape: [usize; D]) -> Tensor<Flex, D> {
    let data = TensorData::new(values.to_vec(), shape);
    Tensor::from_data(data, (&Default::default(), DType::F64))
}

/// A weighted sum of a layer's outputs, and its gradient with respect to all arguments.
fn value_and_gradient(
    layout: &RowLayout,
    arguments: &[Vec<f64>],
    mixture: &[f64],
) -> (f64, Vec<Vec<f64>>) {
    let rows = |values: &[f64], width| {
        let rows = layout.from_time_major(values.to_vec(), width);
        tensor(&rows, [layout.rows(), width])
    };
    let input = rows(&arguments[0], INPUTS);
    let options = LayerOptions::from(Recurrence::Reference);
    let factor = |matrix| Flex::factor(matrix, Bound::Unknown, options.precision);
    let weights = LayerWeights {
        inputs: INPUTS,
        weight_ih: factor(tensor(&arguments[1], [8 * HIDDEN, INPUTS])),
        weight_hh: tensor(&arguments[2], [2, 4 * HIDDEN, HIDDEN]),
        biases: [3, 4].map(|index| tensor(&arguments[index], [8 * HIDDEN])),
    };
    let device = BatchLayout::new(layout.clone(), &Default::default()).expect("a layout");
    let found = layer::forward(factor(input), weights, &device, options, true);
    let states = found.states.expect("requested");
    let mixture = rows(mixture, 2 * HIDDEN);
    let value = (states * mixture.clone()).sum();
    let mut parameters = Gradients::new(SIZES[1..].iter().sum(), &mixture);
    let input = layer::backward(
        found.tape,
        mixture.into(),
        true,
        &mut parameters,
        &mut || (),
    );
    fn read<const D: usize>(tensor: Tensor<Flex, D>) -> Vec<f64> {
        tensor.into_data().to_vec().expect("f64")
    }
    let input = read(input.expect("the input's gradient").values);
    let mut gradients = vec![layout.to_time_major(input, INPUTS)];
    let mut parameters = read(parameters.finish());
    for &count in &SIZES[1..] {
        gradients.push(parameters.drain(..count).collect());
    }
    (read(value)[0], gradients)
}

#[test]
fn gradients_of_the_reference_are_right() {
    for layout in [
        RowLayout::padded(&LENGTHS, FRAMES),
        RowLayout::packed(&LENGTHS, |rows| rows),
    ] {
        check_gradients(&layout);
    }
}

fn check_gradients(layout: &RowLayout) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut draw =
        |count: usize| -> Vec<f64> { (0..count).map(|_| random.random_range(-1.0..1.0)).collect() };
    let arguments: Vec<Vec<f64>> = SIZES.iter().map(|&count| draw(count)).collect();
    let mixture = draw(FRAMES * LENGTHS.len() * 2 * HIDDEN);
    let (_, gradients) = value_and_gradient(layout, &arguments, &mixture);
    let step = 1e-5;
    for (argument, &count) in SIZES.iter().enumerate() {
        for index in 0..count {
            let at = |offset: f64| {
                let mut moved = arguments.clone();
                moved[argument][index] += offset;
                value_and_gradient(layout, &moved, &mixture).0
            };
            let difference = (at(step) - at(-step)) / (2.0 * step);
            // The layer does not mask its inputs, but padding still gets no gradient.
            let found = gradients[argument][index];
            assert!(
                (found - difference).abs() < 1e-8,
                "{layout:?}, argument {argument}, value {index}: {found} instead of {difference}"
            );
        }
    }
}
