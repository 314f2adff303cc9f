//! Launching a kernel once per time step.
//!
//! The two passes describe their steps, and a launcher runs them. [`LaunchEach`] does so on every device. On wgpu, a recorder reduces the
//! host's overhead per launch.

use burn_cubecl::{CubeRuntime, tensor::CubeTensor};
use cubecl::prelude::*;
use padwise_cpu_kernels::RowLayout;

/// Buffers of a step.
pub const BUFFERS: usize = 8;

/// The buffers of a step, in the order of the kernel's parameters.
pub(super) type Buffers<'a, R> = [&'a CubeTensor<R>; BUFFERS];

/// Scalars that are the same in all steps; they follow the step's own number in the kernel's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scalars {
    /// Steps.
    pub frames: u32,
    /// Utterances.
    pub batch: u32,
    /// Rows from a frame of an utterance to the next one.
    pub row_step: u32,
}

impl Scalars {
    /// The scalars of a batch.
    pub fn new(rows: &RowLayout) -> Self {
        Self {
            frames: rows.frames() as u32,
            batch: rows.batch() as u32,
            row_step: rows.step() as u32,
        }
    }
}

/// What a kernel gets in every step.
pub(super) struct Arguments<'a, R: CubeRuntime> {
    /// The buffers of even steps.
    pub buffers: Buffers<'a, R>,
    /// Which buffers are the state that a step reads and the one that it writes. They change places after each step.
    pub states: [usize; 2],
    /// The scalars of all steps.
    pub scalars: Scalars,
}

impl<'a, R: CubeRuntime> Arguments<'a, R> {
    /// Runs all steps in order.
    pub fn one_by_one(mut self, launch: impl Fn(u32, Buffers<'a, R>)) {
        let [read, written] = self.states;
        for step in 0..self.scalars.frames {
            launch(step, self.buffers);
            self.buffers.swap(read, written);
        }
    }
}

/// The steps of a pass.
pub struct Steps<'a, R: CubeRuntime, K, F> {
    /// The kernel, compiled without bounds checks.
    pub(super) kernel: K,
    /// Cubes in each dimension.
    pub(super) cubes: [u32; 3],
    /// What the kernel gets.
    pub(super) arguments: Arguments<'a, R>,
    /// Launches the kernel for one step through CubeCL.
    pub(super) launch: F,
}

/// Runs the steps of a pass in order.
pub trait StepLauncher<R: CubeRuntime> {
    /// Launches all steps. Does not wait until the device has run them.
    fn launch<'a, K, F>(&self, steps: Steps<'a, R, K, F>)
    where
        K: CubeKernel,
        F: Fn(u32, [&'a CubeTensor<R>; BUFFERS]);
}

/// One launch through CubeCL per step, on any device.
#[derive(Clone, Copy, Debug)]
pub struct LaunchEach;

impl<R: CubeRuntime> StepLauncher<R> for LaunchEach {
    fn launch<'a, K, F>(&self, steps: Steps<'a, R, K, F>)
    where
        K: CubeKernel,
        F: Fn(u32, [&'a CubeTensor<R>; BUFFERS]),
    {
        steps.arguments.one_by_one(steps.launch);
    }
}

/// How the kernel of a pass is compiled.
pub(super) fn settings(cube_dim: CubeDim) -> KernelSettings {
    KernelSettings::default()
        .cube_dim(cube_dim)
        .address_type(AddressType::U32)
}

/// The argument of a buffer that no other argument shares.
pub(super) fn unaliased() -> ArrayCompilationArg {
    ArrayCompilationArg { inplace: None }
}
