//! Buffers that begin at a cache line.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest register. A load that crosses lines takes twice as long.
const LINE: usize = 64;

/// Values that begin at a cache line.
pub struct Aligned<E> {
    values: Vec<E>,
    start: usize,
}

impl<E: Copy + Default> Aligned<E> {
    /// This many zeros.
    pub fn zeros(count: usize) -> Self {
        let spare = LINE / size_of::<E>();
        let mut values = vec![E::default(); count + spare];
        let start = values.as_ptr().align_offset(LINE).min(spare);
        values.truncate(start + count);
        Self { values, start }
    }
}

impl<E> Deref for Aligned<E> {
    type Target = [E];

    fn deref(&self) -> &[E] {
        &self.values[self.start..]
    }
}

impl<E> DerefMut for Aligned<E> {
    fn deref_mut(&mut self) -> &mut [E] {
        &mut self.values[self.start..]
    }
}
