//! The model's operations for a backend alone, and for the same backend under autodiff, where each is one node of the graph
//! with the gradient written by hand.

use burn::backend::Autodiff;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::prelude::*;
use burn::tensor::TensorPrimitive;

use crate::dropout::Dropout;
use crate::layer::{self, LayerOptions, LayerWeights, Tape};
use crate::loss::FrameTargets;
use crate::products::{Bound, Part};
use crate::{KernelBackend, Lengths, ModelBackend, Precision};

/// `input·weightᵀ + bias`.
fn linear_forward<B: KernelBackend>(
    input: Tensor<B, 2>,
    weight: Tensor<B, 2>,
    bias: Tensor<B, 1>,
    precision: Precision,
) -> Tensor<B, 2> {
    let input = B::factor(input, Bound::Unknown, precision);
    let weight = B::factor(weight, Bound::Unknown, precision);
    let product = B::product(Part::all(&input), Part::all(&weight).transposed());
    B::add_to_rows(product, bias)
}

/// Gives a backend without autodiff the model's operations. A blanket implementation would overlap with autodiff's own.
macro_rules! model_backend_without_gradients {
    ($(#[$attribute:meta])* $backend:ty) => {
        $(#[$attribute])*
        impl ModelBackend for $backend {
            fn blstm_layer(
                input: Tensor<Self, 3>,
                weights: LayerWeights<Self>,
                lengths: &Lengths<Self>,
                options: LayerOptions,
            ) -> Tensor<Self, 3> {
                let input = Self::factor(layer::rows(input), Bound::Unknown, options.precision);
                layer::forward(input, weights, lengths, options).states
            }

            fn scores(
                input: Tensor<Self, 2>,
                weight: Tensor<Self, 2>,
                bias: Tensor<Self, 1>,
                precision: Precision,
            ) -> Tensor<Self, 2> {
                linear_forward(input, weight, bias, precision)
            }

            fn frame_loss(
                logits: Tensor<Self, 2>,
                targets: &FrameTargets<Self>,
            ) -> (Tensor<Self, 1>, Tensor<Self, 1>) {
                let scores = Self::frame_scores(logits, targets);
                (scores.loss_sum, scores.wrong)
            }

            fn dropout(values: Tensor<Self, 3>, dropout: Dropout) -> Tensor<Self, 3> {
                Self::drop_out(values, dropout)
            }
        }
    };
}

model_backend_without_gradients!(
    #[cfg(feature = "cpu")]
    burn::backend::Flex
);
model_backend_without_gradients!(
    #[cfg(feature = "cuda")]
    crate::backend::cuda::Cuda
);
model_backend_without_gradients!(
    #[cfg(feature = "wgpu")]
    crate::backend::wgpu::Wgpu
);

/// The tensor of the backend below, its values without its history.
fn inner<B: Backend, C: CheckpointStrategy, const D: usize>(
    tensor: Tensor<Autodiff<B, C>, D>,
) -> Tensor<B, D> {
    tensor.inner()
}

/// The graph's own view of a float tensor.
fn node<B: Backend, C: CheckpointStrategy, const D: usize>(
    tensor: &Tensor<Autodiff<B, C>, D>,
) -> <Autodiff<B, C> as burn::tensor::backend::BackendTypes>::FloatTensorPrimitive {
    tensor.clone().into_primitive().tensor()
}

fn primitive<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> B::FloatTensorPrimitive {
    tensor.into_primitive().tensor()
}

fn tensor<B: Backend, const D: usize>(primitive: B::FloatTensorPrimitive) -> Tensor<B, D> {
    Tensor::from_primitive(TensorPrimitive::Float(primitive))
}

impl<B: KernelBackend, C: CheckpointStrategy> ModelBackend for Autodiff<B, C> {
    fn blstm_layer(
        input: Tensor<Self, 3>,
        weights: LayerWeights<Self>,
        lengths: &Lengths<Self>,
        options: LayerOptions,
    ) -> Tensor<Self, 3> {
        #[derive(Debug)]
        struct Layer;

        impl<B: KernelBackend> Backward<B, 5> for Layer {
            type State = Tape<B>;

            fn backward(
                self,
                ops: Ops<Self::State, 5>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let grad_output = tensor::<B, 3>(grads.consume::<B>(&ops.node));
                let [input, weight_ih, weight_hh, bias_ih, bias_hh] = ops.parents;
                let gradients =
                    layer::backward(ops.state, grad_output, input.is_some(), &mut || ());
                if let (Some(node), Some(gradient)) = (input, gradients.input) {
                    grads.register::<B>(node.id, primitive(gradient));
                }
                if let Some(node) = weight_ih {
                    grads.register::<B>(node.id, primitive(gradients.weight_ih));
                }
                if let Some(node) = weight_hh {
                    grads.register::<B>(node.id, primitive(gradients.weight_hh));
                }
                for node in [bias_ih, bias_hh].into_iter().flatten() {
                    grads.register::<B>(node.id, primitive(gradients.bias.clone()));
                }
            }
        }

        let nodes = [
            node(&input).node.clone(),
            node(&weights.weight_ih).node.clone(),
            node(&weights.weight_hh).node.clone(),
            node(&weights.bias_ih).node.clone(),
            node(&weights.bias_hh).node.clone(),
        ];
        let below = LayerWeights {
            weight_ih: inner(weights.weight_ih),
            weight_hh: inner(weights.weight_hh),
            bias_ih: inner(weights.bias_ih),
            bias_hh: inner(weights.bias_hh),
        };
        let input = B::factor(layer::rows(inner(input)), Bound::Unknown, options.precision);
        let found = layer::forward(input, below, &lengths.inner(), options);
        let prepared = Layer.prepare::<C>(nodes).compute_bound().stateful();
        tensor(match prepared {
            OpsKind::Tracked(prepared) => prepared.finish(found.tape, primitive(found.states)),
            OpsKind::UnTracked(prepared) => prepared.finish(primitive(found.states)),
        })
    }

    fn scores(
        input: Tensor<Self, 2>,
        weight: Tensor<Self, 2>,
        bias: Tensor<Self, 1>,
        precision: Precision,
    ) -> Tensor<Self, 2> {
        #[derive(Debug)]
        struct Linear;

        impl<B: KernelBackend> Backward<B, 3> for Linear {
            type State = (Tensor<B, 2>, Tensor<B, 2>, Precision);

            fn backward(
                self,
                ops: Ops<Self::State, 3>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let gradient = tensor::<B, 2>(grads.consume::<B>(&ops.node));
                let (input, weight, precision) = ops.state;
                let [input_node, weight_node, bias_node] = ops.parents;
                if let Some(node) = bias_node {
                    let bias = B::column_sums(gradient.clone());
                    grads.register::<B>(node.id, primitive(bias));
                }
                let gradient = B::factor(gradient, Bound::Unknown, precision);
                if let Some(node) = weight_node {
                    let input = B::factor(input, Bound::Unknown, precision);
                    let weight = B::product(Part::all(&gradient).transposed(), Part::all(&input));
                    grads.register::<B>(node.id, primitive(weight));
                }
                if let Some(node) = input_node {
                    let weight = B::factor(weight, Bound::Unknown, precision);
                    let input = B::product(Part::all(&gradient), Part::all(&weight));
                    grads.register::<B>(node.id, primitive(input));
                }
            }
        }

        let nodes = [
            node(&input).node.clone(),
            node(&weight).node.clone(),
            node(&bias).node.clone(),
        ];
        let (input, weight, bias) = (inner(input), inner(weight), inner(bias));
        let output = linear_forward(input.clone(), weight.clone(), bias, precision);
        let prepared = Linear.prepare::<C>(nodes).compute_bound().stateful();
        tensor(match prepared {
            OpsKind::Tracked(prepared) => {
                prepared.finish((input, weight, precision), primitive(output))
            }
            OpsKind::UnTracked(prepared) => prepared.finish(primitive(output)),
        })
    }

    fn frame_loss(
        logits: Tensor<Self, 2>,
        targets: &FrameTargets<Self>,
    ) -> (Tensor<Self, 1>, Tensor<Self, 1>) {
        #[derive(Debug)]
        struct FrameLoss;

        impl<B: KernelBackend> Backward<B, 1> for FrameLoss {
            type State = (Tensor<B, 2>, Tensor<B, 1>, FrameTargets<B>);

            fn backward(
                self,
                ops: Ops<Self::State, 1>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let scale = tensor::<B, 1>(grads.consume::<B>(&ops.node));
                let (logits, log_sums, targets) = ops.state;
                if let [Some(node)] = ops.parents {
                    let gradient = B::frame_gradient(logits, log_sums, &targets, scale);
                    grads.register::<B>(node.id, primitive(gradient));
                }
            }
        }

        let nodes = [node(&logits).node.clone()];
        let targets = targets.inner();
        let logits = inner(logits);
        let scores = B::frame_scores(logits.clone(), &targets);
        let prepared = FrameLoss.prepare::<C>(nodes).compute_bound().stateful();
        let loss = match prepared {
            OpsKind::Tracked(prepared) => prepared.finish(
                (logits, scores.log_sums, targets),
                primitive(scores.loss_sum),
            ),
            OpsKind::UnTracked(prepared) => prepared.finish(primitive(scores.loss_sum)),
        };
        (tensor(loss), Tensor::from_inner(scores.wrong))
    }

    fn dropout(values: Tensor<Self, 3>, dropout: Dropout) -> Tensor<Self, 3> {
        #[derive(Debug)]
        struct HashedDropout;

        impl<B: KernelBackend> Backward<B, 1> for HashedDropout {
            type State = Dropout;

            fn backward(
                self,
                ops: Ops<Self::State, 1>,
                grads: &mut Gradients,
                _checkpointer: &mut Checkpointer,
            ) {
                let gradient = tensor::<B, 3>(grads.consume::<B>(&ops.node));
                if let [Some(node)] = ops.parents {
                    // The mask is a function of the index: the same values are dropped again.
                    grads.register::<B>(node.id, primitive(B::drop_out(gradient, ops.state)));
                }
            }
        }

        let nodes = [node(&values).node.clone()];
        let output = B::drop_out(inner(values), dropout);
        let prepared = HashedDropout.prepare::<C>(nodes).compute_bound().stateful();
        tensor(match prepared {
            OpsKind::Tracked(prepared) => prepared.finish(dropout, primitive(output)),
            OpsKind::UnTracked(prepared) => prepared.finish(primitive(output)),
        })
    }
}
