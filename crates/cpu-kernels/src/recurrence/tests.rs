//! Compares both passes with a naive scalar implementation.

mod naive;

use super::*;
use crate::simd::Real;

/// Pseudo-random numbers from -1 to 1.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        })
        .collect()
}

struct Case {
    frames: usize,
    hidden: usize,
    lengths: Vec<u32>,
    projections: Vec<f64>,
    bias: Vec<f64>,
    weight_hh: Vec<f64>,
    grad_output: Vec<f64>,
}

impl Case {
    fn new(frames: usize, hidden: usize, lengths: &[u32]) -> Self {
        let states = frames * lengths.len() * 2 * hidden;
        let scaled = |count, seed, scale: f64| {
            numbers(count, seed)
                .into_iter()
                .map(|x| x * scale)
                .collect()
        };
        Self {
            frames,
            hidden,
            lengths: lengths.to_vec(),
            projections: scaled(4 * states, 1, 2.0),
            bias: scaled(8 * hidden, 2, 0.5),
            weight_hh: scaled(8 * hidden * hidden, 3, 1.5 / (hidden as f64).sqrt()),
            grad_output: scaled(states, 4, 1.0),
        }
    }

    /// Edge cases: single frames and rows, rows that end early, in one group or in several. Hidden sizes that
    /// are not whole vectors, and batches that are not whole groups.
    fn all() -> Vec<Self> {
        if cfg!(miri) {
            return vec![Self::new(1, 1, &[1]), Self::new(3, 5, &[3, 1])];
        }
        let mut cases = vec![
            Self::new(1, 1, &[1]),
            Self::new(1, 20, &[1, 1, 1]),
            Self::new(7, 16, &[7]),
            Self::new(6, 33, &[6, 1, 3, 6, 2]),
            Self::new(9, 37, &[4, 9, 1, 1, 8, 2, 9, 3, 5]),
            Self::new(5, 64, &[5; 16]),
            Self::new(
                8,
                48,
                &[1, 8, 2, 7, 3, 6, 4, 5, 5, 4, 6, 3, 7, 2, 8, 1, 1, 1, 2],
            ),
        ];
        cases.extend((1..=8).map(|rows| Self::new(3, 17, &vec![3; rows])));
        cases
    }

    fn rounded<E: Real>(values: &[f64]) -> Vec<E> {
        values.iter().map(|x| E::from_f64(*x)).collect()
    }

    /// The padded rows of this case, and two packed orders: as few rows as possible, and whole tiles of 16.
    fn layouts(&self) -> [RowLayout; 3] {
        [
            RowLayout::padded(&self.lengths, self.frames),
            RowLayout::packed(&self.lengths, |rows| rows),
            RowLayout::packed(&self.lengths, |rows| rows.next_multiple_of(16)),
        ]
    }

    fn run_padded<E: Real>(&self) -> [Vec<E>; 4] {
        self.run(&RowLayout::padded(&self.lengths, self.frames), None)
    }

    /// Returns the rows of output, cells, activated gates and gate gradients. `padding`, if given, overwrites the
    /// padding of projections and output gradients.
    fn run<E: Real>(&self, layout: &RowLayout, padding: Option<f64>) -> [Vec<E>; 4] {
        let hidden = self.hidden;
        let mut gates = layout.from_time_major(self.projections.clone(), 8 * hidden);
        let mut grad_output = layout.from_time_major(self.grad_output.clone(), 2 * hidden);
        if let Some(value) = padding {
            for (tensor, columns) in [(&mut gates, 8 * hidden), (&mut grad_output, 2 * hidden)] {
                for (row, owner) in tensor.chunks_exact_mut(columns).zip(layout.owners()) {
                    if owner.is_none() {
                        row.fill(value);
                    }
                }
            }
        }
        let mut gates = Self::rounded::<E>(&gates);
        let (bias, weight_hh, grad_output) = (
            Self::rounded(&self.bias),
            Self::rounded(&self.weight_hh),
            Self::rounded(&grad_output),
        );
        let states = layout.rows() * 2 * hidden;
        let garbage = E::from_f64(f64::NAN);
        let (mut output, mut cells) = (vec![garbage; states], vec![garbage; states]);
        forward(RecurrenceForward {
            layout,
            hidden,
            projections: &mut gates,
            bias: &bias,
            weight_hh: &weight_hh,
            output: &mut output,
            cells: &mut cells,
        });
        let activated = gates.clone();
        backward(RecurrenceBackward {
            layout,
            hidden,
            gates: &mut gates,
            cells: &cells,
            grad_output: &grad_output,
            weight_hh: &weight_hh,
        });
        [output, cells, activated, gates]
    }
}

