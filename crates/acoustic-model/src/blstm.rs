//! The model: bidirectional layers, one above the other, and a linear layer that scores every frame.

use burn::module::Param;
use burn::prelude::*;

use crate::dropout::Dropout;
use crate::layer::{LayerOptions, LayerWeights, rows};
use crate::{BlstmConfig, Lengths, ModelBackend, ModelError, initial};

/// One layer's parameters, both directions stacked.
#[derive(Module, Debug)]
pub struct BlstmLayer<B: Backend> {
    /// Input weights, `[8H, I]`.
    pub weight_ih: Param<Tensor<B, 2>>,
    /// Recurrent weights, `[2, 4H, H]`.
    pub weight_hh: Param<Tensor<B, 3>>,
    /// Input bias, `[8H]`.
    pub bias_ih: Param<Tensor<B, 1>>,
    /// Recurrent bias, `[8H]`.
    pub bias_hh: Param<Tensor<B, 1>>,
}

impl<B: Backend> BlstmLayer<B> {
    /// The parameters as an operation takes them.
    pub(crate) fn weights(&self) -> LayerWeights<B> {
        LayerWeights {
            weight_ih: self.weight_ih.val(),
            weight_hh: self.weight_hh.val(),
            bias_ih: self.bias_ih.val(),
            bias_hh: self.bias_hh.val(),
        }
    }
}

/// The acoustic model.
#[derive(Module, Debug)]
pub struct Blstm<B: Backend> {
    /// The bidirectional layers, the lowest first.
    pub layers: Vec<BlstmLayer<B>>,
    /// Output weights, `[C, 2H]`.
    pub out_weight: Param<Tensor<B, 2>>,
    /// Output bias, `[C]`.
    pub out_bias: Param<Tensor<B, 1>>,
}

/// Where in training a forward pass stands: dropout depends on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Training {
    /// The share of outputs dropped between layers.
    pub dropout: f64,
    /// The run's seed.
    pub seed: u64,
    /// The step's number.
    pub step: u64,
}

/// Takes tensors off the front of a flat vector, one after the other.
struct Cutter<B: Backend> {
    flat: Tensor<B, 1>,
    at: usize,
}

impl<B: Backend> Cutter<B> {
    fn next<const D: usize>(&mut self, shape: [usize; D]) -> Param<Tensor<B, D>> {
        let count: usize = shape.iter().product();
        let part = self.flat.clone().narrow(0, self.at, count);
        self.at += count;
        Param::from_tensor(part.reshape(shape))
    }
}

impl<B: Backend> Blstm<B> {
    /// A model with PyTorch's initial distribution (uniform within one over the root of the width), drawn from `seed`: the same
    /// numbers on every backend.
    pub fn init(config: &BlstmConfig, seed: u64, device: &B::Device) -> Result<Self, ModelError> {
        let flat = initial::parameters(config, seed)?;
        let count = flat.len();
        Ok(Self::from_flat(
            config,
            Tensor::from_data(TensorData::new(flat, [count]), device),
        ))
    }

    /// The model whose parameters lie in one vector in the order of [`BlstmConfig::parameters`].
    pub fn from_flat(config: &BlstmConfig, flat: Tensor<B, 1>) -> Self {
        let (hidden, gates) = (config.hidden, 8 * config.hidden);
        let mut cutter = Cutter { flat, at: 0 };
        let layers = (0..config.layers)
            .map(|layer| BlstmLayer {
                weight_ih: cutter.next([gates, config.layer_inputs(layer)]),
                weight_hh: cutter.next([2, gates / 2, hidden]),
                bias_ih: cutter.next([gates]),
                bias_hh: cutter.next([gates]),
            })
            .collect();
        Self {
            layers,
            out_weight: cutter.next([config.classes, 2 * hidden]),
            out_bias: cutter.next([config.classes]),
        }
    }

    /// All parameters in one vector, in the order of [`BlstmConfig::parameters`].
    pub fn to_flat(&self) -> Tensor<B, 1> {
        let mut parts = Vec::new();
        for layer in &self.layers {
            parts.push(layer.weight_ih.val().flatten(0, 1));
            parts.push(layer.weight_hh.val().flatten(0, 2));
            parts.push(layer.bias_ih.val());
            parts.push(layer.bias_hh.val());
        }
        parts.push(self.out_weight.val().flatten(0, 1));
        parts.push(self.out_bias.val());
        Tensor::cat(parts, 0)
    }
}

impl<B: ModelBackend> Blstm<B> {
    /// Scores `[T, B, C]` of every frame of `input`, `[T, B, I]`. What `input` holds in the padding does not matter.
    pub fn forward(
        &self,
        input: Tensor<B, 3>,
        lengths: &Lengths<B>,
        options: LayerOptions,
        training: Option<Training>,
    ) -> Tensor<B, 3> {
        let states = self.states(input, lengths, options, training);
        let [frames, batch, _] = states.dims();
        let [classes, _] = self.out_weight.dims();
        B::scores(
            rows(states),
            self.out_weight.val(),
            self.out_bias.val(),
            options.precision,
        )
        .reshape([frames, batch, classes])
    }

    /// The topmost layer's output, `[T, B, 2H]`, zero in the padding.
    pub fn states(
        &self,
        input: Tensor<B, 3>,
        lengths: &Lengths<B>,
        options: LayerOptions,
        training: Option<Training>,
    ) -> Tensor<B, 3> {
        let mut states = lengths.without_padding(input);
        for (index, layer) in self.layers.iter().enumerate() {
            if let Some(training) = training
                && index > 0
                && training.dropout > 0.0
            {
                let dropout =
                    Dropout::at(training.dropout, training.seed, training.step, index - 1);
                states = B::dropout(states, dropout);
            }
            states = B::blstm_layer(states, layer.weights(), lengths, options);
        }
        states
    }
}

impl<B: burn::tensor::backend::AutodiffBackend> Blstm<B> {
    /// The gradients of all parameters in one vector, in the order of [`BlstmConfig::parameters`]; none where a parameter
    /// has none.
    ///
    /// burn 0.21 can lose gradients while another thread runs a backward pass ([`crate::pass`]): run one at a time.
    pub fn flat_gradients(
        &self,
        gradients: &mut B::Gradients,
    ) -> Option<Tensor<B::InnerBackend, 1>> {
        let mut parts = Vec::new();
        for layer in &self.layers {
            parts.push(gradient(&layer.weight_ih.val(), gradients)?);
            parts.push(gradient(&layer.weight_hh.val(), gradients)?);
            parts.push(gradient(&layer.bias_ih.val(), gradients)?);
            parts.push(gradient(&layer.bias_hh.val(), gradients)?);
        }
        parts.push(gradient(&self.out_weight.val(), gradients)?);
        parts.push(gradient(&self.out_bias.val(), gradients)?);
        Some(Tensor::cat(parts, 0))
    }
}

/// A parameter's gradient as a vector.
fn gradient<B: burn::tensor::backend::AutodiffBackend, const D: usize>(
    parameter: &Tensor<B, D>,
    gradients: &mut B::Gradients,
) -> Option<Tensor<B::InnerBackend, 1>> {
    let count = parameter.shape().num_elements();
    Some(parameter.grad_remove(gradients)?.reshape([count]))
}
