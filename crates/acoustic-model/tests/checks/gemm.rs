//! Compares GEMMs of factors and views with f64 on the host: all transpositions, partially filled tiles,
//! extreme magnitudes.

use padwise_model::kernels::gemm::{Bound, MatrixAt, MatrixView, Operand};
use padwise_model::{GateOrder, KernelBackend, Precision};

use super::operands::values;
use super::random::uniform;
use super::{Tolerance, numbers, on_device};

/// A matrix on the host.
struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
}

impl Matrix {
    fn random(rows: usize, columns: usize, size: f32, seed: u64) -> Self {
        let values = uniform(rows * columns, seed);
        Self {
            rows,
            columns,
            values: values.iter().map(|value| value * size).collect(),
        }
    }

    fn factor<B: KernelBackend>(
        &self,
        device: &B::Device,
        bound: Bound<B>,
        precision: Precision,
    ) -> B::Factor {
        B::factor(
            on_device(&self.values, [self.rows, self.columns], device),
            bound,
            precision,
        )
    }

    fn at(&self, row: usize, column: usize, transposed: bool) -> f64 {
        let (row, column) = if transposed {
            (column, row)
        } else {
            (row, column)
        };
        f64::from(self.values[row * self.columns + column])
    }
}

/// All four transpositions of `[m, k] · [k, n]`.
fn one_shape<B: KernelBackend>(
    device: &B::Device,
    [m, n, k]: [usize; 3],
    sizes: [f32; 2],
    precision: Precision,
    tolerance: Tolerance,
) {
    for (left_turned, right_turned) in [(false, false), (false, true), (true, false), (true, true)]
    {
        let turn = |shape: (usize, usize), turned| if turned { (shape.1, shape.0) } else { shape };
        let (rows, columns) = turn((m, k), left_turned);
        let left = Matrix::random(rows, columns, sizes[0], 1);
        let (rows, columns) = turn((k, n), right_turned);
        let right = Matrix::random(rows, columns, sizes[1], 2);
        let (a, b) = (
            left.factor::<B>(device, Bound::Unknown, precision),
            right.factor::<B>(device, Bound::Within(f64::from(sizes[1])), precision),
        );
        let (mut a, mut b) = (MatrixView::all(&a), MatrixView::all(&b));
        if left_turned {
            a = a.transposed();
        }
        if right_turned {
            b = b.transposed();
        }
        let found = numbers(B::multiply(a, b));
        let mut expected = Vec::with_capacity(m * n);
        for row in 0..m {
            for column in 0..n {
                expected.push(
                    (0..k)
                        .map(|i| left.at(row, i, left_turned) * right.at(i, column, right_turned))
                        .sum(),
                );
            }
        }
        let what = format!(
            "[{m}, {k}] x [{k}, {n}], turned {left_turned} {right_turned}, sizes {sizes:?}, {precision:?}"
        );
        tolerance.check(&what, &found, &expected);
    }
}

/// Whole factors in several shapes and magnitudes, with one precision.
pub fn are_right<B: KernelBackend>(device: &B::Device, precision: Precision, tolerance: Tolerance) {
    // Odd sizes, exactly filled tiles, K in many parts, a single number, a second tile of columns, columns in pairs only.
    for shape in [
        [37, 41, 29],
        [256, 128, 64],
        [9, 13, 1500],
        [1, 1, 1],
        [20, 300, 600],
        [33, 42, 20],
    ] {
        one_shape::<B>(device, shape, [1.0, 1.0], precision, tolerance);
    }
    for sizes in [[1e-9, 3.0], [1e6, 1e-3], [1e-20, 1e-12]] {
        one_shape::<B>(device, [33, 18, 70], sizes, precision, tolerance);
    }
}

/// Ranges of rows and columns, as in the gradient of the recurrent weights. Values outside a range are not
/// read, even if they are NaN.
pub fn of_ranges_are_right<B: KernelBackend>(device: &B::Device, tolerance: Tolerance) {
    let (rows, columns, units) = (75, 24, 6);
    let mut gradients = Matrix::random(rows, columns, 1e-3, 3);
    let states = Matrix::random(rows, 2 * units, 1.0, 4);
    for (at, seen) in [(5..rows, 0..rows - 5), (0..rows - 5, 5..rows)] {
        // The rows outside the range.
        for row in (0..rows).filter(|row| !at.contains(row)) {
            gradients.values[row * columns..][..columns].fill(f32::NAN);
        }
        let a = gradients.factor::<B>(device, Bound::Within(1e-3), Precision::F32);
        let b = states.factor::<B>(device, Bound::Within(1.0), Precision::F32);
        let found = numbers(B::multiply(
            MatrixView::range(&a, at.clone(), 12..24).transposed(),
            MatrixView::range(&b, seen.clone(), units..2 * units),
        ));
        let mut expected = Vec::new();
        for column in 12..24 {
            for unit in units..2 * units {
                let terms = at.clone().zip(seen.clone()).map(|(row, other)| {
                    gradients.at(row, column, false) * states.at(other, unit, false)
                });
                expected.push(terms.sum());
            }
        }
        tolerance.check(&format!("rows {at:?} of gradients"), &found, &expected);
        gradients = Matrix::random(rows, columns, 1e-3, 3);
    }
}

