//! Settings: names in files, defaults, and errors for invalid values.

use padwise_model_config::{
    BackendChoice, BlstmConfig, Objective, Optimiser, OptimiserConfig, Precision, Recurrence,
    Schedule, SettingError, TrainerConfig,
};

#[test]
fn a_choice_has_one_name_everywhere() {
    let json = |value| serde_json::to_value(value).expect("JSON");
    assert_eq!(json(BackendChoice::Wgpu), "wgpu");
    for precision in [Precision::F32, Precision::Bf16, Precision::StrictF32] {
        let written = serde_json::to_value(precision).expect("JSON");
        assert_eq!(written, precision.name());
        assert_eq!(precision.to_string(), precision.name());
        let read: Precision = serde_json::from_value(written).expect("read again");
        assert_eq!(read, precision);
    }
    assert_eq!(Objective::FrameWise.name(), "frame-wise");
    assert_eq!(Recurrence::default().name(), "auto");
    assert_eq!(format!("{:5}|", BackendChoice::Cpu), "cpu  |");
}

/// Checkpoints store optimisers in this form.
#[test]
fn optimisers_are_written_with_all_their_settings() {
    let adam = OptimiserConfig::new(Optimiser::Adam, Some(0.5));
    let written = serde_json::to_string(&adam).expect("JSON");
    assert_eq!(
        written,
        r#"{"adam":{"learning_rate":0.5,"beta1":0.9,"beta2":0.999,"epsilon":1e-8}}"#
    );
    let adadelta = OptimiserConfig::new(Optimiser::Adadelta, None);
    let written = serde_json::to_string(&adadelta).expect("JSON");
    assert_eq!(
        written,
        r#"{"adadelta":{"learning_rate":1.0,"rho":0.9,"epsilon":1e-6}}"#
    );
    let read: OptimiserConfig = serde_json::from_str(&written).expect("read again");
    assert_eq!(read, adadelta);
}

#[test]
fn invalid_settings_are_reported() {
    let fine = TrainerConfig::new(BlstmConfig::new(2, 3));
    fine.validate().expect("defaults are fine");
    assert_eq!(fine.model.blank(), 2);
    let wrong = |change: fn(&mut TrainerConfig)| {
        let mut config = fine.clone();
        change(&mut config);
        config.validate().expect_err("refused")
    };
    let hidden = wrong(|config| config.model.hidden = 0);
    let expected = SettingError::new("hidden", 0, "give a number from 1 to 1048576");
    assert_eq!(hidden, expected);
    assert_eq!(
        hidden.to_string(),
        "hidden is 0: give a number from 1 to 1048576"
    );
    for (setting, change) in [
        (
            "dropout",
            (|config| config.model.dropout = 1.0) as fn(&mut TrainerConfig),
        ),
        ("clip_norm", |config| config.clip_norm = Some(-1.0)),
        ("learning_rate", |config| {
            config.optimiser = OptimiserConfig::new(Optimiser::Adam, Some(f64::NAN));
        }),
        ("the number of parameters", |config| {
            config.model.layers = 1 << 20;
            config.model.hidden = 1 << 20;
        }),
    ] {
        assert_eq!(wrong(change).setting, setting);
    }
}

#[test]
fn a_plateau_is_a_loss_that_is_hardly_lower_than_the_lowest() {
    let schedule = Schedule::Plateau {
        improvement: 0.01,
        factor: 0.5,
    };
    let factor = |losses: &[f64]| schedule.factor(losses.len() as u64, losses);
    assert_eq!(factor(&[]), 1.0);
    assert_eq!(factor(&[2.0, 1.5]), 1.0);
    assert_eq!(factor(&[2.0, 1.5, 1.49]), 0.5);
    // The lowest loss counts, even if it was no improvement.
    assert_eq!(factor(&[2.0, 1.5, 1.49, 1.48]), 0.25);
    assert_eq!(factor(&[2.0, 1.5, 1.49, 1.4]), 0.5);
}
