//! What training uses besides time: CPU time of this process, and energy of the GPU.

use super::{host, nvml};

/// CPU time and energy, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// CPU time of all threads, in seconds.
    pub cpu_seconds: Option<f64>,
    /// Energy of the GPU, in joules. Includes what other processes use.
    pub energy_joules: Option<f64>,
}

impl Usage {
    /// The totals so far: since the start of the process, and since the driver was loaded.
    pub fn so_far(on_gpu: bool) -> Self {
        Usage {
            cpu_seconds: host::cpu_seconds(),
            energy_joules: on_gpu.then(nvml::energy_joules).flatten(),
        }
    }

    /// What was used between an earlier call of [`Usage::so_far`] and this one.
    pub fn since(self, start: Usage) -> Self {
        let since = |now: Option<f64>, start: Option<f64>| Some((now? - start?).max(0.0));
        Usage {
            cpu_seconds: since(self.cpu_seconds, start.cpu_seconds),
            energy_joules: since(self.energy_joules, start.energy_joules),
        }
    }
}
