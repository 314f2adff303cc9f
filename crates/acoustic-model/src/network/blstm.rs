//! The model's parameters: a stack of bidirectional layers, and a linear layer that scores every frame.

use burn_tensor::Tensor;
use padwise_model_config::BlstmConfig;

use super::layer::LayerWeights;
use crate::kernels::KernelBackend;
use crate::kernels::gemm::MatrixAt;
use crate::kernels::recurrence::{GateOrder, LayerOptions};

/// The acoustic model, ready for GEMMs of one precision, with gates in one order.
#[derive(Debug, Clone)]
pub struct Blstm<B: KernelBackend> {
    /// The bidirectional layers, lowest first.
    pub layers: Vec<LayerWeights<B>>,
    /// Output weights, `[C, 2H]`.
    pub out_weight: B::Factor,
    /// Output bias, `[C]`.
    pub out_bias: Tensor<B, 1>,
    /// Number of parameters.
    pub parameters: usize,
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

    /// A matrix that is not taken yet.
    fn skip(&mut self, shape: [usize; 2], gates: GateOrder) -> MatrixAt {
        let at = self.at;
        self.at += shape[0] * shape[1];
        MatrixAt { at, shape, gates }
    }
}

impl<B: KernelBackend> Blstm<B> {
    /// Creates a model from one vector of parameters in the order of [`BlstmConfig::parameters`].
    pub fn from_flat(config: &BlstmConfig, flat: Tensor<B, 1>, options: LayerOptions) -> Self {
        let (hidden, gates) = (config.hidden, 8 * config.hidden);
        let mut cutter = Cutter {
            flat: flat.clone(),
            at: 0,
        };
        // All input weights become factors together, so a backend needs few launches for them.
        let mut matrices = Vec::with_capacity(config.layers + 1);
        let mut others = Vec::with_capacity(config.layers);
        for layer in 0..config.layers {
            matrices.push(cutter.skip([gates, config.layer_inputs(layer)], options.gates));
            others.push((
                cutter.next([2, gates / 2, hidden]),
                [cutter.next([gates]), cutter.next([gates])],
            ));
        }
        matrices.push(cutter.skip([config.classes, 2 * hidden], GateOrder::ByGate));
        let out_bias = cutter.next([config.classes]);
        let mut factors = B::factors(&flat, &matrices, options.precision).into_iter();
        let mut next_factor = || factors.next().expect("one factor for every matrix");
        let layer = |(layer, (weight_hh, biases))| LayerWeights {
            inputs: config.layer_inputs(layer),
            weight_ih: next_factor(),
            weight_hh,
            biases,
        };
        Self {
            layers: others.into_iter().enumerate().map(layer).collect(),
            out_weight: next_factor(),
            out_bias,
            parameters: cutter.at,
        }
    }
}
