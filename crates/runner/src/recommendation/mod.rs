//! Recommendations for a corpus and a device: which profile to use, and how the result is shown.

mod render;

use std::ops::ControlFlow;
use std::path::Path;

use padwise_model::{BackendChoice, TrainerConfig, backend};
use padwise_recommend::cost::{DeviceProfile, ProfileError};
use padwise_recommend::{Advice, RecommendError, Request, Search, search};

pub use render::{COLUMNS, markdown, table_text};

use crate::cost::cache::{self, CacheError};
use crate::terminal::DelayedBar;

/// The profile that is used if the user has measured none.
const USUAL_PROFILE: &str = "h200";
/// The same, for a config that trains on the CPU.
const CPU_PROFILE: &str = "cpu";

/// A search and its result in words.
#[derive(Debug, serde::Serialize)]
pub struct Recommendation {
    /// The device and model of the predictions.
    pub device: String,
    /// Largest error of the device profile on steps that it was not fitted to, in percent.
    pub profile_error_percent: f64,
    /// Utterances per batch.
    pub batch_size: u32,
    /// The result in words.
    pub advice: Advice,
    /// All predictions.
    #[serde(flatten)]
    pub search: Search,
}

impl Recommendation {
    /// Searches all strategies, with a progress bar.
    pub fn new(request: &Request, profile: &DeviceProfile) -> Result<Self, RecommendError> {
        let bar = DelayedBar::new(0, "strategies");
        let search = search(request, &mut |done, total| {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            ControlFlow::Continue(())
        })?;
        Ok(Self {
            device: profile.description(),
            profile_error_percent: profile.error.held_out_percent,
            batch_size: request.batch_size,
            advice: Advice::new(&search),
            search,
        })
    }
}

/// A device profile, and a note if it is not one of this device and model.
pub struct ChosenProfile {
    /// The profile.
    pub profile: DeviceProfile,
    /// What the user should know.
    pub note: Option<String>,
}

/// What the predictions are for: the backend, and the model of the user's config, if there is one.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The backend.
    pub backend: BackendChoice,
    /// The model and its training.
    pub model: Option<&'a TrainerConfig>,
}

impl Default for Target<'_> {
    fn default() -> Self {
        Self {
            backend: BackendChoice::Auto,
            model: None,
        }
    }
}

/// The profile that the user names, else the newest one of this backend and model, else a built-in one.
pub fn choose_profile(name: Option<&str>, target: Target) -> Result<ChosenProfile, ChooseError> {
    if let Some(name) = name {
        let profile = match Path::new(name).extension() {
            Some(_) => cache::read(Path::new(name))?,
            None => DeviceProfile::built_in(name)?,
        };
        return Ok(ChosenProfile {
            profile,
            note: None,
        });
    }
    let backend = backend::resolve(target.backend).unwrap_or(BackendChoice::Cpu);
    if let Some(profile) = cache::newest(backend, target.model) {
        return Ok(ChosenProfile {
            profile,
            note: None,
        });
    }
    let profile = match cache::newest(backend, None) {
        Some(profile) => profile,
        None if target.backend == BackendChoice::Cpu => DeviceProfile::built_in(CPU_PROFILE)?,
        None => DeviceProfile::built_in(USUAL_PROFILE)?,
    };
    let what = if target.model.is_some() {
        "model"
    } else {
        "device"
    };
    let note = format!(
        "times are those of {}; to measure your {what}, run `padwise bench cost`",
        profile.description()
    );
    Ok(ChosenProfile {
        profile,
        note: Some(note),
    })
}

/// A profile that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChooseError {
    /// No built-in profile has this name, or it is damaged.
    #[error("cannot use --device")]
    BuiltIn(#[from] ProfileError),
    /// The file cannot be used.
    #[error("cannot use --device")]
    File(#[from] CacheError),
}
