//! One pass of training written out: forward to the scores, and backward from their gradient to that of all parameters.
//!
//! The model is a chain, so its backward pass needs no graph: each layer's tape is used once, in reverse order, and is gone as soon as it
//! is used. It is plain to see when a buffer is free to be overwritten, and nothing is shared between threads.

use burn::tensor::Tensor;

use super::blstm::Blstm;
use super::layer::{self, Tape, rows};
use crate::batch::Lengths;
use crate::kernels::KernelBackend;
use crate::kernels::dropout::TrainingStep;
use crate::kernels::gemm::{Bound, MatrixView};
use crate::kernels::recurrence::LayerOptions;
use crate::profiler;
use crate::profiler::StepPhase::{Gemm, Update};

/// What the backward pass needs of the forward pass.
#[derive(Debug)]
pub struct ForwardPass<B: KernelBackend> {
    tapes: Vec<Tape<B>>,
    top: B::Factor,
    out_weight: B::Factor,
    lengths: Lengths<B>,
    options: LayerOptions,
    training: Option<TrainingStep>,
}

/// Scores `[T·B, C]` of every frame of `input`, `[T, B, I]`. What `input` holds in the padding does not matter.
pub fn scores<B: KernelBackend>(
    model: &Blstm<B>,
    input: Tensor<B, 3>,
    lengths: &Lengths<B>,
    options: LayerOptions,
) -> Tensor<B, 2> {
    score(model, input, lengths, options, None, drop).0
}

/// The same in training, with what the backward pass needs.
pub fn forward<B: KernelBackend>(
    model: &Blstm<B>,
    input: Tensor<B, 3>,
    lengths: &Lengths<B>,
    options: LayerOptions,
    training: Option<TrainingStep>,
) -> (Tensor<B, 2>, ForwardPass<B>) {
    let mut tapes = Vec::with_capacity(model.layers.len());
    let keep = |tape| tapes.push(tape);
    let (scores, top, out_weight) = score(model, input, lengths, options, training, keep);
    let pass = ForwardPass {
        tapes,
        top,
        out_weight,
        lengths: lengths.clone(),
        options,
        training,
    };
    (scores, pass)
}

/// The scores, and the two factors whose product they are. Each layer's tape is given to `keep`.
fn score<B: KernelBackend>(
    model: &Blstm<B>,
    input: Tensor<B, 3>,
    lengths: &Lengths<B>,
    options: LayerOptions,
    training: Option<TrainingStep>,
    mut keep: impl FnMut(Tape<B>),
) -> (Tensor<B, 2>, B::Factor, B::Factor) {
    let device = input.device();
    let mut below = profiler::timed::<B, _>(Gemm, &device, || {
        let input = rows(lengths.without_padding(input));
        B::factor(input, Bound::Unknown, options.precision)
    });
    for (index, layer) in model.layers.iter().enumerate() {
        let found = layer::forward(below, layer.clone(), lengths, options);
        keep(found.tape);
        let above = Some(index + 1).filter(|&above| above < model.layers.len());
        let dropout = training.zip(above);
        below = match dropout.and_then(|(training, above)| training.dropout_below(above)) {
            Some(dropout) => {
                let states = rows(B::drop_out(found.states, dropout));
                // Hidden states are at most 1; what dropout keeps it scales up.
                B::factor(states, Bound::Within(dropout.scale()), options.precision)
            }
            None => found.factor,
        };
    }
    let top = below;
    let (out_weight, scores) = profiler::timed::<B, _>(Gemm, &device, || {
        let out_weight = B::factor(model.out_weight.clone(), Bound::Unknown, options.precision);
        let scores = B::multiply(
            MatrixView::all(&top),
            MatrixView::all(&out_weight).transposed(),
        );
        (out_weight, B::add_to_rows(scores, model.out_bias.clone()))
    });
    (scores, top, out_weight)
}

impl<B: KernelBackend> ForwardPass<B> {
    /// The gradient with respect to all parameters, in the order of [`crate::BlstmConfig::parameters`], given that of the scores and
    /// what is known of its magnitudes. `watch` is called where the most memory is in use.
    pub fn backward(
        self,
        gradient: Tensor<B, 2>,
        bound: Bound<B>,
        mut watch: impl FnMut(),
    ) -> Tensor<B, 1> {
        let (device, precision) = (gradient.device(), self.options.precision);
        // Collected from the top down, in reverse.
        let mut collected = vec![B::column_sums(gradient.clone())];
        let (weight, below) = profiler::timed::<B, _>(Gemm, &device, || {
            let gradient = B::factor(gradient, bound, precision);
            let gradient = MatrixView::all(&gradient);
            let top = MatrixView::all(&self.top);
            (
                B::multiply(gradient.clone().transposed(), top),
                B::multiply(gradient, MatrixView::all(&self.out_weight)),
            )
        });
        collected.push(weight.flatten(0, 1));
        let [_, width] = below.dims();
        let mut below = below.reshape([self.lengths.frames(), self.lengths.batch(), width]);
        drop((self.top, self.out_weight));
        for (index, tape) in self.tapes.into_iter().enumerate().rev() {
            let found = layer::backward(tape, below, index > 0, &mut watch);
            // Both biases enter as their sum, so both have its gradient.
            collected.push(found.bias.clone());
            collected.push(found.bias);
            collected.push(found.weight_hh.flatten(0, 2));
            collected.push(found.weight_ih.flatten(0, 1));
            let Some(input) = found.input else { break };
            below = match self.training.and_then(|step| step.dropout_below(index)) {
                // The mask is a function of the index: the same values are dropped again.
                Some(dropout) => B::drop_out(input, dropout),
                None => input,
            };
        }
        collected.reverse();
        profiler::timed::<B, _>(Update, &device, || Tensor::cat(collected, 0))
    }
}