#[test]
fn both_passes_agree_with_the_naive_recurrence() {
    for case in Case::all() {
        let naive = case.naive();
        for layout in case.layouts() {
            let single = case.run::<f32>(&layout, None);
            let double = case.run::<f64>(&layout, None);
            let results = naive.iter().zip(single.into_iter().zip(double));
            for ((expected, (single, double)), columns) in results.zip([2, 2, 8, 8]) {
                let single = layout.to_time_major(single, columns * case.hidden);
                let double = layout.to_time_major(double, columns * case.hidden);
                for ((expected, single), double) in expected.iter().zip(single).zip(double) {
                    assert!(
                        (f64::from(single) - expected).abs() < 5e-6,
                        "{layout:?}: {single} for {expected}"
                    );
                    assert!(
                        (double - expected).abs() < 1e-13,
                        "{layout:?}: {double} for {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn packed_rows_have_the_bits_of_padded_ones() {
    for case in Case::all() {
        let padded = case.run_padded::<f32>();
        for layout in case.layouts() {
            let found = case.run::<f32>(&layout, None).into_iter();
            for ((expected, found), columns) in padded.iter().zip(found).zip([2, 2, 8, 8]) {
                let found = layout.to_time_major(found, columns * case.hidden);
                assert!(found.iter().eq(expected), "{layout:?}");
            }
        }
    }
}

#[test]
fn padding_contents_change_no_bit() {
    let bits = |tensors: [Vec<f32>; 4]| {
        tensors.map(|tensor| tensor.into_iter().map(f32::to_bits).collect::<Vec<_>>())
    };
    for case in Case::all() {
        for layout in case.layouts() {
            let expected = bits(case.run(&layout, None));
            for padding in [f64::NAN, f64::INFINITY, 1e30] {
                assert!(
                    bits(case.run(&layout, Some(padding))) == expected,
                    "{layout:?} padded with {padding}"
                );
            }
        }
    }
}

#[test]
fn padding_is_exactly_zero() {
    for case in Case::all() {
        for layout in case.layouts() {
            let found = case.run::<f32>(&layout, Some(f64::NAN));
            for (tensor, columns) in found.iter().zip([2, 2, 8, 8]) {
                let rows = tensor.chunks_exact(columns * case.hidden);
                for (row, owner) in rows.zip(layout.owners()) {
                    let is_zero = row.iter().all(|x| x.to_bits() == 0);
                    assert!(owner.is_some() || is_zero, "{layout:?}");
                }
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool of a few threads");
        pool.install(|| {
            Case::all()
                .iter()
                .map(|case| case.run_padded::<f32>())
                .collect::<Vec<_>>()
        })
    };
    let one = run(1);
    let more: &[usize] = if cfg!(miri) { &[2] } else { &[2, 3, 7] };
    for &threads in more {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn a_row_is_the_same_alone_as_in_a_batch() {
    let lengths = [4u32, 9, 1, 8, 2, 9, 3, 5, 9, 6];
    let case = Case::new(9, 40, &lengths);
    let together = case.run_padded::<f32>();
    for row in 0..lengths.len() {
        let pick = |tensor: &[f64], columns: usize| -> Vec<f64> {
            tensor
                .chunks_exact(columns)
                .skip(row)
                .step_by(lengths.len())
                .flatten()
                .copied()
                .collect()
        };
        let alone = Case {
            frames: case.frames,
            hidden: case.hidden,
            lengths: vec![lengths[row]],
            projections: pick(&case.projections, 8 * 40),
            bias: case.bias.clone(),
            weight_hh: case.weight_hh.clone(),
            grad_output: pick(&case.grad_output, 2 * 40),
        };
        for ((alone, together), columns) in alone
            .run_padded::<f32>()
            .iter()
            .zip(&together)
            .zip([80, 80, 320, 320])
        {
            let expected = together
                .chunks_exact(columns)
                .skip(row)
                .step_by(lengths.len())
                .flatten();
            assert!(alone.iter().eq(expected), "row {row}");
        }
    }
}
