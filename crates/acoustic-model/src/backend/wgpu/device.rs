//! The device that trains through wgpu. We create it instead of CubeCL, because only then can time steps be recorded on its queue.

use std::sync::{Mutex, OnceLock, PoisonError};

use cubecl::future::block_on;
use cubecl::wgpu::{
    AutoGraphicsApi, GraphicsApi, RuntimeOptions, WgpuDevice, WgpuSetup, init_device, vulkan,
};
use padwise_cube_kernels::recurrence::Recorder;
use padwise_model_config::BackendChoice;

use crate::error::ModelError;

/// The device once it is in use, with a recorder if steps can be recorded on it.
static CREATED: OnceLock<(WgpuDevice, Option<Recorder>)> = OnceLock::new();

/// CubeCL's variable that names the GPU to use.
const CHOICE: &str = "CUBECL_WGPU_DEFAULT_DEVICE";

/// The instance of wgpu, and the fastest adapter that it finds.
pub(super) fn adapter() -> Result<(wgpu::Instance, wgpu::Adapter), ModelError> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: AutoGraphicsApi::backend().into(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    match block_on(instance.request_adapter(&options)) {
        Ok(adapter) => Ok((instance, adapter)),
        Err(error) => Err(no_device(format!(
            "no graphics adapter found ({error}); install a Vulkan driver, or use another backend"
        ))),
    }
}

fn no_device(reason: String) -> ModelError {
    ModelError::NoDevice {
        backend: BackendChoice::Wgpu,
        reason,
    }
}

/// The device for all tensors. The first call creates it.
pub fn device() -> Result<WgpuDevice, ModelError> {
    static CREATING: Mutex<()> = Mutex::new(());
    let _only_one = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((device, _)) = CREATED.get() {
        return Ok(device.clone());
    }
    let created = if std::env::var_os(CHOICE).is_some() {
        (WgpuDevice::default(), None)
    } else {
        let setup = setup()?;
        let device = init_device(setup.clone(), RuntimeOptions::default());
        (device.clone(), Recorder::new(device, setup))
    };
    Ok(CREATED.get_or_init(|| created).0.clone())
}

/// The recorder of the device, if it has one.
pub(super) fn recorder() -> Option<&'static Recorder> {
    CREATED.get()?.1.as_ref()
}

/// How many passes of the recurrence were recorded, not launched step by step.
pub fn recorded_passes() -> u64 {
    recorder().map_or(0, Recorder::passes)
}

/// Opens the adapter with all that it offers, as CubeCL would.
fn setup() -> Result<WgpuSetup, ModelError> {
    let (instance, adapter) = adapter()?;
    let backend = adapter.get_info().backend;
    // Cooperative matrices and other extensions that wgpu itself does not request.
    let with_extensions = match backend {
        wgpu::Backend::Vulkan => block_on(vulkan::request_vulkan_device(&adapter)),
        _ => None,
    };
    let (device, queue) = match with_extensions {
        Some(found) => found,
        None => block_on(adapter.request_device(&descriptor(&adapter)))
            .map_err(|error| no_device(format!("the graphics adapter cannot be used ({error})")))?,
    };
    Ok(WgpuSetup {
        instance,
        adapter,
        device,
        queue,
        backend,
    })
}

fn descriptor(adapter: &wgpu::Adapter) -> wgpu::DeviceDescriptor<'static> {
    let unwanted = wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
    wgpu::DeviceDescriptor {
        label: None,
        required_features: adapter.features().difference(unwanted),
        required_limits: adapter.limits(),
        // CubeCL allocates in large pieces itself.
        memory_hints: wgpu::MemoryHints::MemoryUsage,
        trace: wgpu::Trace::Off,
        // SAFETY: CubeCL uses experimental features only as wgpu documents them.
        #[allow(unsafe_code)]
        experimental_features: unsafe { wgpu::ExperimentalFeatures::enabled() },
    }
}
