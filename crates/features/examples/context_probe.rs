//! Measures how much context helps to classify frames of the synthetic corpus.
//!
//! `cargo run --release -p padwise-features --example context_probe` trains linear classifiers on 1, 11 and 51 frames, and
//! with information about the whole utterance. It prints their errors on utterances of other speakers, and correlations of
//! length with content and speaker. The tables in docs/synthetic-corpus.md are its output.

use std::collections::BTreeMap;
use std::time::Instant;

use linear::{Linear, TEST_FRAMES};
use padwise_features::{Synthetic, SyntheticError};
use speech::{ACCENT, ELEVEN, FIFTY_ONE, MEAN_REMOVED, Speech, TOPIC, View, WINDOW};

#[path = "context_probe/linear.rs"]
mod linear;
#[path = "context_probe/speech.rs"]
mod speech;

/// The fraction of variance explained by the groups.
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
    let measured: Vec<(f64, Vec<f64>, f64)> = (0..corpus.len())
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
        let groups: Vec<(u32, f64)> = (0..measured.len())
            .map(|i| (group(i), measured[i].0))
            .collect();
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
    let rates: Vec<(u32, f64)> = (0..measured.len())
        .map(|i| (corpus.speaker(i), measured[i].2))
        .collect();
    println!(
        "| variance of phones a frame explained by the speaker | {:.2} |",
        explained(&rates)
    );
    let mut phones: Vec<(f64, &str)> = (corpus.phone_names().iter().enumerate())
        .map(|(phone, name)| {
            let pairs: Vec<(f64, f64)> = measured
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
