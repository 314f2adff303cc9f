//! Least-squares fit of a linear model without intercept.

/// The smallest pivot, relative to its value before elimination.
const SMALLEST_PIVOT: f64 = 1e-12;

/// Fits the last number of each row as a weighted sum of the others, and returns the weights. Solves the normal equations by
/// elimination. None if the rows do not determine the weights.
pub fn least_squares<R: AsRef<[f64]>>(rows: &[R]) -> Option<Vec<f64>> {
    let size = rows.first()?.as_ref().len().checked_sub(1)?;
    let rows = || rows.iter().map(R::as_ref);
    let product = |i: usize, j: usize| rows().map(|row| row[i] * row[j]).sum::<f64>();
    let mut system: Vec<Vec<f64>> = (0..size)
        .map(|i| (0..=size).map(|j| product(i, j)).collect())
        .collect();
    let diagonal: Vec<f64> = (0..size).map(|i| system[i][i]).collect();
    for i in 0..size {
        let pivot = system[i].clone();
        // What elimination leaves of a column that depends on the others is rounding.
        if pivot[i] <= SMALLEST_PIVOT * diagonal[i] {
            return None;
        }
        for (_, row) in system.iter_mut().enumerate().filter(|(k, _)| *k != i) {
            let share = row[i] / pivot[i];
            for (value, from) in row.iter_mut().zip(&pivot) {
                *value -= share * from;
            }
        }
    }
    let weights: Vec<f64> = (0..size).map(|i| system[i][size] / system[i][i]).collect();
    weights
        .iter()
        .all(|weight| weight.is_finite())
        .then_some(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_solution_is_found() {
        // 2 a + 3 b, and 1 a - 1 b + 4 c.
        let two = [[1.0, 1.0, 5.0], [2.0, 1.0, 7.0], [1.0, 3.0, 11.0]];
        let found = least_squares(&two).expect("two weights");
        assert!((found[0] - 2.0).abs() < 1e-12 && (found[1] - 3.0).abs() < 1e-12);
        let three = [
            [1.0, 0.0, 2.0, 9.0],
            [0.0, 1.0, 1.0, 3.0],
            [3.0, 2.0, 0.0, 1.0],
            [1.0, 1.0, 1.0, 4.0],
        ];
        let found = least_squares(&three).expect("three weights");
        for (found, expected) in found.iter().zip([1.0, -1.0, 4.0]) {
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
    }

    /// `numpy.linalg.lstsq([[1, 1], [1, 2], [1, 3]], [1, 2, 2])`: 2/3 and 1/2.
    #[test]
    fn an_overdetermined_system_is_solved_as_by_numpy() {
        let rows = [[1.0, 1.0, 1.0], [1.0, 2.0, 2.0], [1.0, 3.0, 2.0]];
        let found = least_squares(&rows).expect("two weights");
        assert!((found[0] - 2.0 / 3.0).abs() < 1e-12 && (found[1] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn an_underdetermined_system_has_no_solution() {
        assert_eq!(least_squares(&[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]), None);
        assert_eq!(least_squares::<[f64; 3]>(&[]), None);
    }
}