/// Column sums of matrices that are wider and longer than one block.
pub fn column_sums_are_right<B: KernelBackend>(device: &B::Device, tolerance: Tolerance) {
    for (rows, columns) in [(1, 1), (7, 300), (1000, 3), (333, 257)] {
        let matrix = Matrix::random(rows, columns, 1.0, 5);
        let found = B::column_sums(on_device(&matrix.values, [rows, columns], device));
        let expected: Vec<f64> = (0..columns)
            .map(|column| (0..rows).map(|row| matrix.at(row, column, false)).sum())
            .collect();
        tolerance.check(
            &format!("columns of [{rows}, {columns}]"),
            &numbers(found),
            &expected,
        );
    }
}

/// Products and column sums written into a vector leave its other values alone. Sizes are odd, so parts begin
/// at addresses that vector loads cannot use.
pub fn results_fit_into_a_vector<B: KernelBackend>(device: &B::Device) {
    for (rows, columns, inner) in [(4, 8, 40), (33, 5, 70), (300, 261, 1000)] {
        let precision = Precision::default();
        let left =
            Matrix::random(rows, inner, 1.0, 8).factor::<B>(device, Bound::Unknown, precision);
        let right = Matrix::random(inner, columns, 1.0, 9);
        let sums = B::column_sums(on_device(&right.values, [inner, columns], device));
        let right = on_device(&right.values, [inner, columns], device);
        let factor = B::factor(right.clone(), Bound::Unknown, precision);
        let views = || (MatrixView::all(&left), MatrixView::all(&factor));
        let (lhs, rhs) = views();
        let product = numbers(B::multiply(lhs, rhs));

        let (before, after) = (4, 7);
        let all = before + product.len() + 2 * columns + after;
        let mut vector = on_device(&vec![0.5; all], [all], device);
        let (lhs, rhs) = views();
        B::multiply_into(lhs, rhs, &mut vector, before);
        let at = before + product.len();
        B::column_sums_into(right, 2, &mut vector, at);

        let sums = numbers(sums);
        let edge = |count: usize| std::iter::repeat_n(0.5, count);
        let expected: Vec<_> = edge(before)
            .chain(product)
            .chain(sums.iter().copied())
            .chain(sums.iter().copied())
            .chain(edge(after))
            .collect();
        assert_eq!(numbers(vector.clone()), expected, "[{rows}, {columns}]");
        for range in [0..all, at..all, 4..at, at..at + 1] {
            let part = numbers(B::part(&vector, range.clone()));
            assert_eq!(part, expected[range]);
        }
    }
}

/// Matrices of a vector, of different sizes and magnitudes, as factors. In the second case they begin where vector loads cannot read.
pub fn matrices_of_a_vector_are_right<B: KernelBackend>(device: &B::Device, tolerance: Tolerance) {
    for first in [4, 3] {
        let matrices = [
            ([40, 16], 1e-6),
            ([24, 3], 1.0),
            ([9, 70], 1e9),
            ([1, 8], 0.0),
        ];
        let mut vector = vec![f32::NAN; first];
        let mut places = Vec::new();
        for (index, (shape, size)) in matrices.into_iter().enumerate() {
            let at = vector.len();
            places.push(MatrixAt {
                at,
                shape,
                gates: GateOrder::ByGate,
            });
            let [rows, columns] = shape;
            vector.extend(Matrix::random(rows, columns, size, index as u64).values);
            vector.resize(vector.len().next_multiple_of(4) + first % 4, f32::NAN);
        }
        let values = on_device::<B, 1>(&vector, [vector.len()], device);
        let factors = B::factors(&values, &places, Precision::F32);
        assert_eq!(factors.len(), places.len());
        for (factor, place) in factors.into_iter().zip(places) {
            let [rows, columns] = place.shape;
            let found = values_of::<B>(factor, columns, device);
            let expected = &vector[place.at..place.at + rows * columns];
            let expected: Vec<f64> = expected.iter().copied().map(f64::from).collect();
            tolerance.check(&format!("{place:?}"), &found, &expected);
        }
    }
}

