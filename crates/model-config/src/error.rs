//! A setting that no model can have.

/// A setting of the model, the optimiser or the schedule that no model can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} is {value}: {remedy}")]
pub struct SettingError {
    /// The setting's name.
    pub setting: &'static str,
    /// Its value as given.
    pub value: String,
    /// What would be valid.
    pub remedy: &'static str,
}

impl SettingError {
    /// The setting, its value as given, and what would be valid.
    pub fn new(setting: &'static str, value: impl ToString, remedy: &'static str) -> Self {
        let value = value.to_string();
        Self {
            setting,
            value,
            remedy,
        }
    }
}

/// Nothing where a value is valid, else what is wrong with it.
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
