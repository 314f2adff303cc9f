//! Compares outputs, losses and all gradients with PyTorch in float64.

use burn_tensor::backend::Backend;
use burn_tensor::{Tensor, TensorData};
use padwise_model::kernels::gemm::Bound;
use padwise_model::kernels::loss::FrameTargets;
use padwise_model::network::{backpropagation, layer};
use padwise_model::{Blstm, BlstmConfig, KernelBackend, LayerOptions, Lengths, weights};
use safetensors::SafeTensors;

use super::golden::{self, floats, shape, singles};
use super::{Folder, Tolerance, numbers, on_device};

/// The model's shape, from the tensors of a file.
pub fn config_of(file: &SafeTensors<'_>) -> BlstmConfig {
    let [gates, inputs] = shape(file, "rnn.weight_ih_l0");
    let [classes, _] = shape(file, "out.weight");
    let layers = file
        .names()
        .iter()
        .filter(|name| name.starts_with("rnn.weight_ih_l") && !name.ends_with("_reverse"))
        .count();
    BlstmConfig::new(inputs, classes)
        .with_layers(layers)
        .with_hidden(gates / 4)
}

/// All parameters in the model's flat order; `prefix` is added to their names.
fn flat(file: &SafeTensors<'_>, config: &BlstmConfig, prefix: &str) -> Vec<f64> {
    config
        .parameters()
        .iter()
        .flat_map(|spec| floats(file, &format!("{prefix}{}", spec.name)))
        .collect()
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&value| value as f32).collect()
}

/// Values of the rows `[t, b]` that are not padding.
fn valid(values: &[f64], lengths: &[u32], width: usize) -> Vec<f64> {
    values
        .chunks_exact(width)
        .enumerate()
        .filter(|(row, _)| row / lengths.len() < lengths[row % lengths.len()] as usize)
        .flat_map(|(_, row)| row.to_vec())
        .collect()
}

/// All cases except those skipped.
pub fn matches_pytorch<B: KernelBackend>(
    device: &B::Device,
    options: impl Into<LayerOptions>,
    tolerance: Tolerance,
    without: &[&str],
) {
    let options = options.into();
    for case in golden::CASES {
        if !without.contains(&case) {
            one_case::<B>(case, device, options, tolerance);
        }
    }
}

fn one_case<B: KernelBackend>(
    case: &str,
    device: &B::Device,
    options: LayerOptions,
    tolerance: Tolerance,
) {
    let file = golden::file(case);
    let config = config_of(&file);
    let dims = shape::<3>(&file, "inputs");
    let lengths_host = golden::lengths(&file, "lengths");

    let parameters = narrow(&flat(&file, &config, ""));
    let model = Blstm::<B>::from_flat(&config, on_device(&parameters, [parameters.len()], device));
    let inputs = on_device::<B, 3>(&singles(&file, "inputs"), dims, device);
    let lengths = Lengths::new(&lengths_host, dims[0], device).expect("lengths");
    let labels = golden::integers(&file, "targets");
    let targets = targets::<B>(&labels, &lengths_host, config.classes, device);

    let what = |name: &str| format!("{case}, {options:?}, {name}");
    let states = numbers(top_states::<B>(&model, inputs.clone(), &lengths, options));
    let top = format!("output.l{}", config.layers - 1);
    tolerance.check(&what(&top), &states, &floats(&file, &top));

    let logits = backpropagation::scores(&model, inputs.clone(), &lengths, options);
    let found = valid(&numbers(logits.clone()), &lengths_host, config.classes);
    let expected = valid(&floats(&file, "logits"), &lengths_host, config.classes);
    tolerance.check(&what("logits"), &found, &expected);

    let loss = B::frame_scores(logits, &targets);
    let sum = numbers(loss.loss_sum);
    tolerance.check(&what("summed loss"), &sum, &floats(&file, "loss.sum"));
    tolerance.check(
        &what("mean loss"),
        &[sum[0] / targets.labelled() as f64],
        &floats(&file, "loss.mean"),
    );
    if tolerance.0 <= Tolerance::TF32.0 {
        // At lower precision, another of two close classes may be predicted.
        assert_eq!(
            numbers(loss.wrong)[0] as i32,
            golden::integers(&file, "frame_errors")[0],
            "{case}: frame errors"
        );
    }
    assert_eq!(
        targets.labelled() as i32,
        golden::integers(&file, "labelled_frames")[0],
        "{case}: labelled frames"
    );

    let gradients = numbers(gradients::<B>(&model, inputs, &lengths, &targets, options));
    let mut at = 0;
    for spec in config.parameters() {
        let range = at..at + spec.shape.iter().product::<usize>();
        let expected = floats(&file, &format!("grad.{}", spec.name));
        tolerance.check(&what(&spec.name), &gradients[range.clone()], &expected);
        at = range.end;
    }
}

