//! CUDA source of our own on burn's CUDA tensors and stream.
//!
//! CubeCL compiles what it generates with NVRTC and launches it on its own stream; a task that hands it ready source takes the
//! same way, so our kernels are ordered with burn's and share its memory. What CubeCL wants to know of a kernel besides the
//! source, the size of its dynamic shared memory, it reads from the kernel's representation, which is that of an empty kernel with
//! one shared array put in.

use cubecl::cuda::CudaRuntime;
use cubecl::ir::StorageType;
use cubecl::prelude::*;
use cubecl::server::{Binding, KernelArguments, MetadataBindingInfo};
use cubecl::{CompilationError, Compiler, CubeTask};
use cubecl_cpp::shared::SharedMemory;

type CudaCompiler = <CudaRuntime as Runtime>::Compiler;

/// A kernel in CUDA C++.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawKernel {
    /// The `extern "C"` function to launch.
    pub(crate) entry: &'static str,
    /// Definitions that come before the source: they choose one of its variants.
    pub(crate) definitions: String,
    /// The source, in parts that follow each other.
    pub(crate) source: &'static [&'static str],
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub(crate) shared_bytes: usize,
}

impl KernelMetadata for RawKernel {
    fn id(&self) -> KernelId {
        KernelId::new::<Self>()
            .cube_dim(CubeDim::new_1d(self.threads))
            .info((self.entry, self.definitions.clone(), self.shared_bytes))
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
        let cube_dim = CubeDim::new_1d(self.threads);
        let empty = KernelBuilder::default().build(KernelSettings::default().cube_dim(cube_dim));
        let mut representation = compiler.compile(empty, options, mode, address_type)?;
        let word = representation.body.address_type;
        representation.body.shared_memories = vec![SharedMemory::Array {
            index: 0,
            length: self.shared_bytes.div_ceil(word.size()),
            item: word,
            align: 16,
            offset: 0,
        }];
        Ok(CompiledKernel {
            entrypoint_name: self.entry.into(),
            debug_name: None,
            source: [self.definitions.as_str()]
                .into_iter()
                .chain(self.source.iter().copied())
                .collect::<Vec<_>>()
                .join("\n"),
            repr: Some(representation),
            cube_dim,
            debug_info: None,
        })
    }
}

impl RawKernel {
    /// Launches the kernel with these buffers as its arguments.
    pub(crate) fn launch(
        self,
        client: &ComputeClient<CudaRuntime>,
        grid: (u32, u32, u32),
        buffers: Vec<Binding>,
    ) {
        let arguments = KernelArguments::new()
            .with_buffers(buffers)
            .with_info(MetadataBindingInfo::custom(Vec::new()));
        crate::launches::add(1);
        client.launch(
            Box::new(self),
            CubeCount::Static(grid.0, grid.1, grid.2),
            arguments,
        );
    }
}
