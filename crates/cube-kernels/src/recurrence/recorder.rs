//! Time steps on wgpu, recorded without CubeCL: one bind group for all even steps, one for all odd ones.
//!
//! For every launch, CubeCL creates a bind group and writes a buffer of numbers. Here the numbers of all steps are in one buffer, and
//! each launch gets an offset into it. The compiled kernel is the same, and so are its arguments: the pass that describes the steps
//! vouches for them.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

use burn_cubecl::tensor::CubeTensor;
use cubecl::backtrace::BackTrace;
use cubecl::device::Device;
use cubecl::device_handle::DeviceHandle;
use cubecl::prelude::*;
use cubecl::server::ServerError;
use cubecl::wgpu::{
    AutoCompiler, AutoRepresentationRef, WgpuDevice, WgpuRuntime, WgpuServer, WgpuSetup,
};
use cubecl::{CompilationError, CubeTask};

use super::steps::{Arguments, BUFFERS, Numbers, StepLauncher, Steps};

/// Steps that are submitted together. The device starts after the first ones, and few submissions cost little.
const STEPS_PER_SUBMISSION: u32 = 128;

/// Bytes from the numbers of a step to those of the next: the largest alignment that an adapter may ask for.
const STRIDE: u64 = 256;

/// Bytes of a step's numbers: the numbers themselves, and two lengths per buffer, which a kernel without bounds checks never reads.
const NUMBERS_SIZE: u64 = 16 + 8 * BUFFERS as u64;

/// A compiled kernel.
#[derive(Debug)]
struct Pipeline {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// Records the steps of a pass on one device.
#[derive(Debug)]
pub struct Recorder {
    device: WgpuDevice,
    setup: WgpuSetup,
    pipelines: Mutex<HashMap<KernelId, Arc<Pipeline>>>,
    /// Of the last pass. All passes of a batch have the same numbers.
    numbers: Mutex<Option<(Numbers, wgpu::Buffer)>>,
}

impl Recorder {
    /// Records on `device`, which CubeCL made from `setup`.
    #[must_use]
    pub fn new(device: WgpuDevice, setup: WgpuSetup) -> Self {
        Self {
            device,
            setup,
            pipelines: Mutex::default(),
            numbers: Mutex::default(),
        }
    }

    /// A kernel's pipeline, compiled at the first call.
    fn pipeline<K: CubeKernel>(&self, kernel: K) -> Result<Arc<Pipeline>, CompilationError> {
        let mut pipelines = self
            .pipelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let id = kernel.id();
        if let Some(found) = pipelines.get(&id) {
            return Ok(found.clone());
        }
        let (module, entry_point, numbers) = self.module(kernel)?;
        let device = &self.setup.device;
        let storage = wgpu::BufferBindingType::Storage { read_only: false };
        let entries: Vec<_> = std::iter::repeat_n((storage, false), BUFFERS)
            .chain([(numbers, true)])
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
        let found = Arc::new(Pipeline { pipeline, layout });
        pipelines.insert(id, found.clone());
        Ok(found)
    }

    /// Compiles a kernel as CubeCL does. Returns the module, its entry point, and the kind of buffer that has its numbers.
    fn module<K: CubeKernel>(
        &self,
        kernel: K,
    ) -> Result<(wgpu::ShaderModule, String, wgpu::BufferBindingType), CompilationError> {
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
            let numbers = match code {
                Some(AutoRepresentationRef::SpirV(code)) if code.uniform_info => {
                    wgpu::BufferBindingType::Uniform
                }
                _ => wgpu::BufferBindingType::Storage { read_only: true },
            };
            let entry_point = compiled.entrypoint_name.clone();
            let module = server.create_module(&entry_point, code, &compiled.source, mode)?;
            Ok((module, entry_point, numbers))
        };
        let server = DeviceHandle::<WgpuServer>::new(self.device.to_id());
        let ended = |_| CompilationError::Generic {
            reason: "the thread of the GPU's queue has ended".into(),
            backtrace: BackTrace::capture(),
        };
        server.submit_blocking(compile).map_err(ended)?
    }

    /// The numbers of all steps, on the device.
    fn numbers(&self, numbers: Numbers) -> wgpu::Buffer {
        let mut last = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((found, buffer)) = &*last
            && *found == numbers
        {
            return buffer.clone();
        }
        let buffer = self.setup.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: STRIDE * u64::from(numbers.frames),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::UNIFORM,
            mapped_at_creation: true,
        });
        {
            let mut mapped = buffer.slice(..).get_mapped_range_mut();
            for step in 0..numbers.frames {
                let values = [step, numbers.frames, numbers.batch, numbers.row_step];
                let bytes = values.map(u32::to_ne_bytes);
                let at = STRIDE as usize * step as usize;
                mapped
                    .slice(at..at + 16)
                    .copy_from_slice(bytes.as_flattened());
            }
        }
        buffer.unmap();
        *last = Some((numbers, buffer.clone()));
        buffer
    }

    /// The bind groups of even and of odd steps.
    fn bind_groups(
        &self,
        pipeline: &Pipeline,
        arguments: &Arguments<'_, WgpuRuntime>,
    ) -> Result<[wgpu::BindGroup; 2], ServerError> {
        // This also submits all earlier work on the buffers.
        let resource = |tensor: &CubeTensor<_>| tensor.client.get_resource(tensor.handle.clone());
        let resources = arguments.buffers.into_iter().map(resource);
        let resources: Vec<_> = resources.collect::<Result<_, _>>()?;
        let numbers = self.numbers(arguments.numbers);
        let mut order: [usize; BUFFERS] = std::array::from_fn(|at| at);
        Ok([(); 2].map(|()| {
            let numbers = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &numbers,
                offset: 0,
                size: NonZeroU64::new(NUMBERS_SIZE),
            });
            let entries: Vec<_> = order
                .iter()
                .map(|&at| resources[at].resource().as_wgpu_bind_resource())
                .chain([numbers])
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
            let mut encoder = self
                .setup
                .device
                .create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline.pipeline);
            for step in first..steps.min(first + STEPS_PER_SUBMISSION) {
                pass.set_bind_group(0, &groups[step as usize % 2], &[step * STRIDE as u32]);
                pass.dispatch_workgroups(x, y, z);
            }
            drop(pass);
            self.setup.queue.submit([encoder.finish()]);
        }
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
            && let Ok(pipeline) = self.pipeline(kernel)
            && let Ok(groups) = self.bind_groups(&pipeline, &arguments)
        {
            self.submit(&pipeline, &groups, cubes, arguments.numbers.frames);
        } else {
            // If there was an error, CubeCL meets it, too, and reports it.
            arguments.one_by_one(launch);
        }
    }
}
