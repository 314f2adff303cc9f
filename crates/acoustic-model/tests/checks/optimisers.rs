//! Compares Adam, ADADELTA and gradient clipping with PyTorch, step by step.

use padwise_model::kernels::optimiser::Moments;
use padwise_model::training::optimiser;
use padwise_model::{KernelBackend, Optimiser, OptimiserConfig};

use super::golden::{self, floats, shape, singles};
use super::random::uniform;
use super::{Tolerance, bits, numbers, on_device};

/// Five steps of each optimiser, and gradients above and below the clipping norm.
pub fn follow_pytorch<B: KernelBackend>(device: &B::Device) {
    let file = golden::file("optimisers");
    for kind in ["usual", "other"] {
        let settings = floats(&file, &format!("adam.{kind}.settings"));
        let adam = OptimiserConfig::Adam {
            learning_rate: settings[0],
            beta1: settings[1],
            beta2: settings[2],
            epsilon: settings[3],
        };
        steps::<B>(&format!("adam.{kind}"), adam, device);
        let settings = floats(&file, &format!("adadelta.{kind}.settings"));
        let adadelta = OptimiserConfig::Adadelta {
            learning_rate: settings[0],
            rho: settings[1],
            epsilon: settings[2],
        };
        steps::<B>(&format!("adadelta.{kind}"), adadelta, device);
    }
    clipping::<B>(device);
}

fn steps<B: KernelBackend>(name: &str, config: OptimiserConfig, device: &B::Device) {
    let file = golden::file("optimisers");
    let [count, width] = shape(&file, "gradients");
    let gradients = singles(&file, "gradients");
    let expected = floats(&file, &format!("{name}.steps"));
    let mut parameters = on_device::<B, 1>(&singles(&file, "start"), [width], device);
    let mut moments = Moments::zeros_like(&parameters);
    for step in 0..count {
        let gradient = on_device(&gradients[step * width..][..width], [width], device);
        let rule = optimiser::rule(&config, 1.0, step as u64 + 1);
        (parameters, moments) = B::update(rule, None, parameters, gradient, moments);
        Tolerance(2e-6).check(
            &format!("{name}, step {step}"),
            &numbers(parameters.clone()),
            &expected[step * width..][..width],
        );
    }
}

fn clipping<B: KernelBackend>(device: &B::Device) {
    let file = golden::file("optimisers");
    let mut gradient = singles(&file, "clip.vector");
    gradient.extend(singles(&file, "clip.matrix"));
    for kind in ["bites", "spares"] {
        let limit = floats(&file, &format!("clip.{kind}.limit"))[0];
        let tensor = on_device::<B, 1>(&gradient, [gradient.len()], device);
        let mut expected = floats(&file, &format!("clip.{kind}.vector"));
        expected.extend(floats(&file, &format!("clip.{kind}.matrix")));
        let found = numbers(B::clip_global_norm(tensor, limit));
        Tolerance(1e-6).check(&format!("clipping that {kind}"), &found, &expected);
    }
    // One cube and several, full and partial. Each runs twice and must give the same bits, because the sum
    // has a fixed order.
    for length in [1, 255, 16_384, 16_385, 70_001, 4_300_000] {
        let gradient = uniform(length, 5);
        let norm = gradient.iter().map(|&value| f64::from(value).powi(2));
        let norm = norm.sum::<f64>().sqrt();
        let clipped = || {
            let tensor = on_device::<B, 1>(&gradient, [length], device);
            bits(B::clip_global_norm(tensor, 0.25 * norm))
        };
        let found = clipped();
        let expected: Vec<f64> = gradient
            .iter()
            .map(|&value| 0.25 * f64::from(value))
            .collect();
        let values: Vec<f64> = found
            .iter()
            .map(|&bits| f32::from_bits(bits).into())
            .collect();
        Tolerance(1e-5).check(&format!("{length} gradients"), &values, &expected);
        assert!(
            clipped() == found,
            "{length} gradients differ when repeated"
        );
    }
    clipping_while_updating::<B>(device);
    let nan = on_device::<B, 1>(&[1.0, f32::NAN, 1.0], [3], device);
    let found = numbers(B::clip_global_norm(nan, 5.0));
    assert!(found.iter().all(|value| value.is_nan()), "{found:?}");
}

/// Clipping within an update does the same as clipping before it.
fn clipping_while_updating<B: KernelBackend>(device: &B::Device) {
    let adam = OptimiserConfig::new(Optimiser::Adam, None);
    let adadelta = OptimiserConfig::new(Optimiser::Adadelta, None);
    let length = 20_000;
    let positive: Vec<f32> = uniform(length, 9)
        .iter()
        .map(|value| value * value)
        .collect();
    let on_device = |values: &[f32]| on_device::<B, 1>(values, [length], device);
    for rule in [adam, adadelta].map(|config| optimiser::rule(&config, 1.0, 3)) {
        for most in [1.0, 1e6] {
            let state = || {
                let moments = Moments {
                    first: on_device(&positive),
                    second: on_device(&positive),
                };
                (on_device(&uniform(length, 6)), moments)
            };
            let all = |(parameters, moments): (_, Moments<B>)| {
                [parameters, moments.first, moments.second].map(numbers)
            };
            let gradients = uniform(length, 7);
            let (parameters, moments) = state();
            let clipped = B::clip_global_norm(on_device(&gradients), most);
            let before = all(B::update(rule, None, parameters, clipped, moments));
            let (parameters, moments) = state();
            let within = B::update(rule, Some(most), parameters, on_device(&gradients), moments);
            for (found, expected) in all(within).iter().zip(&before) {
                Tolerance(1e-6).check(&format!("{rule:?}, at most {most}"), found, expected);
            }
            let mut gradients = gradients;
            gradients[5] = f32::NAN;
            let (parameters, moments) = state();
            let (found, _) =
                B::update(rule, Some(most), parameters, on_device(&gradients), moments);
            assert!(
                numbers(found).iter().all(|value| value.is_nan()),
                "{rule:?}"
            );
        }
    }
}
