//! Recurrent weights packed into panels, in the order in which the kernels read them.

use crate::simd::{Aligned, Real, Simd};

/// The weights of one direction, split into panels of a few hidden units and zero-padded to whole vectors.
pub struct Panels<E> {
    weights: Aligned<E>,
    /// Elements per panel.
    size: usize,
    /// Hidden units per panel.
    pub units: usize,
}

impl<E: Real> Panels<E> {
    fn empty(hidden: usize, units: usize) -> Self {
        let size = 4 * hidden * units;
        Self {
            weights: Aligned::zeros(hidden.div_ceil(units) * size),
            size,
            units,
        }
    }

    /// The panels to fill, each with the index of its first hidden unit.
    fn iter_mut(&mut self, hidden: usize) -> impl Iterator<Item = (&mut [E], usize)> {
        let panels = self.weights.chunks_exact_mut(self.size);
        panels.zip((0..hidden).step_by(self.units))
    }

    /// For the forward pass: a panel covers one vector of hidden units. Its first half has the weights of the input and forget gates,
    /// side by side for each element of the previous output. Its second half has those of the other two gates.
    pub fn by_gate<S: Simd>(weight_hh: &[E], hidden: usize) -> Self {
        let units = E::lanes::<S>();
        let mut panels = Self::empty(hidden, units);
        for (panel, first) in panels.iter_mut(hidden) {
            for gate in 0..4 {
                let half = &mut panel[gate / 2 * 2 * units * hidden..];
                for unit in first..(first + units).min(hidden) {
                    let row = &weight_hh[(gate * hidden + unit) * hidden..][..hidden];
                    for (line, weight) in half.chunks_exact_mut(2 * units).zip(row) {
                        line[gate % 2 * units + unit - first] = *weight;
                    }
                }
            }
        }
        panels
    }

    /// For the backward pass: a panel covers `vectors` vectors of hidden units. For each gate gradient it
    /// stores the weights that connect it to these units.
    pub fn by_unit<S: Simd>(weight_hh: &[E], hidden: usize, vectors: usize) -> Self {
        let units = vectors * E::lanes::<S>();
        let mut panels = Self::empty(hidden, units);
        for (panel, first) in panels.iter_mut(hidden) {
            let count = units.min(hidden - first);
            for (line, row) in panel
                .chunks_exact_mut(units)
                .zip(weight_hh.chunks_exact(hidden))
            {
                line[..count].copy_from_slice(&row[first..first + count]);
            }
        }
        panels
    }

    /// Iterates over the panels, each with the index of its first hidden unit.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[E])> {
        self.weights
            .chunks_exact(self.size)
            .enumerate()
            .map(|(index, panel)| (index * self.units, panel))
    }
}