/// Labels on the device.
pub fn targets<B: Backend>(
    labels: &[i32],
    lengths: &[u32],
    classes: usize,
    device: &B::Device,
) -> FrameTargets<B> {
    let rows = labels.len();
    let upload = |labels| Tensor::from_data(TensorData::new(labels, [rows]), device);
    FrameTargets::new(labels, lengths, rows, classes, upload).expect("targets")
}

/// The topmost layer's output, `[T, B, 2H]`.
fn top_states<B: KernelBackend>(
    model: &Blstm<B>,
    inputs: Tensor<B, 3>,
    lengths: &Lengths<B>,
    options: LayerOptions,
) -> Tensor<B, 3> {
    let mut states = lengths.without_padding(inputs);
    for weights in &model.layers {
        let input = B::factor(layer::rows(states), Bound::Unknown, options.precision);
        states = layer::forward(input, weights.clone(), lengths, options).states;
    }
    states
}

/// The gradients of the mean loss with respect to all parameters, as the trainer computes them.
pub fn gradients<B: KernelBackend>(
    model: &Blstm<B>,
    inputs: Tensor<B, 3>,
    lengths: &Lengths<B>,
    targets: &FrameTargets<B>,
    options: LayerOptions,
) -> Tensor<B, 1> {
    let (scores, pass) = backpropagation::forward(model, inputs, lengths, options, None);
    let loss = B::frame_scores(scores.clone(), targets);
    let mean = Tensor::full([1], 1.0 / targets.labelled() as f64, &scores.device());
    let gradient = B::frame_gradient(scores, loss.log_sums, targets, mean);
    pass.backward(gradient, Bound::Unknown, || ())
}

/// Weights saved by PyTorch give PyTorch's outputs, and are written back unchanged.
pub fn reads_pytorch_weights<B: KernelBackend>(device: &B::Device, tolerance: Tolerance) {
    let state = golden::file("torch_state");
    let answer = golden::file("torch_state_answer");
    let config = config_of(&state);
    let folder = Folder::new("exchange");
    let path = folder.0.join("state.safetensors");
    let original = include_bytes!("../golden/torch_state.safetensors");
    std::fs::write(&path, original).expect("written");

    let parameters = weights::read(&path, &config).expect("PyTorch's weights");
    let model = Blstm::<B>::from_flat(&config, on_device(&parameters, [parameters.len()], device));
    let dims = shape::<3>(&answer, "inputs");
    let lengths_host = golden::lengths(&answer, "lengths");
    let lengths = Lengths::new(&lengths_host, dims[0], device).expect("lengths");
    let inputs = on_device(&singles(&answer, "inputs"), dims, device);
    let options = LayerOptions::default();
    let logits = numbers(backpropagation::scores(&model, inputs, &lengths, options));
    tolerance.check(
        "logits of PyTorch's weights",
        &valid(&logits, &lengths_host, config.classes),
        &valid(&floats(&answer, "logits"), &lengths_host, config.classes),
    );

    let exported = folder.0.join("exported.safetensors");
    weights::write(&exported, &config, &parameters).expect("exported");
    let bytes = std::fs::read(&exported).expect("read");
    let exported = SafeTensors::deserialize(&bytes).expect("safetensors");
    assert_eq!(exported.len(), state.len(), "as many tensors as PyTorch's");
    for (name, view) in state.tensors() {
        let ours = exported.tensor(&name).expect("the same names");
        assert_eq!(
            (ours.shape(), ours.data()),
            (view.shape(), view.data()),
            "{name}"
        );
    }
}
