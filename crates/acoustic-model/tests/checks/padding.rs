//! Padding does not leak: the contents of the padding change no bit of any result.

use padwise_model::network::{backpropagation, initial};
use padwise_model::{
    BackendChoice, BatchLayout, Blstm, BlstmConfig, KernelBackend, LayerOptions, PaddedBatch,
    Padding, Recurrence, RowLayout, Targets, TrainerConfig, backend,
};

use super::goldens;
use super::random::uniform;
use super::{Tolerance, bits, frames_of, inputs_on_device, layouts, numbers, on_device};

const FRAMES: usize = 11;
const LENGTHS: [u32; 5] = [7, 1, 10, 4, 10];

fn config(hidden: usize) -> BlstmConfig {
    BlstmConfig::new(3, 5).with_layers(2).with_hidden(hidden)
}

/// A model with initial parameters.
fn model<B: KernelBackend>(
    config: &BlstmConfig,
    seed: u64,
    options: LayerOptions,
    device: &B::Device,
) -> Blstm<B> {
    let parameters = initial::parameters(config, seed).expect("parameters");
    let parameters = on_device(&parameters, [parameters.len()], device);
    Blstm::from_flat(config, parameters, options)
}

/// Scores on valid frames, loss and all gradients as bits, for the same batch with `junk` in its padding.
fn results<B: KernelBackend>(
    device: &B::Device,
    layout: &RowLayout,
    recurrence: Recurrence,
    hidden: usize,
    junk: impl Fn(usize) -> f32,
) -> Vec<Vec<u32>> {
    let config = config(hidden);
    let batch = LENGTHS.len();
    let mut inputs = uniform(FRAMES * batch * config.inputs, 1);
    let mut labels: Vec<i32> = (0..FRAMES * batch).map(|row| row as i32 % 5).collect();
    for row in 0..FRAMES * batch {
        if row / batch >= LENGTHS[row % batch] as usize {
            for column in 0..config.inputs {
                inputs[row * config.inputs + column] = junk(row + column);
            }
            labels[row] = if junk(row).is_nan() { i32::MAX } else { 0 };
        }
    }
    let targets = goldens::targets::<B>(&labels, layout, config.classes, device);
    let layout = BatchLayout::new(layout.clone(), device).expect("a layout");
    let inputs = inputs_on_device::<B>(&inputs, config.inputs, &layout, device);
    let options = LayerOptions::from(recurrence).in_order(hidden, &layout);
    let model = model::<B>(&config, 7, options, device);
    let logits = backpropagation::scores(&model, inputs.clone(), &layout, options);
    let kept = frames_of(&bits(logits.clone()), config.classes, layout.host());
    let loss = B::frame_scores(logits, &targets);
    let gradients = goldens::gradients::<B>(&model, inputs, &layout, &targets, options);
    vec![kept, bits(loss.loss_sum), bits(loss.wrong), bits(gradients)]
}

/// Labels in the padding may be anything, and features that were cleared from it, too.
pub fn cannot_leak<B: KernelBackend>(device: &B::Device, recurrence: Recurrence, hidden: usize) {
    let random = uniform(FRAMES * LENGTHS.len() + 3, 2);
    for layout in layouts(&LENGTHS, FRAMES) {
        let results =
            |junk: &dyn Fn(usize) -> f32| results::<B>(device, &layout, recurrence, hidden, junk);
        let zeros = results(&|_| 0.0);
        assert!(
            zeros.iter().flatten().any(|&bits| bits != 0),
            "there is something to compare"
        );
        let large = results(&|at| 1e30 * random[at]);
        assert!(zeros == large, "large values in the padding change results");
        let infinite = results(&|_| f32::INFINITY);
        assert!(
            zeros == infinite,
            "infinities in the padding change results"
        );
        let nan = results(&|_| f32::NAN);
        assert!(zeros == nan, "NaN in the padding changes results");
    }
}

/// Whatever a batch has in its padding, training steps, evaluation and posteriors give the same bits.
pub fn trainers_ignore_it(choice: BackendChoice, hidden: usize) {
    let config = config(hidden);
    let batch = |junk: f32| {
        let utterances = LENGTHS.len();
        let mut inputs = uniform(FRAMES * utterances * config.inputs, 4);
        let mut labels: Vec<i32> = (0..FRAMES * utterances).map(|row| row as i32 % 5).collect();
        for row in 0..FRAMES * utterances {
            if row / utterances >= LENGTHS[row % utterances] as usize {
                inputs[row * config.inputs..][..config.inputs].fill(junk);
                labels[row] = i32::MAX;
            }
        }
        PaddedBatch {
            inputs,
            lengths: LENGTHS.to_vec(),
            frames: FRAMES,
            targets: Targets::Frames(labels),
        }
    };
    for padding in [Padding::Padded, Padding::Packed] {
        let results = |junk: f32| {
            let config = TrainerConfig {
                padding,
                ..TrainerConfig::new(config.clone())
            };
            let mut trainer = backend::trainer(choice, config).expect("a trainer");
            for _ in 0..2 {
                trainer.step(batch(junk)).expect("a step");
            }
            let losses = trainer.take_losses().expect("losses");
            let evaluation = trainer.evaluate(batch(junk)).expect("evaluated");
            let posteriors = trainer.log_probabilities(batch(junk)).expect("posteriors");
            let parameters = trainer.parameters().expect("parameters");
            (losses, evaluation.loss, posteriors, parameters)
        };
        let zeros = results(0.0);
        assert!(zeros.3.iter().all(|value| value.is_finite()));
        for junk in [1e30, f32::INFINITY, f32::NAN] {
            assert!(
                results(junk) == zeros,
                "{junk} in {padding} batches changes results"
            );
        }
    }
}

/// An utterance's scores do not depend on the other utterances in the batch.
pub fn alone_equals_inside<B: KernelBackend>(device: &B::Device, tolerance: Tolerance) {
    let config = config(6);
    let batch = LENGTHS.len();
    let options = LayerOptions::default();
    let model = model::<B>(&config, 3, options, device);
    let inputs = uniform(FRAMES * batch * config.inputs, 4);
    let forward = |values: &[f32], lengths: &[u32], frames: usize| {
        let layout =
            BatchLayout::new(RowLayout::padded(lengths, frames), device).expect("a layout");
        let inputs = inputs_on_device::<B>(values, config.inputs, &layout, device);
        numbers(backpropagation::scores(&model, inputs, &layout, options))
    };
    let together = forward(&inputs, &LENGTHS, FRAMES);
    let row = |values: &[f64], row: usize, width: usize| values[row * width..][..width].to_vec();
    for (utterance, &length) in LENGTHS.iter().enumerate() {
        let own: Vec<f32> = (0..length as usize)
            .flat_map(|t| {
                inputs[(t * batch + utterance) * config.inputs..][..config.inputs].to_vec()
            })
            .collect();
        let alone = forward(&own, &[length], length as usize);
        let inside: Vec<f64> = (0..length as usize)
            .flat_map(|t| row(&together, t * batch + utterance, config.classes))
            .collect();
        tolerance.check(&format!("utterance {utterance}"), &inside, &alone);
    }
}
