//! How much context tells about a frame of the synthetic corpus.
//!
//! `cargo run --release -p padwise-features --example context_probe` trains linear classifiers on 1, 11 and 51 frames
//! and on what only the whole utterance shows, and prints their errors on utterances of other speakers; then what an
//! utterance's length has to do with its content and its speaker. The table in docs/synthetic-corpus.md is its output.

use std::collections::BTreeMap;
use std::time::Instant;

use padwise_features::{Matrix, Synthetic, SyntheticConfig, SyntheticError};

/// Frames in a step of training.
const BATCH: usize = 256;
/// Frames that errors are counted on.
const TEST_FRAMES: usize = 20_000;
const THREADS: usize = 2;

/// What a classifier is shown of an utterance.
#[derive(Clone, Copy)]
struct View {
    name: &'static str,
    /// Frames on either side.
    reach: usize,
    mean_removed: bool,
    topic: bool,
    accent: bool,
}

const WINDOW: View = View {
    name: "1 frame",
    reach: 0,
    mean_removed: false,
    topic: false,
    accent: false,
};
const ELEVEN: View = View {
    name: "11 frames",
    reach: 5,
    ..WINDOW
};
const FIFTY_ONE: View = View {
    name: "51 frames",
    reach: 25,
    ..WINDOW
};
const MEAN_REMOVED: View = View {
    name: "51 frames, utterance mean removed",
    mean_removed: true,
    ..FIFTY_ONE
};
const TOPIC: View = View {
    name: "51 frames, mean removed, topic known",
    topic: true,
    ..MEAN_REMOVED
};
const ACCENT: View = View {
    name: "51 frames, mean removed, topic and accent known",
    accent: true,
    ..TOPIC
};

/// Utterances, made once and viewed in many ways.
struct Speech {
    utterances: Vec<Utterance>,
    /// Every (utterance, frame), shuffled.
    frames: Vec<(u32, u32)>,
}

struct Utterance {
    features: Matrix,
    mean: Vec<f32>,
    labels: Vec<i32>,
    topic: usize,
    accent: usize,
}

impl Speech {
    fn new(seed: u64, utterances: usize) -> Result<(Synthetic, Self), SyntheticError> {
        let corpus = Synthetic::new(SyntheticConfig {
            seed,
            utterances,
            ..SyntheticConfig::default()
        })?;
        let mut frames = Vec::new();
        let mut made = Vec::new();
        for index in 0..utterances {
            let (features, labels) = corpus.generate(index)?;
            let mut mean = vec![0.0; features.cols()];
            for frame in features.as_slice().chunks_exact(features.cols()) {
                let share = 1.0 / features.rows() as f32;
                mean.iter_mut()
                    .zip(frame)
                    .for_each(|(sum, x)| *sum += x * share);
            }
            frames.extend((0..features.rows() as u32).map(|frame| (index as u32, frame)));
            made.push(Utterance {
                features,
                mean,
                labels,
                topic: corpus.topic(index),
                accent: corpus.accent(index),
            });
        }
        // Any shuffle will do here: a multiplicative congruential one, by index.
        let mut state = 1u64;
        for at in (1..frames.len()).rev() {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            frames.swap(at, (state >> 33) as usize % (at + 1));
        }
        let speech = Speech {
            utterances: made,
            frames,
        };
        Ok((corpus, speech))
    }

    /// The inputs of the frames from `start` on, one row each, and their labels.
    fn batch(&self, view: View, start: usize, size: usize) -> (Vec<f32>, Vec<usize>) {
        let mut inputs = Vec::new();
        let mut labels = Vec::new();
        for at in start..start + size {
            let (utterance, frame) = self.frames[at % self.frames.len()];
            let utterance = &self.utterances[utterance as usize];
            utterance.splice(view, frame as usize, &mut inputs);
            labels.push(utterance.labels[frame as usize] as usize);
        }
        (inputs, labels)
    }
}

impl Utterance {
    fn splice(&self, view: View, frame: usize, out: &mut Vec<f32>) {
        let start = out.len();
        for offset in 0..=2 * view.reach {
            let at = (frame + offset).saturating_sub(view.reach);
            let row = self.features.row(at.min(self.features.rows() - 1));
            match view.mean_removed {
                true => out.extend(row.iter().zip(&self.mean).map(|(x, mean)| x - mean)),
                false => out.extend(row),
            }
        }
        if view.topic {
            out.extend((0..4).map(|topic| f32::from(u8::from(topic == self.topic))));
        }
        out.push(1.0);
        if view.accent {
            // A second copy with a sign: one classifier for each accent.
            let sign = if self.accent == 0 { 1.0 } else { -1.0 };
            let copy: Vec<f32> = out[start..].iter().map(|x| x * sign).collect();
            out.extend(copy);
        }
    }
}

/// Multinomial logistic regression, trained by Adam in one pass over frames it has not seen.
struct Linear {
    classes: usize,
    inputs: usize,
    weights: Vec<f32>,
}

