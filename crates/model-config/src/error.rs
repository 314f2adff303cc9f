//! The error for invalid settings.

/// An invalid setting of the model, the optimiser or the schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} is {value}: {remedy}")]
pub struct SettingError {
    /// The setting's name.
    pub setting: &'static str,
    /// The value given.
    pub value: String,
    /// How to fix it.
    pub remedy: &'static str,
}

impl SettingError {
    /// Creates an error from the setting's name, the value given and how to fix it.
    pub fn new(setting: &'static str, value: impl ToString, remedy: &'static str) -> Self {
        let value = value.to_string();
        Self {
            setting,
            value,
            remedy,
        }
    }
}

/// Returns an error unless `valid` is true.
pub(crate) fn require(
    valid: bool,
    setting: &'static str,
    value: impl ToString,
    remedy: &'static str,
) -> Result<(), SettingError> {
    if valid {
        Ok(())
    } else {
        Err(SettingError::new(setting, value, remedy))
    }
}
