//! Interleaved gates: the order of weights and gradients.

use padwise_model::backend::{self, cuda::Cuda};
use padwise_model::{
    BackendChoice, BatchLayout, BlstmConfig, GateOrder, LayerOptions, PaddedBatch, Padding,
    Precision, Recurrence, RowLayout, Targets, TrainerConfig,
};

use crate::checks::{self, Tolerance};

#[test]
fn gates_are_interleaved() {
    if !interleaves() {
        println!("SKIPPED gates_are_interleaved: only Hopper interleaves gates");
        return;
    }
    checks::gemm::gates_are_interleaved::<Cuda>(&Default::default(), Tolerance::TF32);
}

/// Whether training on this GPU interleaves gates.
fn interleaves() -> bool {
    let layout = RowLayout::padded(&[3], 3);
    let layout = BatchLayout::<Cuda>::new(layout, &Default::default()).expect("a layout");
    let options = LayerOptions::default().in_order(64, &layout);
    options.gates == GateOrder::Interleaved
}

/// The gradients of all parameters, also those of lower layers, with the orders of gates that training uses.
#[test]
fn all_gradients_equal_those_of_the_fused_recurrence() {
    let (frames, utterances, inputs, classes) = (40, 19, 16, 41);
    let batch = || PaddedBatch {
        inputs: checks::random::uniform(frames * utterances * inputs, 9),
        lengths: (0..utterances)
            .map(|row| (frames - row * 5 % frames) as u32)
            .collect(),
        frames,
        targets: Targets::Frames(
            (0..frames * utterances)
                .map(|row| row as i32 % classes as i32)
                .collect(),
        ),
    };
    let cases = [
        (64, Precision::F32, 1e-2),
        (96, Precision::F32, 1e-2),
        (512, Precision::F32, 1e-2),
        (64, Precision::Bf16, 1e-1),
        (512, Precision::Bf16, 1e-1),
    ];
    for (hidden, precision, tolerance) in cases {
        for (dropout, padding) in [
            (0.0, Padding::Padded),
            (0.0, Padding::Packed),
            (0.3, Padding::Padded),
        ] {
            let mut model = BlstmConfig::new(inputs, classes)
                .with_layers(2)
                .with_hidden(hidden);
            model.dropout = dropout;
            let gradients = |recurrence| {
                let config = TrainerConfig {
                    recurrence,
                    precision,
                    padding,
                    ..TrainerConfig::new(model.clone())
                };
                let mut trainer = backend::trainer(BackendChoice::Cuda, config).expect("a trainer");
                trainer.gradients(batch()).expect("gradients").values
            };
            let found = gradients(Recurrence::Persistent);
            let expected = gradients(Recurrence::Fused);
            let mut at = 0;
            for spec in model.parameters() {
                let end = at + spec.shape.iter().product::<usize>();
                let of = |all: &[f32]| -> Vec<f64> {
                    all[at..end].iter().copied().map(f64::from).collect()
                };
                let what = format!(
                    "{}, H={hidden}, {precision:?}, dropout {dropout}, {padding}",
                    spec.name
                );
                Tolerance(tolerance).check(&what, &of(&found), &of(&expected));
                at = end;
            }
            assert_eq!(at, found.len());
        }
    }
}
