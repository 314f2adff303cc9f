//! The shape of the model: how many layers, how wide, and what goes in and comes out.

use serde::{Deserialize, Serialize};

use crate::error::{SettingError, require};

/// The largest model width and class count that anyone has asked for, with room: a typing slip in a configuration should
/// be a sentence, not an attempt to allocate terabytes.
const MOST: usize = 1 << 20;

/// More than any machine has room for; what fits on this one is for the caller to ask.
const MOST_PARAMETERS: u128 = 1 << 40;

/// A bidirectional LSTM acoustic model: `layers` bidirectional layers of `hidden` units a direction, then one linear layer
/// to `classes` scores a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BlstmConfig {
    /// Features a frame.
    pub inputs: usize,
    /// Bidirectional layers.
    pub layers: usize,
    /// Units in each direction of each layer.
    pub hidden: usize,
    /// Scores a frame.
    pub classes: usize,
    /// The share of each layer's outputs dropped on the way to the next layer while training; none after the last.
    pub dropout: f64,
}

/// One parameter as PyTorch knows it: `nn.LSTM(bidirectional=True)` called `rnn`, `nn.Linear` called `out`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSpec {
    /// PyTorch's name, such as `rnn.weight_hh_l1_reverse`.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
}

impl BlstmConfig {
    /// A model of three layers of 512 units a direction without dropout, as the papers train.
    pub fn new(inputs: usize, classes: usize) -> Self {
        Self {
            inputs,
            layers: 3,
            hidden: 512,
            classes,
            dropout: 0.0,
        }
    }

    /// The same model with another number of layers.
    pub fn with_layers(mut self, layers: usize) -> Self {
        self.layers = layers;
        self
    }

    /// The same model with another number of units a direction.
    pub fn with_hidden(mut self, hidden: usize) -> Self {
        self.hidden = hidden;
        self
    }

    /// The same model with another share of outputs dropped between layers.
    pub fn with_dropout(mut self, dropout: f64) -> Self {
        self.dropout = dropout;
        self
    }

    /// Whether any model can have this shape.
    pub fn validate(&self) -> Result<(), SettingError> {
        for (setting, value) in [
            ("inputs", self.inputs),
            ("layers", self.layers),
            ("hidden", self.hidden),
            ("classes", self.classes),
        ] {
            let remedy = "give a number from 1 to 1048576";
            require((1..=MOST).contains(&value), setting, value, remedy)?;
        }
        // Every factor is at most 2^20, so this cannot overflow where `parameter_count` could.
        let (hidden, inputs) = (self.hidden as u128, self.inputs as u128);
        let layers = self.layers as u128 * 8 * hidden * (3 * hidden + 2) + 8 * hidden * inputs;
        let count = layers + (2 * hidden + 1) * self.classes as u128;
        require(
            count <= MOST_PARAMETERS,
            "the number of parameters",
            format!("about {count}"),
            "give fewer layers, units or classes: 2^40 parameters are the most",
        )?;
        require(
            (0.0..1.0).contains(&self.dropout),
            "dropout",
            self.dropout,
            "give the share of outputs to drop, from 0 up to but not including 1",
        )
    }

    /// The class that stands for "no label here" under CTC: the last.
    pub fn blank(&self) -> u32 {
        self.classes.saturating_sub(1) as u32
    }

    /// How many features layer `layer` (from 0) sees: the model's inputs, then both directions of the layer below.
    pub fn layer_inputs(&self, layer: usize) -> usize {
        if layer == 0 {
            self.inputs
        } else {
            2 * self.hidden
        }
    }

    /// Every parameter under PyTorch's name, in the order in which they lie in one flat vector: of each layer the input
    /// weights, the recurrent weights and both biases, of each the forward direction's and then the reverse one's, so that
    /// what both directions use together lies together.
    pub fn parameters(&self) -> Vec<ParameterSpec> {
        let mut specs = Vec::new();
        let gates = 4 * self.hidden;
        for layer in 0..self.layers {
            for (kind, shape) in [
                ("weight_ih", vec![gates, self.layer_inputs(layer)]),
                ("weight_hh", vec![gates, self.hidden]),
                ("bias_ih", vec![gates]),
                ("bias_hh", vec![gates]),
            ] {
                for suffix in ["", "_reverse"] {
                    specs.push(ParameterSpec {
                        name: format!("rnn.{kind}_l{layer}{suffix}"),
                        shape: shape.clone(),
                    });
                }
            }
        }
        for (name, shape) in [
            ("out.weight", vec![self.classes, 2 * self.hidden]),
            ("out.bias", vec![self.classes]),
        ] {
            specs.push(ParameterSpec {
                name: name.into(),
                shape,
            });
        }
        specs
    }

    /// How many numbers the model has to learn.
    pub fn parameter_count(&self) -> usize {
        self.parameters()
            .iter()
            .map(|spec| spec.shape.iter().product::<usize>())
            .sum()
    }
}
