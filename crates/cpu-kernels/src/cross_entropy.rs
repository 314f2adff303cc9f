//! Softmax cross-entropy over rows of logits on the CPU. Rows with a negative target are ignored.
//!
//! The probabilities are never stored. The forward pass keeps each row's log-sum-exp, and the backward pass
//! recomputes the probabilities from it while it writes the gradient. Rows are independent, so results are
//! the same on any number of threads.

use rayon::prelude::*;

use crate::simd::{Arch, Lanes, Real, Simd, WithSimd};

/// Rows per task.
const ROWS_PER_TASK: usize = 16;

/// Computes the loss of each row of `logits` `[N,C]`, its log-sum-exp, and whether the prediction is wrong
/// (1) or right (0). The prediction is the first of the largest logits. If the target is negative, the row is
/// not read and all three results are 0.
///
/// # Panics
/// If a slice's length does not match `targets` and `classes`, or a target is not below `classes`.
pub fn forward<E: Real>(
    classes: usize,
    logits: &[E],
    targets: &[i32],
    loss: &mut [E],
    log_sum_exp: &mut [E],
    wrong: &mut [E],
) {
    let rows = targets.len();
    assert_eq!(logits.len(), rows * classes, "logits");
    assert_eq!(
        [loss.len(), log_sum_exp.len(), wrong.len()],
        [rows; 3],
        "results"
    );
    let arch = Arch::new();
    logits
        .par_chunks((ROWS_PER_TASK * classes).max(1))
        .zip(targets.par_chunks(ROWS_PER_TASK))
        .zip(loss.par_chunks_mut(ROWS_PER_TASK))
        .zip(log_sum_exp.par_chunks_mut(ROWS_PER_TASK))
        .zip(wrong.par_chunks_mut(ROWS_PER_TASK))
        .for_each(|((((logits, targets), loss), log_sum_exp), wrong)| {
            let rows = logits
                .chunks_exact(classes)
                .zip(targets)
                .zip(loss)
                .zip(log_sum_exp)
                .zip(wrong);
            for ((((row, target), loss), log_sum_exp), wrong) in rows {
                (*loss, *log_sum_exp, *wrong) = match usize::try_from(*target) {
                    Ok(target) => {
                        let log_sum_exp = arch.dispatch(LogSumExp(row));
                        let is_wrong = arch.dispatch(Mispredicted { row, target });
                        let wrong = E::from_f64(if is_wrong { 1.0 } else { 0.0 });
                        (log_sum_exp - row[target], log_sum_exp, wrong)
                    }
                    Err(_) => (E::default(), E::default(), E::default()),
                };
            }
        });
}

/// Overwrites `logits` `[N,C]` with the gradient of `scale` times the sum of the losses. Rows with a negative
/// target become exactly 0, even if they contained NaN.
///
/// # Panics
/// If a slice's length does not match `targets` and `classes`, or a target is not below `classes`.
pub fn backward<E: Real>(
    classes: usize,
    logits: &mut [E],
    log_sum_exp: &[E],
    targets: &[i32],
    scale: E,
) {
    let rows = targets.len();
    assert_eq!(logits.len(), rows * classes, "logits");
    assert_eq!(log_sum_exp.len(), rows, "log_sum_exp");
    let arch = Arch::new();
    logits
        .par_chunks_mut((ROWS_PER_TASK * classes).max(1))
        .zip(targets.par_chunks(ROWS_PER_TASK))
        .zip(log_sum_exp.par_chunks(ROWS_PER_TASK))
        .for_each(|((rows, targets), log_sum_exp)| {
            let rows = rows.chunks_exact_mut(classes);
            for ((row, target), log_sum_exp) in rows.zip(targets).zip(log_sum_exp) {
                match usize::try_from(*target) {
                    Ok(target) => {
                        arch.dispatch(Scaled {
                            row,
                            log_sum_exp: *log_sum_exp,
                            scale,
                        });
                        row[target] = row[target] - scale;
                    }
                    Err(_) => row.fill(E::default()),
                }
            }
        });
}

/// Log-sum-exp of a row.
struct LogSumExp<'a, E>(&'a [E]);

impl<E: Real> WithSimd for LogSumExp<'_, E> {
    type Output = E;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> E {
        let (whole, rest) = E::vectors::<S>(self.0);
        let (quads, singles) = whole.as_chunks::<4>();
        // Any element of the row can be the initial maximum.
        let mut largest = [Lanes::<E, S>::splat(simd, self.0[0]); 4];
        for quad in quads {
            for (largest, value) in largest.iter_mut().zip(quad) {
                *largest = Lanes::new(simd, *value).max(*largest);
            }
        }
        for value in singles {
            largest[0] = Lanes::new(simd, *value).max(largest[0]);
        }
        let pairs = [largest[0].max(largest[1]), largest[2].max(largest[3])];
        let mut most = pairs[0].max(pairs[1]).reduce_max();
        for value in rest {
            most = if *value > most { *value } else { most };
        }

        let shift = Lanes::splat(simd, most);
        let mut sums = [Lanes::<E, S>::splat(simd, E::default()); 4];
        for quad in quads {
            for (sum, value) in sums.iter_mut().zip(quad) {
                *sum = *sum + (Lanes::new(simd, *value) - shift).exp();
            }
        }
        for value in singles {
            sums[0] = sums[0] + (Lanes::new(simd, *value) - shift).exp();
        }
        let mut sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])).reduce_sum();
        for value in rest {
            let mut first = [E::default()];
            (Lanes::<E, S>::splat(simd, *value) - shift)
                .exp()
                .store(&mut first);
            sum = sum + first[0];
        }
        most + sum.ln()
    }
}

