//! Times a training step with burn's `BiLstm`: three layers, a linear layer, cross-entropy and Adam.
//!
//! The first argument is the backend, then batch size and hidden size: `cargo run --release --features
//! burn-stock,cuda --example burn_stock -- cuda 16 512`.
//!
//! burn's `BiLstm` takes no lengths and runs a host loop of small GEMMs. Sequence lengths increase until a
//! step takes too long.

use std::time::Instant;

use burn::backend::Autodiff;
use burn::module::Module;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::nn::{BiLstm, BiLstmConfig, Linear, LinearConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::prelude::*;
use burn::tensor::Distribution;
use burn::tensor::backend::AutodiffBackend;

const INPUTS: usize = 16;
const CLASSES: usize = 1500;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    layers: Vec<BiLstm<B>>,
    out: Linear<B>,
}

impl<B: Backend> Model<B> {
    fn new(hidden: usize, device: &B::Device) -> Self {
        let layer = |inputs| BiLstmConfig::new(inputs, hidden, true).init(device);
        Self {
            layers: vec![layer(INPUTS), layer(2 * hidden), layer(2 * hidden)],
            out: LinearConfig::new(2 * hidden, CLASSES).init(device),
        }
    }

    fn forward(&self, mut states: Tensor<B, 3>) -> Tensor<B, 3> {
        for layer in &self.layers {
            states = layer.forward(states, None).0;
        }
        self.out.forward(states)
    }
}

fn measure<B: AutodiffBackend>(batch: usize, hidden: usize) {
    let device = B::Device::default();
    for frames in [5, 10, 20, 50, 100, 200, 400, 700] {
        let mut model = Model::<B>::new(hidden, &device);
        let mut adam = AdamConfig::new().init();
        let input = Tensor::<B, 3>::random(
            [batch, frames, INPUTS],
            Distribution::Uniform(-1.0, 1.0),
            &device,
        );
        let targets = Tensor::<B, 1, Int>::zeros([batch * frames], &device);
        let mut seconds = Vec::new();
        for _ in 0..3 {
            let begin = Instant::now();
            let scores = model
                .forward(input.clone())
                .reshape([batch * frames, CLASSES]);
            let loss = CrossEntropyLossConfig::new()
                .init(&device)
                .forward(scores, targets.clone());
            let gradients = GradientsParams::from_grads(loss.backward(), &model);
            model = adam.step(1e-3, model, gradients);
            if let Err(error) = B::sync(&device) {
                eprintln!("T={frames}: {error}");
                return;
            }
            seconds.push(begin.elapsed().as_secs_f64());
        }
        println!("burn stock BiLstm T={frames} B={batch} H={hidden}: {seconds:.3?} s per step");
        if seconds[2] > 10.0 || seconds[0] > 60.0 {
            return;
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, usual| {
        let given = arguments.get(index).and_then(|value| value.parse().ok());
        given.unwrap_or(usual)
    };
    let (batch, hidden) = (number(1, 16), number(2, 512));
    match arguments.first().map(String::as_str) {
        #[cfg(feature = "cuda")]
        Some("cuda") => measure::<Autodiff<padwise_model::backend::cuda::Cuda>>(batch, hidden),
        #[cfg(feature = "wgpu")]
        Some("wgpu") => measure::<Autodiff<padwise_model::backend::wgpu::Wgpu>>(batch, hidden),
        #[cfg(feature = "cpu")]
        _ => measure::<Autodiff<burn_flex::Flex>>(batch, hidden),
        #[cfg(not(feature = "cpu"))]
        _ => eprintln!("pass the name of a compiled-in backend"),
    }
}
