//! Launches our CUDA source on burn's CUDA tensors and stream.
//!
//! CubeCL compiles its generated source with NVRTC and launches it on its stream. A task with ready-made
//! source takes the same path, so our kernels are ordered with burn's and share its memory. CubeCL reads the
//! size of the dynamic shared memory from the kernel's representation. We therefore pass the representation
//! of an empty kernel with one shared array.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use burn_tensor::Shape;
use cubecl::cuda::CudaRuntime;
use cubecl::ir::StorageType;
use cubecl::prelude::*;
use cubecl::server::{KernelArguments, MetadataBindingInfo, TensorMapBinding};
use cubecl::{CompilationError, Compiler, CubeTask};
use cubecl_cpp::shared::SharedMemory;
use padwise_cube_kernels::launches;
use padwise_cuda_kernels::Kernel;

use super::device::CudaTensor;

type CudaCompiler = <CudaRuntime as Runtime>::Compiler;

/// A CUDA C++ kernel in the form that CubeCL expects.
#[derive(Debug, Clone)]
struct RawKernel(Kernel);

/// A digest of static source text. It is computed once, because every launch needs it.
fn digest(parts: &'static [&'static str]) -> u64 {
    static KNOWN: Mutex<BTreeMap<usize, u64>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(parts.as_ptr().addr()).or_insert_with(|| {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        hasher.finish()
    })
}

impl KernelMetadata for RawKernel {
    fn id(&self) -> KernelId {
        // The disk cache uses this name as its key, so it must change with the source.
        KernelId::new::<Self>()
            .cube_dim(CubeDim::new_1d(self.0.threads))
            .info((
                self.0.entry,
                self.0.definitions.clone(),
                digest(self.0.parts),
                self.0.shared_bytes,
            ))
    }

    fn address_type(&self) -> StorageType {
        u32::as_type_native_unchecked().storage_type()
    }
}

impl CubeTask<CudaCompiler> for RawKernel {
    fn compile(
        &self,
        compiler: &mut CudaCompiler,
        options: &<CudaCompiler as Compiler>::CompilationOptions,
        mode: ExecutionMode,
        address_type: StorageType,
    ) -> Result<CompiledKernel<CudaCompiler>, CompilationError> {
        let cube_dim = CubeDim::new_1d(self.0.threads);
        let empty = KernelBuilder::default().build(KernelSettings::default().cube_dim(cube_dim));
        let mut representation = compiler.compile(empty, options, mode, address_type)?;
        let word = representation.body.address_type;
        representation.body.shared_memories = vec![SharedMemory::Array {
            index: 0,
            length: self.0.shared_bytes.div_ceil(word.size()),
            item: word,
            align: 16,
            offset: 0,
        }];
        Ok(CompiledKernel {
            entrypoint_name: self.0.entry.into(),
            debug_name: None,
            source: self.0.text(),
            repr: Some(representation),
            cube_dim,
            debug_info: None,
        })
    }
}

/// Launches a kernel with these buffers as arguments, followed by these numbers by value.
pub(super) fn launch(kernel: Kernel, tensors: &[&CudaTensor], numbers: Vec<u64>) {
    launch_with_maps(kernel, Vec::new(), tensors, numbers);
}

/// Like [`launch`], with tensor maps and their buffers before the other arguments. CubeCL orders launches
/// from several threads by `tensors` only, so the buffers of the maps must come from the same thread.
pub(super) fn launch_with_maps(
    kernel: Kernel,
    maps: Vec<TensorMapBinding>,
    tensors: &[&CudaTensor],
    numbers: Vec<u64>,
) {
    // All numbers are passed with the launch; none are copied to the device beforehand.
    let by_value = numbers.len();
    let info = MetadataBindingInfo::new(numbers, by_value);
    submit(kernel, maps, tensors, info);
}

/// Like [`launch`], with data that is copied to the device from pinned memory. Its address is the last
/// argument.
pub(super) fn launch_with_data(kernel: Kernel, tensors: &[&CudaTensor], data: Vec<u64>) {
    let info = MetadataBindingInfo::custom(data);
    submit(kernel, Vec::new(), tensors, info);
}

fn submit(
    kernel: Kernel,
    maps: Vec<TensorMapBinding>,
    tensors: &[&CudaTensor],
    info: MetadataBindingInfo,
) {
    let buffers = tensors
        .iter()
        .map(|tensor| tensor.handle.clone().binding())
        .collect();
    let arguments = KernelArguments::new()
        .with_tensor_maps(maps)
        .with_buffers(buffers)
        .with_info(info);
    launches::add(1);
    let (x, y, z) = kernel.grid;
    tensors[0].client.launch(
        Box::new(RawKernel(kernel)),
        CubeCount::Static(x, y, z),
        arguments,
    );
}

/// Whether kernels may read from this index of a buffer of 32-bit numbers on: they read 16 bytes at a time.
pub(super) fn begins_aligned(index: usize) -> bool {
    index.is_multiple_of(4)
}

/// A contiguous tensor in the memory of a vector of 32-bit numbers, from index `at` on. burn's slices would
/// copy it, because they need an alignment of 512 bytes at both ends.
pub(super) fn part(vector: &CudaTensor, at: usize, shape: impl Into<Shape>) -> CudaTensor {
    let shape = shape.into();
    let (all, bytes) = (vector.meta.shape().num_elements(), vector.dtype.size());
    let after = all - at - shape.num_elements();
    let handle = vector.handle.clone();
    CudaTensor::new_contiguous(
        vector.client.clone(),
        vector.device.clone(),
        shape,
        handle
            .offset_start((at * bytes) as u64)
            .offset_end((after * bytes) as u64),
        vector.dtype,
    )
}
