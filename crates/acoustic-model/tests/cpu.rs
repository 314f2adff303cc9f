//! The model on the CPU.
#![cfg(feature = "cpu")]

mod checks;

use burn_flex::Flex;
use checks::{Scale, Tolerance};
use padwise_model::BackendChoice;

const SCALE: Scale = Scale {
    goldens: &[],
    shapes: 200,
    steps: 50,
};

backend_checks!(
    Flex,
    BackendChoice::Cpu,
    Default::default(),
    Tolerance::F32,
    SCALE
);

/// The CPU does not round below f32, so `strict-f32` gives the same bits as `f32`. bf16 is not supported.
#[test]
fn f32_is_strict_already() {
    use padwise_model::{BlstmConfig, ModelError, Precision, TrainerConfig, backend};

    let trained = |precision| {
        let model = BlstmConfig::new(3, 4).with_layers(1).with_hidden(5);
        let config = TrainerConfig {
            precision,
            ..TrainerConfig::new(model)
        };
        let mut trainer = backend::trainer(BackendChoice::Cpu, config)?;
        for _ in 0..3 {
            trainer.step(checks::training::batch_of(7, 3, 4))?;
        }
        assert_eq!(trainer.describe().precision, "f32");
        trainer.parameters()
    };
    let strict = trained(Precision::StrictF32).expect("strict on the CPU");
    assert_eq!(strict, trained(Precision::F32).expect("f32"));
    let refused = trained(Precision::Bf16).expect_err("no bf16");
    assert!(matches!(refused, ModelError::Precision { .. }));
    let said =
        "bf16 is not available on cpu: the CPU computes in f32; remove the precision setting";
    assert_eq!(refused.to_string(), said);
}
