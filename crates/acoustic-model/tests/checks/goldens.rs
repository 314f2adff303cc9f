//! Compares outputs, losses and all gradients with PyTorch in float64.

use burn_tensor::backend::Backend;
use burn_tensor::{Tensor, TensorData};
use padwise_model::kernels::gemm::Bound;
use padwise_model::kernels::loss::FrameTargets;
use padwise_model::network::{backpropagation, layer};
use padwise_model::{
    BatchLayout, Blstm, BlstmConfig, KernelBackend, LayerOptions, RowLayout, weights,
};
use safetensors::SafeTensors;

use super::golden::{self, floats, shape, singles};
use super::{Folder, Tolerance, frames_of, inputs_on_device, layouts, numbers, on_device};

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

/// All cases except those skipped, padded and packed.
pub fn matches_pytorch<B: KernelBackend>(
    device: &B::Device,
    options: impl Into<LayerOptions>,
    tolerance: Tolerance,
    without: &[&str],
) {
    let options = options.into();
    for case in golden::CASES {
        if !without.contains(&case) {
            let file = golden::file(case);
            let [frames, _, _] = shape(&file, "inputs");
            for layout in layouts(&golden::lengths(&file, "lengths"), frames) {
                one_case::<B>(case, layout, device, options, tolerance);
            }
        }
    }
}

fn one_case<B: KernelBackend>(
    case: &str,
    layout: RowLayout,
    device: &B::Device,
    options: LayerOptions,
    tolerance: Tolerance,
) {
    let file = golden::file(case);
    let config = config_of(&file);
    let [frames, ..] = shape::<3>(&file, "inputs");
    let padded = RowLayout::padded(layout.lengths(), frames);

    let parameters = narrow(&flat(&file, &config, ""));
    let parameters = on_device(&parameters, [parameters.len()], device);
    let layout = BatchLayout::new(layout, device).expect("a layout");
    let options = options.in_order(config.hidden, &layout);
    let model = Blstm::<B>::from_flat(&config, parameters, options);
    let inputs = inputs_on_device::<B>(&singles(&file, "inputs"), config.inputs, &layout, device);
    let labels = golden::integers(&file, "targets");
    let targets = targets::<B>(&labels, layout.host(), config.classes, device);

    let what = |name: &str| format!("{case}, {options:?}, {:?}, {name}", layout.host());
    let states = numbers(top_states::<B>(&model, inputs.clone(), &layout, options));
    let states = layout.host().to_time_major(states, 2 * config.hidden);
    let top = format!("output.l{}", config.layers - 1);
    let mut expected = floats(&file, &top);
    expected.truncate(states.len());
    tolerance.check(&what(&top), &states, &expected);

    let logits = backpropagation::scores(&model, inputs.clone(), &layout, options);
    let found = frames_of(&numbers(logits.clone()), config.classes, layout.host());
    let expected = frames_of(&floats(&file, "logits"), config.classes, &padded);
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

    let gradients = numbers(gradients::<B>(&model, inputs, &layout, &targets, options));
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
    layout: &RowLayout,
    classes: usize,
    device: &B::Device,
) -> FrameTargets<B> {
    let upload = |labels| Tensor::from_data(TensorData::new(labels, [layout.rows()]), device);
    FrameTargets::new(labels, layout, classes, upload).expect("targets")
}

/// The topmost layer's output, `[N, 2H]`.
fn top_states<B: KernelBackend>(
    model: &Blstm<B>,
    inputs: Tensor<B, 2>,
    layout: &BatchLayout<B>,
    options: LayerOptions,
) -> Tensor<B, 2> {
    let mut states = inputs;
    for weights in &model.layers {
        let input = B::factor(states, Bound::Unknown, options.precision);
        let found = layer::forward(input, weights.clone(), layout, options, true);
        states = found.states.expect("requested");
    }
    states
}

/// The gradients of the mean loss with respect to all parameters, as the trainer computes them.
pub fn gradients<B: KernelBackend>(
    model: &Blstm<B>,
    inputs: Tensor<B, 2>,
    layout: &BatchLayout<B>,
    targets: &FrameTargets<B>,
    options: LayerOptions,
) -> Tensor<B, 1> {
    let (scores, pass) = backpropagation::forward(model, inputs, layout, options, None);
    let share = 1.0 / targets.labelled() as f64;
    let loss = B::frame_loss(scores, targets, share, options.precision);
    pass.backward(loss.gradient, || ())
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
    let parameters_there = on_device(&parameters, [parameters.len()], device);
    let options = LayerOptions::default();
    let model = Blstm::<B>::from_flat(&config, parameters_there, options);
    let [frames, ..] = shape::<3>(&answer, "inputs");
    let layout = RowLayout::padded(&golden::lengths(&answer, "lengths"), frames);
    let layout = BatchLayout::new(layout, device).expect("a layout");
    let inputs = inputs_on_device::<B>(&singles(&answer, "inputs"), config.inputs, &layout, device);
    let logits = numbers(backpropagation::scores(&model, inputs, &layout, options));
    tolerance.check(
        "logits of PyTorch's weights",
        &frames_of(&logits, config.classes, layout.host()),
        &frames_of(&floats(&answer, "logits"), config.classes, layout.host()),
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
