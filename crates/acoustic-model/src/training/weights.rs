//! Weights as safetensors with PyTorch's names, for import and export.
//!
//! The file is a state dict of `nn.LSTM(bidirectional=True)` called `rnn` and `nn.Linear` called `out`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;

use atomic_write_file::AtomicWriteFile;
use padwise_model_config::BlstmConfig;
use safetensors::tensor::{Dtype, Metadata, SafeTensors, TensorInfo};

use crate::error::ModelError;

/// Reads the parameters of a model of this shape, in the order of [`BlstmConfig::parameters`].
pub fn read(path: &Path, config: &BlstmConfig) -> Result<Vec<f32>, ModelError> {
    let bytes = read_file(path)?;
    let tensors = parse(path, &bytes)?;
    parameters(path, config, &tensors)
}

/// Writes the parameters of a model of this shape atomically, given in the order of
/// [`BlstmConfig::parameters`].
pub fn write(path: &Path, config: &BlstmConfig, flat: &[f32]) -> Result<(), ModelError> {
    config.validate()?;
    check_count(path, config, flat.len())?;
    write_file(path, &named(config, flat), None)
}

/// Checks that the number of values equals the model's parameter count.
pub(crate) fn check_count(
    path: &Path,
    config: &BlstmConfig,
    found: usize,
) -> Result<(), ModelError> {
    let count = config.parameter_count();
    if found == count {
        return Ok(());
    }
    let problem = format!("not written: {found} values for {count} parameters");
    Err(ModelError::weights(path, problem))
}

/// Reads a file.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ModelError> {
    std::fs::read(path).map_err(|source| ModelError::io(path, source))
}

/// Parses a safetensors file.
pub(crate) fn parse<'a>(path: &Path, bytes: &'a [u8]) -> Result<SafeTensors<'a>, ModelError> {
    SafeTensors::deserialize(bytes).map_err(|error| {
        ModelError::weights(path, format!("not a complete safetensors file ({error})"))
    })
}

/// Reads one f32 tensor and checks its shape.
pub(crate) fn tensor(
    path: &Path,
    tensors: &SafeTensors<'_>,
    name: &str,
    shape: &[usize],
) -> Result<Vec<f32>, ModelError> {
    let wrong = |problem: String| ModelError::weights(path, problem);
    let view = tensors
        .tensor(name)
        .map_err(|_| wrong(format!("missing tensor {name}")))?;
    if view.shape() != shape {
        return Err(wrong(format!(
            "{name} has shape {:?}, expected {shape:?}",
            view.shape()
        )));
    }
    match view.dtype() {
        Dtype::F32 => {
            let (values, _) = view.data().as_chunks::<4>();
            Ok(values
                .iter()
                .map(|&bytes| f32::from_le_bytes(bytes))
                .collect())
        }
        other => Err(wrong(format!("{name} is {other:?}; save it as float32"))),
    }
}

/// Input weights, recurrent weights and two biases, each for both directions.
const TENSORS_PER_LAYER: usize = 8;

/// Reads all parameters of a model of this shape.
pub(crate) fn parameters(
    path: &Path,
    config: &BlstmConfig,
    tensors: &SafeTensors<'_>,
) -> Result<Vec<f32>, ModelError> {
    config.validate()?;
    // Before listing the parameters: a damaged file may claim a million layers.
    if tensors.len() / TENSORS_PER_LAYER < config.layers {
        let (found, layers) = (tensors.len(), config.layers);
        let problem = format!("has {found} tensors, too few for {layers} layers");
        return Err(ModelError::weights(path, problem));
    }
    let mut flat = Vec::new();
    for spec in config.parameters() {
        flat.extend(tensor(path, tensors, &spec.name, &spec.shape)?);
    }
    let layers = format!("_l{}", config.layers);
    if let Some(more) = tensors.names().iter().find(|name| name.contains(&layers)) {
        let layers = config.layers;
        let problem = format!("has {more}, but the model has only {layers} layers");
        return Err(ModelError::weights(path, problem));
    }
    Ok(flat)
}

/// A tensor to write: its shape and its little-endian bytes.
pub(crate) type Written<'a> = (Vec<usize>, Cow<'a, [u8]>);

/// Numbers as a tensor to write.
pub(crate) fn written(shape: Vec<usize>, values: &[f32]) -> Written<'_> {
    let bytes = if cfg!(target_endian = "little") {
        Cow::Borrowed(bytemuck::cast_slice(values))
    } else {
        Cow::Owned(
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        )
    };
    (shape, bytes)
}

/// The parameters with PyTorch's names.
pub(crate) fn named<'a>(config: &BlstmConfig, flat: &'a [f32]) -> BTreeMap<String, Written<'a>> {
    let mut rest = flat;
    let mut named = BTreeMap::new();
    for spec in config.parameters() {
        let (values, after) = rest.split_at(spec.shape.iter().product());
        rest = after;
        named.insert(spec.name, written(spec.shape, values));
    }
    named
}

/// Writes tensors and metadata atomically: a crash leaves the old file or the new one.
pub(crate) fn write_file(
    path: &Path,
    tensors: &BTreeMap<String, Written<'_>>,
    metadata: Option<HashMap<String, String>>,
) -> Result<(), ModelError> {
    let write = || {
        let header = header(tensors, metadata)?;
        let mut file = AtomicWriteFile::open(path)?;
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        // One by one: the crate would first copy all of them into one buffer.
        for (_, bytes) in tensors.values() {
            file.write_all(bytes)?;
        }
        file.commit()
    };
    write().map_err(|source| ModelError::io(path, source))
}

/// The header of a file in which the tensors follow each other.
fn header(
    tensors: &BTreeMap<String, Written<'_>>,
    metadata: Option<HashMap<String, String>>,
) -> std::io::Result<Vec<u8>> {
    let mut end = 0;
    let infos = tensors.iter().map(|(name, (shape, bytes))| {
        let start = end;
        end += bytes.len();
        let info = TensorInfo {
            dtype: Dtype::F32,
            shape: shape.clone(),
            data_offsets: (start, end),
        };
        (name.clone(), info)
    });
    let metadata = Metadata::new(metadata, infos.collect()).map_err(std::io::Error::other)?;
    let mut header = serde_json::to_vec(&metadata)?;
    // Tensors begin at a multiple of eight bytes.
    header.resize(header.len().next_multiple_of(8), b' ');
    Ok(header)
}
