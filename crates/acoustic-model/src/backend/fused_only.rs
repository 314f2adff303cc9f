//! Code for backends without the persistent recurrence.

use padwise_model_config::{BackendChoice, Recurrence, SettingError};

/// The name of the recurrence that such a backend runs.
pub(super) fn recurrence_name(
    backend: BackendChoice,
    chosen: Recurrence,
) -> Result<String, SettingError> {
    match chosen {
        Recurrence::Persistent => Err(SettingError::new(
            "recurrence",
            format!("persistent on {backend}"),
            "the persistent recurrence needs CUDA; use fused, or remove the setting",
        )),
        Recurrence::Auto => Ok(Recurrence::Fused.to_string()),
        other => Ok(other.to_string()),
    }
}
