//! The forward pass to the scores, and the backward pass from their gradient to the gradient of all
//! parameters.
//!
//! The model is a chain, so backpropagation needs no graph. Each layer's tape is used once, in reverse order,
//! and freed right away. It is always clear when a buffer may be overwritten, and threads share nothing.

use burn_tensor::{Int, Tensor};

use super::blstm::Blstm;
use super::gradients::Gradients;
use super::layer::{self, Tape};
use crate::batch::BatchLayout;
use crate::kernels::KernelBackend;
use crate::kernels::dropout::TrainingStep;
use crate::kernels::gemm::{Bound, MatrixView, Product, RowGradients};
use crate::kernels::recurrence::LayerOptions;
use crate::profiler;
use crate::profiler::StepPhase::Gemm;

/// The values of the forward pass that the backward pass needs.
#[derive(Debug)]
pub struct ForwardPass<B: KernelBackend> {
    tapes: Vec<Tape<B>>,
    top: B::Factor,
    out_weight: B::Factor,
    parameters: usize,
    places: Option<Tensor<B, 1, Int>>,
    options: LayerOptions,
    training: Option<TrainingStep>,
}

/// Scores `[N, C]` of every frame of `input`, `[N, I]`, which is zero at padding ([`crate::RowLayout::clear_padding`]).
pub fn scores<B: KernelBackend>(
    model: &Blstm<B>,
    input: Tensor<B, 2>,
    layout: &BatchLayout<B>,
    options: LayerOptions,
) -> Tensor<B, 2> {
    score(model, input, layout, options, None, drop).scores
}

/// Like [`scores`], for training: with dropout, and with the values that the backward pass needs.
pub fn forward<B: KernelBackend>(
    model: &Blstm<B>,
    input: Tensor<B, 2>,
    layout: &BatchLayout<B>,
    options: LayerOptions,
    training: Option<TrainingStep>,
) -> (Tensor<B, 2>, ForwardPass<B>) {
    let mut tapes = Vec::with_capacity(model.layers.len());
    let keep = |tape| tapes.push(tape);
    let found = score(model, input, layout, options, training, keep);
    let pass = ForwardPass {
        tapes,
        top: found.top,
        out_weight: found.out_weight,
        parameters: model.parameters,
        places: found.places,
        options,
        training,
    };
    (found.scores, pass)
}

/// Results of the forward pass.
struct Scored<B: KernelBackend> {
    scores: Tensor<B, 2>,
    /// The two operands of the scores' GEMM.
    top: B::Factor,
    out_weight: B::Factor,
    /// The rows that dropout depends on ([`BatchLayout::places`]).
    places: Option<Tensor<B, 1, Int>>,
}

/// Computes the scores. Passes each layer's tape to `keep`.
fn score<B: KernelBackend>(
    model: &Blstm<B>,
    input: Tensor<B, 2>,
    layout: &BatchLayout<B>,
    options: LayerOptions,
    training: Option<TrainingStep>,
    mut keep: impl FnMut(Tape<B>),
) -> Scored<B> {
    let device = input.device();
    let mut below = profiler::timed::<B, _>(Gemm, &device, || {
        B::factor(input, Bound::Unknown, options.precision)
    });
    let dropping = training.filter(|training| training.dropout > 0.0);
    let places = dropping.and_then(|_| layout.places());
    for (index, layer) in model.layers.iter().enumerate() {
        let above = Some(index + 1).filter(|&above| above < model.layers.len());
        let dropout = training.zip(above);
        let dropout = dropout.and_then(|(training, above)| training.dropout_below(above));
        let found = layer::forward(below, layer.clone(), layout, options, dropout.is_some());
        keep(found.tape);
        below = match dropout {
            Some(dropout) => {
                let states = found.states.expect("requested for dropout");
                let states = B::drop_out(states, places.clone(), dropout);
                // Hidden states are at most 1, and dropout scales up the values that it keeps.
                B::factor(states, Bound::Within(dropout.scale()), options.precision)
            }
            None => found.factor,
        };
    }
    let top = below;
    let scores = profiler::timed::<B, _>(Gemm, &device, || {
        B::multiply_and_add(
            MatrixView::all(&top),
            MatrixView::all(&model.out_weight).transposed(),
            model.out_bias.clone(),
        )
    });
    Scored {
        scores,
        top,
        out_weight: model.out_weight.clone(),
        places,
    }
}

impl<B: KernelBackend> ForwardPass<B> {
    /// Computes the gradient of all parameters, in the order of [`crate::BlstmConfig::parameters`], from the
    /// gradient of the scores. Calls `watch` when memory use peaks.
    pub fn backward(self, gradient: RowGradients<B>, mut watch: impl FnMut()) -> Tensor<B, 1> {
        let RowGradients {
            all, partial_sums, ..
        } = gradient;
        let (device, precision) = (partial_sums.device(), self.options.precision);
        let mut parameters = Gradients::new(self.parameters, &partial_sums);
        let [_, classes] = partial_sums.dims();
        parameters.put_column_sums(partial_sums, 1);
        let mut below = profiler::timed::<B, _>(Gemm, &device, || {
            let gradient = all.into_factor(precision);
            let gradient = MatrixView::all(&gradient);
            let below =
                B::multiply_and_measure(gradient.clone(), MatrixView::all(&self.out_weight));
            let [_, width] = below.values.dims();
            let top = MatrixView::all(&self.top);
            parameters.put_product(classes * width, gradient.transposed(), top);
            below
        });
        drop((self.top, self.out_weight));
        for (index, tape) in self.tapes.into_iter().enumerate().rev() {
            let input = layer::backward(tape, below, index > 0, &mut parameters, &mut watch);
            let Some(input) = input else { break };
            below = match self.training.and_then(|step| step.dropout_below(index)) {
                // The mask is a function of the index, so the same values are dropped.
                Some(dropout) => Product {
                    values: B::drop_out(input.values, self.places.clone(), dropout),
                    ..input
                },
                None => input,
            };
        }
        parameters.finish()
    }
}
