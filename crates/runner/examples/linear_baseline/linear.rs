//! Linear discriminant analysis of frames, in closed form.
//!
//! Classes are Gaussians with a shared covariance. On the synthetic corpus, whose noise is Gaussian, this is close to the best linear
//! classifier.

use padwise_features::Corpus;
use rayon::prelude::*;

/// A linear classifier: weights and an offset per class.
pub struct Linear {
    context: usize,
    classes: Vec<(Vec<f64>, f64)>,
}

/// Sums over frames: count and sum per class, and the products of all pairs of inputs.
struct Sums {
    count: Vec<f64>,
    sum: Vec<Vec<f64>>,
    products: Vec<Vec<f64>>,
}

impl Linear {
    /// Fits a classifier to every frame of a corpus, with `context` frames on either side.
    pub fn fit(corpus: &dyn Corpus, context: usize) -> Self {
        let Sums {
            count,
            sum: mut mean,
            products: mut covariance,
        } = Sums::of(corpus, context);
        let frames: f64 = count.iter().sum();
        for (mean, count) in mean.iter_mut().zip(&count) {
            mean.iter_mut().for_each(|sum| *sum /= count.max(1.0));
        }
        // Subtract the class means: the covariance is within classes.
        for (row, products) in covariance.iter_mut().enumerate() {
            for (mean, count) in mean.iter().zip(&count) {
                let factor = count * mean[row];
                products
                    .iter_mut()
                    .zip(mean)
                    .for_each(|(x, m)| *x -= factor * m);
            }
            products.iter_mut().for_each(|x| *x /= frames);
        }
        let weights = solve(covariance, &mean);
        let classes = weights.into_iter().zip(mean.iter().zip(&count));
        Linear {
            context,
            classes: classes
                .map(|(weights, (mean, count))| {
                    let square: f64 = weights.iter().zip(mean).map(|(w, m)| w * m).sum();
                    (weights, (count / frames).ln() - square / 2.0)
                })
                .collect(),
        }
    }

    /// The frame error rate in percent and the cross-entropy in nats.
    pub fn test(&self, corpus: &dyn Corpus) -> (f64, f64) {
        let (wrong, loss, frames) = (0..corpus.len())
            .into_par_iter()
            .map(|utterance| {
                let (mut wrong, mut loss, mut frames) = (0u64, 0.0, 0u64);
                for_each_frame(corpus, utterance, self.context, |frame, label| {
                    let scores: Vec<f64> = self
                        .classes
                        .iter()
                        .map(|class| score(class, frame))
                        .collect();
                    let most = scores.iter().copied().fold(f64::MIN, f64::max);
                    let all: f64 = scores.iter().map(|score| (score - most).exp()).sum();
                    wrong += u64::from(scores[label] < most);
                    loss += most + all.ln() - scores[label];
                    frames += 1;
                });
                (wrong, loss, frames)
            })
            .reduce(|| (0, 0.0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
        (100.0 * wrong as f64 / frames as f64, loss / frames as f64)
    }
}

fn score((weights, offset): &(Vec<f64>, f64), frame: &[f64]) -> f64 {
    offset + weights.iter().zip(frame).map(|(w, x)| w * x).sum::<f64>()
}

impl Sums {
    fn none(inputs: usize, classes: usize) -> Self {
        Sums {
            count: vec![0.0; classes],
            sum: vec![vec![0.0; inputs]; classes],
            products: vec![vec![0.0; inputs]; inputs],
        }
    }

    fn of(corpus: &dyn Corpus, context: usize) -> Self {
        let inputs = corpus.dims() * (2 * context + 1);
        let classes = corpus.classes().unwrap_or(0);
        // A fixed number of pieces, each summed in order: the result does not depend on scheduling.
        let pieces: Vec<usize> = (0..8).collect();
        let pieces: Vec<Sums> = pieces
            .into_par_iter()
            .map(|piece| {
                let mut sums = Sums::none(inputs, classes);
                for utterance in (piece..corpus.len()).step_by(8) {
                    for_each_frame(corpus, utterance, context, |frame, label| {
                        sums.add(frame, label)
                    });
                }
                sums
            })
            .collect();
        let mut all = Sums::none(inputs, classes);
        for piece in pieces {
            plus(&mut all.count, &piece.count);
            all.sum
                .iter_mut()
                .zip(&piece.sum)
                .for_each(|(a, b)| plus(a, b));
            all.products
                .iter_mut()
                .zip(&piece.products)
                .for_each(|(a, b)| plus(a, b));
        }
        for row in 0..inputs {
            for column in 0..row {
                all.products[row][column] = all.products[column][row];
            }
        }
        all
    }

    /// Adds a frame. Only the upper triangle of the products is updated, because they are symmetric.
    fn add(&mut self, frame: &[f64], label: usize) {
        self.count[label] += 1.0;
        plus(&mut self.sum[label], frame);
        for (row, (products, &x)) in self.products.iter_mut().zip(frame).enumerate() {
            products[row..]
                .iter_mut()
                .zip(&frame[row..])
                .for_each(|(sum, y)| *sum += x * y);
        }
    }
}

fn plus(sums: &mut [f64], more: &[f64]) {
    sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
}

/// Visits every labelled frame of an utterance with its context. At the ends the first or last frame is repeated.
fn for_each_frame(
    corpus: &dyn Corpus,
    utterance: usize,
    context: usize,
    mut visit: impl FnMut(&[f64], usize),
) {
    let Ok((features, labels)) = corpus.read(utterance) else {
        return;
    };
    let last = features.rows().saturating_sub(1);
    let mut frame = Vec::new();
    for (at, &label) in labels.iter().enumerate() {
        let Ok(label) = usize::try_from(label) else {
            continue;
        };
        frame.clear();
        for offset in 0..=2 * context {
            let at = (at + offset).saturating_sub(context).min(last);
            frame.extend(features.row(at).iter().map(|&x| f64::from(x)));
        }
        visit(&frame, label);
    }
}

/// Solves `matrix · x = side` for every right-hand side by Gaussian elimination. A covariance matrix needs no pivoting.
fn solve(mut matrix: Vec<Vec<f64>>, sides: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = matrix.len();
    // Append the right-hand sides to the rows of the matrix.
    for (row, numbers) in matrix.iter_mut().enumerate() {
        numbers.extend(sides.iter().map(|side| side[row]));
    }
    for pivot in 0..size {
        let from = std::mem::take(&mut matrix[pivot]);
        for row in matrix.iter_mut().filter(|row| !row.is_empty()) {
            let factor = row[pivot] / from[pivot];
            let rest = row[pivot..].iter_mut().zip(&from[pivot..]);
            rest.for_each(|(x, f)| *x -= factor * f);
        }
        matrix[pivot] = from;
    }
    (0..sides.len())
        .map(|side| {
            (0..size)
                .map(|row| matrix[row][size + side] / matrix[row][row])
                .collect()
        })
        .collect()
}
