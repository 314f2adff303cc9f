//! The backward pass of the recurrence: gate gradients before the activations.

use std::array::from_fn;

use rayon::prelude::*;

use super::layout::RowLayout;
use super::microkernel::{blocks, product, run_rows};
use super::panels::Panels;
use super::rows::{Pieces, Rows, Track};
use crate::simd::{Arch, Lanes, Real, Simd, WithSimd};

/// Vectors of hidden units per panel. A row of four gates is long, so many rows and few columns read less of
/// the weights per multiplication.
const WIDTH: usize = 2;

/// Inputs and outputs of a backward pass through both directions of a layer.
#[derive(Debug)]
pub struct RecurrenceBackward<'a, E> {
    /// The rows of the batch.
    pub layout: &'a RowLayout,
    /// Hidden units per direction (H).
    pub hidden: usize,
    /// `[N,8H]`: the activated gates on entry; the gradients of the gates before activation on return, zero
    /// at padding.
    pub gates: &'a mut [E],
    /// `[N,2H]`: the cell states from the forward pass.
    pub cells: &'a [E],
    /// `[N,2H]`: the gradient of the output. Its values at padding are ignored.
    pub grad_output: &'a [E],
    /// `[2,4H,H]`: the recurrent weights.
    pub weight_hh: &'a [E],
}

/// Backpropagates the gradient of the output through both directions of a layer.
///
/// # Panics
/// If a slice's length does not match the shape.
pub fn backward<E: Real>(pass: RecurrenceBackward<'_, E>) {
    let hidden = pass.hidden;
    let states = 2 * hidden * pass.layout.rows();
    assert_eq!(pass.gates.len(), 4 * states, "gates");
    assert_eq!(pass.cells.len(), states, "cells");
    assert_eq!(pass.grad_output.len(), states, "grad_output");
    assert_eq!(pass.weight_hh.len(), 8 * hidden * hidden, "weight_hh");
    if hidden > 0 {
        Arch::new().dispatch(pass);
    }
}

impl<E: Real> WithSimd for RecurrenceBackward<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (layout, hidden) = (self.layout, self.hidden);
        let panels: Vec<_> = self
            .weight_hh
            .chunks_exact(4 * hidden * hidden)
            .map(|weights| Panels::by_unit::<S>(weights, hidden, WIDTH))
            .collect();
        let mut gates = Pieces::cut(self.gates, layout, 4 * hidden);
        let tasks: Vec<_> = Rows::split(layout)
            .into_iter()
            .map(|rows| Task {
                layout,
                hidden,
                panels: &panels[rows.direction],
                gates: gates.take(&rows),
                cells: self.cells,
                grad_output: self.grad_output,
                rows,
            })
            .collect();
        tasks
            .into_par_iter()
            .with_max_len(1)
            .for_each(|task| simd.vectorize(task));
    }
}

struct Task<'a, E> {
    layout: &'a RowLayout,
    hidden: usize,
    panels: &'a Panels<E>,
    gates: Track<'a, E>,
    cells: &'a [E],
    grad_output: &'a [E],
    rows: Rows,
}

impl<E: Real> WithSimd for Task<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let most = if S::REGISTER_COUNT >= 32 { 8 } else { 4 };
        let hidden = self.hidden;
        let end = vec![E::default(); 4 * hidden];
        // The cell gradient that each row passes to the previous frame.
        let mut carried = vec![E::default(); self.rows.count() * hidden];
        let from_later = self.rows.direction == 0;
        for time in self.rows.times().rev() {
            let active = self.rows.active(time);
            let coming = Rows::neighbour(time, !from_later);
            self.gates.prefetch(coming, active);
            let (gates, next_gates) = self.gates.frame_and_neighbour(time, from_later);
            for (first_unit, panel) in self.panels.iter() {
                for (first, count) in blocks(active, most) {
                    let step = Step {
                        layout: self.layout,
                        hidden,
                        rows: &self.rows,
                        time,
                        first,
                        panel,
                        first_unit,
                        end: &end,
                        gates: &mut gates[first..],
                        next_gates: next_gates.map(|rows| &rows[first..]),
                        cells: self.cells,
                        grad_output: self.grad_output,
                        carried: &mut carried[first * hidden..],
                    };
                    run_rows!(step, simd, count, [1 2 3 4 5 6 7], 8);
                }
            }
        }
    }
}