/// Whether another class is predicted instead of the target: an earlier class with an equal or larger logit,
/// or any class with a larger one. A row with NaN counts as wrong.
struct Mispredicted<'a, E> {
    row: &'a [E],
    target: usize,
}

impl<E: Real> WithSimd for Mispredicted<'_, E> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        let own = self.row[self.target];
        // Counting avoids branches, so the compiler can vectorise the loops.
        let smaller: usize = self.row[..self.target]
            .iter()
            .map(|x| usize::from(*x < own))
            .sum();
        let not_larger: usize = self.row[self.target..]
            .iter()
            .map(|x| usize::from(*x <= own))
            .sum();
        smaller + not_larger < self.row.len()
    }
}

/// `scale` times the softmax of a row.
struct Scaled<'a, E> {
    row: &'a mut [E],
    log_sum_exp: E,
    scale: E,
}

impl<E: Real> WithSimd for Scaled<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (shift, scale) = (
            Lanes::splat(simd, self.log_sum_exp),
            Lanes::splat(simd, self.scale),
        );
        for values in self.row.chunks_mut(E::lanes::<S>()) {
            ((Lanes::<E, S>::load(simd, values) - shift).exp() * scale).store(values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Logits with ties, ignored rows and a large range.
    fn case(rows: usize, classes: usize) -> (Vec<f32>, Vec<i32>) {
        let logits =
            (0..rows * classes).map(|i| ((i * 7919 + i / classes) % 613) as f32 * 0.05 - 15.0);
        let targets = (0..rows).map(|row| {
            if row % 3 == 1 {
                -1
            } else {
                ((row * 31) % classes) as i32
            }
        });
        (logits.collect(), targets.collect())
    }

    #[test]
    fn agrees_with_the_definition() {
        let sizes = [(1, 1), (40, 3), (17, 16), (5, 100), (33, 1501)];
        let tested = if cfg!(miri) { 2 } else { sizes.len() };
        for (rows, classes) in sizes.into_iter().take(tested) {
            let (mut logits, targets) = case(rows, classes);
            for (row, target) in logits.chunks_exact_mut(classes).zip(&targets) {
                if *target < 0 {
                    row.fill(f32::NAN);
                }
            }
            let (mut loss, mut lse, mut wrong) =
                (vec![9.0; rows], vec![9.0; rows], vec![9.0; rows]);
            forward(classes, &logits, &targets, &mut loss, &mut lse, &mut wrong);
            let mut gradient = logits.clone();
            backward(classes, &mut gradient, &lse, &targets, 0.25);
            for row in 0..rows {
                let logits: Vec<f64> = logits[row * classes..][..classes]
                    .iter()
                    .map(|x| f64::from(*x))
                    .collect();
                let gradient = &gradient[row * classes..][..classes];
                let Ok(target) = usize::try_from(targets[row]) else {
                    assert_eq!((loss[row], wrong[row]), (0.0, 0.0));
                    assert!(gradient.iter().all(|x| x.to_bits() == 0));
                    continue;
                };
                let sum: f64 = logits.iter().map(|x| x.exp()).sum();
                assert!((f64::from(lse[row]) - sum.ln()).abs() < 5e-6);
                assert!((f64::from(loss[row]) - (sum.ln() - logits[target])).abs() < 5e-6);
                let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let first = logits.iter().position(|x| *x == most);
                assert_eq!(wrong[row], if first == Some(target) { 0.0 } else { 1.0 });
                for (class, gradient) in gradient.iter().enumerate() {
                    let expected =
                        0.25 * (logits[class].exp() / sum - f64::from(u8::from(class == target)));
                    assert!((f64::from(*gradient) - expected).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn the_first_of_equal_logits_wins() {
        let logits = [1.0f64, 2.0, 2.0, 0.0].repeat(4);
        let (mut loss, mut lse, mut wrong) = (vec![0.0; 4], vec![0.0; 4], vec![0.0; 4]);
        forward(4, &logits, &[1, 2, 0, -5], &mut loss, &mut lse, &mut wrong);
        assert_eq!(wrong, [0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn nan_propagates_and_counts_as_wrong() {
        let (mut loss, mut lse, mut wrong) = ([0.0f32], [0.0], [0.0]);
        forward(
            3,
            &[1.0, f32::NAN, 0.0],
            &[0],
            &mut loss,
            &mut lse,
            &mut wrong,
        );
        assert!(loss[0].is_nan() && wrong[0] == 1.0);
    }
}
