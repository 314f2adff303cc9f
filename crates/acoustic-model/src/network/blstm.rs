//! The model's parameters: a stack of bidirectional layers, and a linear layer that scores every frame.

use burn_tensor::Tensor;
use padwise_model_config::BlstmConfig;

use super::layer::LayerWeights;
use crate::kernels::KernelBackend;

/// The acoustic model.
#[derive(Debug, Clone)]
pub struct Blstm<B: KernelBackend> {
    /// The bidirectional layers, lowest first.
    pub layers: Vec<LayerWeights<B>>,
    /// Output weights, `[C, 2H]`.
    pub out_weight: Tensor<B, 2>,
    /// Output bias, `[C]`.
    pub out_bias: Tensor<B, 1>,
}

/// Takes tensors off the front of a flat vector.
struct Cutter<B: KernelBackend> {
    flat: Tensor<B, 1>,
    at: usize,
}

impl<B: KernelBackend> Cutter<B> {
    fn next<const D: usize>(&mut self, shape: [usize; D]) -> Tensor<B, D> {
        let count: usize = shape.iter().product();
        let range = self.at..self.at + count;
        self.at = range.end;
        B::part(&self.flat, range).reshape(shape)
    }
}

impl<B: KernelBackend> Blstm<B> {
    /// Creates a model from one vector of parameters in the order of [`BlstmConfig::parameters`].
    pub fn from_flat(config: &BlstmConfig, flat: Tensor<B, 1>) -> Self {
        let (hidden, gates) = (config.hidden, 8 * config.hidden);
        let mut cutter = Cutter { flat, at: 0 };
        let layers = (0..config.layers)
            .map(|layer| LayerWeights {
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

    /// Number of parameters.
    pub fn parameter_count(&self) -> usize {
        let of_layer = |layer: &LayerWeights<B>| {
            let [gates, inputs] = layer.weight_ih.dims();
            gates * (inputs + gates / 8 + 2)
        };
        let [classes, width] = self.out_weight.dims();
        self.layers.iter().map(of_layer).sum::<usize>() + classes * (width + 1)
    }
}
