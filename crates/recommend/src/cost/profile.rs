//! The profile of a device: the cost model, what it was measured on, and how well it fits.

use padwise_model_config::{BlstmConfig, Objective, Padding};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{BatchShape, CostModel};

/// Profiles that come with this crate, by the name that users write.
const BUILT_IN: [(&str, &str); 2] = [
    ("h200", include_str!("../../profiles/h200.json")),
    ("cpu", include_str!("../../profiles/cpu.json")),
];

/// A measured training step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// The batch.
    pub shape: BatchShape,
    /// Time of a step in the fastest round.
    pub seconds: f64,
    /// Peak memory of a step, if the device reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Whether the cost model was fitted to this step. The others test it.
    pub fitted: bool,
}

/// The largest relative errors of a cost model, in percent of the measured value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitError {
    /// Time of the steps that it was fitted to.
    pub fitted_percent: f64,
    /// Time of the other steps.
    pub held_out_percent: f64,
    /// Memory of all steps, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_percent: Option<f64>,
}

/// The cost model of one device and one model, with its origin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceProfile {
    /// The device, for example `NVIDIA H200`.
    pub device: String,
    /// Backend, recurrence and precision.
    pub execution: String,
    /// The version of padwise that measured it.
    pub version: String,
    /// The model.
    pub model: BlstmConfig,
    /// What it is trained on.
    pub objective: Objective,
    /// How its batches are stored.
    #[serde(default)]
    pub padding: Padding,
    /// With CTC: frames per label of the measured batches. More labels need more memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames_per_label: Option<f64>,
    /// The fitted costs.
    pub cost: CostModel,
    /// How well they fit.
    pub error: FitError,
    /// The measured steps.
    pub measurements: Vec<Measurement>,
}

/// A profile that cannot be used.
#[derive(Debug, Error)]
pub enum ProfileError {
    /// It is no JSON of a profile.
    #[error("not a device profile: {0}; make one with `padwise bench cost`")]
    Syntax(#[from] serde_json::Error),
    /// A number in it is impossible.
    #[error("not a device profile: {name} is {value}; make one with `padwise bench cost`")]
    Value {
        /// The field.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The sizes are missing or out of order.
    #[error(
        "not a device profile: cost.sizes must have increasing batch sizes of at least 1; make one with `padwise bench cost`"
    )]
    Sizes,
    /// No profile has this name.
    #[error(
        "unknown device profile `{name}`: use {known}, or a file that `padwise bench cost --out FILE.json` wrote"
    )]
    Unknown {
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
}

impl DeviceProfile {
    /// The names of the profiles that come with this crate.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A profile that comes with this crate.
    pub fn built_in(name: &str) -> Result<Self, ProfileError> {
        let found = BUILT_IN.iter().find(|(known, _)| *known == name);
        let Some((_, text)) = found else {
            return Err(ProfileError::Unknown {
                name: padwise_sampler::excerpt::excerpt(name),
                known: Self::names().collect::<Vec<_>>().join(", "),
            });
        };
        Self::parse(text.as_bytes())
    }

    /// Parses and checks a profile.
    pub fn parse(json: &[u8]) -> Result<Self, ProfileError> {
        let profile: Self = serde_json::from_slice(json)?;
        profile.check()?;
        Ok(profile)
    }

    fn check(&self) -> Result<(), ProfileError> {
        let cost = &self.cost;
        let ascending = cost
            .sizes
            .windows(2)
            .all(|pair| pair[0].items < pair[1].items);
        if !ascending || cost.sizes.first().is_none_or(|size| size.items == 0) {
            return Err(ProfileError::Sizes);
        }
        let sizes = cost.sizes.iter();
        let seconds = sizes.map(|size| ("cost.sizes.frame_seconds", size.frame_seconds));
        let others = [
            ("cost.step_seconds", cost.step_seconds),
            ("cost.item_seconds", cost.item_seconds),
            ("cost.ragged_saving", cost.ragged_saving),
            ("cost.excess_seconds", cost.excess_seconds),
        ];
        let memory = cost.memory.iter().flat_map(|memory| {
            [
                ("cost.memory.fixed_bytes", memory.fixed_bytes),
                ("cost.memory.frame_bytes", memory.frame_bytes),
                ("cost.memory.square_bytes", memory.square_bytes),
            ]
        });
        if let Some(size) = cost.sizes.iter().find(|size| size.frame_seconds == 0.0) {
            let (name, value) = ("cost.sizes.frame_seconds", size.frame_seconds);
            return Err(ProfileError::Value { name, value });
        }
        match seconds
            .chain(others)
            .chain(memory)
            .find(|(_, value)| !value.is_finite() || *value < 0.0)
        {
            Some((name, value)) => Err(ProfileError::Value { name, value }),
            None => Ok(()),
        }
    }

    /// The device and model in words, for example "NVIDIA H200, 3 × 512 units".
    pub fn description(&self) -> String {
        let BlstmConfig { layers, hidden, .. } = &self.model;
        let ctc = match self.objective {
            Objective::Ctc => " with CTC",
            Objective::FrameWise => "",
        };
        let packed = match self.padding {
            Padding::Packed => ", packed batches",
            Padding::Padded => "",
        };
        format!("{}, {layers} × BiLSTM-{hidden}{ctc}{packed}", self.device)
    }
}
