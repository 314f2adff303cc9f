//! The shape of the model: inputs, layers, hidden size and classes.

use serde::{Deserialize, Serialize};

use crate::error::{SettingError, require};

/// Upper limit of each dimension. It turns a typing error in a config into an error message instead of a huge
/// allocation.
const MOST: usize = 1 << 20;

/// Upper limit of the parameter count, more than any machine can store. The caller checks what fits on the
/// device.
const MOST_PARAMETERS: u128 = 1 << 40;

/// A bidirectional LSTM acoustic model: `layers` bidirectional layers with `hidden` units per direction, then
/// one linear layer to `classes` scores per frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BlstmConfig {
    /// Features per frame.
    pub inputs: usize,
    /// Number of bidirectional layers.
    pub layers: usize,
    /// Hidden units per layer and direction.
    pub hidden: usize,
    /// Number of classes (scores per frame).
    pub classes: usize,
    /// Dropout rate between layers during training. The last layer's output is not dropped.
    pub dropout: f64,
}

/// The name and shape of one parameter, in PyTorch's naming: `nn.LSTM(bidirectional=True)` is `rnn` and
/// `nn.Linear` is `out`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSpec {
    /// PyTorch's name, for example `rnn.weight_hh_l1_reverse`.
    pub name: String,
    /// The parameter's shape.
    pub shape: Vec<usize>,
}

impl BlstmConfig {
    /// A model with three layers of 512 units per direction and no dropout, as in the papers.
    pub fn new(inputs: usize, classes: usize) -> Self {
        Self {
            inputs,
            layers: 3,
            hidden: 512,
            classes,
            dropout: 0.0,
        }
    }

    /// Sets the number of layers.
    pub fn with_layers(mut self, layers: usize) -> Self {
        self.layers = layers;
        self
    }

    /// Sets the number of hidden units per direction.
    pub fn with_hidden(mut self, hidden: usize) -> Self {
        self.hidden = hidden;
        self
    }

    /// Sets the dropout rate between layers.
    pub fn with_dropout(mut self, dropout: f64) -> Self {
        self.dropout = dropout;
        self
    }

    /// Checks that all dimensions and the dropout rate are valid.
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
        // Every factor is at most 2^20, so u128 cannot overflow here; `parameter_count` could.
        let (hidden, inputs) = (self.hidden as u128, self.inputs as u128);
        let layers = self.layers as u128 * 8 * hidden * (3 * hidden + 2) + 8 * hidden * inputs;
        let count = layers + (2 * hidden + 1) * self.classes as u128;
        require(
            count <= MOST_PARAMETERS,
            "the number of parameters",
            format!("about {count}"),
            "use fewer layers, units or classes: the limit is 2^40 parameters",
        )?;
        require(
            (0.0..1.0).contains(&self.dropout),
            "dropout",
            self.dropout,
            "give a dropout rate from 0 up to but not including 1",
        )
    }

    /// The CTC blank: the last class.
    pub fn blank(&self) -> u32 {
        self.classes.saturating_sub(1) as u32
    }

    /// The number of inputs of layer `layer`, counted from 0: the model's inputs, then both directions of the
    /// layer below.
    pub fn layer_inputs(&self, layer: usize) -> usize {
        if layer == 0 {
            self.inputs
        } else {
            2 * self.hidden
        }
    }

    /// All parameters in the order in which they are stored in one flat vector.
    ///
    /// For each layer: the input weights, the recurrent weights and both biases. Each of these has the
    /// forward direction first, then the reverse direction, so that both directions of a matrix are
    /// contiguous.
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

    /// The number of trainable parameters.
    pub fn parameter_count(&self) -> usize {
        self.parameters()
            .iter()
            .map(|spec| spec.shape.iter().product::<usize>())
            .sum()
    }
}
