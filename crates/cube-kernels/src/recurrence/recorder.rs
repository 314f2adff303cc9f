//! Time steps on wgpu, recorded without CubeCL: one bind group for all even steps, one for all odd ones.
//!
//! For every launch, CubeCL creates a bind group and writes a buffer of scalars. Here the scalars of all steps are in one buffer, and
//! each step binds it at an offset. The compiled kernel is the same, and so are its arguments. The pass that describes the steps
//! guarantees that the kernel stays within its buffers.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use burn_cubecl::tensor::CubeTensor;
use cubecl::CubeTask;
use cubecl::config::compilation::BoundsCheckMode;
use cubecl::config::profiling::ProfilingLogLevel;
use cubecl::config::{CubeClRuntimeConfig, RuntimeConfig};
use cubecl::device::Device;
use cubecl::device_handle::DeviceHandle;
use cubecl::future::block_on;
use cubecl::prelude::*;
use cubecl::server::ComputeServer;
use cubecl::stream_id::StreamId;
use cubecl::wgpu::{
    AutoCompiler, AutoRepresentationRef, WgpuDevice, WgpuRuntime, WgpuServer, WgpuSetup,
};

use super::steps::{Arguments, BUFFERS, Scalars, StepLauncher, Steps};
use super::tiling::MAX_UNITS;

/// Steps that are submitted together. The device starts after the first ones, and few submissions cost little.
const STEPS_PER_SUBMISSION: u32 = 128;

/// Bytes from the scalars of a step to those of the next: the largest alignment that an adapter may ask for.
const STRIDE: u64 = 256;

/// Bytes of a step's scalars, with two lengths per buffer, which a kernel without bounds checks never reads.
const SCALARS_SIZE: u64 = 16 + 8 * BUFFERS as u64;

/// A compiled kernel.
#[derive(Clone, Debug)]
struct Pipeline {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// Records the steps of a pass on one device.
pub struct Recorder {
    device: WgpuDevice,
    setup: WgpuSetup,
    server: DeviceHandle<WgpuServer>,
    /// Compiled kernels. A kernel that cannot be recorded has none.
    pipelines: Mutex<HashMap<KernelId, Option<Pipeline>>>,
    /// The scalars of the last pass. All passes of a batch have the same.
    scalars: Mutex<Option<(Scalars, wgpu::Buffer)>>,
    passes: AtomicU64,
}

impl Recorder {
    /// Records on `device`, which CubeCL made from `setup`. Returns nothing if CubeCL is configured to check or to profile its
    /// launches, or if the adapter's limits are too low.
    #[must_use]
    pub fn new(device: WgpuDevice, setup: WgpuSetup) -> Option<Self> {
        let config = CubeClRuntimeConfig::get();
        let is_plain = matches!(config.compilation.check_mode, BoundsCheckMode::Auto)
            && matches!(config.profiling.logger.level, ProfilingLogLevel::Disabled);
        let units = setup.device.limits().max_compute_invocations_per_workgroup;
        (is_plain && units >= MAX_UNITS as u32).then(|| Self {
            server: DeviceHandle::new(device.to_id()),
            device,
            setup,
            pipelines: Mutex::default(),
            scalars: Mutex::default(),
            passes: AtomicU64::default(),
        })
    }

    /// Passes recorded so far.
    pub fn passes(&self) -> u64 {
        self.passes.load(Ordering::Relaxed)
    }

    /// A kernel's pipeline, compiled at the first call.
    fn pipeline<K: CubeKernel>(&self, kernel: K) -> Option<Pipeline> {
        let mut pipelines = self
            .pipelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let id = kernel.id();
        let compile = || match self.compile(kernel) {
            Ok(pipeline) => Some(pipeline),
            Err(reason) => {
                tracing::warn!("time steps are launched one by one, which is slower: {reason}");
                None
            }
        };
        pipelines.entry(id).or_insert_with(compile).clone()
    }

    /// Compiles a kernel, or says why it cannot be recorded.
    fn compile<K: CubeKernel>(&self, kernel: K) -> Result<Pipeline, String> {
        let device = &self.setup.device;
        let errors = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let pipeline = self.unchecked_pipeline(kernel);
        match block_on(errors.pop()) {
            Some(error) => Err(error.to_string()),
            None => pipeline,
        }
    }

    /// Compiles a kernel. Errors of wgpu go to the current error scope.
    fn unchecked_pipeline<K: CubeKernel>(&self, kernel: K) -> Result<Pipeline, String> {
        let (module, entry_point, scalars) = self.module(kernel)?;
        let device = &self.setup.device;
        let storage = wgpu::BufferBindingType::Storage { read_only: false };
        let entries: Vec<_> = std::iter::repeat_n((storage, false), BUFFERS)
            .chain([(scalars, true)])
            .zip(0..)
            .map(
                |((ty, has_dynamic_offset), binding)| wgpu::BindGroupLayoutEntry {
                    binding,
                    visibility: wgpu::ShaderStages::COMPUTE,
                    ty: wgpu::BindingType::Buffer {
                        ty,
                        has_dynamic_offset,
                        min_binding_size: None,
                    },
                    count: None,
                },
            )
            .collect();
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(&entry_point),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        Ok(Pipeline { pipeline, layout })
    }

