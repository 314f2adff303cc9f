//! `states.json`: the states of phones that an experiment trains on.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use padwise_features::states::StateInventory;

use super::error::reading;
use super::{Identity, RecordError, STATES};

/// The largest file that is read. 65,535 states need about 2 MB.
const MOST_BYTES: u64 = 64 << 20;

/// Reads the states of a results folder and compares them with its identity. None if the identity has none, or the file is
/// missing.
pub fn read_states(
    folder: &Path,
    identity: &Identity,
) -> Result<Option<StateInventory>, RecordError> {
    let path = folder.join(STATES);
    if identity.states.is_none() {
        return Ok(None);
    }
    let file = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(reading(&path))?,
    };
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES).read_to_end(&mut bytes);
    read.map_err(reading(&path))?;
    identity.check_states(folder, &bytes)?;
    let states = serde_json::from_slice(&bytes).map_err(reading(&path))?;
    Ok(Some(states))
}
