//! The forward pass of the recurrence.

use std::array::from_fn;

use rayon::prelude::*;

use super::layout::RowLayout;
use super::microkernel::{blocks, product, run_rows};
use super::panels::Panels;
use super::rows::{Pieces, Rows, Track};
use crate::simd::{Arch, Lanes, Real, Simd, WithSimd};

/// Inputs and outputs of a forward pass over both directions of a layer. All outputs are set to zero at
/// padding.
#[derive(Debug)]
pub struct RecurrenceForward<'a, E> {
    /// The rows of the batch.
    pub layout: &'a RowLayout,
    /// Hidden units per direction (H).
    pub hidden: usize,
    /// `[N,8H]`: the inputs multiplied by the input weights, without bias, on entry; the activated gates on
    /// return.
    pub projections: &'a mut [E],
    /// `[8H]`: the sum of the input and recurrent biases.
    pub bias: &'a [E],
    /// `[2,4H,H]`: the recurrent weights.
    pub weight_hh: &'a [E],
    /// `[N,2H]`: receives the hidden states.
    pub output: &'a mut [E],
    /// `[N,2H]`: receives the cell states.
    pub cells: &'a mut [E],
}

/// Runs both directions of a layer over a padded batch.
///
/// # Panics
/// If a slice's length does not match the shape.
pub fn forward<E: Real>(pass: RecurrenceForward<'_, E>) {
    let hidden = pass.hidden;
    let states = 2 * hidden * pass.layout.rows();
    assert_eq!(pass.projections.len(), 4 * states, "projections");
    assert_eq!(pass.bias.len(), 8 * hidden, "bias");
    assert_eq!(pass.weight_hh.len(), 8 * hidden * hidden, "weight_hh");
    assert_eq!(pass.output.len(), states, "output");
    assert_eq!(pass.cells.len(), states, "cells");
    if hidden > 0 {
        Arch::new().dispatch(pass);
    }
}

impl<E: Real> WithSimd for RecurrenceForward<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (layout, hidden) = (self.layout, self.hidden);
        let panels: Vec<_> = self
            .weight_hh
            .chunks_exact(4 * hidden * hidden)
            .map(|weights| Panels::by_gate::<S>(weights, hidden))
            .collect();
        let mut gates = Pieces::cut(self.projections, layout, 4 * hidden);
        let mut output = Pieces::cut(self.output, layout, hidden);
        let mut cells = Pieces::cut(self.cells, layout, hidden);
        let tasks: Vec<_> = Rows::split(layout)
            .into_iter()
            .map(|rows| Task {
                hidden,
                panels: &panels[rows.direction],
                bias: &self.bias[rows.direction * 4 * hidden..][..4 * hidden],
                gates: gates.take(&rows),
                output: output.take(&rows),
                cells: cells.take(&rows),
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
    hidden: usize,
    panels: &'a Panels<E>,
    bias: &'a [E],
    gates: Track<'a, E>,
    output: Track<'a, E>,
    cells: Track<'a, E>,
    rows: Rows,
}

impl<E: Real> WithSimd for Task<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        // Two gates at a time need two accumulators per row. With more rows and fewer gates, less of the weights is read per
        // multiplication. Leave enough registers for the weights.
        let most = if S::REGISTER_COUNT >= 32 { 8 } else { 4 };
        let beginning = vec![E::default(); self.hidden];
        let from_later = self.rows.direction == 1;
        for time in self.rows.times() {
            let active = self.rows.active(time);
            self.gates
                .prefetch(Rows::neighbour(time, !from_later), active);
            let (gates, _) = self.gates.frame_and_neighbour(time, from_later);
            let (output, previous_output) = self.output.frame_and_neighbour(time, from_later);
            let (cells, previous_cells) = self.cells.frame_and_neighbour(time, from_later);
            for (first_unit, panel) in self.panels.iter() {
                for (first, count) in blocks(active, most) {
                    let step = Step {
                        hidden: self.hidden,
                        panel,
                        first_unit,
                        units: self.panels.units.min(self.hidden - first_unit),
                        bias: self.bias,
                        beginning: &beginning,
                        gates: &mut gates[first..],
                        output: &mut output[first..],
                        previous_output: previous_output.map(|rows| &rows[first..]),
                        cells: &mut cells[first..],
                        previous_cells: previous_cells.map(|rows| &rows[first..]),
                    };
                    run_rows!(step, simd, count, [1 2 3 4 5 6 7], 8);
                }
            }
        }
    }
}

/// One frame of a few rows, for the hidden units of one panel.
struct Step<'a, 'b, E> {
    hidden: usize,
    panel: &'a [E],
    first_unit: usize,
    units: usize,
    bias: &'a [E],
    /// The hidden or cell state before the first frame: zero.
    beginning: &'a [E],
    gates: &'a mut [&'b mut [E]],
    output: &'a mut [&'b mut [E]],
    previous_output: Option<&'a [&'b mut [E]]>,
    cells: &'a mut [&'b mut [E]],
    previous_cells: Option<&'a [&'b mut [E]]>,
}

impl<E: Real> Step<'_, '_, E> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(self, simd: S) {
        // A reverse row that has not started yet reads the zeros of its padding here.
        let rows: [&[E]; ROWS] = from_fn(|row| {
            self.previous_output
                .map_or(self.beginning, |rows| &*rows[row])
        });
        let (first, second) = self.panel.split_at(self.panel.len() / 2);
        let first = product::<E, S, ROWS, 2>(simd, rows, first);
        let second = product::<E, S, ROWS, 2>(simd, rows, second);
        for (row, ([input, forget], [candidate, out])) in first.into_iter().zip(second).enumerate()
        {
            let gates = &mut *self.gates[row];
            let mut before_activation = [input, forget, candidate, out];
            for (gate, sum) in before_activation.iter_mut().enumerate() {
                let start = gate * self.hidden + self.first_unit;
                let projection = Lanes::load(simd, &gates[start..start + self.units]);
                *sum =
                    *sum + (projection + Lanes::load(simd, &self.bias[start..start + self.units]));
            }
            let [input, forget, candidate, out] = before_activation;
            let activated = [
                input.sigmoid(),
                forget.sigmoid(),
                candidate.tanh(),
                out.sigmoid(),
            ];
            for (gate, value) in activated.into_iter().enumerate() {
                let start = gate * self.hidden + self.first_unit;
                value.store(&mut gates[start..start + self.units]);
            }
            let [input, forget, candidate, out] = activated;
            let columns = self.first_unit..self.first_unit + self.units;
            let previous = match self.previous_cells {
                Some(rows) => &*rows[row],
                None => self.beginning,
            };
            let previous = Lanes::load(simd, &previous[columns.clone()]);
            let cell = forget.mul_add(previous, input * candidate);
            cell.store(&mut self.cells[row][columns.clone()]);
            (out * cell.tanh()).store(&mut self.output[row][columns]);
        }
    }
}
