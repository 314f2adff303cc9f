//! The device properties that plans depend on, and those of some devices, for checks without a GPU.

/// The device properties that plans depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// Number of streaming multiprocessors.
    pub multiprocessors: usize,
    /// Largest amount of shared memory per block, in bytes.
    pub shared_bytes: usize,
    /// Compute capability, for example (9, 0).
    pub capability: (i32, i32),
}

impl Device {
    /// NVIDIA A100.
    pub const A100: Self = Self::new(108, 166_912, (8, 0));
    /// NVIDIA H200.
    pub const H200: Self = Self::new(132, 232_448, (9, 0));

    /// One device of every supported architecture, with both names. The properties are NVIDIA's.
    pub const KNOWN: [(&str, &str, Self); 6] = [
        ("a100", "sm_80", Self::A100),
        ("rtx-3090", "sm_86", Self::new(82, 101_376, (8, 6))),
        ("rtx-4090", "sm_89", Self::new(128, 101_376, (8, 9))),
        ("h200", "sm_90a", Self::H200),
        ("b200", "sm_100", Self::new(148, 232_448, (10, 0))),
        ("rtx-5090", "sm_120", Self::new(170, 101_376, (12, 0))),
    ];

    /// Whether it has compute capability 9.0: blocks can form clusters, and warps pass on registers.
    pub(crate) fn is_hopper(&self) -> bool {
        self.capability == (9, 0)
    }

    const fn new(multiprocessors: usize, shared_bytes: usize, capability: (i32, i32)) -> Self {
        Self {
            multiprocessors,
            shared_bytes,
            capability,
        }
    }
}
