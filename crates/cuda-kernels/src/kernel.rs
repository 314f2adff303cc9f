//! A kernel as a compiler and a launcher want it.

/// One variant of a kernel in CUDA C++.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The `extern "C"` function to launch.
    pub entry: &'static str,
    /// What comes before the source: definitions that choose a variant, and generated code.
    pub definitions: String,
    /// The source, in parts that follow each other.
    pub parts: &'static [&'static str],
    /// Blocks along each axis.
    pub grid: (u32, u32, u32),
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: usize,
}

impl Kernel {
    /// A kernel of blocks of 256 threads with nothing to define and no dynamic shared memory.
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

    /// All of the source.
    pub fn text(&self) -> String {
        let mut text = self.definitions.clone();
        for part in self.parts {
            text.push_str(part);
        }
        text
    }
}

/// Definitions, one a line.
pub(crate) fn definitions(values: &[(&str, usize)]) -> String {
    values
        .iter()
        .map(|(name, value)| format!("#define {name} {value}\n"))
        .collect()
}

/// Numbers that a kernel takes by value, two a word: a struct of 32-bit integers, its size a multiple of eight bytes.
pub fn pack_numbers(numbers: &[u32]) -> Vec<u64> {
    numbers
        .chunks(2)
        .map(|pair| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32)
        .collect()
}

/// Blocks of 256 threads for a loop over `items`: enough to fill any device, not so many that starting them costs more than
/// they do.
pub(crate) fn blocks_for(items: usize, multiprocessors: usize) -> u32 {
    items.div_ceil(256).clamp(1, 8 * multiprocessors) as u32
}