/// One frame of a few rows, for the hidden units of one panel.
struct Step<'a, 'b, E> {
    layout: &'a RowLayout,
    hidden: usize,
    rows: &'a Rows,
    time: usize,
    /// Index of the first row.
    first: usize,
    panel: &'a [E],
    first_unit: usize,
    /// The gate gradients after the last frame: zero.
    end: &'a [E],
    gates: &'a mut [&'b mut [E]],
    next_gates: Option<&'a [&'b mut [E]]>,
    cells: &'a [E],
    grad_output: &'a [E],
    carried: &'a mut [E],
}

impl<E: Real> Step<'_, '_, E> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(mut self, simd: S) {
        // At the last frame of a forward row, this reads the zeros of the padding.
        let rows: [&[E]; ROWS] =
            from_fn(|row| self.next_gates.map_or(self.end, |rows| &*rows[row]));
        let sums = product::<E, S, ROWS, WIDTH>(simd, rows, self.panel);
        let lanes = E::lanes::<S>();
        for (row, sums) in sums.into_iter().enumerate() {
            for (vector, recurrent) in sums.into_iter().enumerate() {
                let first_unit = self.first_unit + vector * lanes;
                if first_unit < self.hidden {
                    self.gate_gradients(simd, row, first_unit, recurrent);
                }
            }
        }
    }

    /// Computes the gate gradients of one row and one vector of hidden units. `recurrent` arrives through the
    /// recurrent weights.
    #[inline(always)]
    fn gate_gradients<S: Simd>(
        &mut self,
        simd: S,
        row: usize,
        first_unit: usize,
        recurrent: Lanes<E, S>,
    ) {
        let hidden = self.hidden;
        let units = E::lanes::<S>().min(hidden - first_unit);
        let columns = |gate: usize| gate * hidden + first_unit..gate * hidden + first_unit + units;
        let states = |time: usize| {
            let start = self
                .rows
                .offset(self.layout, self.first + row, time, hidden)
                + first_unit;
            start..start + units
        };
        let one = Lanes::splat(simd, E::from_f64(1.0));
        let gates = &mut *self.gates[row];
        let input = Lanes::load(simd, &gates[columns(0)]);
        let forget = Lanes::load(simd, &gates[columns(1)]);
        let candidate = Lanes::load(simd, &gates[columns(2)]);
        let out = Lanes::load(simd, &gates[columns(3)]);
        let cell = Lanes::load(simd, &self.cells[states(self.time)]).tanh();
        let previous_cell = match self.rows.previous(self.first + row, self.time) {
            Some(time) => Lanes::load(simd, &self.cells[states(time)]),
            None => Lanes::splat(simd, E::default()),
        };
        let carried = &mut self.carried[row * hidden..][columns(0)];

        let grad_output = Lanes::load(simd, &self.grad_output[states(self.time)]) + recurrent;
        let grad_cell = (grad_output * out).mul_add(one - cell * cell, Lanes::load(simd, carried));
        let gradients = [
            grad_cell * candidate * (input * (one - input)),
            grad_cell * previous_cell * (forget * (one - forget)),
            grad_cell * input * (one - candidate * candidate),
            grad_output * cell * (out * (one - out)),
        ];
        (grad_cell * forget).store(carried);
        for (gate, gradient) in gradients.into_iter().enumerate() {
            gradient.store(&mut gates[columns(gate)]);
        }
    }
}