    /// Compiles a kernel as CubeCL does. Returns the module, its entry point, and the kind of buffer that has its scalars.
    fn module<K: CubeKernel>(
        &self,
        kernel: K,
    ) -> Result<(wgpu::ShaderModule, String, wgpu::BufferBindingType), String> {
        let is_vulkan = self.setup.backend == wgpu::Backend::Vulkan;
        let compile = move |server: &mut WgpuServer| {
            let mode = ExecutionMode::Unchecked;
            let mut compiler = if is_vulkan && server.compilation_options.supports_vulkan {
                AutoCompiler::SpirV(Default::default())
            } else {
                AutoCompiler::Wgsl(Default::default())
            };
            let task: Box<dyn CubeTask<AutoCompiler>> =
                Box::new(KernelTask::<AutoCompiler, K>::new(kernel));
            let compiled = compiler.compile(server, task, mode)?;
            let code = compiled.repr.as_ref().map(|code| code.as_ref());
            let scalars = match code {
                Some(AutoRepresentationRef::SpirV(code)) if code.uniform_info => {
                    wgpu::BufferBindingType::Uniform
                }
                _ => wgpu::BufferBindingType::Storage { read_only: true },
            };
            let entry_point = compiled.entrypoint_name.clone();
            let module = server.create_module(&entry_point, code, &compiled.source, mode)?;
            Ok::<_, cubecl::CompilationError>((module, entry_point, scalars))
        };
        let found = self.server.submit_blocking(compile);
        let found = found.map_err(|_| "the thread of the GPU's queue has ended".to_owned())?;
        found.map_err(|error| error.to_string())
    }

    /// The scalars of all steps, on the device.
    fn scalars(&self, scalars: Scalars) -> wgpu::Buffer {
        let mut last = self.scalars.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((found, buffer)) = &*last
            && *found == scalars
        {
            return buffer.clone();
        }
        let buffer = self.setup.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: STRIDE * u64::from(scalars.frames),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::UNIFORM,
            mapped_at_creation: true,
        });
        {
            let mut mapped = buffer.slice(..).get_mapped_range_mut();
            for step in 0..scalars.frames {
                let values = [step, scalars.frames, scalars.batch, scalars.row_step];
                let bytes = values.map(u32::to_ne_bytes);
                let at = STRIDE as usize * step as usize;
                mapped
                    .slice(at..at + 16)
                    .copy_from_slice(bytes.as_flattened());
            }
        }
        buffer.unmap();
        *last = Some((scalars, buffer.clone()));
        buffer
    }

    /// The bind groups of even and of odd steps. Nothing if CubeCL has lost a buffer.
    fn bind_groups(
        &self,
        pipeline: &Pipeline,
        arguments: &Arguments<'_, WgpuRuntime>,
    ) -> Option<[wgpu::BindGroup; 2]> {
        let bindings = arguments
            .buffers
            .map(|tensor| tensor.handle.clone().binding());
        let stream = StreamId::current();
        // This also submits all earlier work on the buffers.
        let resources = self.server.submit_blocking(move |server| {
            let resource = |binding| server.get_resource(binding, stream).ok();
            bindings
                .into_iter()
                .map(resource)
                .collect::<Option<Vec<_>>>()
        });
        let resources = resources.ok()??;
        let scalars = self.scalars(arguments.scalars);
        let mut order: [usize; BUFFERS] = std::array::from_fn(|at| at);
        Some([(); 2].map(|()| {
            let scalars = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &scalars,
                offset: 0,
                size: NonZeroU64::new(SCALARS_SIZE),
            });
            let entries: Vec<_> = order
                .iter()
                .map(|&at| resources[at].resource().as_wgpu_bind_resource())
                .chain([scalars])
                .zip(0..)
                .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
                .collect();
            order.swap(arguments.states[0], arguments.states[1]);
            let group = wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.layout,
                entries: &entries,
            };
            self.setup.device.create_bind_group(&group)
        }))
    }

    /// Records and submits all steps.
    fn submit(
        &self,
        pipeline: &Pipeline,
        groups: &[wgpu::BindGroup; 2],
        cubes: [u32; 3],
        steps: u32,
    ) {
        let [x, y, z] = cubes;
        for first in (0..steps).step_by(STEPS_PER_SUBMISSION as usize) {
            let device = &self.setup.device;
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline.pipeline);
            for step in first..steps.min(first + STEPS_PER_SUBMISSION) {
                pass.set_bind_group(0, &groups[step as usize % 2], &[step * STRIDE as u32]);
                pass.dispatch_workgroups(x, y, z);
            }
            drop(pass);
            self.setup.queue.submit([encoder.finish()]);
        }
        self.passes.fetch_add(1, Ordering::Relaxed);
    }
}

impl StepLauncher<WgpuRuntime> for Recorder {
    fn launch<'a, K, F>(&self, steps: Steps<'a, WgpuRuntime, K, F>)
    where
        K: CubeKernel,
        F: Fn(u32, [&'a CubeTensor<WgpuRuntime>; BUFFERS]),
    {
        let Steps {
            kernel,
            cubes,
            arguments,
            launch,
        } = steps;
        let is_here = |tensor: &&CubeTensor<_>| tensor.device == self.device;
        if arguments.buffers.iter().all(is_here)
            && let Some(pipeline) = self.pipeline(kernel)
            && let Some(groups) = self.bind_groups(&pipeline, &arguments)
        {
            self.submit(&pipeline, &groups, cubes, arguments.scalars.frames);
        } else {
            arguments.one_by_one(launch);
        }
    }
}