/// The rows of input weights as interleaved gates.
#[allow(dead_code, reason = "only CUDA interleaves gates")]
pub fn gates_are_interleaved<B: KernelBackend>(device: &B::Device, tolerance: Tolerance) {
    let (hidden, columns) = (32, 5);
    let shape = [8 * hidden, columns];
    let weights = Matrix::random(shape[0], shape[1], 1.0, 1).values;
    let values = on_device::<B, 1>(&weights, [weights.len()], device);
    let place = MatrixAt {
        at: 0,
        shape,
        gates: GateOrder::Interleaved,
    };
    let factors = B::factors(&values, &[place], Precision::F32);
    let found = values_of::<B>(
        factors.into_iter().next().expect("a factor"),
        columns,
        device,
    );
    let row_of =
        |row: usize| row / (4 * hidden) * 4 * hidden + row % 4 * hidden + row % (4 * hidden) / 4;
    let rows = (0..shape[0]).flat_map(|row| &weights[row_of(row) * columns..][..columns]);
    let expected: Vec<f64> = rows.copied().map(f64::from).collect();
    tolerance.check("interleaved rows", &found, &expected);
}

fn values_of<B: KernelBackend>(factor: B::Factor, columns: usize, device: &B::Device) -> Vec<f64> {
    values::<B>(Operand::Factor(factor), columns, Precision::F32, device)
}

/// Two GEMMs in one call give the results of two calls, for both directions of a layer. Some operands need two launches.
pub fn pairs_equal_single_products<B: KernelBackend>(device: &B::Device) {
    for (rows, step, hidden) in [(75, 5, 32), (75, 1, 6), (64, 64 - 1, 8), (400, 16, 64)] {
        let gradients = Matrix::random(rows, 8 * hidden, 1e-3, 3);
        let states = Matrix::random(rows, 2 * hidden, 1.0, 4);
        let gradients = gradients.factor::<B>(device, Bound::Within(1e-3), Precision::F32);
        let states = states.factor::<B>(device, Bound::Within(1.0), Precision::F32);
        let pair = |direction: usize| {
            let (at, seen) = (step..rows, 0..rows - step);
            let (at, seen) = if direction == 0 {
                (at, seen)
            } else {
                (seen, at)
            };
            let (gates, units) = (4 * hidden * direction, hidden * direction);
            [
                MatrixView::range(&gradients, at, gates..gates + 4 * hidden).transposed(),
                MatrixView::range(&states, seen, units..units + hidden),
            ]
        };
        let shape = [4 * hidden, hidden];
        let each = shape[0] * shape[1];
        let empty = || on_device::<B, 1>(&vec![0.5; 2 * each + 8], [2 * each + 8], device);
        let mut both = empty();
        B::multiply_both_into([pair(0), pair(1)], shape, &mut both, 4);
        let mut single = empty();
        for direction in [0, 1] {
            let [lhs, rhs] = pair(direction);
            B::multiply_into(lhs, rhs, &mut single, 4 + direction * each);
        }
        let what = format!("{rows} rows, {step} apart, H={hidden}");
        // K may be split into other parts.
        Tolerance(1e-6).check(&what, &numbers(both), &numbers(single));
    }
}

/// GEMMs with a bias, and the magnitudes of results, with and without a split K.
pub fn biases_and_magnitudes_are_right<B: KernelBackend>(device: &B::Device, tolerance: Tolerance) {
    for [m, n, k] in [[37, 41, 29], [300, 1500, 1024], [5, 8, 3000]] {
        let left = Matrix::random(m, k, 1.0, 1).factor::<B>(device, Bound::Unknown, Precision::F32);
        let right =
            Matrix::random(k, n, 1.0, 2).factor::<B>(device, Bound::Unknown, Precision::F32);
        let views = || (MatrixView::all(&left), MatrixView::all(&right));
        let (lhs, rhs) = views();
        let plain = numbers(B::multiply(lhs, rhs));
        let bias = uniform(n, 3);
        let (lhs, rhs) = views();
        let found = B::multiply_and_add(lhs, rhs, on_device(&bias, [n], device));
        let with_bias = plain.iter().enumerate();
        let expected: Vec<f64> = with_bias
            .map(|(at, value)| value + f64::from(bias[at % n]))
            .collect();
        let what = format!("[{m}, {k}] x [{k}, {n}]");
        tolerance.check(&format!("{what} with a bias"), &numbers(found), &expected);
        let (lhs, rhs) = views();
        let found = B::multiply_and_measure(lhs, rhs);
        assert_eq!(numbers(found.values), plain, "{what}");
        if let Some(magnitude) = found.magnitude {
            let largest = plain
                .iter()
                .fold(0.0_f64, |most, value| most.max(value.abs()));
            let magnitude = numbers(magnitude)[0];
            // Of its parts, if K is split into up to 16.
            assert!(
                magnitude >= largest / 16.0 && magnitude <= 16.0 * largest,
                "{what}: {magnitude} instead of {largest}"
            );
        }
    }
}
