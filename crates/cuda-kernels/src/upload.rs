//! Uploads numbers from the host into a tensor through a kernel launch. `kernels/upload.cu` explains why.

use crate::kernel::{Kernel, blocks_for};

/// The kernel for `count` 32-bit numbers. Arguments: the tensor, and [`data`], which the launcher copies to
/// the device.
pub fn kernel(count: usize, multiprocessors: usize) -> Kernel {
    let source: &[&str] = &[include_str!("../kernels/upload.cu")];
    Kernel::plain("upload", source, (blocks_for(count, multiprocessors), 1))
}

/// The data to send: the count, then the numbers.
pub fn data(numbers: &[u32]) -> Vec<u64> {
    let mut data = Vec::with_capacity(1 + numbers.len().div_ceil(2));
    data.push(numbers.len() as u64);
    let pairs = numbers.chunks_exact(2);
    let last = pairs.remainder().first();
    let word = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    data.extend(pairs.map(|pair| word(pair[0], pair[1])));
    data.extend(last.map(|&low| word(low, 0)));
    data
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_lie_in_order_after_their_count() {
        let data = super::data(&[1, 2, 3]);
        assert_eq!(data, [3, 1 | 2 << 32, 3]);
        assert_eq!(super::data(&[]), [0]);
    }
}
