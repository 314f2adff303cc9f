//! The CTC gradient: one cube per row sums over the states of both tables and overwrites the row's scores
//! with its gradient.

use cubecl::prelude::*;

use super::layout::FIELDS;
use super::logarithms::{NEVER, number};
use crate::reduce;

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
#[allow(clippy::manual_is_multiple_of, reason = "kernels have none")]
pub(super) fn gradient_kernel(
    log_sums: &Array<f32>,
    layout: &Array<i32>,
    tables: &Array<f32>,
    scores: &mut Array<f32>,
    rows: usize,
    row_step: usize,
    classes: usize,
    blank: usize,
    table_size: usize,
    scale: f32,
    #[comptime] units: usize,
) {
    let row = CUBE_POS_Y as usize * CUBE_COUNT_X as usize + CUBE_POS_X as usize;
    let unit = UNIT_POS as usize;
    let mut shared = SharedMemory::<f32>::new(units);
    if row < rows {
        let first_score = row * classes;
        if layout[row] < 0i32 {
            let mut class = unit;
            while class < classes {
                scores[first_score + class] = 0.0f32;
                class += units;
            }
        } else {
            let head = rows + number(layout, row) * comptime!(FIELDS);
            let frame = (row - number(layout, head + 5)) / row_step;
            let states = number(layout, head + 1);
            let first_state = number(layout, head + 2);
            let forward = number(layout, head + 3) + frame * states;
            let backward = forward + table_size;
            let first_class = number(layout, head + 4);
            let log_sum_of_row = log_sums[row];

            // The sum of both tables contains the emission twice.
            let mut peak = comptime!(NEVER).runtime();
            let mut state = unit;
            while state < states {
                let score = scores[first_score + number(layout, first_state + state)];
                peak = max(
                    peak,
                    tables[forward + state] + tables[backward + state] - score,
                );
                state += units;
            }
            let top = reduce::largest_in_cube(&mut shared, peak, units);
            // Every other state is a blank, so all units sum the blanks together.
            let mut labels = 0.0f32;
            let mut blanks = 0.0f32;
            let mut state = unit;
            while state < states {
                let score = scores[first_score + number(layout, first_state + state)];
                let share =
                    f32::exp(tables[forward + state] + tables[backward + state] - score - top);
                if state % 2 == 0 {
                    blanks += share;
                } else {
                    labels += share;
                }
                state += units;
            }
            let blanks = reduce::sum_in_cube(&mut shared, blanks, units);
            let sum = blanks + reduce::sum_in_cube(&mut shared, labels, units);
            let all = top + f32::ln(sum);

            // From here on, a unit reads and writes only the scores of its own classes.
            let mut class = unit;
            while class < classes {
                let score = scores[first_score + class];
                let mut occupied = 0.0f32;
                if class == blank {
                    occupied = blanks / sum;
                }
                let mut listed = number(layout, first_class + class);
                let end = number(layout, first_class + class + 1);
                while listed < end {
                    let state = number(layout, listed);
                    occupied +=
                        f32::exp(tables[forward + state] + tables[backward + state] - score - all);
                    listed += 1;
                }
                let probability = f32::exp(score - log_sum_of_row);
                scores[first_score + class] = (probability - occupied) * scale;
                class += units;
            }
        }
    }
}
