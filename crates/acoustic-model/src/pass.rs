//! One pass of training written out: forward, loss, backward, all gradients in one vector.
//!
//! The model is a chain, so its backward pass needs no graph: each layer's tape is used once, in reverse order, and is gone
//! as soon as it is used. [`crate::Blstm`] works under burn's autodiff as well, for those who put it into a larger model; the
//! trainer does without, for two reasons. burn keeps the graphs of all threads in one place and clears away what looks
//! unused whenever any of them finishes, so that gradients of one thread can be lost to another's; and here it is plain to
//! see when a buffer is free to be overwritten.

use burn::prelude::*;

use crate::dropout::Dropout;
use crate::layer::{self, rows};
use crate::parts::Part::{Loss, Products, Update};
use crate::products::{Bound, Part};
use crate::{Blstm, KernelBackend, LayerOptions, Lengths, ModelError, Training, parts};

/// What a loss makes of the scores: whatever its caller wants to know, and the gradient with respect to them, `[T·B, C]`.
pub struct Descent<B: Backend, L> {
    /// The loss, in the caller's terms.
    pub loss: L,
    /// Its gradient, which the pass sends down through the model.
    pub gradient: Tensor<B, 2>,
    /// What is known of the gradient's magnitudes.
    pub bound: Bound<B>,
    /// What finding it took, kept until memory has been looked at.
    pub held: Option<Tensor<B, 1>>,
}

/// The loss of a batch, and its gradient with respect to all parameters in the order of
/// [`crate::BlstmConfig::parameters`]. `watch` is called where the most memory is in use.
pub fn gradients<B: KernelBackend, L>(
    model: &Blstm<B>,
    input: Tensor<B, 3>,
    lengths: &Lengths<B>,
    options: LayerOptions,
    training: Option<Training>,
    descend: impl FnOnce(Tensor<B, 2>) -> Result<Descent<B, L>, ModelError>,
    mut watch: impl FnMut(),
) -> Result<(L, Tensor<B, 1>), ModelError> {
    let dropout_below = |index: usize| {
        let training = training.filter(|training| index > 0 && training.dropout > 0.0)?;
        Some(Dropout::at(
            training.dropout,
            training.seed,
            training.step,
            index - 1,
        ))
    };
    let device = input.device();
    let mut below = parts::timed::<B, _>(Products, &device, || {
        let input = rows(lengths.without_padding(input));
        B::factor(input, Bound::Unknown, options.precision)
    });
    let mut tapes = Vec::with_capacity(model.layers.len());
    for (index, layer) in model.layers.iter().enumerate() {
        let found = layer::forward(below, layer.weights(), lengths, options);
        tapes.push(found.tape);
        below = match dropout_below(index + 1) {
            Some(dropout) if index + 1 < model.layers.len() => {
                let states = rows(B::drop_out(found.states, dropout));
                // Hidden states are at most 1; what dropout keeps it scales up.
                B::factor(states, Bound::Within(dropout.scale()), options.precision)
            }
            _ => found.factor,
        };
    }
    let top = below;
    let (out_weight, scores) = parts::timed::<B, _>(Products, &device, || {
        let out_weight = B::factor(model.out_weight.val(), Bound::Unknown, options.precision);
        let scores = B::product(Part::all(&top), Part::all(&out_weight).transposed());
        (out_weight, B::add_to_rows(scores, model.out_bias.val()))
    });
    let Descent {
        loss,
        gradient,
        bound,
        held,
    } = parts::timed::<B, _>(Loss, &device, || descend(scores))?;
    watch();
    drop(held);

    // Collected from the top down, in reverse.
    let mut found_so_far = vec![B::column_sums(gradient.clone())];
    let (weight, below) = parts::timed::<B, _>(Products, &device, || {
        let gradient = B::factor(gradient, bound, options.precision);
        let weight = B::product(Part::all(&gradient).transposed(), Part::all(&top));
        (
            weight,
            B::product(Part::all(&gradient), Part::all(&out_weight)),
        )
    });
    found_so_far.push(weight.flatten(0, 1));
    let [_, width] = below.dims();
    let mut below = below.reshape([lengths.frames(), lengths.batch(), width]);
    drop((top, out_weight));
    for (index, tape) in tapes.into_iter().enumerate().rev() {
        let found = layer::backward(tape, below, index > 0, &mut watch);
        // Both biases enter as their sum, so both have its gradient.
        found_so_far.push(found.bias.clone());
        found_so_far.push(found.bias);
        found_so_far.push(found.weight_hh.flatten(0, 2));
        found_so_far.push(found.weight_ih.flatten(0, 1));
        let Some(input) = found.input else { break };
        below = match dropout_below(index) {
            // The mask is a function of the index: the same values are dropped again.
            Some(dropout) => B::drop_out(input, dropout),
            None => input,
        };
    }
    found_so_far.reverse();
    let gradients = parts::timed::<B, _>(Update, &device, || Tensor::cat(found_so_far, 0));
    Ok((loss, gradients))
}