impl Linear {
    /// Starts from a classifier of a narrower window, where there is one: a wide one of many classes would need more
    /// frames than we have time for to get there from nothing.
    fn train(
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

    /// The share of frames whose likeliest class is wrong, and the cross-entropy in nats.
    fn test(&self, speech: &Speech, view: View, class_of: &[usize]) -> (f64, f64) {
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

/// The product of a (any height × inner) and b (inner × width), in tiles of four by eight.
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
    // A last tile of fewer rows repeats its first; the repetitions are not written.
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

/// The share of the variance of values that their groups explain.
fn explained<K: Ord>(values: &[(K, f64)]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().map(|(_, x)| x).sum::<f64>() / count;
    let total: f64 = values.iter().map(|(_, x)| (x - mean).powi(2)).sum();
    let mut groups: BTreeMap<&K, (f64, f64)> = BTreeMap::new();
    for (key, x) in values {
        let (n, sum) = groups.entry(key).or_default();
        (*n, *sum) = (*n + 1.0, *sum + x);
    }
    let between: f64 = groups
        .values()
        .map(|(n, sum)| n * (sum / n - mean).powi(2))
        .sum();
    between / total
}

fn correlation(pairs: &[(f64, f64)]) -> f64 {
    let count = pairs.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| pairs.iter().map(pick).sum::<f64>() / count;
    let (x0, y0) = (mean(|p| p.0), mean(|p| p.1));
    let sum =
        |f: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|p| f(p.0 - x0, p.1 - y0)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

fn lengths(corpus: &Synthetic) {
    let told: Vec<(f64, Vec<f64>, f64)> = (0..corpus.len())
        .map(|index| {
            let spans = corpus.phones(index);
            let mut shares = vec![0.0; corpus.phone_names().len()];
            spans
                .iter()
                .for_each(|span| shares[span.phone] += 1.0 / spans.len() as f64);
            let length = f64::from(corpus.length(index));
            (length.ln(), shares, spans.len() as f64 / length)
        })
        .collect();
    println!("\n| what goes with an utterance's length | |\n| --- | --- |");
    let by = |group: &dyn Fn(usize) -> u32| {
        let groups: Vec<(u32, f64)> = (0..told.len()).map(|i| (group(i), told[i].0)).collect();
        explained(&groups)
    };
    println!(
        "| variance of log length explained by the speaker | {:.2} |",
        by(&|i| corpus.speaker(i))
    );
    println!(
        "| variance of log length explained by the topic | {:.2} |",
        by(&|i| corpus.topic(i) as u32)
    );
    let rates: Vec<(u32, f64)> = (0..told.len())
        .map(|i| (corpus.speaker(i), told[i].2))
        .collect();
    println!(
        "| variance of phones a frame explained by the speaker | {:.2} |",
        explained(&rates)
    );
    let mut phones: Vec<(f64, &str)> = (corpus.phone_names().iter().enumerate())
        .map(|(phone, name)| {
            let pairs: Vec<(f64, f64)> = told
                .iter()
                .map(|(length, shares, _)| (*length, shares[phone]))
                .collect();
            (correlation(&pairs), *name)
        })
        .collect();
    phones.sort_by(|a, b| a.0.total_cmp(&b.0));
    let named = |list: &[(f64, &str)]| {
        list.iter()
            .map(|(r, name)| format!("{name} {r:+.2}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    println!(
        "| correlation of log length with the share of phones of short utterances | {} |",
        named(&phones[..3])
    );
    println!(
        "| ... and of long ones | {} |",
        named(&phones[phones.len() - 3..])
    );
}

fn main() -> Result<(), SyntheticError> {
    let began = Instant::now();
    let (corpus, training) = Speech::new(1, 1500)?;
    let (_, test) = Speech::new(2, 400)?;
    let states: Vec<usize> = (0..corpus.classes()).collect();
    let phones: Vec<usize> = states
        .iter()
        .filter_map(|&class| corpus.phone_of(class))
        .collect();
    let mut counts = vec![0u32; corpus.classes()];
    let labels = training.utterances.iter().flat_map(|u| &u.labels);
    labels.for_each(|&label| counts[label as usize] += 1);
    counts.sort_unstable();
    println!(
        "{} training frames and {TEST_FRAMES} test frames. Of {} classes, {} occur in the training frames: \
         the rarest {} times, the middle one {}, the most frequent {}.\n",
        training.frames.len(),
        counts.len(),
        counts.iter().filter(|&&count| count > 0).count(),
        counts[0],
        counts[counts.len() / 2],
        counts[counts.len() - 1],
    );
    println!(
        "| labels | the classifier sees | frame error rate | cross-entropy (nats) |\n| --- | --- | ---: | ---: |"
    );
    let report = |labels: &str,
                  class_of: &[usize],
                  view: View,
                  training_of: (usize, f32),
                  narrower: Option<&Linear>| {
        let model = Linear::train(&training, view, class_of, training_of, narrower);
        let (error, loss) = model.test(&test, view, class_of);
        println!(
            "| {labels} | {} | {:.1} % | {loss:.2} |",
            view.name,
            100.0 * error
        );
        model
    };
    for (view, rate) in [
        (WINDOW, 0.01),
        (ELEVEN, 0.005),
        (FIFTY_ONE, 0.003),
        (MEAN_REMOVED, 0.003),
        (TOPIC, 0.003),
        (ACCENT, 0.002),
    ] {
        report("41 phones", &phones, view, (1200, rate), None);
    }
    let one = report("1500 tied states", &states, WINDOW, (400, 0.02), None);
    let eleven = report(
        "1500 tied states",
        &states,
        ELEVEN,
        (400, 0.008),
        Some(&one),
    );
    report(
        "1500 tied states",
        &states,
        FIFTY_ONE,
        (300, 0.001),
        Some(&eleven),
    );
    lengths(&corpus);
    eprintln!("\n{:.0} s", began.elapsed().as_secs_f64());
    Ok(())
}
