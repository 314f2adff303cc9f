//! A linear classifier, and the matrix multiplication it needs.

use super::speech::{Speech, View};

/// Frames per training step.
const BATCH: usize = 256;
/// Number of test frames.
pub const TEST_FRAMES: usize = 80 * BATCH;
const THREADS: usize = 2;

/// Multinomial logistic regression, trained with Adam on frames that are each used once.
pub struct Linear {
    classes: usize,
    inputs: usize,
    weights: Vec<f32>,
}

impl Linear {
    /// Creates a classifier, optionally initialised from one with a narrower window. With many classes, training a wide
    /// one from scratch would take too long.
    pub fn train(
        speech: &Speech,
        view: View,
        class_of: &[usize],
        (steps, rate): (usize, f32),
        narrower: Option<&Linear>,
    ) -> Self {
        let classes = class_of.iter().max().map_or(0, |most| most + 1);
        let inputs = speech.batch(view, 0, 1).0.len();
        let mut model = Linear {
            classes,
            inputs,
            weights: vec![0.0; inputs * classes],
        };
        if let Some(narrower) = narrower {
            let (frames, bias) = narrower.weights.split_at((narrower.inputs - 1) * classes);
            let middle = (inputs - narrower.inputs) / 2 * classes;
            model.weights[middle..middle + frames.len()].copy_from_slice(frames);
            model.weights[(inputs - 1) * classes..].copy_from_slice(bias);
        }
        let mut moments = vec![(0.0f32, 0.0f32); inputs * classes];
        for step in 0..steps {
            let (x, labels) = speech.batch(view, step * BATCH, BATCH);
            let mut errors = model.probabilities(&x);
            for (row, label) in errors.chunks_exact_mut(classes).zip(labels) {
                row[class_of[label]] -= 1.0;
                row.iter_mut().for_each(|e| *e /= BATCH as f32);
            }
            let gradient = product(&transposed(&x, inputs), &errors, BATCH, classes);
            let warm = 1.0 - 0.999f32.powi(step as i32 + 1);
            let rate = rate * (1.0 - step as f32 / steps as f32);
            for ((w, g), (m, v)) in model.weights.iter_mut().zip(gradient).zip(&mut moments) {
                *m = 0.9 * *m + 0.1 * g;
                *v = 0.999 * *v + 0.001 * g * g;
                *w -= rate * *m / ((*v / warm).sqrt() + 1e-8);
            }
        }
        model
    }

    fn probabilities(&self, x: &[f32]) -> Vec<f32> {
        let mut scores = product(x, &self.weights, self.inputs, self.classes);
        for row in scores.chunks_exact_mut(self.classes) {
            let most = row.iter().copied().fold(f32::MIN, f32::max);
            row.iter_mut().for_each(|s| *s = (*s - most).exp());
            let sum: f32 = row.iter().sum();
            row.iter_mut().for_each(|s| *s /= sum);
        }
        scores
    }

    /// The frame error rate, and the cross-entropy in nats.
    pub fn test(&self, speech: &Speech, view: View, class_of: &[usize]) -> (f64, f64) {
        let (mut wrong, mut loss, mut frames) = (0u32, 0.0, 0);
        for start in (0..TEST_FRAMES).step_by(BATCH) {
            let (x, labels) = speech.batch(view, start, BATCH);
            for (row, label) in self
                .probabilities(&x)
                .chunks_exact(self.classes)
                .zip(labels)
            {
                let truth = row[class_of[label]];
                wrong += u32::from(row.iter().any(|&p| p > truth));
                loss -= f64::from(truth.max(1e-30).ln());
                frames += 1;
            }
        }
        (
            f64::from(wrong) / f64::from(frames),
            loss / f64::from(frames),
        )
    }
}

fn transposed(rows: &[f32], width: usize) -> Vec<f32> {
    let height = rows.len() / width;
    let mut out = vec![0.0; rows.len()];
    for (at, row) in rows.chunks_exact(width).enumerate() {
        row.iter()
            .enumerate()
            .for_each(|(column, &x)| out[column * height + at] = x);
    }
    out
}

/// Multiplies a (any height × inner) by b (inner × width), in tiles of four by eight.
fn product(a: &[f32], b: &[f32], inner: usize, width: usize) -> Vec<f32> {
    let panels: Vec<[f32; 8]> = (0..width.div_ceil(8))
        .flat_map(|panel| (0..inner).map(move |k| (panel, k)))
        .map(|(panel, k)| {
            let row = &b[k * width..(k + 1) * width];
            std::array::from_fn(|lane| row.get(panel * 8 + lane).copied().unwrap_or(0.0))
        })
        .collect();
    let height = a.len() / inner;
    let mut out = vec![0.0; height * width];
    let share = height.div_ceil(THREADS * 4) * 4;
    std::thread::scope(|scope| {
        for (a, out) in a.chunks(share * inner).zip(out.chunks_mut(share * width)) {
            let panels = &panels;
            scope.spawn(move || {
                for (panel, b) in panels.chunks_exact(inner).enumerate() {
                    for (a, out) in a.chunks(4 * inner).zip(out.chunks_mut(4 * width)) {
                        let sums = tile(a, b, inner);
                        for (sums, out) in sums.iter().zip(out.chunks_exact_mut(width)) {
                            let place = out[panel * 8..].iter_mut();
                            place.zip(sums).for_each(|(place, sum)| *place = *sum);
                        }
                    }
                }
            });
        }
    });
    out
}

fn tile(a: &[f32], b: &[[f32; 8]], inner: usize) -> [[f32; 8]; 4] {
    // A last tile with fewer rows repeats its first row; the repetitions are not written.
    let row = |at: usize| a.get(at * inner..(at + 1) * inner).unwrap_or(&a[..inner]);
    let (a0, a1, a2, a3) = (row(0), row(1), row(2), row(3));
    let mut sums = [[0.0f32; 8]; 4];
    for ((((b, x0), x1), x2), x3) in b.iter().zip(a0).zip(a1).zip(a2).zip(a3) {
        for lane in 0..8 {
            sums[0][lane] += x0 * b[lane];
            sums[1][lane] += x1 * b[lane];
            sums[2][lane] += x2 * b[lane];
            sums[3][lane] += x3 * b[lane];
        }
    }
    sums
}
