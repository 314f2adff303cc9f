//! The source and launch parameters of a kernel.

/// One variant of a kernel in CUDA C++.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The `extern "C"` function to launch.
    pub entry: &'static str,
    /// Text placed before the source: `#define`s that select a variant, and generated code.
    pub definitions: String,
    /// The source, as parts to be concatenated.
    pub parts: &'static [&'static str],
    /// Blocks along each axis.
    pub grid: (u32, u32, u32),
    /// Threads per block.
    pub threads: u32,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: usize,
}

impl Kernel {
    /// A kernel with 256 threads per block, no definitions and no dynamic shared memory.
    pub(crate) fn plain(
        entry: &'static str,
        parts: &'static [&'static str],
        (wide, high): (u32, u32),
    ) -> Self {
        Self {
            entry,
            definitions: String::new(),
            parts,
            grid: (wide, high, 1),
            threads: 256,
            shared_bytes: 0,
        }
    }

    /// The complete source text.
    pub fn text(&self) -> String {
        let mut text = self.definitions.clone();
        for part in self.parts {
            text.push_str(part);
        }
        text
    }
}

/// Formats `#define`s, one per line.
pub(crate) fn definitions(values: &[(&str, usize)]) -> String {
    values
        .iter()
        .map(|(name, value)| format!("#define {name} {value}\n"))
        .collect()
}

/// Packs a kernel's by-value struct of 32-bit integers into 64-bit words, two integers per word.
pub fn pack_numbers(numbers: &[u32]) -> Vec<u64> {
    numbers
        .chunks(2)
        .map(|pair| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32)
        .collect()
}

/// The number of 256-thread blocks for a loop over `items`: enough to fill any device, but few enough to keep
/// the start-up cost low.
pub(crate) fn blocks_for(items: usize, multiprocessors: usize) -> u32 {
    items.div_ceil(256).clamp(1, 8 * multiprocessors) as u32
}
